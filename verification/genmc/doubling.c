// Races in a table that doubles, from a level of two words to one of four: the root, the splits,
// the sweep and its cursor, the block of the next level. It models src/growing.
//
// Buckets have the numbers of the crate: 2 and 3 are level 1, 4 to 7 are level 2. Two threads may
// make the block of level 2. Prefixes are not modelled: each class goes to one child. No memory is
// given back, no word is lazy, and no thread is pinned.
#define WORDS 10
#define OWNERS_DECIDE
#define F 1
#define G 2
#define IS(n) (CLIENT == n)
#define INSERT(d, f, s) DO(K_INSERT, f, insert_doubling(d, f, s))
#define CONTAINS(f, s) DO(K_HAS, f, look(f, s))
#define REMOVE(d, f, s) DO(K_REMOVE, f, remove_doubling(d, f, s))
#define ADMIT(d, f, s) DO(K_ADMIT, f, admit_doubling(d, f, s))
#define HOP(d, f, s) ACT(hop_doubling(d, f, s))
// Doubles the table. If the block must be made, it is block `mine`.
#define GROW(d, mine) ACT(grow(d, mine))

// W2 and W3 are the initial words. FIRST is the side that lookups read first.
#if IS(1) // a doubling against two lookups
#define W2 ONE(F)
#define T0 GROW(0, 1)
#define T1 CONTAINS(F, FIRST) CONTAINS(F, FIRST)
#elif IS(2) // against a hop
#define W2 ONE(F)
#define T0 GROW(0, 1)
#define T1 HOP(1, F, 0) CONTAINS(F, FIRST)
#elif IS(3) // against a hop, and a lookup
#define W2 ONE(F)
#define T0 GROW(0, 1)
#define T1 HOP(1, F, 0)
#define T2 CONTAINS(F, FIRST)
#elif IS(4) // two threads double the table, and one looks
#define W2 ONE(F)
#define T0 GROW(0, 1)
#define T1 GROW(1, 2) CONTAINS(F, FIRST)
#elif IS(5) // an insert that does its share
#define W2 ONE(F)
#define T0 GROW(0, 1)
#define T1 INSERT(1, G, FIRST) CONTAINS(G, 1 - FIRST)
#elif IS(6) // a remove, and the remover looks
#define W2 ONE(F)
#define T0 GROW(0, 1)
#define T1 REMOVE(1, F, FIRST) CONTAINS(F, FIRST)
#elif IS(7) // two admissions of one class, crosswise
#define GROWING
#define T0 ADMIT(0, F, 0)
#define T1 ADMIT(1, F, 1)
#elif IS(8) // an admission while another thread doubles the table
#define W2 ONE(F)
#define T0 GROW(0, 1)
#define T1 ADMIT(1, F, FIRST)
#elif IS(9) // one order: two inserts with crossed lookups, while the table doubles
#define STRIPES 2
#define GROWING
#define T0 INSERT(0, F, 0) CONTAINS(G, 0)
#define T1 INSERT(1, G, 0) CONTAINS(F, 0)
#elif IS(10) // a hop, and a thread that splits the bucket it goes to
#define W2 ONE(F)
#define GROWING
#define T0 HOP(0, F, 0)
#define T1 ACT(split(1, 3)) CONTAINS(F, FIRST)
#elif IS(11) // a hop between children whose parents are not both gone
#define W2 ONE(F)
#define GROWING
#define T0 ACT(split(0, 2)) HOP(0, F, 0)
#define T1 CONTAINS(F, FIRST)
#elif IS(12) // a token is inserted, and its twin is removed; a lookup; the table doubles
#define W3 ONE(F)
#define GROWING
#define T0 INSERT(0, F, 0) REMOVE(0, F, 1)
#define T1 CONTAINS(F, FIRST)
#elif IS(13) // a lookup, and a thread that knows its result: the root has moved on for both
#define W2 ONE(F)
#define T0 GROW(0, 1) REMOVE(0, F, 0)
#define T1 CONTAINS(F, FIRST) CONTAINS(F, FIRST)
#endif

#include "protocol.h"

