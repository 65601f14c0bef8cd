/*
 * A thread hands data over by means of a filter: it writes, and inserts. Another thread finds the
 * item, and reads.
 *
 * This is no race, but ThreadSanitizer and helgrind cannot know it. They report the data, which is
 * in the program and not in the library. -DMARKED tells them. So a run without it must end with a
 * report, whatever is suppressed, and a run with it must not.
 */
#include "check.h"

#include <pthread.h>

#ifdef MARKED
#ifdef __SANITIZE_THREAD__
#include <sanitizer/tsan_interface.h>
#define BEFORE_INSERT(data) __tsan_release(data)
#define AFTER_FOUND(data) __tsan_acquire(data)
#else
#include <valgrind/helgrind.h>
#define BEFORE_INSERT(data) ANNOTATE_HAPPENS_BEFORE(data)
#define AFTER_FOUND(data) ANNOTATE_HAPPENS_AFTER(data)
#endif
#else
#define BEFORE_INSERT(data) (void)(data)
#define AFTER_FOUND(data) (void)(data)
#endif

static lfcf_filter *filter;
static int data;

static void *give(void *unused)
{
    data = 7;
    BEFORE_INSERT(&data);
    IS(0, lfcf_insert(filter, mix(1)));
    return unused;
}

int main(void)
{
    pthread_t thread;
    filter = create((lfcf_options){.capacity = 100});
    CHECK(pthread_create(&thread, NULL, give, NULL) == 0);
    while (lfcf_contains(filter, mix(1)) == 0)
        ;
    AFTER_FOUND(&data);
    CHECK(data == 7);
    CHECK(pthread_join(thread, NULL) == 0);
    IS(0, lfcf_destroy(filter));
    return 0;
}
