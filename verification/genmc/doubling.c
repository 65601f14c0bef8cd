// Races in a table that doubles, from a level of two words to one of four: the root, the splits,
// the sweep and its cursor, the block of the next level. It models src/growing.
//
// Buckets have the numbers of the crate: 2 and 3 are level 1, 4 to 7 are level 2. Two threads may
// make the block of level 2. Prefixes are not modelled: each class goes to one child, F to the
// first and G to the second. No memory is given back, no word is lazy, and no thread is pinned.
//
// Each client asks one question, and begins in the state in which it arises, so that GenMC ends in
// minutes: AT_REST, GROWING or HALF. Calls do no share of a growth by themselves: HELP is one.
#define WORDS 10
#define OWNERS_DECIDE
#define F 1
#define G 2
#define IS(n) (CLIENT == n)
#define INSERT(f, s) DO(K_INSERT, f, insert_doubling(f, s))
#define CONTAINS(f, s) DO(K_HAS, f, look(f, s))
#define REMOVE(f, s) DO(K_REMOVE, f, remove_doubling(f, s))
#define ADMIT(d, f, s) DO(K_ADMIT, f, admit_doubling(d, f, s))
#define HOP(d, f, s) ACT(hop_doubling(d, f, s))
#define SPLIT(d, bucket) ACT(split(d, bucket))
#define HELP(d) ACT(help_to_grow(d))
// Begins to double the table. If the block must be made, it is block `mine`.
#define BEGIN(mine) ACT(begin_growth(mine))

// The states at the beginning.
#define AT_REST 0 // at level 1
#define GROWING 1 // the growth has begun, and nothing is split
#define HALF 2    // word 2 is gone, and the cursor has passed it

// W2 and W3 are the initial contents, of a bucket or of its children together. FIRST is the side
// that lookups read first.
#if IS(1) // an item is found during a whole growth
#define W2 ONE(F)
#define T0 BEGIN(1) HELP(0) HELP(0)
#define T1 CONTAINS(F, FIRST) CONTAINS(F, FIRST)
#elif IS(2) // two threads begin a growth, and one looks
#define W2 ONE(F)
#define T0 BEGIN(1)
#define T1 BEGIN(2) CONTAINS(F, FIRST)
#elif IS(3) // two threads do all shares of a growth, and one looks
#define FROM GROWING
#define W2 ONE(F)
#define T0 HELP(0) HELP(0)
#define T1 HELP(1) HELP(1) CONTAINS(F, FIRST)
#elif IS(4) // two threads split one word, and a third one looks
#define FROM GROWING
#define W2 ONE(F)
#define T0 SPLIT(0, 2)
#define T1 SPLIT(1, 2)
#define T2 CONTAINS(F, FIRST)
#elif IS(5) // an insert into a bucket that is split
#define FROM GROWING
#define W2 ONE(F)
#define W3 (2 * ONE(F))
#define T0 HELP(0) HELP(0)
#define T1 INSERT(G, FIRST) CONTAINS(G, 1 - FIRST)
#elif IS(6) // a remove from a bucket that is split
#define FROM GROWING
#define W2 ONE(F)
#define T0 HELP(0) HELP(0)
#define T1 REMOVE(F, FIRST) CONTAINS(F, FIRST)
#elif IS(7) // the root moves on before a remove: a lookup that began before, and one after it
#define FROM GROWING
#define W2 ONE(F)
#define T0 HELP(0) HELP(0) REMOVE(F, 0)
#define T1 CONTAINS(F, FIRST) CONTAINS(F, FIRST)
#elif IS(8) // a hop, and a thread that splits the bucket that the token leaves
#define FROM GROWING
#define W2 ONE(F)
#define T0 HOP(0, F, 0)
#define T1 SPLIT(1, 2) CONTAINS(F, FIRST)
#elif IS(9) // a hop, and a thread that does all shares of the growth
#define FROM GROWING
#define W2 ONE(F)
#define T0 HOP(0, F, 0)
#define T1 HELP(1) HELP(1) CONTAINS(F, FIRST)
#elif IS(10) // the same, and a third thread looks
#define FROM GROWING
#define W2 ONE(F)
#define T0 HOP(0, F, 0)
#define T1 HELP(1) HELP(1)
#define T2 CONTAINS(F, FIRST)
#elif IS(11) // a hop to a child whose parent is being split, and a lookup by the same thread
#define FROM HALF
#define W2 ONE(F)
#define T0 HOP(0, F, 0) CONTAINS(F, FIRST)
#define T1 SPLIT(1, 3)
#elif IS(12) // two admissions of one class, with targets at two levels
#define FROM HALF
#define T0 ADMIT(0, F, 0)
#define T1 ADMIT(1, F, 1)
#elif IS(13) // two admissions, one of them by the thread that splits the witness of the other
#define FROM GROWING
#define T0 ADMIT(0, F, 0)
#define T1 SPLIT(1, 3) ADMIT(1, F, 1)
#elif IS(14) // one order: two inserts into different words, with crossed lookups
#define STRIPES 2
#define FROM HALF
#define T0 INSERT(F, 0) CONTAINS(G, 0)
#define T1 INSERT(G, 0) CONTAINS(F, 0)
#elif IS(15) // a token is inserted, and its twin at the other level is removed; a lookup
#define FROM HALF
#define W3 ONE(F)
#define T0 INSERT(F, 0) REMOVE(F, 1)
#define T1 CONTAINS(F, FIRST)
#endif