// ---- words: absent, gone, reference, bucket -----------------------------------------------------
#define ABSENT 0
#define GONE 1
#define BUCKET(content) (0x1000 | (content))
#define IS_BUCKET(w) ((w)&0x1000)
#define PLAIN(w) ((w)&0xff)
#define LEVEL_OF(bucket) ((bucket) < 4 ? 1 : 2)
// The child of a bucket for a class, and the bucket of a class on one of its two sides.
#define CHILD(bucket, f) ((bucket) << 1 | ((f) == G))
#define BUCKET_OF(f, side, level) ((level) == 1 ? 2 + (side) : CHILD(2 + (side), f))
#define OTHER_END(bucket) ((bucket) ^ LEVEL_OF(bucket))

// ---- blocks, the root, and the header of level 1 ------------------------------------------------
// Block 0 is level 1; level 2 is block 1 or 2, whichever thread makes it.
static atomic_int block_of_2;
static int header[3]; // written without an atomic access, before the block can be reached
static atomic_int root;
static atomic_int below, children, taken;

#define ROOT(level, block) ((level) | (block) << 4)
#define ASIDE 8
#define LEVEL(r) ((r)&3)
#define BLOCK(r) ((r) >> 4)

static atomic_int *cell_in(int block, int bucket)
{
    return &word[block ? 2 + 4 * (block - 1) + bucket - 4 : bucket - 2];
}

static int load_in(int block, int bucket)
{
    return atomic_load_explicit(cell_in(block, bucket), WORD_LOAD);
}

// Returns the block of a bucket, or -1 if there is none.
static int block_of(int bucket)
{
    if (LEVEL_OF(bucket) == 1) return 0;
    int block = LOAD(block_of_2, BLOCK_GET);
    return block ? block : -1;
}

static int word_of(int bucket)
{
    int block = block_of(bucket);
    return block < 0 ? ABSENT : load_in(block, bucket);
}

static int put(int bucket, int old, int new, memory_order order)
{
    int block = block_of(bucket);
    return block >= 0 && replace(cell_in(block, bucket), old, new, order, WORD_FAILURE);
}

static int is_growing(int r) { return r & ASIDE; }

static int replace_root(int old, int new)
{
    return replace(&root, old, new, ROOT_EXCHANGE, ROOT_FAILURE);
}

// ---- settlement and splits ----------------------------------------------------------------------
static int is_split(long r) { return !MOVED(R_TRANSFER(r)) && !PLACED(R_TRANSFER(r)); }

static int part_of(int bucket, int content, int child)
{
    int part = 0;
    for (int f = 1; f <= 3; f++)
        if (CHILD(bucket, f) == child) part += COUNT(content, f) * ONE(f);
    return part;
}

// Ends a split, by any thread: writes both children, then the parent is gone.
static void finish(int bucket, int r, int content)
{
    for (int child = bucket << 1; child <= (bucket << 1 | 1); child++)
        put(child, ABSENT, BUCKET(part_of(bucket, content, child)), ADD);
    put(bucket, r, GONE, THAW);
}

static int settled(int bucket)
{
    for (int i = 0;; i++) {
        BOUNDED(i);
        int w = word_of(bucket);
        if (!IS_REFERENCE(w)) return w;
        long r = resolve(bucket, w);
        if (R_KIND(r) == STALE) continue;
        if (R_KIND(r) == SETTLED) {
            if (put(bucket, w, BUCKET(R_CONTENT(r)), THAW)) return BUCKET(R_CONTENT(r));
        } else if (is_split(r)) {
            finish(bucket, w, R_CONTENT(r));
        } else {
            decide(INDEX(w), R_CONTROL(r), ABORTED);
        }
    }
}

static void split(int d, int bucket)
{
    for (int i = 0;; i++) {
        BOUNDED(i);
        int w = settled(bucket);
        if (!IS_BUCKET(w)) return;
        int pending = publish(d, TRANSFER(0, 0, bucket, bucket), OLD(PLAIN(w), 0));
        int r = REFERENCE(d, USES(pending));
        if (put(bucket, w, r, INSTALL)) {
            finish(bucket, r, PLAIN(w));
            return;
        }
    }
}

