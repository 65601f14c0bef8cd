/* What the calls answer, in one thread. */
#define _POSIX_C_SOURCE 200809L
#include "check.h"

#include <string.h>
#include <unistd.h>

enum { ITEMS = 1000 };

/* Inserts, lookups, removals and counts by hash, in a filter of any kind. */
static void one_by_one(lfcf_filter *filter)
{
    for (uint64_t item = 0; item < ITEMS; item++)
        IS(0, lfcf_insert(filter, mix(item)));
    CHECK(measure(filter).items == ITEMS);
    int known = 0;
    for (uint64_t item = 0; item < ITEMS; item++) {
        IS(1, lfcf_contains(filter, mix(item)));
        known += lfcf_contains(filter, mix(ITEMS + item));
    }
    CHECK(known < 10);
    IS(0, lfcf_insert(filter, mix(0)));
    IS(2, lfcf_count(filter, mix(0)));
    IS(0, lfcf_insert_unique(filter, mix(0)));
    for (uint64_t item = 0; item < ITEMS; item++)
        IS(1, lfcf_remove(filter, mix(item)));
    IS(1, lfcf_remove(filter, mix(0)));
    IS(0, lfcf_remove(filter, mix(0)));
    IS(1, lfcf_insert_unique(filter, mix(0)));
    IS(0, lfcf_clear(filter));
    CHECK(measure(filter).items == 0);
}

static void by_bytes(const lfcf_filter *filter)
{
    /* The example of the Rust library's guide: every release hashes these bytes alike, on every machine. */
    const char flow[] = "\v\0\0\0\0\0\0\0example.org\xbb\x01";
    uint64_t hash;
    IS(0, lfcf_hash_bytes(filter, flow, sizeof flow - 1, &hash));
    CHECK(hash == 0xaacab537522b5608);

    IS(1, lfcf_insert_unique_bytes(filter, "flow", 4));
    IS(0, lfcf_insert_unique_bytes(filter, "flow", 4));
    IS(0, lfcf_insert_bytes(filter, "flow", 4));
    IS(0, lfcf_hash_bytes(filter, "flow", 4, &hash));
    uint64_t same;
    IS(0, lfcf_hash_bytes_seeded(42, "flow", 4, &same));
    CHECK(same == hash);
    IS(0, lfcf_hash_bytes_seeded(43, "flow", 4, &same));
    CHECK(same != hash);
    IS(2, lfcf_count(filter, hash));
    IS(2, lfcf_count_bytes(filter, "flow", 4));
    IS(1, lfcf_contains_bytes(filter, "flow", 4));
    IS(0, lfcf_contains_bytes(filter, "flo", 3));
    IS(1, lfcf_remove_bytes(filter, "flow", 4));
    IS(1, lfcf_remove(filter, hash));
    IS(0, lfcf_remove_bytes(filter, "flow", 4));
    /* Nothing is an item too. */
    IS(1, lfcf_insert_unique_bytes(filter, NULL, 0));
    IS(1, lfcf_contains_bytes(filter, "", 0));
    IS(1, lfcf_remove_bytes(filter, NULL, 0));
}

/* Every length of a mask: the bits are the answers of single calls. */
static void with_masks(lfcf_filter *filter)
{
    for (size_t count = 0; count <= LFCF_BULK_MAX; count++) {
        uint64_t hashes[LFCF_BULK_MAX], mask = 99, added = 0;
        size_t done = 99;
        for (size_t place = 0; place < count; place++) {
            hashes[place] = mix(1000 * count + place);
            if (mix(hashes[place]) & 1) {
                IS(0, lfcf_insert(filter, hashes[place]));
                added |= (uint64_t)1 << place;
            }
        }
        int known = lfcf_contains_bulk(filter, hashes, count, &mask);
        CHECK(known >= 0 && mask == added);
        int new = lfcf_insert_unique_bulk(filter, hashes, count, &mask, &done);
        CHECK(known + new == (int)count && (mask ^ added) == (count ? UINT64_MAX >> (64 - count) : 0) && done == count);
        IS((int)count, lfcf_contains_bulk(filter, hashes, count, &mask));
        IS(0, lfcf_insert_unique_bulk(filter, hashes, count, &mask, NULL));
        IS(0, lfcf_clear(filter));
    }
}