#ifndef FROM
#define FROM AT_REST
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

// Only in C: the words of all blocks are one array.
static atomic_int *cell_in(int block, int bucket)
{
    return &word[block ? 2 + 4 * (block - 1) + bucket - 4 : bucket - 2];
}

// Translates growing: load 1fcf7f6f
static int load_in(int block, int bucket)
{
    return atomic_load_explicit(cell_in(block, bucket), WORD_LOAD);
}

// Returns the block of a bucket, or -1 if there is none. Its header stands for its address and
// length too, which are written before it is added.
// Translates growing: Levels::memory ce273268
static int block_of(int bucket)
{
    if (LEVEL_OF(bucket) == 1) return 0;
#if FROM == AT_REST
    int block = LOAD(block_of_2, BLOCK_GET);
    if (!block) return -1;
    assert(header[block]);
    return block;
#else
    return 1; // It was there before the threads began, so a load of its place orders nothing.
#endif
}

// Translates growing: Levels::load 0bd948b6
static int word_of(int bucket)
{
    int block = block_of(bucket);
    return block < 0 ? ABSENT : load_in(block, bucket);
}

// Translates growing: Levels::exchange fa81a9a3
// Translates growing: Level::exchange a532d219
static int put(int bucket, int old, int new, memory_order order)
{
    int block = block_of(bucket);
    return block >= 0 && replace(cell_in(block, bucket), old, new, order, WORD_FAILURE);
}

// Translates growing: GrowingTokens::is_growing a0cd18fc
static int is_growing(int r) { return r & ASIDE; }

// Translates growing: Levels::replace_root e13a6b42
static int replace_root(int old, int new)
{
    return replace(&root, old, new, ROOT_EXCHANGE, ROOT_FAILURE);
}

// ---- settlement and splits ----------------------------------------------------------------------
// Translates kernel: Transfer::from_fields 6e7f48d6
static int is_split(long r) { return !MOVED(R_TRANSFER(r)) && !PLACED(R_TRANSFER(r)); }

// Translates growing: children 7db60b0f
static int part_of(int bucket, int content, int child)
{
    int part = 0;
    for (int f = 1; f <= 3; f++)
        if (CHILD(bucket, f) == child) part += COUNT(content, f) * ONE(f);
    return part;
}

// Ends a split, by any thread: writes both children, then the parent is gone.
// Translates growing: GrowingTokens::finish_split 76001f48
// Translates growing: GrowingTokens::complete_split 49491fbd
static void finish(int bucket, int r, int content)
{
#ifdef GONE_FIRST
    put(bucket, r, GONE, THAW);
#endif
    for (int child = bucket << 1; child <= (bucket << 1 | 1); child++)
        put(child, ABSENT, BUCKET(part_of(bucket, content, child)), ADD);
    put(bucket, r, GONE, THAW);
}

// Translates growing: GrowingTokens::settle_word f11739ca
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
#ifndef ABORT_SPLITS
        } else if (is_split(r)) {
            finish(bucket, w, R_CONTENT(r));
#endif
        } else {
            decide(INDEX(w), R_CONTROL(r), ABORTED);
        }
    }
}

// Translates growing: GrowingTokens::split_with f6fd45bd
static void split(int d, int bucket)
{
    for (int i = 0;; i++) {
        BOUNDED(i);
        int w = settled(bucket);
        if (!IS_BUCKET(w)) return;
#ifdef NO_FREEZE
        finish(bucket, w, PLAIN(w));
        return;
#endif
        int pending = publish(d, TRANSFER(0, 0, bucket, bucket), OLD(PLAIN(w), 0));
        int r = REFERENCE(d, USES(pending));
        if (put(bucket, w, r, INSTALL)) {
            finish(bucket, r, PLAIN(w));
            return;
        }
    }
}

