/* For the tests: a check that also works where NDEBUG is set, and hashes. */
#ifndef CHECK_H
#define CHECK_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lockfree_cuckoo.h"

/* Ends the program if `that` is false. */
#define CHECK(that)                                                                                   \
    do {                                                                                              \
        if (!(that)) {                                                                                \
            fprintf(stderr, "%s:%d: %s: %s\n", __FILE__, __LINE__, #that, lfcf_last_error());         \
            exit(1);                                                                                  \
        }                                                                                             \
    } while (0)

/* The answer of a call. */
#define IS(expected, call)                                                                            \
    do {                                                                                              \
        int answer_ = (call);                                                                         \
        if (answer_ != (expected)) {                                                                  \
            fprintf(stderr, "%s:%d: %s: %d instead of %d: %s\n", __FILE__, __LINE__, #call, answer_, \
                    (int)(expected), answer_ < 0 ? lfcf_last_error() : "");                           \
            exit(1);                                                                                  \
        }                                                                                             \
    } while (0)

/* Whether a text has no names of the library for Rust. */
static inline bool is_for_c(const char *text)
{
    return !strstr(text, "::") && !strstr(text, "Filter") && !strstr(text, "Lanes") && !strstr(text, "build_");
}

/* The error, and a text about it. */
#define FAILS(expected, about, call)                                                                  \
    do {                                                                                              \
        IS(expected, call);                                                                           \
        if (!strstr(lfcf_last_error(), about) || !is_for_c(lfcf_last_error())) {                      \
            fprintf(stderr, "%s:%d: %s says: %s\n", __FILE__, __LINE__, #call, lfcf_last_error());    \
            exit(1);                                                                                  \
        }                                                                                             \
    } while (0)

/* Mixes a number: the finalizer of SplitMix64. */
static inline uint64_t mix(uint64_t number)
{
    number += 0x9e3779b97f4a7c15;
    number = (number ^ (number >> 30)) * 0xbf58476d1ce4e5b9;
    number = (number ^ (number >> 27)) * 0x94d049bb133111eb;
    return number ^ (number >> 31);
}

/* A filter with these options and a fixed seed, so that the tests can be repeated. */
static inline lfcf_filter *create(lfcf_options options)
{
    lfcf_filter *filter;
    options.size = sizeof options;
    options.flags |= LFCF_SEEDED;
    options.seed = 42;
    IS(0, lfcf_create(&options, &filter));
    return filter;
}

static inline lfcf_measures measure(const lfcf_filter *filter)
{
    lfcf_measures measures = {.size = sizeof measures};
    IS(0, lfcf_measure(filter, &measures));
    return measures;
}

#endif
