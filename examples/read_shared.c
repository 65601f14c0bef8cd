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
enum { PENDING, COMMITTED };              /* the low two bits of a control */
enum answer { ABSENT, PRESENT, UNCLEAR }; /* what a word says of a fingerprint */

static unsigned width, slots, sequence_bits, index_shift;
static bool fills; /* whether the lanes fill the word */
static u64 mask, buckets, stripes, tables, secrets[8]; /* mask: of a fingerprint in a token */
static Cell *state;
static struct table { Cell *stripes, *descriptors, *words; } table[16];

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

/* Fills in the secrets of a seed, behind the number from which its hashes begin. */
static void prepare(u64 seed)
{
    static const u64 k[] = {0x2d358dccaa6c78a5, 0x2d358dccaa6c78a5, 0x8bb84b93962eacc9,
                            0x4b33a62ed433d4a3, 0x4d5a2da51de1aa47, 0xa0761d6478bd642f,
                            0xe7037ed1a0b428db, 0x90ed1765281c388c};
    static const int low[] = {48, 24, 0}, bit[] = {63, 31, 0};
    for (int i = 0; i < 8; secrets[i++] = seed) {
        seed ^= mix(seed ^ k[3], k[i]);
        for (int j = 0; j < 3; j++)
            if (!(seed >> low[j] & 0xffff))
                seed |= (u64)1 << bit[j];
    }
}

static u64 rapid(u64 s, const unsigned char *p, u64 n)
{
    static const unsigned which[] = {2, 2, 1, 1, 2, 1};
    const u64 *secret = secrets + 1;
    u64 left = n, a = 0, b = 0;
    if (n > 16) {
        const unsigned char *end = p + n;
        if (left > 112) {
            u64 lanes[7] = {s, s, s, s, s, s, s};
            for (; left > 112; p += 112, left -= 112)
                for (int j = 0; j < 7; j++)
                    lanes[j] = mix(number(p + 16 * j, 8) ^ secret[j],
                                   number(p + 16 * j + 8, 8) ^ lanes[j]);
            s = lanes[0] ^ lanes[1] ^ lanes[2] ^ lanes[3] ^ lanes[4] ^ lanes[5] ^ lanes[6];
        }
        for (unsigned j = 0; j < 6 && left > 16 * (j + 1); j++)
            s = mix(number(p + 16 * j, 8) ^ secret[which[j]], number(p + 16 * j + 8, 8) ^ s);
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
    u128 product = (u128)(a ^ secret[1]) * (b ^ s);
    return mix((u64)product ^ 0xaaaaaaaaaaaaaaaa, (u64)(product >> 64) ^ secret[1] ^ left);
}

static u64 hash_bytes(const char *bytes, u64 n)
{
    unsigned char size[8];
    for (int i = 0; i < 8; i++)
        size[i] = (unsigned char)(n >> 8 * i);
    return rapid(rapid(secrets[0], size, 8), (const unsigned char *)bytes, n);
}

/* The lookup. Every load of shared memory is an atomic_load of eight bytes: sequentially
 * consistent, so no load is done before one that is written above it. */

static int copies(u64 bucket, u64 fingerprint)
{
    int found = 0;
    for (unsigned slot = 0; slot < slots; slot++)
        found += (bucket >> width * slot & mask) == fingerprint;
    return found;
}

static enum answer look(const struct table *in, u64 fingerprint, u64 bucket, u64 word)
{
    if (fills ? !word || word >> (64 - width) : !(word >> 63)) /* no reference */
        return copies(word, fingerprint) ? PRESENT : ABSENT;
    u64 descriptor = (word >> sequence_bits & 1023) - 1;
    if (descriptor >= DESCRIPTORS)
        return UNCLEAR;
    Cell *of = in->descriptors + 8 * descriptor;
    u64 tokens = atomic_load(of + 2), source = atomic_load(of + 3);
    u64 old_source = atomic_load(of + 5), old_destination = atomic_load(of + 6);
    u64 control = atomic_load(of); /* after the others */
    if ((control >> 2 ^ word) & (((u64)1 << sequence_bits) - 1))
        return UNCLEAR; /* another use: the word has changed */
    u64 moved = (uint32_t)tokens, placed = tokens >> 32;
    bool is_committed = (control & 3) == COMMITTED, moves = (moved & mask) == fingerprint;
    if (!moved || bucket == source) {
        int found = copies(old_source, fingerprint);
        if (is_committed) /* without a token the bucket was emptied */
            found = tokens ? found - moves + ((placed & mask) == fingerprint) : 0;
        return found > 0 ? PRESENT : ABSENT;
    }
    if (moves && is_committed)
        return PRESENT;
    if (moves && (control & 3) == PENDING) { /* it is about to arrive here */
        if (source >= buckets)
            return UNCLEAR;
        if (atomic_load(in->words + source) == word)
            return PRESENT; /* it is in one of two frozen words */
        if (atomic_load(of) != control)
            return UNCLEAR;
    }
    return copies(old_destination, fingerprint) ? PRESENT : ABSENT;
}

static bool holds(const struct table *in, u64 fingerprint, u64 first, u64 second)
{
    Cell *stripe = in->stripes + fingerprint % stripes;
    for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
        u64 version = atomic_load(stripe);
        u64 a = atomic_load(in->words + first), b = atomic_load(in->words + second);
        enum answer answer = look(in, fingerprint, first, a);
        if (answer == ABSENT)
            answer = look(in, fingerprint, second, b);
        if (answer == PRESENT || (answer == ABSENT && atomic_load(stripe) == version))
            return answer == PRESENT;
    }
    return true; /* nobody knows */
}

