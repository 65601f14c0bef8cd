/* Each error that a single thread can make. Those that need threads or mistakes are tested in Rust. */
#define _POSIX_C_SOURCE 200809L
#include "check.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

/* Not a multiple of any alignment but 1. */
static _Alignas(64) char memory[4096];
#define MISALIGNED ((void *)(memory + 1))

/* Errors of the calls for values, in a filter that has none and in one that has. */
static void values(const lfcf_filter *without)
{
    lfcf_filter *filter = create((lfcf_options){.capacity = 1000, .value_bits = 4});
    uint64_t hash = mix(1), hashes[65] = {0}, mask = 99;
    uint16_t value = 3, values[65];
    for (int turn = 0; turn < 2; turn++) {
        void *nothing = turn ? MISALIGNED : NULL;
        lfcf_filter *no_filter = nothing;
        int status = turn ? LFCF_MISALIGNED : LFCF_NULL;
        FAILS(status, "`filter`", lfcf_insert_value(no_filter, hash, 1));
        FAILS(status, "`filter`", lfcf_insert_unique_value(no_filter, hash, &value));
        FAILS(status, "`value`", lfcf_insert_unique_value(filter, hash, nothing));
        FAILS(status, "`filter`", lfcf_value(no_filter, hash, values));
        FAILS(status, "`value`", lfcf_value(filter, hash, nothing));
        FAILS(status, "`filter`", lfcf_values(no_filter, hash, values));
        FAILS(status, "`values`", lfcf_values(filter, hash, nothing));
        FAILS(status, "`filter`", lfcf_replace_value(no_filter, hash, 1, 2));
        FAILS(status, "`filter`", lfcf_remove_value(no_filter, hash, 1));
        FAILS(status, "`filter`", lfcf_value_bulk(no_filter, &hash, 1, &mask, values));
        FAILS(status, "`hashes`", lfcf_value_bulk(filter, nothing, 1, &mask, values));
        FAILS(status, "`mask`", lfcf_value_bulk(filter, &hash, 1, nothing, values));
        FAILS(status, "`values`", lfcf_value_bulk(filter, &hash, 1, &mask, nothing));
    }
    FAILS(LFCF_WRONG_KIND, "value_bits", lfcf_insert_value(without, hash, 1));
    FAILS(LFCF_WRONG_KIND, "value_bits", lfcf_insert_unique_value(without, hash, &value));
    FAILS(LFCF_WRONG_KIND, "value_bits", lfcf_value(without, hash, values));
    FAILS(LFCF_WRONG_KIND, "value_bits", lfcf_values(without, hash, values));
    FAILS(LFCF_WRONG_KIND, "value_bits", lfcf_replace_value(without, hash, 1, 2));
    FAILS(LFCF_WRONG_KIND, "value_bits", lfcf_remove_value(without, hash, 1));
    FAILS(LFCF_WRONG_KIND, "value_bits", lfcf_value_bulk(without, &hash, 1, &mask, values));
    CHECK(value == 3);
    FAILS(LFCF_INVALID, "65 hashes", lfcf_value_bulk(filter, hashes, 65, &mask, values));
    CHECK(mask == 0);
    FAILS(LFCF_INVALID, "at most 15", lfcf_insert_value(filter, hash, 16));
    value = 16;
    FAILS(LFCF_INVALID, "at most 15", lfcf_insert_unique_value(filter, hash, &value));
    FAILS(LFCF_INVALID, "at most 15", lfcf_replace_value(filter, hash, 1, 16));
    CHECK(value == 16 && measure(filter).items == 0);
    for (int copy = 0; copy < 8; copy++)
        IS(0, lfcf_insert_value(filter, hash, 15));
    FAILS(LFCF_TOO_MANY_COPIES, "8 copies", lfcf_insert_value(filter, hash, 1));
    int answer = 0;
    for (uint64_t item = 1; answer >= 0; item++) {
        value = (uint16_t)(item % 16);
        answer = lfcf_insert_unique_value(filter, mix(item), &value);
        CHECK(value == item % 16 || answer == 0);
    }
    FAILS(LFCF_FULL, "full", answer);
    IS(0, lfcf_destroy(filter));
}

