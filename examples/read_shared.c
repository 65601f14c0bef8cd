/* Looks items up in a filter that processes share, while they use it.
 *
 *     gcc -std=c11 -O2 -o read_shared examples/read_shared.c
 *     ./read_shared FILTER < ITEMS
 *     ./read_shared --hashes FILTER < HASHES
 *
 * FILTER is the name of its file, or /proc/PID/fd/NUMBER of a process that has it. ITEMS has an
 * item in each line: its bytes, without the line break. HASHES has a hash in each line, in
 * hexadecimal. The answers are yes or no. It reads every layout of lanes, and no semi-sorted one.
 * It maps the memory to read it only, and knows nothing but what docs/format.md documents. */

#define _POSIX_C_SOURCE 200809L
#include <fcntl.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

typedef uint64_t u64;
__extension__ typedef unsigned __int128 u128;
typedef const _Atomic u64 Cell;

enum { PAGE = 4096, LINE = 128, DESCRIPTORS = 1023, ATTEMPTS = 1 << 14 };
enum { PENDING, COMMITTED };             /* the low two bits of a control */
enum answer { ABSENT, PRESENT, UNCLEAR }; /* what a word says of a fingerprint */

static unsigned bits, width, slots, sequence_bits, index_shift;
static bool fills; /* whether the lanes fill the word */
static u64 buckets, stripes, secrets[8];
static Cell *stripe_at, *descriptor_at, *word_at;

static void demand(bool is_so, const char *otherwise)
{
    if (!is_so) {
        fprintf(stderr, "read_shared: %s\n", otherwise);
        exit(2);
    }
}

/* The hash of a byte string. */

static u64 number(const unsigned char *bytes, unsigned size)
{
    u64 found = 0;
    while (size--)
        found = found << 8 | bytes[size];
    return found;
}

static u64 mix(u64 a, u64 b)
{
    u128 product = (u128)a * b;
    return (u64)product ^ (u64)(product >> 64);
}

static u64 rapid(u64 s, const unsigned char *p, u64 n)
{
    static const unsigned which[] = {2, 2, 1, 1, 2, 1};
    u64 left = n, a = 0, b = 0;
    if (n > 16) {
        const unsigned char *end = p + n;
        if (left > 112) {
            u64 lanes[7] = {s, s, s, s, s, s, s};
            for (; left > 112; p += 112, left -= 112)
                for (int j = 0; j < 7; j++)
                    lanes[j] = mix(number(p + 16 * j, 8) ^ secrets[j],
                                   number(p + 16 * j + 8, 8) ^ lanes[j]);
            s = 0;
            for (int j = 0; j < 7; j++)
                s ^= lanes[j];
        }
        for (unsigned j = 0; j < 6 && left > 16 * (j + 1); j++)
            s = mix(number(p + 16 * j, 8) ^ secrets[which[j]], number(p + 16 * j + 8, 8) ^ s);
        a = number(end - 16, 8) ^ left;
        b = number(end - 8, 8);
    } else if (n >= 4) {
        unsigned part = n >= 8 ? 8 : 4;
        a = number(p, part);
        b = number(p + n - part, part);
        s ^= n;
    } else if (n) {
        a = (u64)p[0] << 45 | p[n - 1];
        b = p[n / 2];
    }
    u128 product = (u128)(a ^ secrets[1]) * (b ^ s);
    return mix((u64)product ^ 0xaaaaaaaaaaaaaaaa, (u64)(product >> 64) ^ secrets[1] ^ left);
}

/* Fills in the secrets of a seed. Returns the number from which its hashes begin. */
static u64 prepare(u64 seed)
{
    static const u64 k[] = {0x2d358dccaa6c78a5, 0x2d358dccaa6c78a5, 0x8bb84b93962eacc9,
                            0x4b33a62ed433d4a3, 0x4d5a2da51de1aa47, 0xa0761d6478bd642f,
                            0xe7037ed1a0b428db, 0x90ed1765281c388c};
    u64 made[8], x = seed;
    for (int i = 0; i < 8; i++) {
        x ^= mix(x ^ k[3], k[i]);
        if (!(x >> 48))
            x |= (u64)1 << 63;
        if (!(x >> 24 & 0xffff))
            x |= (u64)1 << 31;
        if (!(x & 0xffff))
            x |= 1;
        made[i] = x;
    }
    memcpy(secrets, made + 1, 7 * sizeof *made);
    return made[0];
}

