/* Filters in memory that processes share: in several processes, some of which are killed. */
#define _GNU_SOURCE
#include "check.h"

#include <string.h>

/* A call to create a filter with a seed that is always the same, so that the tests can be repeated. */
static lfcf_options seeded(lfcf_options options)
{
    options.size = sizeof options;
    options.flags |= LFCF_SEEDED;
    options.seed = 42;
    return options;
}

#ifndef __linux__

int main(void)
{
    lfcf_options options = seeded((lfcf_options){.capacity = 100});
    lfcf_filter *filter;
    FAILS(LFCF_UNSUPPORTED, "Linux", lfcf_shared_create(&options, &filter));
    FAILS(LFCF_UNSUPPORTED, "Linux", lfcf_shared_create_at(&options, "any", &filter));
    FAILS(LFCF_UNSUPPORTED, "Linux", lfcf_shared_attach(0, &filter));
    FAILS(LFCF_UNSUPPORTED, "Linux", lfcf_shared_attach_reader(0, &filter));
    FAILS(LFCF_UNSUPPORTED, "Linux", lfcf_shared_open("any", &filter));
    FAILS(LFCF_UNSUPPORTED, "Linux", lfcf_shared_open_reader("any", &filter));
    return 0;
}

#else

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define HOUR 3600000000000 /* in nanoseconds */

enum { ITEMS = 5000, CHILDREN = 3, KILLS = 8 };

static const char *program;
static char path[64];

static lfcf_filter *shared(lfcf_options options)
{
    lfcf_filter *filter;
    options = seeded(options);
    IS(0, lfcf_shared_create(&options, &filter));
    return filter;
}

static pid_t start(void)
{
    pid_t child = fork();
    CHECK(child >= 0);
    return child;
}