/* A pointer of each call that is null or misaligned. */
static void pointers(lfcf_filter *filter)
{
    uint64_t hash = mix(1), word;
    size_t size;
    bool answer;
    void *bytes;
    lfcf_filter *other;
    lfcf_options options = {.size = sizeof options};
    lfcf_measures measures = {.size = sizeof measures};
    struct {
        void *pointer;
        int status;
    } bad[] = {{NULL, LFCF_NULL}, {MISALIGNED, LFCF_MISALIGNED}};
    for (int turn = 0; turn < 2; turn++) {
        lfcf_filter *no_filter = bad[turn].pointer;
        void *nothing = bad[turn].pointer;
        int status = bad[turn].status;
        FAILS(status, "`filter`", lfcf_create(&options, nothing));
        FAILS(status, "`options`", lfcf_create(nothing, &other));
        CHECK(other == NULL);
        FAILS(status, "`filter`", lfcf_clear(no_filter));
        FAILS(status, "`filter`", lfcf_shrink_to_fit(no_filter));
        FAILS(status, "`options`", lfcf_measure_options(nothing, &measures));
        FAILS(status, "`measures`", lfcf_measure_options(&options, nothing));
        FAILS(status, "`hash`", lfcf_hash_bytes_seeded(42, "a", 1, nothing));
        FAILS(status, "`filter`", lfcf_insert(no_filter, hash));
        FAILS(status, "`filter`", lfcf_insert_unique(no_filter, hash));
        FAILS(status, "`filter`", lfcf_contains(no_filter, hash));
        FAILS(status, "`filter`", lfcf_remove(no_filter, hash));
        FAILS(status, "`filter`", lfcf_count(no_filter, hash));
        FAILS(status, "`filter`", lfcf_hash_bytes(no_filter, "a", 1, &hash));
        FAILS(status, "`hash`", lfcf_hash_bytes(filter, "a", 1, nothing));
        FAILS(status, "`filter`", lfcf_insert_bytes(no_filter, "a", 1));
        FAILS(status, "`filter`", lfcf_insert_unique_bytes(no_filter, "a", 1));
        FAILS(status, "`filter`", lfcf_contains_bytes(no_filter, "a", 1));
        FAILS(status, "`filter`", lfcf_remove_bytes(no_filter, "a", 1));
        FAILS(status, "`filter`", lfcf_count_bytes(no_filter, "a", 1));
        FAILS(status, "`filter`", lfcf_contains_bulk(no_filter, &hash, 1, &word));
        FAILS(status, "`hashes`", lfcf_contains_bulk(filter, nothing, 1, &word));
        FAILS(status, "`mask`", lfcf_contains_bulk(filter, &hash, 1, nothing));
        FAILS(status, "`filter`", lfcf_insert_unique_bulk(no_filter, &hash, 1, &word, NULL));
        FAILS(status, "`hashes`", lfcf_insert_unique_bulk(filter, nothing, 1, &word, NULL));
        FAILS(status, "`mask`", lfcf_insert_unique_bulk(filter, &hash, 1, nothing, NULL));
        FAILS(status, "`filter`", lfcf_refresh_bulk(no_filter, &hash, 1, &word, NULL));
        FAILS(status, "`hashes`", lfcf_refresh_bulk(filter, nothing, 1, &word, NULL));
        FAILS(status, "`mask`", lfcf_refresh_bulk(filter, &hash, 1, nothing, NULL));
        FAILS(status, "`filter`", lfcf_contains_many(no_filter, &hash, 1, &answer));
        FAILS(status, "`hashes`", lfcf_contains_many(filter, nothing, 1, &answer));
        FAILS(status, "`filter`", lfcf_insert_unique_many(no_filter, &hash, 1, &answer, NULL));
        FAILS(status, "`hashes`", lfcf_insert_unique_many(filter, nothing, 1, &answer, NULL));
        FAILS(status, "`filter`", lfcf_refresh_many(no_filter, &hash, 1, &answer, NULL));
        FAILS(status, "`hashes`", lfcf_refresh_many(filter, nothing, 1, &answer, NULL));
        FAILS(status, "`filter`", lfcf_insert_many(no_filter, &hash, 1, NULL));
        FAILS(status, "`hashes`", lfcf_insert_many(filter, nothing, 1, NULL));
        FAILS(status, "`filter`", lfcf_remove_many(no_filter, &hash, 1, NULL));
        FAILS(status, "`hashes`", lfcf_remove_many(filter, nothing, 1, NULL));
        FAILS(status, "`filter`", lfcf_rotate(no_filter));
        FAILS(status, "`filter`", lfcf_rotate_if(no_filter, 0));
        FAILS(status, "`filter`", lfcf_rotations(no_filter, &word));
        FAILS(status, "`rotations`", lfcf_rotations(filter, nothing));
        FAILS(status, "`filter`", lfcf_refresh(no_filter, hash));
        FAILS(status, "`filter`", lfcf_refresh_bytes(no_filter, "a", 1));
        FAILS(status, "`filter`", lfcf_measure(no_filter, &measures));
        FAILS(status, "`measures`", lfcf_measure(filter, nothing));
        FAILS(status, "`filter`", lfcf_is_full(no_filter));
        FAILS(status, "`filter`", lfcf_to_bytes(no_filter, &bytes, &size));
        FAILS(status, "`bytes`", lfcf_to_bytes(filter, nothing, &size));
        FAILS(status, "`size`", lfcf_to_bytes(filter, &bytes, nothing));
        FAILS(status, "`filter`", lfcf_from_bytes("a", 1, nothing));
        FAILS(status, "`filter`", lfcf_to_dump(no_filter, 0, 0, &bytes, &size));
        FAILS(status, "`bytes`", lfcf_to_dump(filter, 0, 0, nothing, &size));
        FAILS(status, "`size`", lfcf_to_dump(filter, 0, 0, &bytes, nothing));
        FAILS(status, "`filter`", lfcf_from_dump("a", 1, nothing, NULL, NULL));
        FAILS(status, "`filter`", lfcf_write_fd(no_filter, 1));
        FAILS(status, "`filter`", lfcf_read_fd(0, nothing));
        FAILS(status, "`filter`", lfcf_snapshot(no_filter, &other));
        FAILS(status, "`copy`", lfcf_snapshot(filter, nothing));
        FAILS(status, "`filter`", lfcf_shared_create(&options, nothing));
        FAILS(status, "`options`", lfcf_shared_create(nothing, &other));
        FAILS(status, "`filter`", lfcf_shared_create_at(&options, "/dev/shm/lfcf-none", nothing));
        FAILS(status, "`options`", lfcf_shared_create_at(nothing, "/dev/shm/lfcf-none", &other));
        FAILS(status, "`filter`", lfcf_shared_attach(0, nothing));
        FAILS(status, "`filter`", lfcf_shared_attach_reader(0, nothing));
        FAILS(status, "`filter`", lfcf_shared_open("/dev/shm/lfcf-none", nothing));
        FAILS(status, "`filter`", lfcf_shared_open_reader("/dev/shm/lfcf-none", nothing));
        FAILS(status, "`filter`", lfcf_shared_fd(no_filter));
        FAILS(status, "`filter`", lfcf_shared_recover(no_filter));
    }
    FAILS(LFCF_MISALIGNED, "`filter`", lfcf_destroy(MISALIGNED));
    /* What may be null must still be aligned. */
    FAILS(LFCF_MISALIGNED, "`done`", lfcf_insert_unique_bulk(filter, &hash, 1, &word, MISALIGNED));
    FAILS(LFCF_MISALIGNED, "`done`", lfcf_refresh_bulk(filter, &hash, 1, &word, MISALIGNED));
    FAILS(LFCF_MISALIGNED, "`done`", lfcf_insert_unique_many(filter, &hash, 1, &answer, MISALIGNED));
    FAILS(LFCF_MISALIGNED, "`done`", lfcf_refresh_many(filter, &hash, 1, &answer, MISALIGNED));
    FAILS(LFCF_MISALIGNED, "`done`", lfcf_insert_many(filter, &hash, 1, MISALIGNED));
    FAILS(LFCF_MISALIGNED, "`window`", lfcf_from_dump("a", 1, &other, MISALIGNED, NULL));
    FAILS(LFCF_MISALIGNED, "`age`", lfcf_from_dump("a", 1, &other, NULL, MISALIGNED));
    FAILS(LFCF_MISALIGNED, "`removed`", lfcf_remove_many(filter, &hash, 1, MISALIGNED));
    /* Bytes, texts and answers have no alignment. */
    FAILS(LFCF_NULL, "`path`", lfcf_shared_create_at(&options, NULL, &other));
    FAILS(LFCF_NULL, "`path`", lfcf_shared_open(NULL, &other));
    FAILS(LFCF_NULL, "`path`", lfcf_shared_open_reader(NULL, &other));
    FAILS(LFCF_NULL, "`item`", lfcf_hash_bytes(filter, NULL, 1, &hash));
    FAILS(LFCF_NULL, "`item`", lfcf_hash_bytes_seeded(42, NULL, 1, &hash));
    FAILS(LFCF_NULL, "`item`", lfcf_insert_bytes(filter, NULL, 1));
    FAILS(LFCF_NULL, "`item`", lfcf_insert_unique_bytes(filter, NULL, 1));
    FAILS(LFCF_NULL, "`item`", lfcf_contains_bytes(filter, NULL, 1));
    FAILS(LFCF_NULL, "`item`", lfcf_remove_bytes(filter, NULL, 1));
    FAILS(LFCF_NULL, "`item`", lfcf_count_bytes(filter, NULL, 1));
    FAILS(LFCF_NULL, "`item`", lfcf_refresh_bytes(filter, NULL, 1));
    FAILS(LFCF_NULL, "`answers`", lfcf_contains_many(filter, &hash, 1, NULL));
    FAILS(LFCF_NULL, "`answers`", lfcf_insert_unique_many(filter, &hash, 1, NULL, NULL));
    FAILS(LFCF_NULL, "`answers`", lfcf_refresh_many(filter, &hash, 1, NULL, NULL));
    FAILS(LFCF_NULL, "`bytes`", lfcf_from_bytes(NULL, 1, &other));
    FAILS(LFCF_NULL, "`dump`", lfcf_from_dump(NULL, 1, &other, NULL, NULL));
    CHECK(measure(filter).items == 0);
}