// Returns the live bucket of a class on a side, with its content, settled.
// Translates growing: GrowingTokens::live_by 72d9beb5
// Translates growing: GrowingTokens::descend 04d07cf0
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
// Translates growing: GrowingTokens::begin_growth 698d55ee
// Translates growing: Levels::open_next_level 31d84869
// Translates growing: Levels::memory_or_new 4a0ad99e
static void begin_growth(int mine)
{
    int r = LOAD(root, ROOT_LOAD);
    if (r & ASIDE || LEVEL(r) == 2) return;
    int block = LOAD(block_of_2, BLOCK_GET);
    if (block) {
        assert(header[block]);
    } else {
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

// Translates growing: Sweep::next_chunk 6aa34dc7
static int next_word(void)
{
    int cursor = LOAD(children, CURSOR_LOAD) / 2;
    if (LOAD(taken, RELAXED) < 2) {
        int from = atomic_fetch_add_explicit(&taken, 1, RELAXED);
        if (from < 2) return from;
    }
    return cursor;
}

// Records that the word at `place` is gone. Returns whether all are.
// Translates growing: Levels::move_cursor b1b4dfef
// Translates growing: Sweep::move_cursor 568f252a
static int move_cursor(int place)
{
    if (LOAD(children, CURSOR_LOAD) / 2 != place) return 0;
    int gone = place < 2 ? place + 1 : 2;
    if (gone < 2 && gone < LOAD(taken, RELAXED) && word_of(2 + gone) == GONE) gone++;
    int expected = 2 * place;
    atomic_compare_exchange_strong_explicit(&children, &expected, 2 * gone, CURSOR_MOVE, RELAXED);
    return gone == 2;
}

// Translates growing: GrowingTokens::help_to_grow 13a0086b
// Translates growing: Levels::move_root_on e2ae8fb2
static void help_to_grow(int d)
{
    int r = LOAD(root, ROOT_LOAD);
    if (!is_growing(r)) return;
    int place = next_word();
#ifdef EARLY_ROOT
    replace_root(r, ROOT(2, block_of(4)));
#endif
    if (place < 2) split(d, 2 + place);
    if (move_cursor(place)) replace_root(r, ROOT(2, block_of(4)));
}

// ---- lookup -------------------------------------------------------------------------------------
// Translates growing: GrowingTokens::answer_on d3bd1fbb
static int answer_on(int f, int side)
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
#ifndef NO_ARRIVAL
            int t = R_TRANSFER(r);
            if (R_KIND(r) == UNDECIDED && MOVED(t) == f && bucket != SOURCE(t)) {
                if (word_of(SOURCE(t)) == w) return YES;
                if (control_of(w, CONTROL_AGAIN) != R_CONTROL(r)) return UNCLEAR;
            }
#endif
            return COUNT(R_CONTENT(r), f) ? YES : NO;
        }
    }
}

// Translates growing: GrowingTokens::contains_slowly a87083fd
static int look_slowly(int f, int side)
{
    for (int i = 0;; i++) {
        BOUNDED(i);
        int v = version(0, f);
        int answer = answer_on(f, side);
        if (answer == NO) answer = answer_on(f, 1 - side);
        if (answer == YES) return YES;
        if (answer == NO && unchanged(0, f, v)) return NO;
    }
}

// Translates growing: GrowingTokens::probe_level e49d4e59
// Translates growing: GrowingTokens::probe_mid_growth 9e38706c
// Translates growing: MidGrowthPair::new 8dfd545e
static int look(int f, int side)
{
    int r = LOAD(root, ROOT_LOAD);
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
// Translates growing: GrowingTokens::add_to_emptier fb2a654c
static int insert_doubling(int f, int side)
{
    for (int i = 0;; i++) {
        BOUNDED(i);
        int a = live(f, side), b = live(f, 1 - side);
        int emptier = VACANCIES(HOLDS(a)) >= VACANCIES(HOLDS(b)) ? a : b;
        int added = with(HOLDS(emptier), f);
        if (added < 0) return 0;
        if (put(AT(emptier), BUCKET(HOLDS(emptier)), BUCKET(added), ADD)) return YES;
    }
}

// Translates growing: GrowingTokens::remove_slowly 6ed4f92c
static int remove_doubling(int f, int side)
{
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
#ifndef NO_TWIN
            announce(0, f);
#endif
            bumped = 1;
        }
        if (put(AT(here), BUCKET(HOLDS(here)), BUCKET(without(HOLDS(here), f)), ADD)) return YES;
    }
}