static void with_arrays(lfcf_filter *filter)
{
    static uint64_t hashes[ITEMS];
    static bool answers[ITEMS];
    size_t done = 0;
    for (size_t place = 0; place < ITEMS; place++)
        hashes[place] = mix(place);
    memset(answers, 0xff, sizeof answers); /* not a bool */
    IS(0, lfcf_contains_many(filter, hashes, ITEMS, answers));
    CHECK(memchr(answers, 1, ITEMS) == NULL);
    IS(0, lfcf_insert_many(filter, hashes, ITEMS / 2, &done));
    CHECK(done == ITEMS / 2);
    IS(0, lfcf_insert_unique_many(filter, hashes, ITEMS, answers, &done));
    CHECK(done == ITEMS);
    for (size_t place = 0; place < ITEMS; place++)
        CHECK(answers[place] == (place >= ITEMS / 2));
    IS(0, lfcf_contains_many(filter, hashes, ITEMS, answers));
    CHECK(memchr(answers, 0, ITEMS) == NULL);
    IS(0, lfcf_remove_many(filter, hashes, ITEMS, &done));
    CHECK(done == ITEMS);
    IS(0, lfcf_remove_many(filter, hashes, ITEMS, NULL));
    IS(0, lfcf_insert_many(filter, NULL, 0, &done));
    CHECK(done == 0 && measure(filter).items == 0);
}

/* What an item has, as a sum: the copies are in no order. */
static void has_values(const lfcf_filter *filter, uint64_t hash, int copies, unsigned sum)
{
    uint16_t values[LFCF_VALUES_MAX];
    IS(copies, lfcf_values(filter, hash, values));
    for (int copy = 0; copy < LFCF_VALUES_MAX; copy++)
        sum -= values[copy];
    CHECK(sum == 0);
}

static void with_values(uint32_t value_bits, int most_copies)
{
    lfcf_filter *filter = create((lfcf_options){.capacity = 2 * ITEMS, .value_bits = value_bits});
    uint16_t most = (uint16_t)((1 << value_bits) - 1), value = 99;
    CHECK(measure(filter).value_bits == value_bits && measure(filter).bucket_slots * 2 == (unsigned)most_copies);
    IS(0, lfcf_value(filter, mix(0), &value));
    CHECK(value == 0);
    IS(0, lfcf_insert_value(filter, mix(0), most));
    IS(1, lfcf_value(filter, mix(0), &value));
    CHECK(value == most);
    /* Who comes first has it; who comes later is told. */
    value = 3;
    IS(1, lfcf_insert_unique_value(filter, mix(1), &value));
    CHECK(value == 3);
    value = 5;
    IS(0, lfcf_insert_unique_value(filter, mix(1), &value));
    CHECK(value == 3);
    IS(1, lfcf_replace_value(filter, mix(1), 3, 5));
    IS(0, lfcf_replace_value(filter, mix(1), 3, 6));
    IS(1, lfcf_value(filter, mix(1), &value));
    CHECK(value == 5);
    /* Several copies, each with its value. */
    has_values(filter, mix(2), 0, 0);
    for (uint16_t copy = 0; copy < most_copies; copy++)
        IS(0, lfcf_insert_value(filter, mix(2), copy));
    has_values(filter, mix(2), most_copies, (unsigned)(most_copies * (most_copies - 1) / 2));
    IS(1, lfcf_remove_value(filter, mix(2), 1));
    IS(0, lfcf_remove_value(filter, mix(2), 1));
    IS(0, lfcf_remove_value(filter, mix(2), UINT16_MAX));
    has_values(filter, mix(2), most_copies - 1, (unsigned)(most_copies * (most_copies - 1) / 2) - 1);
    /* The calls without values. */
    IS(1, lfcf_insert_unique(filter, mix(3)));
    IS(1, lfcf_value(filter, mix(3), &value));
    CHECK(value == 0);
    IS(1, lfcf_contains(filter, mix(0)));
    IS(1, lfcf_remove(filter, mix(0)));
    IS(0, lfcf_clear(filter));

    for (size_t count = 0; count <= LFCF_BULK_MAX; count++) {
        uint64_t hashes[LFCF_BULK_MAX], mask = 99, added = 0;
        uint16_t values[LFCF_BULK_MAX];
        memset(values, 0xff, sizeof values);
        for (size_t place = 0; place < count; place++) {
            hashes[place] = mix(1000 * count + place);
            if (mix(hashes[place]) & 1) {
                IS(0, lfcf_insert_value(filter, hashes[place], (uint16_t)(place & most)));
                added |= (uint64_t)1 << place;
            }
        }
        int found = lfcf_value_bulk(filter, hashes, count, &mask, values);
        CHECK(mask == added);
        for (size_t place = 0; place < count; place++) {
            CHECK(values[place] == (mask >> place & 1 ? place & most : 0));
            found -= (int)(mask >> place & 1);
        }
        CHECK(found == 0 && (count == LFCF_BULK_MAX || values[count] == UINT16_MAX));
        IS(0, lfcf_clear(filter));
    }

    /* Copies of the filter have the values too. */
    lfcf_filter *copy;
    void *bytes;
    size_t size;
    IS(0, lfcf_insert_value(filter, mix(7), 7));
    IS(0, lfcf_snapshot(filter, &copy));
    IS(1, lfcf_value(copy, mix(7), &value));
    CHECK(value == 7);
    IS(0, lfcf_destroy(copy));
    IS(0, lfcf_to_bytes(filter, &bytes, &size));
    IS(0, lfcf_from_bytes(bytes, size, &copy));
    IS(0, lfcf_free_bytes(bytes, size));
    IS(1, lfcf_replace_value(copy, mix(7), 7, 8));
    IS(1, lfcf_value(filter, mix(7), &value));
    CHECK(value == 7 && measure(copy).value_bits == value_bits);
    IS(0, lfcf_destroy(copy));
    IS(0, lfcf_destroy(filter));
}