static uint64_t never(void *context)
{
    (void)context;
    CHECK(!"the time is not read");
    return 0;
}

/* Of the calls that only a filter that rotates has, and of its clock. */
static void ageing(const lfcf_filter *without)
{
    lfcf_filter *filter = create((lfcf_options){.kind = LFCF_ROTATING});
    lfcf_clock *clock, *none = (void *)memory;
    uint64_t nanoseconds;
    uint32_t age = 9;
    FAILS(LFCF_INVALID, "`period` is 0", lfcf_clock_create(filter, 0, never, NULL, &none));
    CHECK(none == NULL);
    none = (void *)memory;
    FAILS(LFCF_WRONG_KIND, "LFCF_ROTATING", lfcf_clock_create(without, 1, never, NULL, &none));
    CHECK(none == NULL);
    IS(0, lfcf_clock_create(filter, 1000, NULL, NULL, &clock));
    for (int turn = 0; turn < 2; turn++) {
        void *nothing = turn ? MISALIGNED : NULL;
        lfcf_filter *no_filter = nothing;
        int status = turn ? LFCF_MISALIGNED : LFCF_NULL;
        FAILS(status, "`filter`", lfcf_clock_create(no_filter, 1, never, NULL, &none));
        FAILS(status, "`clock`", lfcf_clock_create(filter, 1, never, NULL, nothing));
        FAILS(status, "`filter`", lfcf_rotate_if_due(no_filter, clock));
        FAILS(status, "`clock`", lfcf_rotate_if_due(filter, nothing));
        FAILS(status, "`filter`", lfcf_until_due(no_filter, clock, &nanoseconds));
        FAILS(status, "`clock`", lfcf_until_due(filter, nothing, &nanoseconds));
        FAILS(status, "`nanoseconds`", lfcf_until_due(filter, clock, nothing));
        FAILS(status, "`filter`", lfcf_young_age(no_filter, clock, &nanoseconds));
        FAILS(status, "`clock`", lfcf_young_age(filter, nothing, &nanoseconds));
        FAILS(status, "`nanoseconds`", lfcf_young_age(filter, clock, nothing));
        FAILS(status, "`filter`", lfcf_catch_up(no_filter, clock, 0));
        FAILS(status, "`clock`", lfcf_catch_up(filter, nothing, 0));
        FAILS(status, "`clock`", lfcf_periods(nothing, &nanoseconds));
        FAILS(status, "`periods`", lfcf_periods(clock, nothing));
        FAILS(status, "`filter`", lfcf_age(no_filter, mix(1), &age));
        FAILS(status, "`age`", lfcf_age(filter, mix(1), nothing));
        FAILS(status, "`filter`", lfcf_age_bytes(no_filter, "a", 1, &age));
        FAILS(status, "`age`", lfcf_age_bytes(filter, "a", 1, nothing));
    }
    FAILS(LFCF_NULL, "`item`", lfcf_age_bytes(filter, NULL, 1, &age));
    FAILS(LFCF_MISALIGNED, "`clock`", lfcf_clock_destroy(MISALIGNED));
    FAILS(LFCF_WRONG_KIND, "LFCF_ROTATING", lfcf_rotate_if_due(without, clock));
    FAILS(LFCF_WRONG_KIND, "LFCF_ROTATING", lfcf_until_due(without, clock, &nanoseconds));
    FAILS(LFCF_WRONG_KIND, "LFCF_ROTATING", lfcf_young_age(without, clock, &nanoseconds));
    FAILS(LFCF_WRONG_KIND, "LFCF_ROTATING", lfcf_catch_up(without, clock, UINT64_MAX));
    FAILS(LFCF_WRONG_KIND, "LFCF_ROTATING", lfcf_age(without, mix(1), &age));
    CHECK(measure(filter).rotations == 0);
    /* A time that no file should have is one, and everything is forgotten. */
    for (int turn = 0; turn < 3; turn++)
        IS(2, lfcf_catch_up(filter, clock, UINT64_MAX));
    IS(0, lfcf_clock_destroy(clock));
    IS(0, lfcf_destroy(filter));
}

