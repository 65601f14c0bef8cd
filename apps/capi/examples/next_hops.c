/*
 * next_hops [FLOWS [THREADS]]: workers ask a shared table where packets go, while another thread
 * drains a port.
 *
 * The table is a filter with values of 8 bits: the flow of a packet is the item, and the port is
 * its value. It takes 23 bits per flow. Workers look packets up in bursts, without a lock. The
 * control thread moves the flows of one port to another one, each in one exchange. So a worker
 * finds the old port or the new one, and never none.
 *
 * The filter does not store the flows. So in a full table one in 1,400 packets of an unknown flow
 * gets a port too. Check the answer against an exact table where that matters.
 *
 *     gcc -std=c11 next_hops.c $(pkg-config --cflags --libs lockfree-cuckoo) -lpthread -o next_hops
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

#include "lockfree_cuckoo.h"

enum { BURST = 32, PORTS = 8, DRAINED = 7, SPARE = 200, MOST_THREADS = 64 };

/* The fields by which packets belong to one flow. There is no padding. */
struct flow {
    uint32_t source, destination;
    uint16_t source_port, destination_port;
};

static lfcf_filter *hops;
static uint32_t flows = 1000000;
static atomic_bool is_drained;
static atomic_ulong packets, moved;

static void check(int answer)
{
    if (answer < 0) {
        fprintf(stderr, "next_hops: %s\n", lfcf_last_error());
        exit(1);
    }
}

static struct flow flow_of(uint32_t number)
{
    return (struct flow){.source = 0x0a000000 + number, .destination = 0xc0000201, .source_port = 1024,
                         .destination_port = 443};
}

static uint64_t hash_of(uint32_t number)
{
    struct flow flow = flow_of(number);
    uint64_t hash;
    check(lfcf_hash_bytes(hops, &flow, sizeof flow, &hash));
    return hash;
}

/* Sends bursts of packets, until the port is drained. */
static void *work(void *first)
{
    uint32_t number = (uint32_t)(uintptr_t)first;
    unsigned long sent = 0, sent_elsewhere = 0;
    do {
        uint64_t hashes[BURST], found;
        uint16_t ports[BURST];
        for (int i = 0; i < BURST; i++, number = (number + 1) % flows)
            hashes[i] = hash_of(number);
        check(lfcf_value_bulk(hops, hashes, BURST, &found, ports));
        if (found != UINT64_MAX >> (64 - BURST)) {
            fprintf(stderr, "next_hops: a flow has no port\n");
            exit(1);
        }
        for (int i = 0; i < BURST; i++)
            sent_elsewhere += ports[i] == SPARE;
        sent += BURST;
    } while (!atomic_load(&is_drained));
    atomic_fetch_add(&packets, sent);
    atomic_fetch_add(&moved, sent_elsewhere);
    return NULL;
}

/* Adds a flow, unless it is there. In rare cases the filter takes two flows for one. Then both have
 * the port of the first. */
static void add(uint32_t number, uint16_t port)
{
    int answer;
    do
        answer = lfcf_insert_unique_value(hops, hash_of(number), &port);
    while (answer == LFCF_DISTURBED || answer == LFCF_NO_DESCRIPTOR);
    check(answer);
}

int main(int count, char **arguments)
{
    int threads = count > 2 ? atoi(arguments[2]) : 2;
    if (count > 1)
        flows = (uint32_t)strtoul(arguments[1], NULL, 10);
    if (count > 3 || flows < BURST || flows > 100000000 || threads < 1 || threads > MOST_THREADS) {
        fprintf(stderr, "usage: next_hops [FLOWS, 32 to 100000000 [THREADS, 1 to 64]]\n");
        return 1;
    }
    lfcf_options options = {.size = sizeof options, .capacity = flows, .value_bits = 8};
    check(lfcf_create(&options, &hops));
    for (uint32_t number = 0; number < flows; number++)
        add(number, (uint16_t)(number % PORTS));
    pthread_t workers[MOST_THREADS];
    for (int i = 0; i < threads; i++)
        if (pthread_create(&workers[i], NULL, work, (void *)((uintptr_t)i * (flows / (unsigned)threads))) != 0)
            return 1;
    for (uint32_t number = 0; number < flows; number++)
        check(lfcf_replace_value(hops, hash_of(number), DRAINED, SPARE));
    atomic_store(&is_drained, true);
    for (int i = 0; i < threads; i++)
        pthread_join(workers[i], NULL);
    uint32_t left = 0;
    for (uint32_t number = 0; number < flows; number++) {
        uint16_t port;
        check(lfcf_value(hops, hash_of(number), &port));
        left += port == DRAINED;
    }
    lfcf_measures measures = {.size = sizeof measures};
    check(lfcf_measure(hops, &measures));
    printf("%u flows in %.1f MB; %u are left at port %d\n", (unsigned)flows, (double)measures.memory / 1e6, (unsigned)left, DRAINED);
    fprintf(stderr, "%lu packets, %lu of them to the spare port\n", atomic_load(&packets), atomic_load(&moved));
    check(lfcf_destroy(hops));
    return left != 0;
}