static void with_age(void)
{
    lfcf_filter *filter = create((lfcf_options){.kind = LFCF_ROTATING, .capacity = 100, .generations = 3});
    uint64_t hashes[2] = {mix(1), mix(2)}, mask, rotations;
    bool new[2];
    size_t done;
    IS(1, lfcf_refresh(filter, hashes[0]));
    IS(1, lfcf_refresh_bulk(filter, hashes, 2, &mask, &done));
    CHECK(mask == 2 && done == 2);
    IS(0, lfcf_refresh_many(filter, hashes, 2, new, &done));
    CHECK(!new[0] && !new[1]);
    IS(1, lfcf_refresh_bytes(filter, "flow", 4));
    for (int period = 0; period < 10; period++) {
        IS(0, lfcf_rotate(filter));
        IS(0, lfcf_refresh(filter, hashes[0]));
    }
    IS(0, lfcf_contains(filter, hashes[1]));
    IS(0, lfcf_contains_bytes(filter, "flow", 4));
    /* The age counts from the last refresh. */
    uint32_t age = 9;
    IS(0, lfcf_age(filter, hashes[1], &age));
    CHECK(age == 0);
    IS(1, lfcf_age(filter, hashes[0], &age));
    CHECK(age == 0);
    IS(0, lfcf_insert_bytes(filter, "aged", 4));
    for (uint32_t rotations = 1; rotations <= 2; rotations++) {
        IS(0, lfcf_rotate(filter));
        IS(1, lfcf_age_bytes(filter, "aged", 4, &age));
        CHECK(age == rotations);
        IS(1, lfcf_age(filter, hashes[0], &age));
        CHECK(age == rotations);
    }
    IS(0, lfcf_rotate(filter));
    IS(0, lfcf_age_bytes(filter, "aged", 4, &age));
    CHECK(age == 0);
    IS(0, lfcf_rotations(filter, &rotations));
    CHECK(rotations == 13);
    IS(1, lfcf_rotate_if(filter, 13));
    IS(0, lfcf_rotate_if(filter, 13));
    lfcf_measures measures = measure(filter);
    CHECK(measures.kind == LFCF_ROTATING && measures.generations == 3 && measures.rotations == 14);
    IS(0, lfcf_is_full(filter));
    for (uint64_t item = 0; item < 100; item++)
        IS(0, lfcf_insert(filter, mix(item)));
    IS(1, lfcf_is_full(filter));
    IS(0, lfcf_destroy(filter));
}

