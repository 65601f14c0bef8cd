// Explains a run: searches for an order of all calls that keeps the order of each thread and
// explains the answers.
//
// A client has up to four threads, T0 to T3, each a list of calls. DO(kind, class, call) is a call
// whose answer must be explained, ACT(...) any other call. The including file defines `after_call`:
// the multiset after a call, or that the call cannot have had this answer.
#define K_HAS 1
#define K_INSERT 2
#define K_REMOVE 3
#define K_ADMIT 4
#define K_ROTATE 5
#define K_ROTATIONS 6
#define CALL(kind, f) ((kind) | (f) << 4)

static long after_call(long content, int kind, int f, int said);

// Returns whether the final content is that of the order.
static int is_end(long content, long end);

// The calls of each thread take eight bits each, and their answers four bits each. An answer of 0
// means that the call was refused, and changed nothing.
static int explain(long s, long end, long c0, long r0, long c1, long r1, long c2, long r2, long c3,
                   long r3)
{
#define NEXT(c, r) ((r)&15 ? after_call(s, (c)&15, (c) >> 4 & 15, (r)&15) : s)
    if (!c0 && !c1 && !c2 && !c3) return is_end(s, end);
    if (c0) {
        long t = NEXT(c0, r0);
        if (t >= 0 && explain(t, end, c0 >> 8, r0 >> 4, c1, r1, c2, r2, c3, r3)) return 1;
    }
    if (c1) {
        long t = NEXT(c1, r1);
        if (t >= 0 && explain(t, end, c0, r0, c1 >> 8, r1 >> 4, c2, r2, c3, r3)) return 1;
    }
    if (c2) {
        long t = NEXT(c2, r2);
        if (t >= 0 && explain(t, end, c0, r0, c1, r1, c2 >> 8, r2 >> 4, c3, r3)) return 1;
    }
    if (c3) {
        long t = NEXT(c3, r3);
        if (t >= 0 && explain(t, end, c0, r0, c1, r1, c2, r2, c3 >> 8, r3 >> 4)) return 1;
    }
    return 0;
}

static int data; // without atomic accesses: the data that a call publishes

#define DO(kind, f, call) \
    last = (call);        \
    said |= (long)last << 4 * at++;
#define ACT(...) __VA_ARGS__;
#define THREAD(name, calls)                 \
    static void *name(void *unused)         \
    {                                       \
        long said = 0;                      \
        int at = 0, last = 0;               \
        (void)at, (void)last, (void)unused; \
        calls return (void *)said;          \
    }
THREAD(t0, T0)
THREAD(t1, T1)
#ifdef T2
THREAD(t2, T2)
#endif
#ifdef T3
THREAD(t3, T3)
#endif
#undef DO
#undef ACT

#define DO(kind, f, call) calls |= (long)CALL(kind, f) << 8 * at++;
#define ACT(...)
#define CALLS(name, list)  \
    static long name(void) \
    {                      \
        long calls = 0;    \
        int at = 0;        \
        (void)at;          \
        list return calls; \
    }
CALLS(c0, T0)
CALLS(c1, T1)
#ifdef T2
CALLS(c2, T2)
#endif
#ifdef T3
CALLS(c3, T3)
#endif

// The initial content, and the checks after the threads.
static void begin(void);
static long content_at_the_end(void);
static long content_at_the_beginning(void);

int main(void)
{
    pthread_t a, b, c, d;
    void *r0, *r1, *r2 = 0, *r3 = 0;
    begin();
    pthread_create(&a, 0, t0, 0);
    pthread_create(&b, 0, t1, 0);
#ifdef T2
    pthread_create(&c, 0, t2, 0);
#endif
#ifdef T3
    pthread_create(&d, 0, t3, 0);
#endif
    pthread_join(a, &r0);
    pthread_join(b, &r1);
    long calls2 = 0, calls3 = 0;
#ifdef T2
    pthread_join(c, &r2);
    calls2 = c2();
#endif
#ifdef T3
    pthread_join(d, &r3);
    calls3 = c3();
#endif
    long start = content_at_the_beginning(), end = content_at_the_end();
#ifdef AFTER
    AFTER;
#endif
#ifndef UNEXPLAINED
#ifdef STOP // the last call of the first thread has taken effect, or it has not
    if (explain(start, end, c0(), (long)r0 | YES, c1(), (long)r1, calls2, (long)r2, calls3,
                (long)r3))
        return 0;
#endif
    assert(explain(start, end, c0(), (long)r0, c1(), (long)r1, calls2, (long)r2, calls3, (long)r3));
#endif
    return 0;
}