static bool contains(u64 hash)
{
    u64 fingerprint = hash & mask ? hash & mask : 1;
    u64 first = (u64)((u128)hash * buckets >> 64);
    u64 second = first ^ (fingerprint * 0x9e3779b97f4a7c15 | (u64)1 << 63) >> index_shift;
    for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
        u64 before = atomic_load(state), young = before >> 1 & 15;
        bool found = false; /* from the oldest generation, behind the spare, to the young one */
        for (u64 i = tables > 1 ? 2 : 1; i <= tables && !found; i++)
            found = holds(&table[(young + i) % tables], fingerprint, first, second);
        if (atomic_load(state) >> 21 == before >> 21)
            return found;
    }
    return true;
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

static void open_filter(const char *path, bool hashes)
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
    unsigned bits = head[12];
    slots = head[13] & 15, width = bits + (head[13] >> 4);
    demand(bits && slots && bits < 32 && slots * width <= 64,
           "not a layout of lanes: this program does not read semi-sorted ones");
    fills = slots * width == 64, mask = ((u64)1 << bits) - 1;
    sequence_bits = (fills ? 64 - width : 63) - 10;
    buckets = number(head + 64, 8), stripes = number(head + 72, 8), tables = number(head + 96, 8);
    bool rotates = head[14] == 3 && tables >= 3 && tables <= 16;
    demand(rotates || (head[14] == 1 && tables == 1), "not a fixed or rotating filter");
    demand(buckets > 1 && !(buckets & 1), "a number in the header is not possible");
    demand(stripes && !(stripes & (stripes - 1)), "a number in the header is not possible");
    for (index_shift = 64; !(buckets >> (64 - index_shift) & 1); index_shift--)
        ;
    u64 at[16][3], end = 2 * PAGE;
    for (u64 i = 0; i < tables; i++) {
        part(&end, 1, 8, PAGE);
        part(&end, number(head + 80, 8), LINE, LINE);
        at[i][0] = part(&end, stripes, 8, LINE);
        at[i][1] = part(&end, DESCRIPTORS, 64, LINE);
        part(&end, number(head + 88, 8), 8, LINE);
        at[i][2] = part(&end, buckets, 8, PAGE);
    }
    part(&end, 0, 1, PAGE);
    demand(number(head + 104, 8) == end, "the sizes do not match");
    demand((u64)file.st_size == end, "the file does not have the size in its header");
    const char *memory = mmap(NULL, end, PROT_READ, MAP_SHARED, fd, 0);
    demand(memory != MAP_FAILED, "the file cannot be mapped");
    state = (Cell *)(memory + PAGE / 2);
    for (u64 i = 0; i < tables; i++)
        table[i] = (struct table){(Cell *)(memory + at[i][0]), (Cell *)(memory + at[i][1]),
                                  (Cell *)(memory + at[i][2])};
    prepare(number(head + 16, 8));
    u64 check = rapid(secrets[0], (const unsigned char *)"lockfree-cuckoo", 15);
    demand(hashes || (head[15] == 1 && check == number(head + 24, 8)),
           "its hasher computes other hashes: use --hashes");
}

int main(int argc, char **argv)
{
    bool hashes = argc == 3 && !strcmp(argv[1], "--hashes");
    demand(argc == 2 + hashes, "usage: read_shared [--hashes] FILTER < ITEMS");
    open_filter(argv[argc - 1], hashes);
    char *line = NULL;
    size_t room = 0;
    for (ssize_t size; (size = getline(&line, &room, stdin)) >= 0;) {
        size -= size && line[size - 1] == '\n';
        puts(contains(hashes ? strtoull(line, NULL, 16) : hash_bytes(line, (u64)size)) ? "yes"
                                                                                       : "no");
    }
    free(line);
    return 0;
}