static u64 hash_bytes(u64 start, const void *bytes, u64 n)
{
    unsigned char size[8];
    for (int i = 0; i < 8; i++)
        size[i] = (unsigned char)(n >> 8 * i);
    return rapid(rapid(start, size, 8), bytes, n);
}

/* The lookup. Every load of shared memory is an atomic_load of eight bytes: sequentially
 * consistent, so no load is done before one that is written above it. */

static int copies(u64 bucket, u64 fingerprint)
{
    int found = 0;
    for (unsigned slot = 0; slot < slots; slot++)
        found += (bucket >> width * slot & (((u64)1 << bits) - 1)) == fingerprint;
    return found;
}

static bool is_reference(u64 word)
{
    return fills ? word && word >> (64 - width) == 0 : word >> 63;
}

static enum answer look(u64 fingerprint, u64 bucket, u64 word)
{
    if (!is_reference(word))
        return copies(word, fingerprint) ? PRESENT : ABSENT;
    u64 descriptor = (word >> sequence_bits & 1023) - 1, mask = ((u64)1 << bits) - 1;
    if (descriptor >= DESCRIPTORS)
        return UNCLEAR;
    Cell *of = descriptor_at + 8 * descriptor;
    u64 tokens = atomic_load(of + 2), source = atomic_load(of + 3), other = atomic_load(of + 4);
    u64 old_source = atomic_load(of + 5), old_destination = atomic_load(of + 6);
    u64 control = atomic_load(of); /* after the others */
    if ((control >> 2 ^ word) & (((u64)1 << sequence_bits) - 1))
        return UNCLEAR; /* another use: the word has changed */
    u64 moved = (uint32_t)tokens, placed = tokens >> 32;
    bool moves = moved && (moved & mask) == fingerprint;
    bool places = placed && (placed & mask) == fingerprint;
    if (!moved || bucket == source) {
        int found = copies(old_source, fingerprint);
        if ((control & 3) == COMMITTED)
            found += places - moves;
        return found > 0 ? PRESENT : ABSENT;
    }
    if ((control & 3) == COMMITTED && moves)
        return PRESENT;
    if ((control & 3) == PENDING && moves) { /* it is about to arrive here */
        if (source >= buckets || other >= buckets)
            return UNCLEAR;
        if (atomic_load(word_at + source) == word)
            return PRESENT; /* it is in one of two frozen words */
        if (atomic_load(of) != control)
            return UNCLEAR;
    }
    return copies(old_destination, fingerprint) ? PRESENT : ABSENT;
}

static bool contains(u64 hash)
{
    u64 fingerprint = hash & (((u64)1 << bits) - 1);
    fingerprint += !fingerprint;
    u64 first = (u64)((u128)hash * buckets >> 64);
    u64 second = first ^ (fingerprint * 0x9e3779b97f4a7c15 | (u64)1 << 63) >> index_shift;
    Cell *stripe = stripe_at + fingerprint % stripes;
    for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
        u64 version = atomic_load(stripe);
        u64 a = atomic_load(word_at + first), b = atomic_load(word_at + second);
        enum answer answer = look(fingerprint, first, a);
        if (answer == ABSENT)
            answer = look(fingerprint, second, b);
        if (answer == PRESENT)
            return true;
        if (answer == ABSENT && atomic_load(stripe) == version)
            return false;
    }
    return true; /* nobody knows */
}

/* The memory. */

static uint32_t crc(uint32_t crc, const unsigned char *bytes, size_t size)
{
    for (crc = ~crc; size--; bytes++) {
        crc ^= *bytes;
        for (int bit = 0; bit < 8; bit++)
            crc = crc >> 1 ^ (0xedb88320 & -(crc & 1));
    }
    return ~crc;
}