static void numbers(lfcf_filter *filter)
{
    uint64_t hashes[65] = {0}, mask;
    size_t done = 99;
    bool answer;
    lfcf_measures small = {.size = 8};
    FAILS(LFCF_INVALID, "65 hashes", lfcf_contains_bulk(filter, hashes, 65, &mask));
    FAILS(LFCF_INVALID, "65 hashes", lfcf_insert_unique_bulk(filter, hashes, 65, &mask, &done));
    CHECK(done == 0 && mask == 0);
    FAILS(LFCF_INVALID, "at most", lfcf_contains_many(filter, hashes, SIZE_MAX / 2, &answer));
    FAILS(LFCF_INVALID, "at most", lfcf_insert_many(filter, hashes, SIZE_MAX, NULL));
    FAILS(LFCF_INVALID, "at most", lfcf_contains_bytes(filter, hashes, SIZE_MAX));
    FAILS(LFCF_INVALID, "`measures->size` is 8", lfcf_measure(filter, &small));
    FAILS(LFCF_INVALID, "`measures->size` is 8", lfcf_measure_options(&(lfcf_options){.size = sizeof(lfcf_options)}, &small));
    FAILS(LFCF_INVALID, "at most", lfcf_hash_bytes_seeded(42, hashes, SIZE_MAX, &mask));
    FAILS(LFCF_INVALID, "-1 is not", lfcf_write_fd(filter, -1));
    FAILS(LFCF_INVALID, "-1 is not", lfcf_read_fd(-1, &filter));
}

