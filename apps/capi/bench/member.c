/*
 * Bulk lookups of 32 in one thread: the filter, by the hash and by the key, beside DPDK's rte_member.
 *
 * member [ITEMS [ROUNDS]]: fills all contenders with the same keys of 8 bytes. Then each round gives each contender a slice
 * of the same lookups, in turn, so that what else runs on the machine meets all of them. Prints medians.
 *
 * rte_member hashes the keys itself. So "by key" is the comparison like for like, and "by hash" is for workers that have
 * a hash, from their network card or for their own tables.
 */
#define _POSIX_C_SOURCE 200809L
#include <rte_eal.h>
#include <rte_errno.h>
#include <rte_member.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "lockfree_cuckoo.h"

enum { BURST = 32, SLICE = 2048 * BURST, SLICES = 64, QUERIES = SLICE * SLICES, CONTENDERS = 4, MOST_ROUNDS = 999 };

static const char *names[CONTENDERS] = {"rte_member HT", "rte_member vBF", "filter, by key", "filter, by hash"};
static struct rte_member_setsum *table, *bloom;
static lfcf_filter *filter;
static uint64_t *keys, *hashes; /* of the lookups */
static double bits[CONTENDERS];
static uint64_t items;

static void fail(const char *what, const char *why)
{
    fprintf(stderr, "member: %s: %s\n", what, why);
    exit(1);
}

static uint64_t mix(uint64_t number)
{
    number += 0x9e3779b97f4a7c15;
    number = (number ^ (number >> 30)) * 0xbf58476d1ce4e5b9;
    number = (number ^ (number >> 27)) * 0x94d049bb133111eb;
    return number ^ (number >> 31);
}

/* Of 64 bits that are different for different numbers. The keys that are in have the numbers below `items`. */
static uint64_t key_of(uint64_t number) { return mix(number); }

static size_t count(uint64_t mask) { return (size_t)__builtin_popcountll(mask); }

/* Looks a slice up. Returns the number of hits. */
static size_t look_up(int contender, size_t first)
{
    size_t hits = 0;
    for (size_t at = first; at < first + SLICE; at += BURST) {
        const void *pointers[BURST];
        member_set_t sets[BURST];
        uint64_t of_keys[BURST], mask = 0;
        switch (contender) {
        case 0:
        case 1:
            for (size_t i = 0; i < BURST; i++)
                pointers[i] = &keys[at + i];
            int found = rte_member_lookup_bulk(contender ? bloom : table, pointers, BURST, sets);
            hits += found < 0 ? 0 : (size_t)found;
            break;
        case 2:
            for (size_t i = 0; i < BURST; i++)
                lfcf_hash_bytes(filter, &keys[at + i], sizeof *keys, &of_keys[i]);
            lfcf_contains_bulk(filter, of_keys, BURST, &mask);
            hits += count(mask);
            break;
        default:
            lfcf_contains_bulk(filter, &hashes[at], BURST, &mask);
            hits += count(mask);
        }
    }
    return hits;
}

/* Seconds of the processor: what else runs takes none of them. */
static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static int compare(const void *one, const void *other)
{
    double left = *(const double *)one, right = *(const double *)other;
    return (left > right) - (left < right);
}

static double median(double *values, size_t number)
{
    qsort(values, number, sizeof *values, compare);
    return values[number / 2];
}

