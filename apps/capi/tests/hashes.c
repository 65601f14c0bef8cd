/* The hash of bytes without the library, written from the page on the stored form, compared with
 * that of the library, and with golden pairs. */

#include "check.h"

#include <string.h>

static const uint64_t K[7] = {
    0x2d358dccaa6c78a5, 0x8bb84b93962eacc9, 0x4b33a62ed433d4a3, 0x4d5a2da51de1aa47,
    0xa0761d6478bd642f, 0xe7037ed1a0b428db, 0x90ed1765281c388c,
};

struct secrets {
    uint64_t s, S[7];
};

static void multiply(uint64_t *a, uint64_t *b) {
    uint64_t al = *a & 0xffffffff, ah = *a >> 32, bl = *b & 0xffffffff, bh = *b >> 32;
    uint64_t low = al * bl, middle = ah * bl + (low >> 32);
    uint64_t more = al * bh + (middle & 0xffffffff);
    *a = more << 32 | (low & 0xffffffff);
    *b = ah * bh + (middle >> 32) + (more >> 32);
}

static uint64_t fold(uint64_t a, uint64_t b) {
    multiply(&a, &b);
    return a ^ b;
}

static uint64_t premix(uint64_t x, uint64_t k) {
    x ^= fold(x ^ K[2], k);
    if (!(x >> 48)) x |= (uint64_t)1 << 63;
    if (!(x >> 24 & 0xffff)) x |= (uint64_t)1 << 31;
    if (!(x & 0xffff)) x |= 1;
    return x;
}

static struct secrets derive(uint64_t seed) {
    struct secrets secrets;
    uint64_t last = secrets.s = premix(seed, K[0]);
    for (int i = 0; i < 7; i++) last = secrets.S[i] = premix(last, K[i]);
    return secrets;
}

static uint64_t get(const unsigned char *bytes, int count) {
    uint64_t number = 0;
    while (count-- > 0) number = number << 8 | bytes[count];
    return number;
}

static uint64_t rapid(uint64_t s, const uint64_t *S, const unsigned char *d, size_t n) {
    static const int by[6] = {2, 2, 1, 1, 2, 1};
    uint64_t a = 0, b = 0;
    size_t left = n, i = 0;
    if (n > 16) {
        if (left > 112) {
            uint64_t L[7] = {s, s, s, s, s, s, s};
            for (; left > 112; i += 112, left -= 112)
                for (int j = 0; j < 7; j++)
                    L[j] = fold(get(d + i + 16 * j, 8) ^ S[j], get(d + i + 16 * j + 8, 8) ^ L[j]);
            s = L[0] ^ L[1] ^ L[2] ^ L[3] ^ L[4] ^ L[5] ^ L[6];
        }
        for (size_t j = 0; j < 6 && left > 16 * (j + 1); j++)
            s = fold(get(d + i + 16 * j, 8) ^ S[by[j]], get(d + i + 16 * j + 8, 8) ^ s);
        a = get(d + n - 16, 8) ^ left;
        b = get(d + n - 8, 8);
    } else if (n >= 4) {
        int part = n >= 8 ? 8 : 4;
        s ^= n;
        a = get(d, part);
        b = get(d + n - part, part);
    } else if (n > 0) {
        a = (uint64_t)d[0] << 45 | d[n - 1];
        b = d[n / 2];
    }
    a ^= S[1];
    b ^= s;
    multiply(&a, &b);
    return fold(a ^ 0xaaaaaaaaaaaaaaaa, b ^ S[1] ^ left);
}

static uint64_t hash_bytes(uint64_t seed, const void *bytes, size_t size) {
    struct secrets secrets = derive(seed);
    unsigned char length[8];
    for (int i = 0; i < 8; i++) length[i] = (unsigned char)((uint64_t)size >> 8 * i);
    return rapid(rapid(secrets.s, secrets.S, length, 8), secrets.S, bytes, size);
}

/* All pairs of a file of the golden vectors. */
static void golden(const char *path)
{
    char line[256];
    int pairs = 0;
    FILE *file = fopen(path, "r");
    CHECK(file != NULL);
    while (fgets(line, sizeof line, file)) {
        char *end = strchr(line, '\t');
        CHECK(end != NULL);
        uint64_t expected = strtoull(end + 1, NULL, 16);
        CHECK(hash_bytes(0x0123456789abcdef, line, (size_t)(end - line)) == expected);
        pairs++;
    }
    CHECK(pairs > 100);
    fclose(file);
}

static void as_the_library(uint64_t seed)
{
    static unsigned char bytes[2000];
    lfcf_filter *filter;
    lfcf_options options = {.size = sizeof options, .flags = LFCF_SEEDED, .seed = seed};
    for (size_t i = 0; i < sizeof bytes; i++)
        bytes[i] = (unsigned char)mix(i);
    IS(0, lfcf_create(&options, &filter));
    for (size_t size = 0; size <= sizeof bytes; size += size < 300 ? 1 : 17) {
        uint64_t hash;
        IS(0, lfcf_hash_bytes(filter, bytes, size, &hash));
        CHECK(hash == hash_bytes(seed, bytes, size));
    }
    lfcf_destroy(filter);
}

int main(void)
{
    golden(getenv("GOLDEN_VECTORS"));
    /* The last three have a part of 16 bits that is 0 after the first mixing. */
    const uint64_t seeds[] = {0, 1, 7, 0x5eed, UINT64_MAX, 5419, 8880, 10292};
    for (size_t i = 0; i < sizeof seeds / sizeof *seeds; i++)
        as_the_library(seeds[i]);
    return 0;
}
