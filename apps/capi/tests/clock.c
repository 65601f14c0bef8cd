/* Rotations by a clock that is told the time, so that no test waits, and by that of the system. */
#define _POSIX_C_SOURCE 200809L
#include "check.h"

#include <pthread.h>
#include <stdatomic.h>

#define MILLISECOND ((uint64_t)1000000)
#define SECOND (1000 * MILLISECOND)

static uint64_t told(void *time)
{
    return *(uint64_t *)time;
}

static lfcf_filter *window(uint32_t generations)
{
    return create((lfcf_options){.kind = LFCF_ROTATING, .capacity = 8000, .generations = generations});
}

static lfcf_clock *clock_of(const lfcf_filter *filter, uint64_t period, uint64_t *time)
{
    lfcf_clock *clock;
    IS(0, lfcf_clock_create(filter, period, told, time, &clock));
    return clock;
}

static uint64_t until_due(const lfcf_filter *filter, lfcf_clock *clock)
{
    uint64_t time;
    IS(0, lfcf_until_due(filter, clock, &time));
    return time;
}

static uint64_t young_age(const lfcf_filter *filter, lfcf_clock *clock)
{
    uint64_t time;
    IS(0, lfcf_young_age(filter, clock, &time));
    return time;
}

enum { PERIOD = 2, SECONDS = 30, MOST_ITEMS = 100000 };

/* A simulated program: an item comes each millisecond, and ticks come late. */
static struct {
    lfcf_filter *filter;
    /* The times of the items, which are also their names. */
    uint64_t items[MOST_ITEMS];
    size_t count;
    uint64_t time, random;
    /* The time when a rotation of the present tick takes effect; 0 before the tick reads the time. */
    uint64_t effect;
    bool stalls, whole_seconds;
} program;

static uint64_t below(uint64_t limit)
{
    return (program.random = mix(program.random)) % limit;
}

static void items_until(uint64_t time)
{
    for (; program.time < time; program.time += MILLISECOND) {
        CHECK(program.count < MOST_ITEMS);
        IS(0, lfcf_insert(program.filter, mix(program.time)));
        program.items[program.count++] = program.time;
    }
}

/* Reads the time. Then the thread may stand still for up to half a second, while items come. */
static uint64_t read_time(void *context)
{
    uint64_t now = program.time;
    if (program.stalls)
        items_until(now + below(SECOND / 2));
    if (program.effect == 0)
        program.effect = program.time;
    (void)context;
    return program.whole_seconds ? now / SECOND * SECOND : now;
}

/* The number of items that are forgotten before their time. */
static size_t forgotten_early(uint32_t generations, uint64_t random, uint64_t tick, bool stalls, bool whole_seconds)
{
    const uint64_t life = (generations - 1) * PERIOD * SECOND;
    size_t young = 0, early = 0, old = 0;
    lfcf_clock *clock;
    program.filter = window(generations);
    program.count = 0;
    program.time = 10 * SECOND;
    program.random = random;
    program.stalls = false;
    program.whole_seconds = whole_seconds;
    IS(0, lfcf_clock_create(program.filter, PERIOD * SECOND, read_time, NULL, &clock));
    program.stalls = stalls;
    for (uint64_t time = 11 * SECOND; program.time < (11 + SECONDS) * SECOND; time += tick) {
        items_until(time + below(tick * 95 / 100));
        program.effect = 0;
        int answer = lfcf_rotate_if_due(program.filter, clock);
        CHECK(answer >= 0);
        if (answer == 0)
            continue;
        while (young < program.count && program.items[young] + life <= program.effect)
            young++;
        for (size_t item = young; item < program.count; item++)
            early += lfcf_contains(program.filter, mix(program.items[item])) == 0;
    }
    /* It forgets at all: between two rotations there are at most a period, two ticks and a stall. */
    for (size_t item = 0; item < program.count; item++)
        if (program.items[item] + generations * (PERIOD + 3) * SECOND < program.time)
            old += (size_t)lfcf_contains(program.filter, mix(program.items[item]));
    CHECK(program.count > 1000 * (SECONDS - 1) && old < program.count / 100);
    IS(0, lfcf_clock_destroy(clock));
    IS(0, lfcf_destroy(program.filter));
    return early;
}

static void late_ticks(void)
{
    for (uint32_t generations = 2; generations <= 3; generations++)
        for (uint64_t random = 0; random < 2; random++) {
            CHECK(forgotten_early(generations, random, SECOND, false, false) == 0);
            CHECK(forgotten_early(generations, random, SECOND, true, false) == 0);
            /* Next to no ticks are late, but the thread that rotates stands still. */
            CHECK(forgotten_early(generations, random, 20 * MILLISECOND, true, false) == 0);
            /* As the header says of whole seconds: so this test can fail. */
            CHECK(forgotten_early(generations, random, SECOND, false, true) > 100);
        }
}

