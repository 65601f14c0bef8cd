/* Any number of threads write to one filter, and every answer is exact all the same. */
#define _POSIX_C_SOURCE 200809L
#include "check.h"

#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

enum { THREADS = 4, ITEMS = 20000 };

static lfcf_filter *filter;
static _Atomic int new_items, removed_items, ready, busy;

/* Waits for the others, so that they race. */
static void together(int turn)
{
    atomic_fetch_add(&ready, 1);
    while (atomic_load(&ready) < THREADS * turn)
        ;
}

/* All threads insert the same items, some of them by bulk calls. Then all remove them. */
static void *race(void *argument)
{
    int self = (int)(intptr_t)argument, found = 0;
    uint64_t hashes[32], mask;
    together(1);
    for (uint64_t item = 0; item < ITEMS; item += 32) {
        for (int place = 0; place < 32; place++)
            hashes[place] = mix(item + place);
        for (size_t begin = 0, done; begin < 32; begin += done) {
            size_t count = self & 1 ? 32 - begin : 1;
            int answer = lfcf_insert_unique_bulk(filter, hashes + begin, count, &mask, &done);
            for (uint64_t bits = mask; bits; bits &= bits - 1)
                found++;
            CHECK(answer >= 0 ? done == count : answer == LFCF_DISTURBED || answer == LFCF_NO_DESCRIPTOR);
        }
        IS(32, lfcf_contains_bulk(filter, hashes, 32, &mask));
    }
    atomic_fetch_add(&new_items, found);
    together(2);
    for (uint64_t item = 0; item < ITEMS; item++)
        atomic_fetch_add(&removed_items, lfcf_remove(filter, mix(item)));
    return NULL;
}

/* While others write, every copy has what was there before. Two snapshots at once are one too many. */
static void *copies(void *argument)
{
    int self = (int)(intptr_t)argument;
    together(1);
    for (uint64_t item = 1; self > 1 ? item < ITEMS / 2 : !atomic_load(&busy); item++) {
        lfcf_filter *copy;
        int answer;
        if (self > 1) {
            answer = lfcf_insert(filter, mix(2 * item + (self & 1)));
            CHECK(answer == 0 || answer == LFCF_DISTURBED || answer == LFCF_NO_DESCRIPTOR);
            continue;
        }
        answer = lfcf_snapshot(filter, &copy);
        if (answer == 0) {
            IS(1, lfcf_contains(copy, mix(0)));
            IS(0, lfcf_destroy(copy));
        } else if (answer == LFCF_BUSY) {
            atomic_store(&busy, 1);
        } else {
            IS(LFCF_DISTURBED, answer);
        }
    }
    return NULL;
}

/* All threads want all items, and each item gets one owner. Then one thread replaces the owner, and
 * one removes the item. */
static void *owners(void *argument)
{
    uint16_t self = (uint16_t)(intptr_t)argument, owner;
    int found = 0, removed = 0;
    together(1);
    for (uint64_t item = 0; item < ITEMS; item++) {
        int answer;
        do {
            owner = self;
            answer = lfcf_insert_unique_value(filter, mix(item), &owner);
            CHECK(answer >= 0 || answer == LFCF_DISTURBED || answer == LFCF_NO_DESCRIPTOR);
        } while (answer < 0);
        CHECK(owner < THREADS && (owner == self || answer == 0));
        found += answer;
    }
    atomic_fetch_add(&new_items, found);
    together(2);
    for (uint64_t item = 0; item < ITEMS; item++) {
        IS(1, lfcf_value(filter, mix(item), &owner));
        lfcf_replace_value(filter, mix(item), owner, THREADS);
        IS(1, lfcf_value(filter, mix(item), &owner));
        CHECK(owner == THREADS);
    }
    together(3);
    for (uint64_t item = 0; item < ITEMS; item++)
        removed += lfcf_remove_value(filter, mix(item), THREADS);
    atomic_fetch_add(&removed_items, removed);
    return NULL;
}

/* A cancellation waits for the end of a call: a call that ends with the thread would end the process. */
static void *cancelled(void *ends)
{
    int *pipe = ends;
    lfcf_options options = {.size = sizeof options};
    lfcf_filter *first, *second;
    pthread_cancel(pthread_self());
    IS(0, lfcf_create(&options, &first));
    IS(0, lfcf_insert_bytes(first, "a", 1));
    IS(0, lfcf_write_fd(first, pipe[1]));
    IS(0, lfcf_read_fd(pipe[0], &second));
    IS(1, lfcf_contains_bytes(second, "a", 1));
    IS(0, lfcf_destroy(first));
    IS(0, lfcf_destroy(second));
    pthread_testcancel();
    CHECK(0 && "the cancellation still comes");
    return NULL;
}

static void with_threads(void *(*work)(void *))
{
    pthread_t threads[THREADS];
    atomic_store(&ready, 0);
    for (intptr_t self = 0; self < THREADS; self++)
        CHECK(pthread_create(&threads[self], NULL, work, (void *)self) == 0);
    for (int self = 0; self < THREADS; self++)
        CHECK(pthread_join(threads[self], NULL) == 0);
}

int main(void)
{
    for (uint32_t kind = LFCF_FIXED; kind <= LFCF_ROTATING; kind++) {
        filter = create((lfcf_options){.kind = kind, .capacity = kind == LFCF_GROWING ? 1000 : 2 * ITEMS});
        atomic_store(&new_items, 0);
        atomic_store(&removed_items, 0);
        with_threads(race);
        /* A false positive keeps an item out; it is never in twice. */
        CHECK(new_items <= ITEMS && new_items >= ITEMS - ITEMS / 100);
        CHECK(removed_items == new_items && measure(filter).items == 0);
        IS(0, lfcf_insert(filter, mix(0)));
        atomic_store(&busy, 0);
        with_threads(copies);
        IS(0, lfcf_destroy(filter));
    }
    filter = create((lfcf_options){.capacity = 2 * ITEMS, .value_bits = 15});
    atomic_store(&new_items, 0);
    atomic_store(&removed_items, 0);
    with_threads(owners);
    CHECK(new_items <= ITEMS && new_items >= ITEMS - ITEMS / 100);
    CHECK(removed_items == new_items && measure(filter).items == 0);
    IS(0, lfcf_destroy(filter));

    int ends[2];
    pthread_t thread;
    void *result;
    CHECK(pipe(ends) == 0 && pthread_create(&thread, NULL, cancelled, ends) == 0);
    CHECK(pthread_join(thread, &result) == 0 && result == PTHREAD_CANCELED);
    return 0;
}