/* A call to build, which is refused. */
static void refuses(int status, const char *about, lfcf_options options)
{
    lfcf_filter *filter = (void *)memory;
    options.size += sizeof options;
    FAILS(status, about, lfcf_create(&options, &filter));
    CHECK(filter == NULL);
    /* So it is if it is only measured, which leaves the measures as they are. */
    lfcf_measures measures = {.size = sizeof measures, .memory = 77};
    if (status != LFCF_OUT_OF_MEMORY) {
        FAILS(status, about, lfcf_measure_options(&options, &measures));
        CHECK(measures.memory == 77);
    }
}

/* A capacity that is too large. The text names the largest one that is not. */
static void capacity_is_refused(lfcf_options options)
{
    options.size = sizeof options;
    lfcf_measures measures = {.size = sizeof measures};
    options.capacity = SIZE_MAX;
    FAILS(LFCF_INVALID, "too large: at most ", lfcf_measure_options(&options, &measures));
    options.capacity = strtoull(strstr(lfcf_last_error(), "at most ") + 8, NULL, 10);
    IS(0, lfcf_measure_options(&options, &measures));
    CHECK(measures.capacity == options.capacity);
    options.capacity++;
    IS(LFCF_INVALID, lfcf_measure_options(&options, &measures));
}

static void options(void)
{
    refuses(LFCF_INVALID, "`options->size` is", (lfcf_options){.size = (size_t)-1});
    refuses(LFCF_INVALID, "`options->size` is", (lfcf_options){.size = 1 << 20});
    refuses(LFCF_INVALID, "3 is not an lfcf_kind", (lfcf_options){.kind = 3});
    refuses(LFCF_INVALID, "later version", (lfcf_options){.flags = 4});
    refuses(LFCF_INVALID, "LFCF_SEEDED", (lfcf_options){.seed = 5});
    refuses(LFCF_INVALID, "4, 8 or 15", (lfcf_options){.value_bits = 5});
    refuses(LFCF_INVALID, "no layout", (lfcf_options){.value_bits = 4, .slots = 4, .fingerprint_bits = 16});
    refuses(LFCF_INVALID, "LFCF_FIXED", (lfcf_options){.value_bits = 4, .kind = LFCF_ROTATING});
    refuses(LFCF_INVALID, "LFCF_FIXED", (lfcf_options){.value_bits = 4, .kind = LFCF_GROWING});
    refuses(LFCF_INVALID, "LFCF_SMALLEST",
            (lfcf_options){.flags = LFCF_SMALLEST, .value_bits = 4, .max_false_positive_rate = 0.01});
    for (uint32_t kind = LFCF_FIXED; kind <= LFCF_ROTATING; kind++) {
        refuses(LFCF_INVALID, "too large", (lfcf_options){.kind = kind, .capacity = SIZE_MAX});
        capacity_is_refused((lfcf_options){.kind = kind});
    }
    capacity_is_refused((lfcf_options){.value_bits = 8});
    refuses(LFCF_INVALID, "use 128", (lfcf_options){.buckets = 127});
    refuses(LFCF_INVALID, "both set", (lfcf_options){.capacity = 1, .buckets = 2});
    refuses(LFCF_INVALID, "use 2", (lfcf_options){.search_budget = 1});
    refuses(LFCF_INVALID, "generations", (lfcf_options){.generations = 3});
    refuses(LFCF_INVALID, "use 2", (lfcf_options){.kind = LFCF_ROTATING, .generations = 1});
    refuses(LFCF_INVALID, "no layout", (lfcf_options){.slots = 4});
    refuses(LFCF_INVALID, "no layout", (lfcf_options){.slots = 4, .fingerprint_bits = 12});
    refuses(LFCF_INVALID, "LFCF_SMALLEST", (lfcf_options){.flags = LFCF_SMALLEST, .slots = 4, .fingerprint_bits = 16});
    refuses(LFCF_INVALID, "rate", (lfcf_options){.flags = LFCF_SMALLEST});
    refuses(LFCF_INVALID, "rate", (lfcf_options){.max_false_positive_rate = 1.5});
    refuses(LFCF_INVALID, "4 slots", (lfcf_options){.kind = LFCF_GROWING, .slots = 8, .fingerprint_bits = 8});
    refuses(LFCF_LIMIT, "rate", (lfcf_options){.max_false_positive_rate = 1e-6});
    refuses(LFCF_LIMIT, "memory limit", (lfcf_options){.capacity = 100000, .max_memory = 1000});
    /* A struct of a later version, with and without an option that this one does not know. */
    struct {
        lfcf_options known;
        uint64_t later;
    } later = {.known = {.size = sizeof later}};
    lfcf_filter *filter;
    IS(0, lfcf_create(&later.known, &filter));
    IS(0, lfcf_destroy(filter));
    later.later = 1;
    FAILS(LFCF_INVALID, "later version", lfcf_create(&later.known, &filter));
    lfcf_measures measures = {.size = sizeof measures};
    FAILS(LFCF_INVALID, "later version", lfcf_measure_options(&later.known, &measures));
}