static void when_due(void)
{
    uint64_t time = 5 * SECOND, rotations;
    lfcf_filter *filter = window(2);
    lfcf_clock *clock = clock_of(filter, 60 * SECOND, &time);
    CHECK(until_due(filter, clock) == 60 * SECOND && young_age(filter, clock) == 0);
    time += 60 * SECOND - 1;
    IS(0, lfcf_rotate_if_due(filter, clock));
    CHECK(until_due(filter, clock) == 1 && young_age(filter, clock) == 60 * SECOND - 1);
    /* Late by 49 seconds: once, and the next one a whole period later. */
    time = 114 * SECOND;
    CHECK(until_due(filter, clock) == 0);
    IS(1, lfcf_rotate_if_due(filter, clock));
    IS(0, lfcf_rotate_if_due(filter, clock));
    CHECK(until_due(filter, clock) == 60 * SECOND);
    /* Other rotations begin the period too, whichever call notices them. */
    time += 50 * SECOND;
    IS(0, lfcf_rotate(filter));
    CHECK(young_age(filter, clock) == 0);
    time += 50 * SECOND;
    IS(1, lfcf_rotate_if(filter, 2));
    CHECK(until_due(filter, clock) == 60 * SECOND);
    lfcf_clock *other = clock_of(filter, 60 * SECOND, &time);
    time += 59 * SECOND;
    IS(0, lfcf_rotate(filter));
    IS(0, lfcf_rotate_if_due(filter, clock));
    time += 59 * SECOND;
    IS(0, lfcf_rotate_if_due(filter, clock));
    CHECK(until_due(filter, clock) == SECOND);
    time += SECOND;
    IS(1, lfcf_rotate_if_due(filter, clock));
    IS(0, lfcf_rotate_if_due(filter, other));
    CHECK(until_due(filter, other) == 60 * SECOND);
    /* A time that goes back begins the period again. */
    time = SECOND;
    IS(0, lfcf_rotate_if_due(filter, clock));
    CHECK(young_age(filter, clock) == 0 && until_due(filter, clock) == 60 * SECOND);
    IS(0, lfcf_rotations(filter, &rotations));
    CHECK(rotations == 5);
    /* No number is too large. */
    IS(0, lfcf_clock_destroy(other));
    time = 0;
    other = clock_of(filter, UINT64_MAX, &time);
    time = UINT64_MAX;
    CHECK(young_age(filter, other) == UINT64_MAX && until_due(filter, other) == 0);
    IS(1, lfcf_rotate_if_due(filter, other));
    IS(0, lfcf_rotate_if_due(filter, other));
    IS(0, lfcf_clock_destroy(clock));
    IS(0, lfcf_clock_destroy(other));
    IS(0, lfcf_destroy(filter));
}

/* A filter that is stored after 30 seconds, and loaded `stored_for` later; `made` rotations were due. */
static void after_storage(uint64_t stored_for, int made, uint64_t due_in)
{
    uint64_t time = 7 * SECOND, later = SECOND, age;
    uint32_t rotations;
    void *bytes;
    size_t size;
    lfcf_filter *filter = window(3), *loaded;
    lfcf_clock *clock = clock_of(filter, 60 * SECOND, &time);
    IS(0, lfcf_insert_bytes(filter, "flow", 4));
    time += 30 * SECOND;
    IS(0, lfcf_to_bytes(filter, &bytes, &size));
    age = young_age(filter, clock);
    CHECK(age == 30 * SECOND);
    IS(0, lfcf_clock_destroy(clock));
    IS(0, lfcf_destroy(filter));

    IS(0, lfcf_from_bytes(bytes, size, &loaded));
    IS(0, lfcf_free_bytes(bytes, size));
    clock = clock_of(loaded, 60 * SECOND, &later);
    IS(made, lfcf_catch_up(loaded, clock, age + stored_for));
    IS(made < 3, lfcf_age_bytes(loaded, "flow", 4, &rotations));
    CHECK(made == 3 || rotations == (uint32_t)made);
    CHECK(until_due(loaded, clock) == due_in);
    IS(0, lfcf_catch_up(loaded, clock, 0));
    later += due_in;
    IS(1, lfcf_rotate_if_due(loaded, clock));
    IS(0, lfcf_clock_destroy(clock));
    IS(0, lfcf_destroy(loaded));
}