// Settles a bucket whose number was computed. If it is deeper than the root, its parent must be
// gone first.
// Translates growing: GrowingTokens::settle_computed 6a088ba3
static int settled_end(int d, int bucket)
{
#ifndef NO_PARENT
    if (LEVEL_OF(bucket) > LEVEL(LOAD(root, ROOT_LOAD))) split(d, bucket >> 1);
#endif
    return settled(bucket);
}

// Translates kernel: try_to_relocate 87d78fda
// Translates kernel: change_two_words e45f2e95
// Translates growing: <LevelGraph as CuckooTable>::settle 2e355759
// Translates growing: <LevelGraph as Words>::freeze f665db9e
// Translates growing: <LevelGraph as Words>::thaw 4a0143e7
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
// Translates growing: GrowingTokens::is_absent_from_witness 4f3d335e
static int witness_on_side(int f, int side, int target)
{
    for (int i = 0;; i++) {
        BOUNDED(i);
        for (int level = LEVEL(LOAD(root, ROOT_LOAD)); level <= 2;) {
            int bucket = BUCKET_OF(f, side, level), block = block_of(bucket);
            assert(block >= 0);
            int w = atomic_load_explicit(cell_in(block, bucket), WITNESS);
            assert(w != ABSENT);
            if (w == GONE) {
#ifdef NO_DESCENT
                return 1;
#endif
                level++;
                continue;
            }
            if (!IS_REFERENCE(w)) return !COUNT(w, f);
            long r = resolve(bucket, w);
            if (R_KIND(r) == STALE) break;
            if (R_KIND(r) == SETTLED) {
                if (COUNT(R_CONTENT(r), f)) return 0;
#ifdef TRUST_ABORTS
                return 1;
#endif
                put(bucket, w, BUCKET(R_CONTENT(r)), THAW);
                break;
            }
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

// Translates growing: GrowingTokens::try_insert_unique_slowly e665c1b9
// Translates growing: GrowingTokens::admit ab9b3101
// Translates kernel: change_word bcbe83a4
// Translates growing: <GrowingTokens as Words>::freeze 486de557
// Translates growing: <GrowingTokens as Words>::thaw c53bd4ff
static int admit_doubling(int d, int f, int side)
{
    int a = live(f, side), b = live(f, 1 - side);
    if (COUNT(HOLDS(a), f) || COUNT(HOLDS(b), f)) return NO;
    int in_first = VACANCIES(HOLDS(a)) >= VACANCIES(HOLDS(b)), here = in_first ? a : b;
    int admitted = with(HOLDS(here), f);
    if (admitted < 0) return 0;
    int pending = publish(d, TRANSFER(0, f, AT(here), AT(here)), OLD(HOLDS(here), 0)),
        r = REFERENCE(d, USES(pending));
    if (!put(AT(here), BUCKET(HOLDS(here)), r, INSTALL)) return 0;
    int committed;
    if (witness_on_side(f, in_first ? 1 - side : side, AT(here))) {
        committed = put(AT(here), r, BUCKET(admitted), COMMIT) || IS_COMMITTED(d);
    } else {
        decide_own(d, pending, ABORTED);
        committed = IS_COMMITTED(d);
        put(AT(here), r, BUCKET(committed ? admitted : HOLDS(here)), THAW);
    }
    return committed ? YES : 0;
}

#include "explain.h"
#include "multiset.h"

static void begin(void)
{
    header[0] = 1;
    STORE(word[1], BUCKET(W3), RELAXED);
#if FROM == HALF
    STORE(word[0], GONE, RELAXED);
    STORE(*cell_in(1, 4), BUCKET(part_of(2, W2, 4)), RELAXED);
    STORE(*cell_in(1, 5), BUCKET(part_of(2, W2, 5)), RELAXED);
    STORE(children, 2, RELAXED);
    STORE(taken, 1, RELAXED);
#else
    STORE(word[0], BUCKET(W2), RELAXED);
#endif
#if FROM == AT_REST
    STORE(root, ROOT(1, 0), RELAXED);
#else
    header[1] = 1;
    STORE(block_of_2, 1, RELAXED);
    STORE(below, 1, RELAXED);
    STORE(root, ROOT(1, 0) | ASIDE, RELAXED);
#endif
    for (int d = 0; d < 2; d++) STORE(control[d], ABORTED, RELAXED);
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