/* What is told before is what it is then. */
static void as_measured(lfcf_options options)
{
    lfcf_measures before = {.size = sizeof before}, after;
    options.size = sizeof options;
    options.flags |= LFCF_SEEDED;
    options.seed = 42;
    IS(0, lfcf_measure_options(&options, &before));
    CHECK(before.false_positive_rate > 0 && before.false_positive_rate < 0.5);
    lfcf_filter *filter = create(options);
    after = measure(filter);
    /* An empty filter finds nothing. */
    CHECK(after.false_positive_rate < before.false_positive_rate);
    before.false_positive_rate = after.false_positive_rate;
    CHECK(memcmp(&before, &after, sizeof before) == 0);
    IS(0, lfcf_destroy(filter));
    options.flags &= ~LFCF_SEEDED;
    options.seed = 0;
    IS(0, lfcf_measure_options(&options, &before));
    CHECK(before.seed == 0);
}

static void shrinks(void)
{
    lfcf_filter *filter = create((lfcf_options){.kind = LFCF_GROWING, .capacity = 100});
    size_t slots = measure(filter).slots, memory = measure(filter).memory;
    for (uint64_t item = 0; item < 10 * ITEMS; item++)
        IS(0, lfcf_insert(filter, mix(item)));
    for (uint64_t item = 100; item < 10 * ITEMS; item++)
        IS(1, lfcf_remove(filter, mix(item)));
    CHECK(measure(filter).slots >= 64 * slots);
    IS(0, lfcf_shrink_to_fit(filter));
    CHECK(measure(filter).slots == slots && measure(filter).memory <= 2 * memory);
    for (uint64_t item = 0; item < 100; item++)
        IS(1, lfcf_contains(filter, mix(item)));
    IS(0, lfcf_destroy(filter));
    /* Nothing, to one of a fixed size. */
    filter = create((lfcf_options){.kind = LFCF_ROTATING, .capacity = ITEMS});
    slots = measure(filter).slots;
    IS(0, lfcf_insert(filter, mix(1)));
    IS(0, lfcf_shrink_to_fit(filter));
    IS(1, lfcf_contains(filter, mix(1)));
    CHECK(measure(filter).slots == slots);
    IS(0, lfcf_destroy(filter));
}

static void with_options(void)
{
    lfcf_filter *filter = create((lfcf_options){.capacity = 100000, .slots = 8, .fingerprint_bits = 8});
    lfcf_measures measures = measure(filter);
    CHECK(measures.bucket_slots == 8 && measures.fingerprint_bits == 8 && measures.memory < 130000);
    CHECK(measures.kind == LFCF_FIXED && measures.tables == 1 && measures.generations == 0 && measures.seed == 42);
    CHECK(measures.value_bits == 0 && measures.reserved == 0);
    IS(0, lfcf_destroy(filter));
    filter = create((lfcf_options){.flags = LFCF_SMALLEST, .capacity = 100000, .max_false_positive_rate = 1e-6});
    CHECK(measure(filter).fingerprint_bits > 20);
    IS(0, lfcf_destroy(filter));
    filter = create((lfcf_options){.buckets = 3 << 10, .search_budget = 256});
    CHECK(measure(filter).slots == 12 << 10);
    IS(0, lfcf_destroy(filter));
    filter = create((lfcf_options){.slots = 3, .fingerprint_bits = 13, .value_bits = 8});
    CHECK(measure(filter).value_bits == 8);
    IS(0, lfcf_destroy(filter));
    filter = create((lfcf_options){.kind = LFCF_GROWING, .capacity = 100});
    for (uint64_t item = 0; item < 100 * ITEMS; item++)
        IS(0, lfcf_insert(filter, mix(item)));
    measures = measure(filter);
    CHECK(measures.kind == LFCF_GROWING && measures.capacity >= 100 * ITEMS && measures.load_factor > 0.4);
    CHECK(measures.false_positive_rate > 0.0001 && measures.false_positive_rate < 0.01);
    IS(0, lfcf_destroy(filter));
    /* Without LFCF_SEEDED the seed is random. */
    lfcf_filter *one, *other;
    lfcf_options options = {.size = sizeof options};
    IS(0, lfcf_create(&options, &one));
    IS(0, lfcf_create(&options, &other));
    CHECK(measure(one).capacity == 1024 && measure(one).seed != measure(other).seed);
    IS(0, lfcf_destroy(one));
    IS(0, lfcf_destroy(other));
}

