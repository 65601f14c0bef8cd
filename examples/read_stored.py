"""Reads a stored filter, or a dump of a server, and looks items up.

    read_stored.py FILTER < ITEMS
    read_stored.py --hashes FILTER < HASHES

ITEMS has an item in each line: its bytes, without the line break. HASHES has a hash in each line,
in hexadecimal, for a filter whose hasher is not the default one. The answers are yes or no. It
needs nothing but Python, and knows nothing but what the page on the format documents.
"""

import struct
import sys
import zlib
from math import comb

SPREAD, MASK = 0x9E3779B97F4A7C15, 2**64 - 1
GROWING = 2
K = [0x2D358DCCAA6C78A5, 0x8BB84B93962EACC9, 0x4B33A62ED433D4A3, 0x4D5A2DA51DE1AA47,
     0xA0761D6478BD642F, 0xE7037ED1A0B428DB, 0x90ED1765281C388C]


def mix(a, b):
    product = a * b
    return product & MASK ^ product >> 64


class Hasher:
    """The hash of byte strings with a seed."""

    def __init__(self, seed):
        self.seed = last = self.premix(seed, K[0])
        self.secrets = [last := self.premix(last, k) for k in K]

    @staticmethod
    def premix(x, k):
        x ^= mix(x ^ K[2], k)
        for low, bit in (48, 63), (24, 31), (0, 0):
            if not x >> low & 0xFFFF:
                x |= 1 << bit
        return x

    def hash(self, data):
        return self.rapid(self.rapid(self.seed, struct.pack("<Q", len(data))), data)

    def rapid(self, s, data):
        def read(at, size=8):
            return int.from_bytes(data[at:at + size], "little")

        size, secrets = len(data), self.secrets
        left = size
        if size > 16:
            at = 0
            if left > 112:
                lanes = [s] * 7
                while left > 112:
                    lanes = [mix(read(at + 16 * j) ^ secrets[j], read(at + 16 * j + 8) ^ lanes[j])
                             for j in range(7)]
                    at, left = at + 112, left - 112
                s = 0
                for lane in lanes:
                    s ^= lane
            for j, secret in enumerate((2, 2, 1, 1, 2, 1)):
                if left > 16 * (j + 1):
                    s = mix(read(at + 16 * j) ^ secrets[secret], read(at + 16 * j + 8) ^ s)
            a, b = read(size - 16) ^ left, read(size - 8)
        elif size >= 4:
            s ^= size
            part = 8 if size >= 8 else 4
            a, b = read(0, part), read(size - part, part)
        elif size:
            a, b = data[0] << 45 | data[-1], data[size // 2]
        else:
            a = b = 0
        product = (a ^ secrets[1]) * (b ^ s)
        return mix(product & MASK ^ 0xAAAAAAAAAAAAAAAA, product >> 64 ^ secrets[1] ^ left)


class StoredFilter:
    def __init__(self, data):
        if data.startswith(b"LFCDUMP1"):
            data = data[56:]  # what the server knows besides
        (magic, version, _, self.bits, slots, self.kind, _, self.seed, _, self.capacity, _, _,
         tables, _, checksum) = struct.unpack_from("<8s2H4B4Q4I", data)
        assert magic == b"\x89LFCF\r\n\x1a" and version == 1, "not a filter of this version"
        self.slots, self.value_bits = slots & 15, slots >> 4
        end = 64 + 16 * tables
        _, list_checksum = struct.unpack_from("<2I", data, end)
        words, (last_checksum,) = data[end + 8:-4], struct.unpack("<I", data[-4:])
        assert checksum == zlib.crc32(data[:60]), "damaged"
        assert list_checksum == zlib.crc32(data[64:end + 4], checksum), "damaged"
        assert last_checksum == zlib.crc32(words, list_checksum), "damaged"
        words = [word for (word,) in struct.iter_unpack("<Q", words)]
        self.tables = []  # of a rotating filter: the oldest generation first
        for shape, _ in struct.iter_unpack("<2Q", data[64:end]):
            growing = self.kind == GROWING
            count = 1 << (shape >> 8 & 255) + (shape >> 16 & 255) if growing else shape
            self.tables.append((shape, words[:count]))
            words = words[count:]
        assert not words, "damaged"

    def contains(self, hash):
        look = self.in_growing if self.kind == GROWING else self.in_fixed
        return any(look(hash, shape, words) for shape, words in self.tables)

    def in_fixed(self, hash, buckets, words):
        fingerprint = hash & (1 << self.bits) - 1 or 1
        first = hash * buckets >> 64
        k = (buckets & -buckets).bit_length() - 1
        second = first ^ (fingerprint * SPREAD & MASK | 1 << 63) >> 64 - k
        return any(fingerprint in self.fingerprints(words[at]) for at in (first, second))

    def in_growing(self, hash, shape, words):
        began, level, is_growing = shape & 255, shape >> 8 & 255, shape >> 16 & 255
        head, first = hash & 0xFC00 or 1 << 10, hash >> 2
        second = first ^ ((head * SPREAD & MASK) >> 1 | 1 << 62)
        for string in (first, second):
            depth, at = level, (string >> 63 - level) << is_growing
            if is_growing and words[at + 1] != 1:  # the bucket is split
                depth, at = level + 1, string >> 62 - level
            tail = first >> 53 - depth & 0x3FF
            for token in filter(None, self.fingerprints(words[at])):
                unknown = 0 if depth == began else (token & -token).bit_length()
                if (token ^ (head | tail)) >> unknown == 0:
                    return True
        return False

    def fingerprints(self, word):
        if self.slots * self.bits <= 64:
            width = self.bits + self.value_bits
            return [word >> width * slot & (1 << self.bits) - 1 for slot in range(self.slots)]
        low, found = self.bits - 4, []  # semi-sorted
        number = word >> self.slots * low
        for slot in reversed(range(self.slots)):
            high = max(n for n in range(16) if comb(n + slot, slot + 1) <= number)
            number -= comb(high + slot, slot + 1)
            found.append(high << low | word >> low * slot & (1 << low) - 1)
        return found


if __name__ == "__main__":
    *options, path = sys.argv[1:]
    with open(path, "rb") as file:
        stored = StoredFilter(file.read())
    hasher = Hasher(stored.seed)
    for line in sys.stdin.buffer:
        line = line.removesuffix(b"\n")
        hash = int(line, 16) if options == ["--hashes"] else hasher.hash(line)
        print("yes" if stored.contains(hash) else "no")