static void inserts(void)
{
    lfcf_filter *filter = create((lfcf_options){.capacity = 1000});
    lfcf_options limited = {.kind = LFCF_GROWING, .capacity = 1000, .max_memory = 100000};
    uint64_t hashes[64], mask, item = 0;
    bool answers[64];
    size_t done = 99;
    for (int copy = 0; copy < 8; copy++)
        IS(0, lfcf_insert(filter, mix(1)));
    FAILS(LFCF_TOO_MANY_COPIES, "8 copies", lfcf_insert(filter, mix(1)));
    FAILS(LFCF_WRONG_KIND, "LFCF_ROTATING", lfcf_rotate(filter));
    FAILS(LFCF_WRONG_KIND, "LFCF_ROTATING", lfcf_rotate_if(filter, 0));
    FAILS(LFCF_WRONG_KIND, "LFCF_ROTATING", lfcf_rotations(filter, &mask));
    FAILS(LFCF_WRONG_KIND, "LFCF_ROTATING", lfcf_refresh(filter, mix(1)));
    FAILS(LFCF_WRONG_KIND, "LFCF_ROTATING", lfcf_refresh_bulk(filter, hashes, 0, &mask, &done));
    /* As hashes, numbers fill few buckets. */
    int answer;
    do
        answer = lfcf_insert(filter, item++ << 8);
    while (answer == 0);
    IS(LFCF_POOR_HASHES, answer);
    /* Until a bulk call stops in the middle. */
    do {
        for (int place = 0; place < 64; place++)
            hashes[place] = mix(item++);
        answer = lfcf_insert_unique_bulk(filter, hashes, 64, &mask, &done);
    } while (answer >= 0);
    IS(LFCF_FULL, answer);
    CHECK(done < 64 && (mask >> done) == 0);
    IS(LFCF_FULL, lfcf_insert_unique_many(filter, hashes + done, 64 - done, answers, &done));
    CHECK(done == 0 && !answers[0]);
    do
        answer = lfcf_insert_many(filter, hashes, 1, &done);
    while (answer == 0);
    CHECK(answer == LFCF_FULL || answer == LFCF_TOO_MANY_COPIES);
    IS(0, lfcf_destroy(filter));
    filter = create(limited);
    do
        answer = lfcf_insert(filter, mix(item++));
    while (answer == 0);
    FAILS(LFCF_CANNOT_GROW, "100000", answer);
    IS(0, lfcf_destroy(filter));
}