// Returns the live bucket of a class on a side, with its content, settled.
static int live(int f, int side)
{
    for (int i = 0;; i++) {
        BOUNDED(i);
        for (int level = LEVEL(LOAD(root, ROOT_LOAD)); level <= 2; level++) {
            int bucket = BUCKET_OF(f, side, level), w = settled(bucket);
            if (IS_BUCKET(w)) return bucket << 8 | PLAIN(w);
            assert(level == 1 && w == GONE);
        }
    }
}
#define AT(live) ((live) >> 8)
#define HOLDS(live) ((live)&0xff)

// ---- growth -------------------------------------------------------------------------------------
static void begin_to_grow(int mine)
{
    int r = LOAD(root, ROOT_LOAD);
    if (r & ASIDE || LEVEL(r) == 2) return;
    int block = LOAD(block_of_2, BLOCK_GET);
    if (!block) {
        header[mine] = 1;
        int expected = 0;
        block = atomic_compare_exchange_strong_explicit(&block_of_2, &expected, mine, BLOCK_ADD,
                                                        BLOCK_GET)
                    ? mine
                    : expected;
    }
    STORE(below, block, BELOW_STORE);
    replace_root(r, r | ASIDE);
}

static int next_word(void)
{
    int cursor = LOAD(children, CURSOR_LOAD) / 2, old = LOAD(taken, RELAXED);
    for (int i = 0;; i++) {
        BOUNDED(i);
        int free = cursor > old ? cursor : old;
        if (free >= 2) return cursor;
        int expected = old;
        if (atomic_compare_exchange_strong_explicit(&taken, &expected, free + 1, RELAXED, RELAXED))
            return free;
        old = expected;
    }
}

// Records that the word at `place` is gone. Returns whether all are.
static int move_on(int place)
{
    if (LOAD(children, CURSOR_LOAD) / 2 != place) return 0;
    int gone = place + 1;
    if (gone < LOAD(taken, RELAXED) && word_of(2 + gone) == GONE) gone++;
    int expected = 2 * place;
    atomic_compare_exchange_strong_explicit(&children, &expected, 2 * gone, CURSOR_MOVE, RELAXED);
    return gone == 2;
}

static void help_to_grow(int d)
{
    int r = LOAD(root, ROOT_LOAD);
    if (!is_growing(r)) return;
    int place = next_word();
    if (place < 2) split(d, 2 + place);
    if (place < 2 && move_on(place)) replace_root(r, ROOT(2, LOAD(block_of_2, BLOCK_GET)));
}

static void grow(int d, int mine)
{
    begin_to_grow(mine);
    for (int i = 0; is_growing(LOAD(root, ROOT_LOAD)); i++) {
        BOUNDED(i);
        help_to_grow(d);
    }
}

// ---- lookup -------------------------------------------------------------------------------------
static int on_side(int f, int side)
{
    for (int i = 0;; i++) {
        BOUNDED(i);
        for (int level = LEVEL(LOAD(root, ROOT_LOAD)); level <= 2; level++) {
            int bucket = BUCKET_OF(f, side, level), w = word_of(bucket);
            if (w == GONE) continue;
            assert(w != ABSENT);
            if (!IS_REFERENCE(w)) return COUNT(w, f) ? YES : NO;
            long r = resolve(bucket, w);
            if (R_KIND(r) == STALE) return UNCLEAR;
            int t = R_TRANSFER(r);
            if (R_KIND(r) == UNDECIDED && MOVED(t) == f && bucket != SOURCE(t)) {
                if (word_of(SOURCE(t)) == w) return YES;
                if (control_of(w, CONTROL_AGAIN) != R_CONTROL(r)) return UNCLEAR;
            }
            return COUNT(R_CONTENT(r), f) ? YES : NO;
        }
    }
}

static int look_slowly(int f, int side)
{
    for (int i = 0;; i++) {
        BOUNDED(i);
        int v = version(0, f);
        int answer = on_side(f, side);
        if (answer == NO) answer = on_side(f, 1 - side);
        if (answer == YES) return YES;
        if (answer == NO && unchanged(0, f, v)) return NO;
    }
}