/* The child has ended well. */
static void ends(pid_t child)
{
    int status;
    CHECK(waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

static void is_killed(pid_t child)
{
    int status;
    CHECK(kill(child, SIGKILL) == 0 && waitpid(child, &status, 0) == child);
    CHECK(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
}

static void wait_a_while(void)
{
    nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
}

/* Some of each call that changes a filter. */
static void change(const lfcf_filter *filter)
{
    lfcf_measures measures = measure(filter);
    uint64_t hashes[64], mask;
    bool added[64];
    size_t done;
    for (uint64_t item = 0; item < 500; item++)
        IS(0, lfcf_insert(filter, mix(item)));
    for (uint64_t item = 0; item < 500; item += 3)
        IS(1, lfcf_remove(filter, mix(item)));
    for (size_t place = 0; place < 64; place++)
        hashes[place] = mix(480 + place);
    CHECK(lfcf_insert_unique_bulk(filter, hashes, 64, &mask, &done) > 44 && done == 64);
    IS(0, lfcf_insert_unique_many(filter, hashes, 64, added, &done));
    CHECK(done == 64 && !added[63]);
    IS(0, lfcf_insert_many(filter, hashes, 64, &done));
    IS(2, lfcf_count(filter, hashes[63]));
    IS(0, lfcf_remove_many(filter, hashes, 32, &done));
    CHECK(done == 32);
    IS(1, lfcf_insert_unique_bytes(filter, "a", 1));
    IS(0, lfcf_insert_bytes(filter, "a", 1));
    IS(1, lfcf_remove_bytes(filter, "a", 1));
    IS(1, lfcf_count_bytes(filter, "a", 1));
    if (measures.kind == LFCF_ROTATING) {
        lfcf_clock *clock;
        IS(0, lfcf_rotate(filter));
        IS(0, lfcf_refresh_bytes(filter, "a", 1));
        IS(0, lfcf_refresh_bulk(filter, hashes + 32, 32, &mask, &done));
        IS(0, lfcf_refresh_many(filter, hashes, 1, added, &done));
        IS(1, lfcf_rotate_if(filter, 1));
        IS(0, lfcf_rotate_if(filter, 1));
        IS(0, lfcf_clock_create(filter, HOUR, NULL, NULL, &clock));
        IS(1, lfcf_catch_up(filter, clock, HOUR));
        IS(0, lfcf_rotate_if_due(filter, clock));
        IS(0, lfcf_clock_destroy(clock));
    }
    if (measures.value_bits > 0) {
        uint16_t value = 3, values[LFCF_VALUES_MAX];
        IS(0, lfcf_insert_value(filter, mix(9000), 1));
        IS(1, lfcf_insert_unique_value(filter, mix(9001), &value));
        IS(1, lfcf_replace_value(filter, mix(9001), 3, 4));
        IS(1, lfcf_remove_value(filter, mix(9000), 1));
        IS(1, lfcf_values(filter, mix(9001), values));
        CHECK(values[0] == 4);
    }
}

static void same_bytes(const lfcf_filter *one, const lfcf_filter *other)
{
    void *bytes[2];
    size_t sizes[2];
    IS(0, lfcf_to_bytes(one, &bytes[0], &sizes[0]));
    IS(0, lfcf_to_bytes(other, &bytes[1], &sizes[1]));
    CHECK(sizes[0] == sizes[1] && memcmp(bytes[0], bytes[1], sizes[0]) == 0);
    for (int turn = 0; turn < 2; turn++)
        IS(0, lfcf_free_bytes(bytes[turn], sizes[turn]));
}

/* It answers as a filter of one process does, and has the same content. Whoever attaches has it, too, as
 * have copies and stored forms. */
static void as_of_one_process(lfcf_options options)
{
    lfcf_filter *own = create(options), *filter = shared(options), *other, *copy;
    change(own);
    change(filter);
    same_bytes(own, filter);
    lfcf_measures of_own = measure(own), of_shared = measure(filter);
    /* All descriptors are there, and one has only some. */
    CHECK(of_shared.memory > of_own.memory + 32768 * of_own.tables);
    of_shared.memory = of_own.memory;
    CHECK(memcmp(&of_own, &of_shared, sizeof of_own) == 0);

    IS(0, lfcf_shared_attach(lfcf_shared_fd(filter), &other));
    same_bytes(filter, other);
    IS(1, lfcf_insert_unique_bytes(other, "b", 1));
    IS(1, lfcf_contains_bytes(filter, "b", 1));
    IS(0, lfcf_snapshot(filter, &copy));
    IS(1, lfcf_remove_bytes(filter, "b", 1));
    IS(0, lfcf_contains_bytes(other, "b", 1));
    IS(1, lfcf_contains_bytes(copy, "b", 1));
    /* The copy is of this process. */
    FAILS(LFCF_WRONG_KIND, "lfcf_shared_create", lfcf_shared_fd(copy));
    IS(0, lfcf_clear(copy));
    IS(0, lfcf_destroy(copy));
    /* Nobody has a filter that others have for himself. */
    FAILS(LFCF_SHARED, "other processes", lfcf_clear(filter));
    FAILS(LFCF_SHARED, "other processes", lfcf_shrink_to_fit(filter));
    same_bytes(own, filter);

    FILE *file = tmpfile();
    CHECK(file != NULL);
    IS(0, lfcf_write_fd(filter, fileno(file)));
    rewind(file);
    IS(0, lfcf_read_fd(fileno(file), &copy));
    same_bytes(own, copy);
    IS(0, lfcf_destroy(copy));
    fclose(file);
    uint64_t window = measure(filter).kind == LFCF_ROTATING ? 1000000000 : 0;
    void *dump;
    size_t size;
    IS(0, lfcf_to_dump(filter, window, 0, &dump, &size));
    IS(0, lfcf_from_dump(dump, size, &copy, NULL, NULL));
    same_bytes(own, copy);
    IS(0, lfcf_free_bytes(dump, size));
    IS(0, lfcf_destroy(copy));

    /* A copy of one of this process. */
    lfcf_filter *by_name;
    FAILS(LFCF_SHARED, "other processes", lfcf_shared_copy(filter, &copy));
    CHECK(copy == NULL);
    IS(0, lfcf_shared_copy(own, &copy));
    same_bytes(own, copy);
    IS(0, lfcf_shared_copy_at(own, path, &by_name));
    same_bytes(own, by_name);
    FAILS(LFCF_FILE_EXISTS, path, lfcf_shared_copy_at(own, path, &by_name));
    CHECK(by_name == NULL && unlink(path) == 0);
    IS(1, lfcf_insert_unique_bytes(copy, "c", 1));
    IS(0, lfcf_contains_bytes(own, "c", 1));
    IS(0, lfcf_destroy(copy));

    /* The memory outlives who made it. */
    IS(0, lfcf_destroy(filter));
    IS(1, lfcf_contains_bytes(other, "a", 1));
    IS(0, lfcf_shared_recover(other));
    IS(0, lfcf_destroy(other));
    IS(0, lfcf_destroy(own));
}

/* What a child was told, in memory that its parent has, too. */
struct journal {
    _Atomic uint64_t done;
    bool new[ITEMS];
};

static int insert_unique(const lfcf_filter *filter, uint64_t item)
{
    int answer;
    do
        answer = lfcf_insert_unique(filter, mix(item));
    while (answer == LFCF_DISTURBED || answer == LFCF_NO_DESCRIPTOR);
    CHECK(answer >= 0);
    return answer;
}

static void insert_all(const lfcf_filter *filter, struct journal *journal, uint64_t first)
{
    for (uint64_t turn = 0; turn < ITEMS; turn++) {
        uint64_t item = (first + turn) % ITEMS;
        journal->new[item] |= insert_unique(filter, item);
        atomic_fetch_add(&journal->done, 1);
    }
}

/* All children insert the same items, and some are killed. No item is lost, and none is new to two. */
static void children(void)
{
    /* Of a layout that takes no item for another one. */
    lfcf_filter *filter = shared((lfcf_options){.capacity = ITEMS + KILLS, .slots = 2, .fingerprint_bits = 31});
    struct journal *journals = mmap(NULL, sizeof *journals * (CHILDREN + KILLS), PROT_READ | PROT_WRITE,
                                    MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    CHECK(journals != MAP_FAILED);
    pid_t workers[CHILDREN];
    for (uint64_t child = 0; child < CHILDREN + KILLS; child++) {
        pid_t started = start();
        if (started == 0) {
            insert_all(filter, &journals[child], child * ITEMS / CHILDREN);
            /* Until it is killed: one item comes and goes. */
            while (child >= CHILDREN) {
                insert_unique(filter, ITEMS + child);
                IS(1, lfcf_remove(filter, mix(ITEMS + child)));
            }
            IS(0, lfcf_destroy(filter));
            _exit(0);
        }
        if (child < CHILDREN) {
            workers[child] = started;
            continue;
        }
        uint64_t early = 100 * (child - CHILDREN);
        while (atomic_load(&journals[child].done) < (child & 1 ? early : ITEMS))
            wait_a_while();
        is_killed(started);
    }
    for (int child = 0; child < CHILDREN; child++)
        ends(workers[child]);
    CHECK(lfcf_shared_recover(filter) >= 0);
    IS(0, lfcf_shared_recover(filter));
    int untold = 0;
    for (uint64_t item = 0; item < ITEMS; item++) {
        int times = 0;
        for (int child = 0; child < CHILDREN + KILLS; child++)
            times += journals[child].new[item];
        CHECK(times <= 1);
        untold += times == 0;
        IS(1, lfcf_count(filter, mix(item)));
    }
    /* One that was killed in a call was not told what it did. */
    CHECK(untold <= KILLS);
    lfcf_filter *copy;
    IS(0, lfcf_snapshot(filter, &copy));
    CHECK(measure(copy).items >= ITEMS && measure(copy).items <= ITEMS + KILLS);
    IS(0, lfcf_destroy(copy));
    CHECK(munmap(journals, sizeof *journals * (CHILDREN + KILLS)) == 0);
    IS(0, lfcf_destroy(filter));
}

/* What a dead process held is taken back. */
static void after_a_death(void)
{
    lfcf_filter *filter = shared((lfcf_options){.capacity = 100000}), *copy;
    int recovered = 0;
    /* It is killed while it copies the filter, sooner or later. */
    for (int turn = 0; turn < 1000 && recovered == 0; turn++) {
        pid_t child = start();
        while (child == 0) {
            int answer = lfcf_snapshot(filter, &copy);
            CHECK(answer == 0 || answer == LFCF_BUSY);
            if (answer == 0)
                lfcf_destroy(copy);
        }
        wait_a_while();
        is_killed(child);
        recovered = lfcf_shared_recover(filter);
        CHECK(recovered >= 0);
    }
    CHECK(recovered > 0);
    IS(0, lfcf_shared_recover(filter));
    IS(0, lfcf_snapshot(filter, &copy));
    IS(0, lfcf_destroy(copy));
    IS(0, lfcf_destroy(filter));
}

/* Starts this program again, with the way to a filter. */
static void run_other(const char *way, const char *where)
{
    pid_t child = start();
    if (child == 0) {
        execl(program, program, way, where, (char *)NULL);
        _exit(9);
    }
    ends(child);
}

/* What it does: it has all that its parent has, and nothing else. */
static int other_program(const char *way, const char *where)
{
    lfcf_filter *filter;
    int fd = atoi(where), is_reader = strstr(way, "reader") != NULL;
    if (strcmp(way, "attach") == 0)
        IS(0, lfcf_shared_attach(fd, &filter));
    else if (strcmp(way, "attach reader") == 0)
        IS(0, lfcf_shared_attach_reader(fd, &filter));
    else if (strcmp(way, "open") == 0)
        IS(0, lfcf_shared_open(where, &filter));
    else
        IS(0, lfcf_shared_open_reader(where, &filter));
    if (strncmp(way, "attach", 6) == 0)
        CHECK(close(fd) == 0); /* the filter has one of its own */
    IS(1, lfcf_contains_bytes(filter, "parent", 6));
    IS(is_reader ? LFCF_READ_ONLY : 1, lfcf_insert_unique_bytes(filter, "child", 5));
    IS(!is_reader, lfcf_contains_bytes(filter, "child", 5));
    IS(0, lfcf_destroy(filter));
    return 0;
}

static void other_programs(lfcf_options options)
{
    lfcf_filter *filter = shared(options), *same;
    char number[16];
    /* The descriptor itself is not inherited. A copy is. */
    int inherited = dup(lfcf_shared_fd(filter));
    CHECK(inherited >= 0 && fcntl(lfcf_shared_fd(filter), F_GETFD) == FD_CLOEXEC);
    snprintf(number, sizeof number, "%d", inherited);
    IS(1, lfcf_insert_unique_bytes(filter, "parent", 6));
    run_other("attach reader", number);
    run_other("attach", number);
    IS(1, lfcf_contains_bytes(filter, "child", 5));
    CHECK(close(inherited) == 0);
    IS(0, lfcf_destroy(filter));

    options = seeded(options);
    IS(0, lfcf_shared_create_at(&options, path, &filter));
    IS(1, lfcf_insert_unique_bytes(filter, "parent", 6));
    run_other("open reader", path);
    run_other("open", path);
    IS(1, lfcf_contains_bytes(filter, "child", 5));
    FAILS(LFCF_NOT_SEALED, "size", lfcf_shared_attach(lfcf_shared_fd(filter), &same));
    CHECK(same == NULL);
    /* It outlives its maker, and its name. */
    IS(0, lfcf_destroy(filter));
    IS(0, lfcf_shared_open(path, &filter));
    CHECK(unlink(path) == 0);
    IS(1, lfcf_contains_bytes(filter, "child", 5));
    IS(0, lfcf_destroy(filter));
}

/* A reader finds what others insert, and can do nothing that writes. */
static void reader(lfcf_options options)
{
    lfcf_filter *filter = shared(options), *reader, *copy = (void *)path;
    lfcf_clock *clock;
    IS(0, lfcf_shared_attach_reader(lfcf_shared_fd(filter), &reader));
    uint64_t hashes[64], hash, mask, of_filter;
    bool answers[64];
    uint16_t value = 1, values[64];
    uint32_t age;
    size_t size;
    void *bytes;
    for (size_t place = 0; place < 64; place++) {
        hashes[place] = mix(place);
        IS(0, lfcf_contains(reader, hashes[place]));
        if (place % 2 == 0)
            IS(0, lfcf_insert(filter, hashes[place]));
        IS(place % 2 == 0, lfcf_contains(reader, hashes[place]));
    }
    IS(32, lfcf_contains_bulk(reader, hashes, 64, &mask));
    CHECK(mask == 0x5555555555555555);
    IS(0, lfcf_contains_many(reader, hashes, 64, answers));
    CHECK(answers[0] && !answers[1] && answers[62]);
    IS(0, lfcf_insert_bytes(filter, "a", 1));
    IS(1, lfcf_contains_bytes(reader, "a", 1));
    IS(0, lfcf_hash_bytes(filter, "a", 1, &of_filter));
    IS(0, lfcf_hash_bytes(reader, "a", 1, &hash));
    CHECK(hash == of_filter);
    IS(0, lfcf_is_full(reader));
    lfcf_measures measures = measure(reader), of_others = measure(filter);
    CHECK(measures.items == 33 && memcmp(&measures, &of_others, sizeof measures) == 0);

    int is_valued = measures.value_bits > 0, rotates = measures.kind == LFCF_ROTATING;
    if (is_valued) {
        IS(1, lfcf_replace_value(filter, hashes[2], 0, 7));
        IS(1, lfcf_value(reader, hashes[2], &value));
        CHECK(value == 7);
        IS(0, lfcf_value(reader, hashes[3], &value));
        IS(32, lfcf_value_bulk(reader, hashes, 64, &mask, values));
        CHECK(mask == 0x5555555555555555 && values[2] == 7 && values[4] == 0);
    } else {
        FAILS(LFCF_WRONG_KIND, "value_bits", lfcf_value(reader, hash, &value));
        FAILS(LFCF_WRONG_KIND, "value_bits", lfcf_value_bulk(reader, hashes, 64, &mask, values));
    }
    if (rotates) {
        IS(0, lfcf_rotate(filter));
        IS(0, lfcf_rotations(reader, &mask));
        CHECK(mask == 1 && measure(reader).rotations == 1);
        IS(1, lfcf_age(reader, hashes[0], &age));
        CHECK(age == 1);
        IS(1, lfcf_age_bytes(reader, "a", 1, &age));
        IS(0, lfcf_age(reader, hashes[1], &age));
    } else {
        FAILS(LFCF_WRONG_KIND, "LFCF_ROTATING", lfcf_rotations(reader, &mask));
        FAILS(LFCF_WRONG_KIND, "LFCF_ROTATING", lfcf_age(reader, hash, &age));
    }

    /* Each of these would end the process, if it wrote. */
    FAILS(LFCF_READ_ONLY, "reader", lfcf_insert(reader, hash));
    FAILS(LFCF_READ_ONLY, "reader", lfcf_insert_unique(reader, hash));
    FAILS(LFCF_READ_ONLY, "reader", lfcf_remove(reader, hash));
    FAILS(LFCF_READ_ONLY, "reader", lfcf_count(reader, hash));
    FAILS(LFCF_READ_ONLY, "reader", lfcf_insert_bytes(reader, "a", 1));
    FAILS(LFCF_READ_ONLY, "reader", lfcf_insert_unique_bytes(reader, "a", 1));
    FAILS(LFCF_READ_ONLY, "reader", lfcf_remove_bytes(reader, "a", 1));
    FAILS(LFCF_READ_ONLY, "reader", lfcf_count_bytes(reader, "a", 1));
    FAILS(LFCF_READ_ONLY, "reader", lfcf_insert_unique_bulk(reader, hashes, 64, &mask, &size));
    FAILS(LFCF_READ_ONLY, "reader", lfcf_insert_unique_many(reader, hashes, 64, answers, &size));
    FAILS(LFCF_READ_ONLY, "reader", lfcf_insert_many(reader, hashes, 64, &size));
    FAILS(LFCF_READ_ONLY, "reader", lfcf_remove_many(reader, hashes, 64, &size));
    FAILS(LFCF_READ_ONLY, "reader", lfcf_refresh(reader, hash));
    FAILS(LFCF_READ_ONLY, "reader", lfcf_refresh_bytes(reader, "a", 1));
    FAILS(LFCF_READ_ONLY, "reader", lfcf_refresh_bulk(reader, hashes, 64, &mask, &size));
    FAILS(LFCF_READ_ONLY, "reader", lfcf_refresh_many(reader, hashes, 64, answers, &size));
    FAILS(LFCF_READ_ONLY, "reader", lfcf_rotate(reader));
    FAILS(LFCF_READ_ONLY, "reader", lfcf_rotate_if(reader, 0));
    FAILS(LFCF_READ_ONLY, "reader", lfcf_clock_create(reader, 1000, NULL, NULL, &clock));
    FAILS(LFCF_READ_ONLY, "reader", lfcf_insert_value(reader, hash, 1));
    FAILS(LFCF_READ_ONLY, "reader", lfcf_insert_unique_value(reader, hash, &value));
    FAILS(LFCF_READ_ONLY, "reader", lfcf_values(reader, hash, values));
    FAILS(LFCF_READ_ONLY, "reader", lfcf_replace_value(reader, hash, 0, 1));
    FAILS(LFCF_READ_ONLY, "reader", lfcf_remove_value(reader, hash, 0));
    FAILS(LFCF_READ_ONLY, "reader", lfcf_clear(reader));
    FAILS(LFCF_READ_ONLY, "reader", lfcf_shrink_to_fit(reader));
    FAILS(LFCF_READ_ONLY, "reader", lfcf_to_bytes(reader, &bytes, &size));
    FAILS(LFCF_READ_ONLY, "reader", lfcf_to_dump(reader, 0, 0, &bytes, &size));
    FAILS(LFCF_READ_ONLY, "reader", lfcf_write_fd(reader, 1));
    FAILS(LFCF_READ_ONLY, "reader", lfcf_snapshot(reader, &copy));
    CHECK(copy == NULL);
    FAILS(LFCF_READ_ONLY, "reader", lfcf_shared_fd(reader));
    FAILS(LFCF_READ_ONLY, "reader", lfcf_shared_recover(reader));
    if (rotates) {
        IS(0, lfcf_clock_create(filter, 1, NULL, NULL, &clock));
        FAILS(LFCF_READ_ONLY, "reader", lfcf_rotate_if_due(reader, clock));
        FAILS(LFCF_READ_ONLY, "reader", lfcf_catch_up(reader, clock, 1));
        IS(0, lfcf_clock_destroy(clock));
    }
    IS(1, lfcf_contains_bytes(reader, "a", 1));
    IS(0, lfcf_destroy(reader));
    IS(1, lfcf_contains_bytes(filter, "a", 1));
    IS(0, lfcf_destroy(filter));
}

static void refuses(int status, const char *about, lfcf_options options)
{
    lfcf_filter *filter = (void *)path;
    options = seeded(options);
    FAILS(status, about, lfcf_shared_create(&options, &filter));
    CHECK(filter == NULL);
    filter = (void *)path;
    FAILS(status, about, lfcf_shared_create_at(&options, path, &filter));
    CHECK(filter == NULL && access(path, F_OK) != 0);
}

/* Opening the file fails so. */
static void open_fails(int status, const char *about)
{
    lfcf_filter *filter = (void *)path;
    FAILS(status, about, lfcf_shared_open(path, &filter));
    CHECK(filter == NULL);
    FAILS(status, about, lfcf_shared_open_reader(path, &filter));
    /* Memory with these bytes, whose size is sealed. */
    char bytes[4096];
    ssize_t size;
    int file = open(path, O_RDONLY), fd = memfd_create("test", MFD_ALLOW_SEALING);
    CHECK(file >= 0 && fd >= 0);
    while ((size = read(file, bytes, sizeof bytes)) > 0)
        CHECK(write(fd, bytes, (size_t)size) == size);
    FAILS(LFCF_NOT_SEALED, "size", lfcf_shared_attach(fd, &filter));
    CHECK(fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW) == 0);
    FAILS(status, about, lfcf_shared_attach(fd, &filter));
    CHECK(filter == NULL);
    FAILS(status, about, lfcf_shared_attach_reader(fd, &filter));
    CHECK(close(file) == 0 && close(fd) == 0);
}

static void errors(void)
{
    lfcf_options options = seeded((lfcf_options){.capacity = 1000});
    lfcf_filter *filter, *other = (void *)path, *own = create(options);
    refuses(LFCF_INVALID, "one that rotates", (lfcf_options){.kind = LFCF_GROWING});
    refuses(LFCF_INVALID, "use 128", (lfcf_options){.buckets = 127});
    refuses(LFCF_INVALID, "no layout", (lfcf_options){.slots = 3, .fingerprint_bits = 3});
    refuses(LFCF_LIMIT, "memory limit", (lfcf_options){.capacity = 100, .max_memory = 65536});
    refuses(LFCF_LIMIT, "rate", (lfcf_options){.max_false_positive_rate = 1e-6});
    lfcf_filter *growing = create((lfcf_options){.kind = LFCF_GROWING});
    FAILS(LFCF_INVALID, "grows", lfcf_shared_copy(growing, &other));
    IS(0, lfcf_destroy(growing));
    FAILS(LFCF_NO_FILE, "none/a", lfcf_shared_copy_at(own, "/dev/shm/none/a", &other));
    FAILS(LFCF_NULL, "null", lfcf_shared_copy_at(own, NULL, &other));
    /* Not those of a filter of one process. */
    FAILS(LFCF_WRONG_KIND, "lfcf_shared_create", lfcf_shared_fd(own));
    FAILS(LFCF_WRONG_KIND, "lfcf_shared_create", lfcf_shared_recover(own));
    /* Descriptors. */
    FAILS(LFCF_INVALID, "-1 is not", lfcf_shared_attach(-1, &other));
    CHECK(other == NULL);
    FAILS(LFCF_INVALID, "-1 is not", lfcf_shared_attach_reader(-1, &other));
    errno = 0;
    FAILS(LFCF_IO, "ad file descriptor", lfcf_shared_attach(12345, &other));
    CHECK(errno == EBADF);
    FAILS(LFCF_IO, "ad file descriptor", lfcf_shared_attach_reader(12345, &other));
    /* Names. */
    FAILS(LFCF_NO_FILE, path, lfcf_shared_open(path, &other));
    FAILS(LFCF_NO_FILE, path, lfcf_shared_open_reader(path, &other));
    FAILS(LFCF_NO_FILE, "", lfcf_shared_open("", &other));
    FAILS(LFCF_NO_FILE, "none/a", lfcf_shared_create_at(&options, "/dev/shm/none/a", &other));
    errno = 0;
    FAILS(LFCF_IO, "a directory", lfcf_shared_open("/dev/shm", &other));
    CHECK(errno == EISDIR);
    FAILS(LFCF_IO, "ot a directory", lfcf_shared_open_reader("/proc/self/exe/a", &other));
    CHECK(errno == ENOTDIR);
    IS(0, lfcf_shared_create_at(&options, path, &filter));
    FAILS(LFCF_FILE_EXISTS, path, lfcf_shared_create_at(&options, path, &other));
    CHECK(other == NULL);
    IS(0, lfcf_destroy(filter));
    /* A byte of the header is damaged. */
    int fd = open(path, O_RDWR);
    CHECK(fd >= 0);
    off_t size = lseek(fd, 0, SEEK_END);
    for (off_t at = 0; at < 128; at += 5) {
        unsigned char byte;
        CHECK(pread(fd, &byte, 1, at) == 1);
        byte ^= 1;
        CHECK(pwrite(fd, &byte, 1, at) == 1);
        CHECK(lfcf_shared_open(path, &other) < 0 && other == NULL);
        byte ^= 1;
        CHECK(pwrite(fd, &byte, 1, at) == 1);
    }
    IS(0, lfcf_shared_open(path, &other));
    IS(0, lfcf_destroy(other));
    /* The file is of another boot of the machine. */
    unsigned char boot, another;
    CHECK(pread(fd, &boot, 1, 2056) == 1);
    another = boot ^ 1;
    CHECK(pwrite(fd, &another, 1, 2056) == 1);
    FAILS(LFCF_OTHER_BOOT, "gone down", lfcf_shared_open(path, &other));
    FAILS(LFCF_OTHER_BOOT, "gone down", lfcf_shared_open_reader(path, &other));
    CHECK(other == NULL && pwrite(fd, &boot, 1, 2056) == 1);
    CHECK(ftruncate(fd, size + 4096) == 0);
    open_fails(LFCF_DAMAGED, "were given");
    CHECK(ftruncate(fd, size - 4096) == 0);
    open_fails(LFCF_TRUNCATED, "ends early");
    CHECK(ftruncate(fd, 50) == 0);
    open_fails(LFCF_TRUNCATED, "ends early");
    CHECK(ftruncate(fd, 0) == 0);
    open_fails(LFCF_TRUNCATED, "ends early");
    /* Something else, as a filter that is stored. */
    CHECK(ftruncate(fd, size) == 0 && pwrite(fd, "PK\3\4", 4, 0) == 4);
    open_fails(LFCF_NOT_A_FILTER, "that processes share");
    CHECK(ftruncate(fd, 0) == 0 && lseek(fd, 0, SEEK_SET) == 0);
    IS(0, lfcf_write_fd(own, fd));
    open_fails(LFCF_NOT_A_FILTER, "stored filter, which one process reads");
    CHECK(close(fd) == 0 && unlink(path) == 0);
    IS(0, lfcf_destroy(own));
}

/* As many processes as there are seats, and no more. (Each filter here is as one of its own.) */
static void seats(void)
{
    enum { SEATS = 1023 };
    static lfcf_filter *all[SEATS];
    struct rlimit limit;
    CHECK(getrlimit(RLIMIT_NOFILE, &limit) == 0);
    limit.rlim_cur = limit.rlim_max;
    if (limit.rlim_max < 3 * SEATS || setrlimit(RLIMIT_NOFILE, &limit) != 0)
        return;
    all[0] = shared((lfcf_options){.capacity = 1});
    for (int seat = 1; seat < SEATS; seat++)
        IS(0, lfcf_shared_attach(lfcf_shared_fd(all[0]), &all[seat]));
    lfcf_filter *other = (void *)path;
    FAILS(LFCF_NO_SEAT, "1,023", lfcf_shared_attach(lfcf_shared_fd(all[0]), &other));
    CHECK(other == NULL);
    /* A reader needs none. */
    IS(0, lfcf_shared_attach_reader(lfcf_shared_fd(all[0]), &other));
    IS(0, lfcf_destroy(other));
    IS(0, lfcf_destroy(all[500]));
    IS(0, lfcf_shared_attach(lfcf_shared_fd(all[0]), &all[500]));
    for (int seat = 0; seat < SEATS; seat++)
        IS(0, lfcf_destroy(all[seat]));
}

/* A call that opens a file on behalf of the thread does not end with it. */
static void *cancelled(void *filter)
{
    pthread_cancel(pthread_self());
    IS(1, lfcf_insert_unique_bytes(filter, "a", 1));
    IS(0, lfcf_shared_recover(filter));
    pthread_testcancel();
    CHECK(0 && "the cancellation still comes");
    return NULL;
}

static void cancellation(void)
{
    lfcf_filter *filter = shared((lfcf_options){.capacity = 100});
    pid_t child = start();
    if (child == 0) {
        pthread_t thread;
        void *result;
        CHECK(pthread_create(&thread, NULL, cancelled, filter) == 0);
        CHECK(pthread_join(thread, &result) == 0 && result == PTHREAD_CANCELED);
        _exit(0);
    }
    ends(child);
    IS(1, lfcf_contains_bytes(filter, "a", 1));
    IS(0, lfcf_destroy(filter));
}

/* The system has no addresses left. Not for tools that need many themselves. */
static void memory_ends(void)
{
    pid_t child = start();
    if (child == 0) {
        struct rlimit limit = {.rlim_cur = 64 << 20, .rlim_max = 64 << 20};
        if (setrlimit(RLIMIT_AS, &limit) == 0)
            refuses(LFCF_OUT_OF_MEMORY, "", (lfcf_options){.capacity = 1 << 25});
        _exit(0);
    }
    ends(child);
}

int main(int count, char **arguments)
{
    const lfcf_options all[] = {
        {.capacity = 2000},
        {.capacity = 2000, .value_bits = 4},
        /* Larger than its items need, for so low a rate. */
        {.capacity = 2000, .flags = LFCF_SMALLEST, .max_false_positive_rate = 1e-9},
        {.kind = LFCF_ROTATING, .capacity = 2000, .generations = 3},
        {.kind = LFCF_ROTATING, .capacity = 2000, .generations = 4, .flags = LFCF_SMALLEST, .max_false_positive_rate = 0.01},
    };
    if (count == 3)
        return other_program(arguments[1], arguments[2]);
    program = arguments[0];
    snprintf(path, sizeof path, "/dev/shm/lfcf-test-%d", (int)getpid());
    for (size_t kind = 0; kind < sizeof all / sizeof *all; kind++) {
        as_of_one_process(all[kind]);
        other_programs(all[kind]);
        reader(all[kind]);
    }
    children();
    after_a_death();
    errors();
    cancellation();
    if (getenv("LFCF_WITHOUT_LIMITS") == NULL) {
        seats();
        memory_ends();
    }
    return 0;
}

#endif