static void stored(const lfcf_filter *filter)
{
    lfcf_filter *copy = (void *)memory;
    unsigned char *bytes;
    void *stored;
    size_t size;
    IS(0, lfcf_to_bytes(filter, &stored, &size));
    bytes = stored;
    FAILS(LFCF_NOT_A_FILTER, "first bytes", lfcf_from_bytes("PK\3\4", 4, &copy));
    CHECK(copy == NULL);
    FAILS(LFCF_TRUNCATED, "ends early", lfcf_from_bytes(bytes, size - 1, &copy));
    FAILS(LFCF_TRUNCATED, "ends early", lfcf_from_bytes(NULL, 0, &copy));
    bytes[size - 20] ^= 1;
    FAILS(LFCF_DAMAGED, "checksum", lfcf_from_bytes(bytes, size, &copy));
    bytes[size - 20] ^= 1;
    unsigned char *longer = calloc(1, size + 1);
    CHECK(longer != NULL);
    memcpy(longer, bytes, size);
    FAILS(LFCF_DAMAGED, "were given", lfcf_from_bytes(longer, size + 1, &copy));
    free(longer);
    IS(0, lfcf_from_bytes(bytes, size, &copy));
    IS(0, lfcf_destroy(copy));
    IS(0, lfcf_free_bytes(stored, size));

    int ends[2];
    CHECK(pipe(ends) == 0 && close(ends[0]) == 0);
    signal(SIGPIPE, SIG_IGN);
    errno = 0;
    FAILS(LFCF_IO, "roken pipe", lfcf_write_fd(filter, ends[1]));
    CHECK(errno == EPIPE);
    FAILS(LFCF_IO, "ad file descriptor", lfcf_read_fd(ends[1], &copy));
    CHECK(close(ends[1]) == 0);
    FAILS(LFCF_IO, "ad file descriptor", lfcf_write_fd(filter, ends[1]));
}

