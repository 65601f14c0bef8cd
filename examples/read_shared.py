"""Looks items up in a filter that processes share, while they use it.

    read_shared.py FILTER < ITEMS
    read_shared.py --hashes FILTER < HASHES

FILTER is the name of its file, or /proc/PID/fd/NUMBER of a process that has it. ITEMS, HASHES and
the answers are those of read_stored.py. It needs nothing but Python, and writes nothing.
"""

import mmap
import struct
import sys
import zlib
from math import comb

from read_stored import MASK, SPREAD, Hasher, StoredFilter

PAGE, LINE, DESCRIPTORS = 4096, 128, 1023
PENDING, COMMITTED = 0, 1
ATTEMPTS = 1 << 14


class SharedFilter(StoredFilter):
    def __init__(self, file):
        header = file.read(128)
        (magic, version, _, self.bits, slots, kind, _, self.seed, _, self.capacity, _, _, _, _,
         checksum) = struct.unpack_from("<8s2H4B4Q4I", header)
        self.buckets, self.stripes, cells, log, tables, size, _, last = struct.unpack_from(
            "<8Q", header, 64)
        assert magic == b"\x89LFCS\r\n\x1a" and version == 1, "not a filter of this version"
        assert checksum == zlib.crc32(header[:60]), "damaged"
        assert last == zlib.crc32(header[64:120], checksum), "damaged"
        assert (kind, tables) == (1, 1), "another kind"
        self.slots, self.value_bits = slots & 15, slots >> 4
        ends, at = [], 3 * PAGE
        for part, unit in ((8, LINE), (LINE * cells, LINE), (8 * self.stripes, LINE),
                           (64 * DESCRIPTORS, LINE), (8 * log, PAGE), (8 * self.buckets, PAGE)):
            ends.append(at := -(at + part) // unit * -unit)
        self.stripes_at, self.descriptors_at, _, self.words_at = (end // 8 for end in ends[1:5])
        assert ends[-1] == size, "damaged"
        memory = mmap.mmap(file.fileno(), size, prot=mmap.PROT_READ)
        self.memory = memoryview(memory).cast("Q")
        width = self.bits + self.value_bits
        if self.slots * self.bits > 64:  # semi-sorted
            self.first_reference = comb(15 + self.slots, self.slots) << self.slots * (self.bits - 4)
            reference_bits = (2**64 - self.first_reference).bit_length() - 1
        elif self.slots * width == 64:
            self.first_reference, reference_bits = 0, 64 - width
        else:
            self.first_reference, reference_bits = 1 << 63, 63
        self.sequence_bits = reference_bits - 10

    def reference(self, word):
        """The bits of a reference, or None for a bucket."""
        if self.first_reference:
            return word - self.first_reference if word >= self.first_reference else None
        return word if 0 < word < 1 << self.sequence_bits + 10 else None

    def contains(self, hash):
        fingerprint = hash & (1 << self.bits) - 1 or 1
        first = hash * self.buckets >> 64
        k = (self.buckets & -self.buckets).bit_length() - 1
        pair = first, first ^ (fingerprint * SPREAD & MASK | 1 << 63) >> 64 - k
        stripe = self.stripes_at + fingerprint % self.stripes
        for _ in range(ATTEMPTS):
            version = self.memory[stripe]
            words = [self.memory[self.words_at + bucket] for bucket in pair]
            answers = [self.holds(fingerprint, *at) for at in zip(pair, words)]
            if True in answers:
                return True
            if None not in answers and version == self.memory[stripe]:
                return False
        return True  # nobody knows

    def holds(self, fingerprint, bucket, word):
        """Whether a word holds the fingerprint; None if it has changed."""
        reference = self.reference(word)
        if reference is None:
            return fingerprint in self.fingerprints(word)
        number = (reference >> self.sequence_bits) - 1
        if not 0 <= number < DESCRIPTORS:
            return None
        at = self.descriptors_at + 8 * number
        tokens, source, destination, old_source, old_destination = self.memory[at + 2:at + 7]
        control = self.memory[at]
        if (control >> 2 ^ reference) & (1 << self.sequence_bits) - 1:
            return None
        moved, placed, status = tokens & 0xFFFFFFFF, tokens >> 32, control & 3
        mask = (1 << self.bits) - 1
        if bucket == source or not moved:
            held = self.fingerprints(old_source)
            if status == COMMITTED and moved in (0, None) and not placed:
                return False  # emptied
            if status == COMMITTED:
                if moved:
                    held.remove(moved & mask)
                held.append(placed & mask)
            return fingerprint in held
        held = self.fingerprints(old_destination)
        if status == COMMITTED:
            held.append(moved & mask)
        elif status == PENDING and moved & mask == fingerprint and source < self.buckets:
            if self.memory[self.words_at + source] == word:
                return True
            if self.memory[at] != control:
                return None
        return fingerprint in held


if __name__ == "__main__":
    *options, path = sys.argv[1:]
    with open(path, "rb") as file:
        shared = SharedFilter(file)
    hasher = Hasher(shared.seed)
    for line in sys.stdin.buffer:
        line = line.removesuffix(b"\n")
        hash = int(line, 16) if options == ["--hashes"] else hasher.hash(line)
        print("yes" if shared.contains(hash) else "no")
