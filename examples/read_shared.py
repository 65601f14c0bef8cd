"""Looks items up in a filter that processes share, while they use it.

    read_shared.py FILTER < ITEMS
    read_shared.py --hashes FILTER < HASHES

FILTER is the name of its file, or /proc/PID/fd/NUMBER of a process that has it. ITEMS, HASHES and
the answers are those of read_stored.py, whose hash it uses. It reads fixed and rotating filters of
every layout. It needs nothing but Python, maps the memory to read it only, and knows nothing but what docs/format.md documents.

Python does not promise that it reads eight bytes at once, or in the order of the program. CPython
does: an element of a memoryview of "Q" at a multiple of eight is one load, and one is done after
the other. That the processor keeps this order is true on x86-64, and not on AArch64: there, use
this program for filters to which nobody writes, and read_shared.c for the others.
"""

import mmap
import os
import struct
import sys
import zlib
from math import comb

from read_stored import MASK, SPREAD, Hasher, StoredFilter

PAGE, LINE, STATE, DESCRIPTORS, ATTEMPTS = 4096, 128, 256, 1023, 1 << 14
PENDING, COMMITTED = 0, 1
ABSENT, PRESENT, UNCLEAR = range(3)


def demand(is_so, otherwise):
    if not is_so:
        sys.exit(f"read_shared.py: {otherwise}")


class SharedFilter(StoredFilter):
    def __init__(self, file):
        head = file.read(128)
        demand(len(head) == 128 and head.startswith(b"\x89LFCS\r\n\x1a"),
               "not a filter that processes share")
        (version, _, self.bits, slots, kind, self.hasher, self.seed, self.check, _, _, _, _, _,
         checksum) = struct.unpack_from("<2H4B4Q4I", head, 8)
        self.buckets, self.stripes, cells, log, tables, size, _, last = struct.unpack_from(
            "<8Q", head, 64)
        demand(version == 1, "not version 1")
        demand(checksum == zlib.crc32(head[:60]), "the header is damaged")
        demand(last == zlib.crc32(head[64:120], checksum), "the sizes are damaged")
        demand((kind, tables) == (1, 1) or kind == 3 and 3 <= tables <= 16,
               "not a fixed or rotating filter")
        self.slots, self.value_bits = slots & 15, slots >> 4
        self.tables, end = [], 2 * PAGE
        for _ in range(tables):
            at = []
            for elements, element, unit in ((1, 8, PAGE), (cells, LINE, LINE),
                                            (self.stripes, 8, LINE), (DESCRIPTORS, 64, LINE),
                                            (log, 8, LINE), (self.buckets, 8, PAGE)):
                at.append(-(-end // unit) * unit)
                end = at[-1] + elements * element
            # The numbers of the first stripe, descriptor and word.
            self.tables.append((at[2] // 8, at[3] // 8, at[5] // 8))
        demand(size == -(-end // PAGE) * PAGE, "the sizes do not match")
        demand(size == os.fstat(file.fileno()).st_size,
               "the file does not have the size in its header")
        memory = mmap.mmap(file.fileno(), size, mmap.MAP_SHARED, mmap.PROT_READ)
        self.memory = memoryview(memory).cast("Q")
        width = self.bits + self.value_bits
        if self.slots * self.bits > 64:  # semi-sorted
            self.base = comb(15 + self.slots, self.slots) << self.slots * (self.bits - 4)
            self.reference_bits = (2**64 - self.base).bit_length() - 1
        elif self.slots * width == 64:
            self.base, self.reference_bits = 0, 64 - width
        else:
            self.base, self.reference_bits = 1 << 63, 63

    def contains(self, hash):
        fingerprint = hash & (1 << self.bits) - 1 or 1
        first = hash * self.buckets >> 64
        k = (self.buckets & -self.buckets).bit_length() - 1
        second = first ^ (fingerprint * SPREAD & MASK | 1 << 63) >> 64 - k
        tables = len(self.tables)
        for _ in range(ATTEMPTS):
            state = self.memory[STATE]
            young = state >> 1 & 15
            # From the oldest generation, behind the spare, to the young one.
            found = any(self.holds(self.tables[(young + i) % tables], fingerprint, first, second)
                        for i in range(min(2, tables), tables + 1))
            if self.memory[STATE] >> 21 == state >> 21:
                return found
        return True  # nobody knows

    def holds(self, table, fingerprint, first, second):
        """Whether a table has a fingerprint in one of two buckets."""
        stripes, _, words = table
        stripe = stripes + fingerprint % self.stripes
        for _ in range(ATTEMPTS):
            version = self.memory[stripe]
            a, b = self.memory[words + first], self.memory[words + second]
            answer = (self.look(table, fingerprint, first, a)
                      or self.look(table, fingerprint, second, b))
            if answer == PRESENT:
                return True
            if answer == ABSENT and self.memory[stripe] == version:
                return False
        return True

    def look(self, table, fingerprint, bucket, word):
        """What a word of a bucket says of a fingerprint."""
        reference = word - self.base
        if self.base:
            frozen = reference >= 0
        else:
            frozen = 0 < word < 1 << self.reference_bits
        if not frozen:
            return PRESENT if fingerprint in self.fingerprints(word) else ABSENT
        use_bits = self.reference_bits - 10
        number, use = (reference >> use_bits) - 1, reference & (1 << use_bits) - 1
        if not 0 <= number < DESCRIPTORS:
            return UNCLEAR
        _, descriptors, words = table
        at = descriptors + 8 * number
        tokens, source, _, old_source, old_destination = (
            self.memory[at + field] for field in range(2, 7))
        control = self.memory[at]  # after the others
        if control >> 2 & (1 << use_bits) - 1 != use:
            return UNCLEAR  # another use: the word has changed
        moved, placed, status = tokens & 0xFFFFFFFF, tokens >> 32, control & 3
        mask = (1 << self.bits) - 1
        moves, places = moved & mask == fingerprint, placed & mask == fingerprint
        if not moved or bucket == source:
            found = self.fingerprints(old_source).count(fingerprint)
            if status == COMMITTED:  # without a token the bucket was emptied
                found = found + places - moves if tokens else 0
            return PRESENT if found > 0 else ABSENT
        if moves and status == COMMITTED:
            return PRESENT
        if moves and status == PENDING:  # it is about to arrive here
            if source >= self.buckets:
                return UNCLEAR
            if self.memory[words + source] == word:
                return PRESENT  # it is in one of two frozen words
            if self.memory[at] != control:
                return UNCLEAR
        return PRESENT if fingerprint in self.fingerprints(old_destination) else ABSENT


if __name__ == "__main__":
    *options, path = sys.argv[1:]
    with open(path, "rb") as file:
        shared = SharedFilter(file)
    hasher = Hasher(shared.seed)
    if options != ["--hashes"]:
        demand(shared.hasher == 1 and hasher.rapid(hasher.seed, b"lockfree-cuckoo") == shared.check,
               "its hasher computes other hashes: use --hashes")
    for line in sys.stdin.buffer:
        line = line.removesuffix(b"\n")
        hash = int(line, 16) if options == ["--hashes"] else hasher.hash(line)
        print("yes" if shared.contains(hash) else "no")