static int look(int f, int side)
{
    int r = LOAD(root, ROOT_LOAD), words[2];
    int block = BLOCK(r), lower = block, passed = 0;
    assert(header[block]);
    if (is_growing(r)) {
        lower = LOAD(below, BELOW_LOAD);
        passed = LOAD(children, CURSOR_LOAD);
        assert(lower);
    }
    int v = version(0, f);
    int a = 0, b = 0;
    for (int s = 0; s < 2; s++) {
        int which = s ? 1 - side : side, bucket = BUCKET_OF(f, which, LEVEL(r)), in = block;
        if (is_growing(r) && CHILD(bucket, f) - 4 < passed) bucket = CHILD(bucket, f), in = lower;
        assert(header[in]);
        int w = load_in(in, bucket);
        if (s) b = w;
        else a = w;
    }
    if (IS_BUCKET(a) && IS_BUCKET(b) && unchanged(0, f, v))
        return COUNT(a, f) + COUNT(b, f) ? YES : NO;
    return look_slowly(f, side);
}

// ---- writes -------------------------------------------------------------------------------------
static int insert_doubling(int d, int f, int side)
{
    help_to_grow(d);
    for (int i = 0;; i++) {
        BOUNDED(i);
        int a = live(f, side), b = live(f, 1 - side);
        int emptier = VACANCIES(HOLDS(a)) >= VACANCIES(HOLDS(b)) ? a : b;
        int added = with(HOLDS(emptier), f);
        if (added < 0) return 0;
        if (put(AT(emptier), BUCKET(HOLDS(emptier)), BUCKET(added), ADD)) return YES;
    }
}

static int remove_doubling(int d, int f, int side)
{
    help_to_grow(d);
    int bumped = 0;
    for (int i = 0;; i++) {
        BOUNDED(i);
        int v = version(0, f);
        int a = live(f, side), b = live(f, 1 - side);
        if (!COUNT(HOLDS(a), f) && !COUNT(HOLDS(b), f)) {
            if (unchanged(0, f, v)) return NO;
            continue;
        }
        int here = COUNT(HOLDS(a), f) ? a : b, other = COUNT(HOLDS(a), f) ? b : a;
        if (COUNT(HOLDS(other), f) && !bumped) {
            announce(0, f);
            bumped = 1;
        }
        if (put(AT(here), BUCKET(HOLDS(here)), BUCKET(without(HOLDS(here), f)), ADD)) return YES;
    }
}

// Settles a bucket whose number was computed. If it is deeper than the root, its parent must be
// gone first.
static int settled_end(int d, int bucket)
{
#ifndef NO_PARENT
    if (LEVEL_OF(bucket) > LEVEL(LOAD(root, ROOT_LOAD))) split(d, bucket >> 1);
#endif
    return settled(bucket);
}

static int hop_doubling(int d, int f, int side)
{
    int here = live(f, side);
    if (!COUNT(HOLDS(here), f)) here = live(f, 1 - side);
    if (!COUNT(HOLDS(here), f)) return 0;
    int source = AT(here), destination = OTHER_END(source);
    int w = settled_end(d, source), x = settled_end(d, destination);
    if (!IS_BUCKET(w) || !IS_BUCKET(x)) return 0;
    int t = TRANSFER(f, 0, source, destination), old = OLD(PLAIN(w), PLAIN(x));
    int new_w = after(source, t, old), new_x = after(destination, t, old);
    if (new_w < 0 || new_x < 0) return 0;
    int pending = publish(d, t, old), r = REFERENCE(d, USES(pending));
    int lower = source < destination ? source : destination, higher = source ^ destination ^ lower;
    if (!put(lower, BUCKET(before(lower, t, old)), r, INSTALL)) {
        decide_own(d, pending, ABORTED);
        return 0;
    }
    if (!put(higher, BUCKET(before(higher, t, old)), r, INSTALL)) {
        decide_own(d, pending, ABORTED);
        put(lower, r, BUCKET(before(lower, t, old)), THAW);
        return 0;
    }
    announce(0, f);
    int committed = decide_own(d, pending, COMMITTED);
    put(source, r, BUCKET(committed ? new_w : PLAIN(w)), THAW);
    put(destination, r, BUCKET(committed ? new_x : PLAIN(x)), THAW);
    return committed;
}