static void dumped(const lfcf_filter *filter)
{
    const uint64_t window = 1000000000;
    lfcf_filter *copy = (void *)memory, *rotating = create((lfcf_options){.kind = LFCF_ROTATING});
    void *dump;
    unsigned char *bytes;
    size_t size;
    FAILS(LFCF_INVALID, "no other filter has a window", lfcf_to_dump(filter, window, 0, &dump, &size));
    CHECK(dump == NULL && size == 0);
    FAILS(LFCF_INVALID, "`window` is 0", lfcf_to_dump(rotating, 0, 0, &dump, &size));
    FAILS(LFCF_INVALID, "`window` is 99", lfcf_to_dump(rotating, 99, 0, &dump, &size));
    IS(0, lfcf_to_dump(rotating, window, UINT64_MAX, &dump, &size));
    bytes = dump;
    FAILS(LFCF_NOT_A_FILTER, "like a dump", lfcf_from_dump("PK\3\4", 4, &copy, NULL, NULL));
    CHECK(copy == NULL);
    /* The form without what is around it. */
    FAILS(LFCF_NOT_A_FILTER, "like a dump", lfcf_from_dump(bytes + 56, size - 56, &copy, NULL, NULL));
    FAILS(LFCF_TRUNCATED, "", lfcf_from_dump(bytes, size - 1, &copy, NULL, NULL));
    FAILS(LFCF_TRUNCATED, "", lfcf_from_dump(bytes, 20, &copy, NULL, NULL));
    FAILS(LFCF_TRUNCATED, "", lfcf_from_dump(NULL, 0, &copy, NULL, NULL));
    for (size_t at = 8; at < size; at += at < 200 ? 1 : 97) {
        bytes[at] ^= 1;
        CHECK(lfcf_from_dump(bytes, size, &copy, NULL, NULL) < 0 && copy == NULL);
        bytes[at] ^= 1;
    }
    bytes[40] ^= 1;
    FAILS(LFCF_DAMAGED, "checksum", lfcf_from_dump(bytes, size, &copy, NULL, NULL));
    bytes[40] ^= 1;
    unsigned char *longer = calloc(1, size + 1);
    CHECK(longer != NULL);
    memcpy(longer, bytes, size);
    FAILS(LFCF_DAMAGED, "after its end", lfcf_from_dump(longer, size + 1, &copy, NULL, NULL));
    free(longer);
    IS(0, lfcf_free_bytes(dump, size));
    IS(0, lfcf_destroy(rotating));
}

/* The last test: there is no more memory. Not for tools that need much memory themselves. */
static void memory_ends(void)
{
    struct rlimit limit = {.rlim_cur = 1 << 30, .rlim_max = 1 << 30};
    if (setrlimit(RLIMIT_AS, &limit) == 0)
        refuses(LFCF_OUT_OF_MEMORY, "could not be allocated", (lfcf_options){.capacity = (size_t)1 << 30});
}

int main(void)
{
    CHECK(*lfcf_last_error() == 0);
    lfcf_filter *filter = create((lfcf_options){.capacity = 1000});
    pointers(filter);
    ageing(filter);
    numbers(filter);
    values(filter);
    options();
    inserts();
    stored(filter);
    dumped(filter);
    IS(0, lfcf_destroy(filter));
    if (getenv("LFCF_WITHOUT_LIMITS") == NULL)
        memory_ends();
    for (int status = LFCF_OTHER_BOOT; status <= LFCF_OK; status++)
        CHECK(strcmp(lfcf_status_text(status), "unknown status") != 0);
    return 0;
}