static void stored(const lfcf_filter *filter)
{
    lfcf_filter *copy;
    void *bytes;
    size_t size;
    IS(1, lfcf_insert_unique_bytes(filter, "flow", 4));
    IS(0, lfcf_snapshot(filter, &copy));
    IS(1, lfcf_contains_bytes(copy, "flow", 4));
    IS(0, lfcf_destroy(copy));
    IS(0, lfcf_to_bytes(filter, &bytes, &size));
    IS(0, lfcf_from_bytes(bytes, size, &copy));
    IS(1, lfcf_contains_bytes(copy, "flow", 4));
    CHECK(measure(copy).kind == measure(filter).kind);
    IS(0, lfcf_destroy(copy));
    IS(0, lfcf_free_bytes(bytes, size));
    /* Two in one file, each of which is read up to its end. */
    FILE *file = tmpfile();
    CHECK(file != NULL);
    int fd = fileno(file);
    IS(0, lfcf_write_fd(filter, fd));
    IS(1, lfcf_remove_bytes(filter, "flow", 4));
    IS(0, lfcf_write_fd(filter, fd));
    CHECK(lseek(fd, 0, SEEK_SET) == 0);
    for (int turn = 0; turn < 2; turn++) {
        IS(0, lfcf_read_fd(fd, &copy));
        IS(turn == 0, lfcf_contains_bytes(copy, "flow", 4));
        IS(0, lfcf_destroy(copy));
    }
    CHECK((size_t)lseek(fd, 0, SEEK_CUR) == 2 * size);
    fclose(file);
}

/* To a server, and back. */
static void dumped(const lfcf_filter *filter)
{
    const uint64_t second = 1000000000;
    uint64_t window = measure(filter).kind == LFCF_ROTATING ? 60 * second : 0, found, age;
    lfcf_filter *copy;
    void *dump;
    size_t size;
    IS(1, lfcf_insert_unique_bytes(filter, "flow", 4));
    IS(0, lfcf_to_dump(filter, window, 7 * second, &dump, &size));
    CHECK(memcmp(dump, "LFCDUMP1", 8) == 0);
    IS(0, lfcf_from_dump(dump, size, &copy, &found, &age));
    CHECK(found == window && (window ? age >= 7 * second && age < 60 * second : age == 0));
    IS(1, lfcf_contains_bytes(copy, "flow", 4));
    CHECK(measure(copy).kind == measure(filter).kind && measure(copy).seed == 42);
    IS(0, lfcf_destroy(copy));
    IS(0, lfcf_from_dump(dump, size, &copy, NULL, NULL));
    IS(0, lfcf_destroy(copy));
    IS(0, lfcf_free_bytes(dump, size));
    IS(1, lfcf_remove_bytes(filter, "flow", 4));
}

int main(void)
{
    CHECK(lfcf_version() == LFCF_VERSION);
    for (uint32_t kind = LFCF_FIXED; kind <= LFCF_ROTATING; kind++) {
        lfcf_filter *filter = create((lfcf_options){.kind = kind, .capacity = 2 * ITEMS});
        one_by_one(filter);
        by_bytes(filter);
        with_masks(filter);
        with_arrays(filter);
        stored(filter);
        dumped(filter);
        IS(0, lfcf_destroy(filter));
    }
    with_values(4, 8);
    with_values(8, 6);
    with_values(15, 4);
    with_age();
    with_options();
    for (uint32_t kind = LFCF_FIXED; kind <= LFCF_ROTATING; kind++)
        as_measured((lfcf_options){.kind = kind, .capacity = 100 * ITEMS});
    as_measured((lfcf_options){.kind = LFCF_ROTATING, .buckets = 3 << 10, .generations = 5, .slots = 8, .fingerprint_bits = 8});
    as_measured((lfcf_options){.capacity = ITEMS, .value_bits = 15});
    as_measured((lfcf_options){.flags = LFCF_SMALLEST, .capacity = 100 * ITEMS, .max_false_positive_rate = 0.01});
    shrinks();
    IS(0, lfcf_destroy(NULL));
    IS(0, lfcf_free_bytes(NULL, 0));
    return 0;
}