static u64 part(u64 *end, u64 elements, u64 size, u64 unit)
{
    u64 begin = (*end + unit - 1) / unit * unit;
    demand(elements < (u64)1 << 48, "a number in the header is not possible");
    *end = begin + elements * size;
    return begin;
}

/* Maps a filter. Returns the number from which the hashes of its items begin. */
static u64 open_filter(const char *path, bool hashes)
{
    unsigned char head[128];
    struct stat file;
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    demand(fd >= 0 && !fstat(fd, &file), "the file cannot be opened");
    demand(pread(fd, head, sizeof head, 0) == sizeof head, "not a filter");
    demand(!memcmp(head, "\x89LFCS\r\n\x1a", 8), "not a filter that processes share");
    demand(number(head + 8, 2) == 1, "not version 1");
    uint32_t first = crc(0, head, 60);
    demand(number(head + 60, 4) == first, "the header is damaged");
    demand(number(head + 120, 8) == crc(first, head + 64, 56), "the sizes are damaged");
    demand(head[14] == 1 && number(head + 96, 8) == 1, "not a fixed filter");
    bits = head[12], slots = head[13] & 15, width = bits + (head[13] >> 4);
    demand(bits && slots && bits < 32 && slots * bits <= 64 && slots * width <= 64,
           "not a layout of lanes: this program does not read semi-sorted ones");
    fills = slots * width == 64;
    sequence_bits = (fills ? 64 - width : 63) - 10;
    buckets = number(head + 64, 8), stripes = number(head + 72, 8);
    demand(buckets > 1 && !(buckets & 1), "a number in the header is not possible");
    demand(stripes && !(stripes & (stripes - 1)), "a number in the header is not possible");
    for (index_shift = 64; !(buckets >> (64 - index_shift) & 1); index_shift--)
        ;
    u64 end = 3 * PAGE, at[6];
    at[0] = part(&end, 1, 8, LINE);
    at[1] = part(&end, number(head + 80, 8), LINE, LINE);
    at[2] = part(&end, stripes, 8, LINE);
    at[3] = part(&end, DESCRIPTORS, 64, LINE);
    at[4] = part(&end, number(head + 88, 8), 8, LINE);
    at[5] = part(&end, buckets, 8, PAGE);
    part(&end, 0, 1, PAGE);
    demand(number(head + 104, 8) == end, "the sizes do not match");
    demand((u64)file.st_size == end, "the file does not have the size in its header");
    const char *memory = mmap(NULL, end, PROT_READ, MAP_SHARED, fd, 0);
    demand(memory != MAP_FAILED, "the file cannot be mapped");
    stripe_at = (Cell *)(memory + at[2]);
    descriptor_at = (Cell *)(memory + at[3]);
    word_at = (Cell *)(memory + at[5]);
    u64 start = prepare(number(head + 16, 8));
    demand(hashes || head[15] == 1, "its hasher is a custom one: use --hashes");
    bool is_ours = rapid(start, (const unsigned char *)"lockfree-cuckoo", 15)
                   == number(head + 24, 8);
    demand(hashes || is_ours, "its hasher computes other hashes: use --hashes");
    return start;
}

int main(int argc, char **argv)
{
    bool hashes = argc == 3 && !strcmp(argv[1], "--hashes");
    demand(argc == 2 + hashes, "usage: read_shared [--hashes] FILTER < ITEMS");
    u64 start = open_filter(argv[argc - 1], hashes);
    char *line = NULL;
    size_t room = 0;
    for (ssize_t size; (size = getline(&line, &room, stdin)) >= 0;) {
        size -= size && line[size - 1] == '\n';
        u64 hash = hashes ? strtoull(line, NULL, 16) : hash_bytes(start, line, (u64)size);
        puts(contains(hash) ? "yes" : "no");
    }
    free(line);
    return 0;
}