/* Items with times of their own: one that comes late begins no period. */
static void times_of_items(void)
{
    uint64_t time = 0, periods;
    const uint64_t times[] = {5, 12, 9, 20, 45, 44, 1000}, ended[] = {0, 1, 0, 1, 2, 0, 96};
    lfcf_filter *filter = window(2);
    lfcf_clock *clock = clock_of(filter, 10 * SECOND, &time);
    for (int item = 0; item < 7; item++) {
        time = times[item] * SECOND;
        periods = 99;
        IS(times[item] != 9, lfcf_periods(clock, &periods));
        CHECK(periods == ended[item]);
    }
    IS(0, lfcf_clock_destroy(clock));
    IS(0, lfcf_destroy(filter));
}

/* From a server: its dump has the window and the age. */
static void from_a_dump(void)
{
    uint64_t time = 0, length, age;
    void *dump;
    size_t size;
    lfcf_filter *filter = window(3), *loaded;
    IS(0, lfcf_to_dump(filter, 120 * SECOND, 59 * SECOND, &dump, &size));
    IS(0, lfcf_from_dump(dump, size, &loaded, &length, &age));
    lfcf_clock *clock = clock_of(loaded, length / 2, &time);
    IS(0, lfcf_catch_up(loaded, clock, age));
    CHECK(young_age(loaded, clock) == age && until_due(loaded, clock) <= SECOND);
    IS(0, lfcf_clock_destroy(clock));
    IS(0, lfcf_free_bytes(dump, size));
    IS(0, lfcf_destroy(loaded));
    IS(0, lfcf_destroy(filter));
}

static void by_the_system(void)
{
    lfcf_filter *filter = window(2);
    lfcf_clock *short_one, *long_one;
    IS(0, lfcf_clock_create(filter, 1, NULL, NULL, &short_one));
    IS(0, lfcf_clock_create(filter, UINT64_MAX, NULL, NULL, &long_one));
    int answer;
    do
        answer = lfcf_rotate_if_due(filter, short_one);
    while (answer == 0);
    IS(1, answer);
    IS(0, lfcf_rotate_if_due(filter, long_one));
    CHECK(until_due(filter, long_one) > UINT64_MAX / 2);
    /* It goes on. */
    while (young_age(filter, long_one) == 0)
        continue;
    IS(0, lfcf_clock_destroy(short_one));
    IS(0, lfcf_clock_destroy(long_one));
    IS(0, lfcf_destroy(filter));
}

enum { THREADS = 4, ROUNDS = 200 };

static lfcf_filter *shared;
static pthread_barrier_t barrier;
static _Atomic uint64_t shared_time;
static _Atomic int rotations_made;

static uint64_t read_shared(void *context)
{
    (void)context;
    return atomic_load(&shared_time);
}

/* Each thread has its clock. */
static void *rotates(void *unused)
{
    lfcf_clock *clock;
    IS(0, lfcf_clock_create(shared, SECOND, read_shared, NULL, &clock));
    for (int round = 0; round < ROUNDS; round++) {
        pthread_barrier_wait(&barrier);
        int answer;
        do
            answer = lfcf_rotate_if_due(shared, clock);
        while (answer == LFCF_DISTURBED || answer == LFCF_NO_DESCRIPTOR);
        CHECK(answer >= 0);
        atomic_fetch_add(&rotations_made, answer);
        pthread_barrier_wait(&barrier);
    }
    IS(0, lfcf_clock_destroy(clock));
    return unused;
}

static void by_several_threads(void)
{
    pthread_t threads[THREADS];
    uint64_t rotations;
    shared = window(2);
    CHECK(pthread_barrier_init(&barrier, NULL, THREADS + 1) == 0);
    for (int thread = 0; thread < THREADS; thread++)
        CHECK(pthread_create(&threads[thread], NULL, rotates, NULL) == 0);
    for (int round = 0; round < ROUNDS; round++) {
        /* In the first round their clocks may not be created yet. */
        atomic_store(&shared_time, (uint64_t)round * SECOND);
        pthread_barrier_wait(&barrier);
        pthread_barrier_wait(&barrier);
        CHECK(atomic_load(&rotations_made) == round);
    }
    for (int thread = 0; thread < THREADS; thread++)
        CHECK(pthread_join(threads[thread], NULL) == 0);
    IS(0, lfcf_rotations(shared, &rotations));
    CHECK(rotations == ROUNDS - 1);
    pthread_barrier_destroy(&barrier);
    IS(0, lfcf_destroy(shared));
}

int main(void)
{
    late_ticks();
    when_due();
    after_storage(0, 0, 30 * SECOND);
    after_storage(29 * SECOND, 0, SECOND);
    after_storage(30 * SECOND, 1, 60 * SECOND);
    after_storage(100 * SECOND, 2, 50 * SECOND);
    after_storage(3600 * SECOND, 3, 30 * SECOND);
    times_of_items();
    from_a_dump();
    by_the_system();
    by_several_threads();
    IS(0, lfcf_clock_destroy(NULL));
    return 0;
}