// ---- admission ----------------------------------------------------------------------------------
static int witness_on_side(int f, int side, int target)
{
    for (int i = 0;; i++) {
        BOUNDED(i);
        for (int level = LEVEL(LOAD(root, ROOT_LOAD)); level <= 2;) {
            int bucket = BUCKET_OF(f, side, level), block = block_of(bucket);
            assert(block >= 0);
#ifdef WITNESS_LOADS
            int w = atomic_load_explicit(cell_in(block, bucket), WITNESS);
#else
            int w = atomic_fetch_or_explicit(cell_in(block, bucket), 0, WITNESS);
#endif
            assert(w != ABSENT);
            if (w == GONE) {
                level++;
                continue;
            }
            if (!IS_REFERENCE(w)) return !COUNT(w, f);
            long r = resolve(bucket, w);
            if (R_KIND(r) == STALE) break;
            if (R_KIND(r) == SETTLED) return !COUNT(R_CONTENT(r), f);
            if (is_split(r)) {
                finish(bucket, w, R_CONTENT(r));
                break;
            }
            if (COUNT(R_CONTENT(r), f)) return 0;
            if (MOVED(R_TRANSFER(r)) || PLACED(R_TRANSFER(r)) != f) return 1;
            if (bucket < target) return 0;
            decide(INDEX(w), R_CONTROL(r), ABORTED);
            break;
        }
    }
}

static int admit_doubling(int d, int f, int side)
{
    help_to_grow(d);
    int a = live(f, side), b = live(f, 1 - side);
    if (COUNT(HOLDS(a), f) || COUNT(HOLDS(b), f)) return NO;
    int in_first = VACANCIES(HOLDS(a)) >= VACANCIES(HOLDS(b)), here = in_first ? a : b;
    int admitted = with(HOLDS(here), f);
    if (admitted < 0) return 0;
    int pending = publish(d, TRANSFER(0, f, AT(here), AT(here)), OLD(HOLDS(here), 0)),
        r = REFERENCE(d, USES(pending));
    if (!put(AT(here), BUCKET(HOLDS(here)), r, INSTALL)) {
        decide_own(d, pending, ABORTED);
        return 0;
    }
    int empty = witness_on_side(f, in_first ? 1 - side : side, AT(here));
    decide_own(d, pending, empty ? COMMITTED : ABORTED);
    int committed = STATE(LOAD(control[d], CONTROL_OF_OWNER)) == COMMITTED;
    put(AT(here), r, BUCKET(committed ? admitted : HOLDS(here)), THAW);
    return committed ? YES : 0;
}

#include "explain.h"
#include "multiset.h"

static void begin(void)
{
    STORE(word[0], BUCKET(W2), RELAXED);
    STORE(word[1], BUCKET(W3), RELAXED);
    header[0] = 1;
#ifdef GROWING // the growth has begun, and nothing is split
    header[1] = 1;
    STORE(block_of_2, 1, RELAXED);
    STORE(below, 1, RELAXED);
    STORE(root, ROOT(1, 0) | ASIDE, RELAXED);
#else
    STORE(root, ROOT(1, 0), RELAXED);
#endif
    for (int d = 0; d < 3; d++) STORE(control[d], ABORTED, RELAXED);
}

static long content_at_the_beginning(void) { return CONTENT(W2) + CONTENT(W3); }

static long content_at_the_end(void)
{
    int block = LOAD(block_of_2, RELAXED);
    long end = 0;
    for (int bucket = 2; bucket < 8; bucket++) {
        int w = bucket < 4 ? load_in(0, bucket) : block ? load_in(block, bucket) : ABSENT;
        assert(!IS_REFERENCE(w)); // every owner has ended
        if (IS_BUCKET(w)) end += CONTENT(PLAIN(w));
    }
    return end;
}
