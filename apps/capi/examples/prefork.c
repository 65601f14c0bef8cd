/*
 * prefork [WORKERS [ITEMS]]: processes share one filter, and tell which items are new.
 *
 * The parent makes the filter and starts workers, which use it as it is. It sends each item to two
 * of them. One of the two finds it new, whichever is first. From time to time the parent kills the
 * worker that has an item, starts another one, and asks again. A worker that is killed, wherever it
 * is, blocks nobody and loses nothing. But what it would have answered, nobody is told.
 *
 *     gcc -std=c11 prefork.c $(pkg-config --cflags --libs lockfree-cuckoo) -o prefork
 */
#define _POSIX_C_SOURCE 200809L
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lockfree_cuckoo.h"

enum { MOST_WORKERS = 64, KILLS = 20 };

struct worker {
    pid_t process;
    int socket;
};

static lfcf_filter *seen;

static int check(int answer)
{
    if (answer < 0) {
        fprintf(stderr, "prefork: %s\n", lfcf_last_error());
        exit(1);
    }
    return answer;
}

static void check_system(int answer, const char *what)
{
    if (answer < 0) {
        perror(what);
        exit(1);
    }
}

/* Answers for each item whether it is new, until the parent closes its end. */
static void work(int socket)
{
    uint32_t item;
    while (read(socket, &item, sizeof item) == sizeof item) {
        int answer;
        do
            answer = lfcf_insert_unique_bytes(seen, &item, sizeof item);
        while (answer == LFCF_DISTURBED || answer == LFCF_NO_DESCRIPTOR);
        char is_new = (char)check(answer);
        if (write(socket, &is_new, 1) != 1)
            break;
    }
    _exit(0);
}

static void start(struct worker *worker)
{
    int ends[2];
    check_system(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), "socketpair");
    worker->process = fork();
    check_system(worker->process, "fork");
    if (worker->process == 0) {
        close(ends[0]);
        work(ends[1]);
    }
    close(ends[1]);
    worker->socket = ends[0];
}

static void end(struct worker *worker)
{
    /* Other workers have this end, too. */
    shutdown(worker->socket, SHUT_RDWR);
    close(worker->socket);
    waitpid(worker->process, NULL, 0);
}

/* To a worker that is dead, too: its answer will be missing. */
static void send_item(const struct worker *worker, uint32_t item)
{
    send(worker->socket, &item, sizeof item, MSG_NOSIGNAL);
}

int main(int count, char **arguments)
{
    int workers = count > 1 ? atoi(arguments[1]) : 4;
    uint32_t items = count > 2 ? (uint32_t)strtoul(arguments[2], NULL, 10) : 20000;
    if (count > 3 || workers < 2 || workers > MOST_WORKERS || items < KILLS || items > 100000000) {
        fprintf(stderr, "usage: prefork [WORKERS, 2 to 64 [ITEMS, 20 to 100000000]]\n");
        return 1;
    }
    /* Of a layout that takes no item for another one. */
    lfcf_options options = {.size = sizeof options, .capacity = items, .slots = 2, .fingerprint_bits = 31};
    check(lfcf_shared_create(&options, &seen));
    struct worker all[MOST_WORKERS];
    for (int i = 0; i < workers; i++)
        start(&all[i]);
    uint32_t new = 0, killed = 0;
    for (uint32_t item = 0; item < items; item++) {
        /* Two at the same time. */
        struct worker *two[] = {&all[item % workers], &all[(item + 1) % workers]};
        for (int i = 0; i < 2; i++)
            send_item(two[i], item);
        if (item % (items / KILLS) == 0) {
            kill(two[0]->process, SIGKILL);
            killed++;
        }
        int times = 0;
        for (int i = 0; i < 2; i++) {
            char is_new;
            while (read(two[i]->socket, &is_new, 1) != 1) {
                end(two[i]);
                start(two[i]);
                send_item(two[i], item);
            }
            times += is_new;
        }
        if (times > 1) {
            fprintf(stderr, "prefork: an item is new twice\n");
            return 1;
        }
        new += (uint32_t)times;
    }
    for (int i = 0; i < workers; i++)
        end(&all[i]);
    uint32_t lost = 0;
    for (uint32_t item = 0; item < items; item++)
        lost += check(lfcf_contains_bytes(seen, &item, sizeof item)) == 0;
    fprintf(stderr, "%u items were new to one worker, %u to one that was killed; %d calls were given up\n", (unsigned)new,
            (unsigned)(items - new), check(lfcf_shared_recover(seen)));
    printf("%u items, %u workers were killed; %u items are lost\n", (unsigned)items, (unsigned)killed, (unsigned)lost);
    check(lfcf_destroy(seen));
    return lost != 0 || items - new > killed;
}
