/* Included before examples/read_shared.c in tests: each load of shared memory takes a while, a
 * different one each time, so that others change what it reads in between. With STOP_AT=N in the
 * environment the program stops before its N-th load instead, until it gets a SIGCONT. */

#define _POSIX_C_SOURCE 200809L
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>

static inline uint64_t slow_load(const _Atomic uint64_t *cell)
{
    static uint32_t state = 1;
    static int loads;
    const char *stop = getenv("STOP_AT");
    if (stop && ++loads == atoi(stop))
        raise(SIGSTOP);
    uint64_t found = atomic_load(cell);
    if (!stop) {
        state = state * 1664525 + 1013904223;
        for (volatile uint32_t wait = state >> 22; wait; wait--)
            ;
        if (state >> 26 == 0)
            sched_yield();
    }
    return found;
}

#undef atomic_load
#define atomic_load(cell) slow_load(cell)