/* As many slots or bits as the items need; a table of rte_member has a power of two of entries. */
static void create(void)
{
    struct rte_member_parameters wanted = {.name = "HT", .type = RTE_MEMBER_TYPE_HT, .key_len = 8,
                                           .num_keys = (uint32_t)items, .prim_hash_seed = 1, .sec_hash_seed = 2};
    lfcf_options options = {.size = sizeof options, .capacity = items};
    lfcf_measures measures = {.size = sizeof measures};
    uint64_t refused = 0;
    table = rte_member_create(&wanted);
    wanted.name = "vBF", wanted.type = RTE_MEMBER_TYPE_VBF, wanted.num_set = 1, wanted.false_positive_rate = 0.000116f;
    bloom = rte_member_create(&wanted);
    if (table == NULL || bloom == NULL)
        fail("rte_member_create", rte_strerror(rte_errno));
    if (lfcf_create(&options, &filter) < 0)
        fail("lfcf_create", lfcf_last_error());
    for (uint64_t number = 0; number < items; number++) {
        uint64_t key = key_of(number);
        refused += rte_member_add(table, &key, 1) < 0;
        if (rte_member_add(bloom, &key, 1) < 0 || lfcf_insert_bytes(filter, &key, sizeof key) < 0)
            fail("insert", lfcf_last_error());
    }
    lfcf_measure(filter, &measures);
    bits[0] = (double)table->bucket_cnt * RTE_MEMBER_BUCKET_ENTRIES * 32 / (double)items;
    bits[1] = (double)bloom->bits / (double)items;
    bits[2] = bits[3] = 8.0 * (double)measures.memory / (double)items;
    printf("%lu items; HT compares with %s, refused %lu\n", (unsigned long)items,
           table->sig_cmp_fn == RTE_MEMBER_COMPARE_AVX2 ? "AVX2" : "scalar instructions", (unsigned long)refused);
}

/* Lookups of one kind. Returns the share of hits of each contender. */
static void measure(const char *kind, uint64_t first, size_t rounds, double *shares)
{
    static double times[CONTENDERS][MOST_ROUNDS], ratios[CONTENDERS][MOST_ROUNDS];
    uint64_t state = 7;
    for (size_t i = 0; i < QUERIES; i++) {
        state = mix(state);
        keys[i] = key_of(first + state % items);
        lfcf_hash_bytes(filter, &keys[i], sizeof keys[i], &hashes[i]);
    }
    size_t hits[CONTENDERS] = {0};
    for (size_t round = 0; round < rounds; round++) {
        for (int turn = 0; turn < CONTENDERS; turn++) {
            int contender = (int)((round + (size_t)turn) % CONTENDERS);
            double start = now();
            hits[contender] += look_up(contender, round % SLICES * SLICE);
            times[contender][round] = 1e9 * (now() - start) / SLICE;
        }
        for (int contender = 0; contender < CONTENDERS; contender++)
            ratios[contender][round] = times[0][round] / times[contender][round];
    }
    for (int contender = 0; contender < CONTENDERS; contender++) {
        shares[contender] = (double)hits[contender] / (double)rounds / SLICE;
        printf("%-16s %-5s %6.1f ns a lookup, %5.2f times HT, %5.1f bits an item, %.2e found\n", names[contender], kind,
               median(times[contender], rounds), median(ratios[contender], rounds), bits[contender], shares[contender]);
    }
}

int main(int argument_count, char **arguments)
{
    /* Without huge pages, devices or a shared memory file, and quiet. */
    char *eal[] = {"member", "--no-huge", "-m", "2048", "--no-pci", "--no-telemetry", "--log-level=4", "--lcores=0", NULL};
    items = argument_count > 1 ? strtoull(arguments[1], NULL, 10) : 1000000;
    size_t rounds = argument_count > 2 ? strtoull(arguments[2], NULL, 10) : 301;
    if (items < 1 || items > 1 << 30 || rounds < 1 || rounds > MOST_ROUNDS)
        fail("usage", "member [ITEMS [ROUNDS, up to 999]]");
    if (rte_eal_init(sizeof eal / sizeof *eal - 1, eal) < 0)
        fail("rte_eal_init", rte_strerror(rte_errno));
    keys = malloc(QUERIES * sizeof *keys);
    hashes = malloc(QUERIES * sizeof *hashes);
    if (keys == NULL || hashes == NULL)
        fail("queries", "no memory");
    create();
    double shares[CONTENDERS];
    measure("hit", 0, rounds, shares);
    for (int contender = 1; contender < CONTENDERS; contender++)
        if (shares[contender] != 1.0)
            fail(names[contender], "misses a key");
    measure("miss", items, rounds, shares);
    lfcf_destroy(filter);
    rte_member_free(table);
    rte_member_free(bloom);
    rte_eal_cleanup();
    return 0;
}
