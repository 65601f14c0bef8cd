// The protocol of src/kernel and src/fixed in C11, for GenMC: tables of two or four words each.
//
// A bucket is canonical: two bits of count for each of three classes, at most SLOTS tokens. So the
// same word value returns as often as in any layout. A word is a bucket or a reference: a
// descriptor and the low bits of the number of its use. Names in capitals that are no macros here
// are orderings: run.py has the table, and passes them.
//
// Functions return integers, so that no local variable becomes an event of the execution graph.
#include <assert.h>
#include <genmc.h>
#include <pthread.h>
#include <stdatomic.h>

#define SEQ_CST memory_order_seq_cst
#define ACQ_REL memory_order_acq_rel
#define ACQUIRE memory_order_acquire
#define RELEASE memory_order_release
#define RELAXED memory_order_relaxed

// ---- sizes and bounds; a client may choose others -----------------------------------------------
#ifndef SLOTS // of a bucket
#define SLOTS 2
#endif
#ifndef ROUNDS // of each loop; an execution that needs more is cut
#define ROUNDS 3
#endif
#ifndef ATTEMPTS // of an admission
#define ATTEMPTS 1
#endif
#ifndef TABLES
#define TABLES 1
#endif
#ifndef WORDS // of each table
#define WORDS 2
#endif
#ifndef STRIPES // of each table
#define STRIPES 1
#endif
#ifndef FIELDS // of a descriptor: two or four words
#define FIELDS 2
#endif
#ifndef MASK // the alternate of bucket b is b ^ MASK(f)
#define MASK(f) 1
#endif
#ifndef NOTES // slots of the log of hints
#define NOTES 1
#endif
#ifndef W0 // to W3: the words at the beginning
#define W0 0
#endif
#ifndef W1
#define W1 0
#endif
#ifndef W2
#define W2 0
#endif
#ifndef W3
#define W3 0
#endif

#define DESCRIPTORS 4

static atomic_int word[TABLES * WORDS];
static atomic_int stripe[TABLES * STRIPES];
static atomic_int control[DESCRIPTORS];
static atomic_int owned[DESCRIPTORS];
static atomic_int fields[DESCRIPTORS][FIELDS];
static atomic_int scanning, notes, noted[NOTES];

#define BOUNDED(round) \
    if ((round) >= ROUNDS) __VERIFIER_assume(0)

#define LOAD(cell, order) atomic_load_explicit(&(cell), order)
#define STORE(cell, value, order) atomic_store_explicit(&(cell), value, order)

// ---- buckets ------------------------------------------------------------------------------------
#define ONE(f) (1 << 2 * ((f)-1))
#define COUNT(c, f) (((c) >> 2 * ((f)-1)) & 3)
#define TOTAL(c) (COUNT(c, 1) + COUNT(c, 2) + COUNT(c, 3))
#define VACANCIES(c) (SLOTS - TOTAL(c))

// Only in C: a bucket is a count of each class.
static int with(int c, int f) { return VACANCIES(c) > 0 ? c + ONE(f) : -1; }
// Only in C: a bucket is a count of each class.
static int without(int c, int f) { return COUNT(c, f) ? c - ONE(f) : -1; }
// Only in C: a bucket is a count of each class.
static int replacing(int c, int f, int placed)
{
    return COUNT(c, f) ? c - ONE(f) + ONE(placed) : -1;
}

#define IS_REFERENCE(w) ((w)&0x10000)
#define REFERENCE(d, uses) (0x10000 | ((d)&0xf) << 8 | ((uses)&0xff))
#define INDEX(r) (((r) >> 8) & 0xff)

// ---- transfers: one integer for moved, placed, source and destination, one for the old contents -
#define TRANSFER(m, p, s, d) ((m) | (p) << 2 | (s) << 4 | (d) << 7)
#define MOVED(t) ((t)&3)
#define PLACED(t) (((t) >> 2) & 3)
#define SOURCE(t) (((t) >> 4) & 7)
#define DESTINATION(t) (((t) >> 7) & 7)
#define OLD(s, d) ((s) | (d) << 8)

// Translates kernel: Transfer::before bdc52874
// Translates kernel: Transfer::source b7e6bb48
static int before(int bucket, int t, int old)
{
    return bucket == SOURCE(t) ? old & 0xff : (old >> 8) & 0xff;
}

// Translates kernel: Transfer::after 2f15f240
// Translates kernel: Relocation::new_source a3c0c886
// Translates kernel: Relocation::new_destination f861bbc0
static int after(int bucket, int t, int old)
{
    int m = MOVED(t), p = PLACED(t), s = old & 0xff, d = (old >> 8) & 0xff;
    if (bucket != SOURCE(t)) return m ? with(d, m) : -1;
    if (m && p) return replacing(s, m, p);
    if (m) return without(s, m);
    return p ? with(s, p) : 0; // an emptying neither moves nor places
}

// ---- words --------------------------------------------------------------------------------------
// Translates kernel: Table::load 8f211456
static int load(int bucket) { return LOAD(word[bucket], WORD_LOAD); }

// GenMC gives a failed compare-and-exchange the ordering of a successful one. With SPLIT_CAS the
// failure is a load of its own.
// Only in C: one compare-and-exchange, or with SPLIT_CAS a load for the failure.
static int replace(atomic_int *cell, int current, int new, memory_order order, memory_order failure)
{
    int expected = current;
#ifdef SPLIT_CAS
    if (atomic_load_explicit(cell, failure) != current) return 0;
    if (!atomic_compare_exchange_strong_explicit(cell, &expected, new, order, failure))
        __VERIFIER_assume(0);
    return 1;
#else
    return atomic_compare_exchange_strong_explicit(cell, &expected, new, order, failure);
#endif
}

// Exchanges a word, with the ordering for one of three purposes: content for content, install,
// write-back.
// Translates kernel: Table::exchange f7ebbb26
static int exchange(int b, int old, int new)
{
    return replace(&word[b], old, new, ADD, WORD_FAILURE);
}
// Translates fixed: <TokenTable as Words>::freeze 52a27434
// Translates kernel: Table::exchange f7ebbb26
static int freeze(int b, int old, int new)
{
    return replace(&word[b], old, new, INSTALL, WORD_FAILURE);
}
// Translates fixed: <TokenTable as Words>::thaw 4bb91d64
// Translates kernel: Table::exchange f7ebbb26
static int thaw(int b, int old, int new) { return replace(&word[b], old, new, THAW, WORD_FAILURE); }

// The exchange by which the owner of a change of one word commits it.
// Translates fixed: <TokenTable as Words>::thaw 4bb91d64
// Translates kernel: Table::exchange f7ebbb26
static int commit(int b, int old, int new)
{
    return replace(&word[b], old, new, COMMIT, WORD_FAILURE);
}

// Translates kernel: Table::load_crosswise abd152d2
static int load_crosswise(int bucket) { return LOAD(word[bucket], WITNESS); }

// ---- stripes and hints --------------------------------------------------------------------------
#define STRIPE(b, f) stripe[(b) / WORDS * STRIPES + ((f)-1) % STRIPES]
#define HINT(b, f) ((b) << 2 | (f))
#define SCAN_ON 1
#define BUMP 2

// Translates kernel: Stripe::version f4beaf09
static int version(int b, int f) { return LOAD(STRIPE(b, f), VERSION); }
// Translates kernel: Stripe::unchanged 7769b817
static int unchanged(int b, int f, int v) { return LOAD(STRIPE(b, f), VERSION_AGAIN) == v; }

// Translates kernel: Hints::note 0a4fc17b
static void note(int hint)
{
    if (!LOAD(scanning, RELAXED)) return;
    for (int i = 0;; i++) {
        BOUNDED(i);
        if (LOAD(notes, RELAXED) > NOTES) return;
        int turn = atomic_fetch_add_explicit(&notes, 1, RELAXED);
        if (turn >= NOTES) return;
        int expected = 0;
        if (atomic_compare_exchange_strong_explicit(&noted[turn], &expected, hint, RELAXED,
                                                    RELAXED))
            return;
    }
}

// Translates fixed: TokenTable::announce 99528496
// Translates kernel: Stripes::bump 2a816ac5
static void announce(int b, int f)
{
#ifndef NO_BUMP
    if (atomic_fetch_add_explicit(&STRIPE(b, f), BUMP, BUMP_ORDER) & SCAN_ON) note(HINT(b, f));
#endif
}

// ---- descriptors --------------------------------------------------------------------------------
#define PENDING 0
#define COMMITTED 1
#define ABORTED 2
#define STATE(c) ((c)&3)
#define USES(c) ((c) >> 2)

#ifdef SEGMENTS
// Each segment is one descriptor, whose number is its place in the list. Two threads may allocate
// the next segment at once; one of them is dropped. The address of a segment depends on the thread
// that made it, so it is not the number. Segment 0 is initial, and a dead thread has claimed it.
static atomic_int added[DESCRIPTORS]; // where the next segment is; 0 if there is none
static int made[DESCRIPTORS];         // written without an atomic access, before it is added

// Translates kernel: Segment::next 655fa0e7
static int next_segment(int at, memory_order order) { return LOAD(added[at], order); }

// Returns the segment after the one at `at`. If there is none, adds the one that the caller makes
// at `mine`.
// Translates kernel: Segment::next_or_add 21ff3254
static int add_part(int at, int mine)
{
    int next = next_segment(at, SEGMENT_LOAD);
    if (next) return next;
    if (!made[mine]) {
        made[mine] = 1;
        STORE(control[mine], ABORTED, RELAXED);
    }
    int expected = 0;
    if (atomic_compare_exchange_strong_explicit(&added[at], &expected, mine, SEGMENT_ADD, SEGMENT_LOAD))
        return mine;
    // GenMC gives a failed exchange the ordering of a successful one, which reads relaxed here.
    return next_segment(at, SEGMENT_LOAD);
}

// Translates kernel: Pool::descriptor 62921468
// Translates kernel: Pool::later da172e90
static int place_of(int number)
{
    int at = 0;
    for (; number; number--) {
        at = next_segment(at, SEGMENT_FIND);
        assert(at); // the descriptor that a reference names is there
        assert(made[at]);
    }
    return at;
}
// A claimed descriptor: its number and address, so that the thread need not look for the segment
// again.
#define CLAIMED(number, at) ((number) | (at) << 4)
#define PLACE(d) ((d) >> 4)
#else
#define place_of(number) (number)
#define PLACE(d) ((d)&0xf)
#endif

// Processes, in a table that several share. The one that claims with this bit is killed after its
// step STOP; then the system says that it is dead. All others are one owner here.
#define KILLED 0x10
#define OWNER(d) ((d)&KILLED ? 2 : 1)
static atomic_int dead;

// Translates kernel: Pool::is_pending 3cb82fbd
// Translates kernel: Descriptor::control 41d8bdff
static int control_of(int r, memory_order order)
{
    return LOAD(control[place_of(INDEX(r))], order);
}

// Decides a use, as its owner or as a thread that has the reference.
// Translates kernel: Claim::decide 41dc7838
// Translates kernel: Descriptor::decide e2712a1d
static int decide_own(int d, int pending, int state)
{
    return replace(&control[PLACE(d)], pending, pending | state, DECISION, DECISION_FAILURE);
}

// Translates kernel: Pool::decide c92b99d8
static int decide(int number, int pending, int state)
{
    return replace(&control[place_of(number)], pending, pending | state, DECISION,
                   DECISION_FAILURE);
}

// Begins a use. Returns the control that means "pending".
// Translates kernel: Claim::publish 4b909f4b
static int publish(int d, int t, int old)
{
    int at = PLACE(d);
#ifdef SEGMENTS
    assert(made[at]);
#endif
    int pending = (USES(LOAD(control[at], RELAXED)) + 1) << 2;
    STORE(control[at], pending, PUBLISH);
#ifndef NO_PUBLISH_FENCE
    atomic_thread_fence(RELEASE);
#endif
#if FIELDS == 2
    STORE(fields[at][0], t, RELAXED);
    STORE(fields[at][1], old, RELAXED);
#else
    STORE(fields[at][0], t & 0xf, RELAXED);
    STORE(fields[at][1], t >> 4, RELAXED);
    STORE(fields[at][2], old & 0xff, RELAXED);
    STORE(fields[at][3], old >> 8, RELAXED);
#endif
    return pending;
}

// The meaning of a reference: kind, content (the old one, or the decided one), transfer and
// control.
#define STALE 0
#define SETTLED 1
#define UNDECIDED 2
#define R_KIND(r) ((int)((r)&3))
#define R_CONTENT(r) ((int)((r) >> 2 & 0xff))
#define R_TRANSFER(r) ((int)((r) >> 10 & 0x3ff))
#define R_CONTROL(r) ((int)((r) >> 20))

// Translates kernel: Descriptor::read 23f4f20c
// Translates kernel: Pool::resolve b8a5d185
// Translates kernel: Descriptor::resolve 524edd7e
static long resolve(int bucket, int r)
{
    int at = place_of(INDEX(r));
#if FIELDS == 2
    int t = LOAD(fields[at][0], RELAXED);
    int old = LOAD(fields[at][1], RELAXED);
#else
    int t = LOAD(fields[at][0], RELAXED);
    t |= LOAD(fields[at][1], RELAXED) << 4;
    int old = LOAD(fields[at][2], RELAXED);
    old |= LOAD(fields[at][3], RELAXED) << 8;
#endif
#ifndef NO_READ_FENCE
    atomic_thread_fence(ACQUIRE);
#endif
    int c = control_of(r, CONTROL);
    if (REFERENCE(INDEX(r), USES(c)) != r) {
#ifdef CHECK_STALE // a thread that finds that a use is over finds another word too
        assert(LOAD(word[bucket], WORD_LOAD) != r);
#endif
        return STALE;
    }
    int content = before(bucket, t, old), kind = STATE(c) == PENDING ? UNDECIDED : SETTLED;
    if (STATE(c) == COMMITTED) {
        int new = after(bucket, t, old);
        if (new >= 0) content = new;
    }
    return kind | (long)content << 2 | (long)t << 10 | (long)c << 20;
}

// Returns a claimed descriptor, or -1. A descriptor of the caller's own needs no claim.
// Translates kernel: Segment::claim_shared e996a1f5
// Translates kernel: Descriptor::take_shared 589c0aa6
// Translates kernel: Pool::claim_behind a763407d
static int claim(int d)
{
#ifdef SEGMENTS
    // All earlier segments are taken, so one is added. The caller makes it at `d`.
    int at = 0;
    for (int number = 1; number < DESCRIPTORS; number++) {
        at = add_part(at, d);
        int expected = 0;
        if (atomic_compare_exchange_strong_explicit(&owned[at], &expected, 1, CLAIM, RELAXED))
            return CLAIMED(number, at);
        if (at == d) break;
    }
    return -1;
#elif defined(SHARED)
    int expected = 0;
    return atomic_compare_exchange_strong_explicit(&owned[PLACE(d)], &expected, OWNER(d), CLAIM,
                                                   RELAXED)
               ? d
               : -1;
#else
    return d;
#endif
}

// Translates kernel: <Claim as Drop>::drop c08dbf28
static void drop(int d)
{
#ifdef DIES
    if (d & KILLED) return; // Only in C: it was killed before this.
#endif
#if defined(SHARED) || defined(SEGMENTS)
    STORE(owned[PLACE(d)], 0, DROP);
#endif
}

// ---- settlement ---------------------------------------------------------------------------------
// Translates fixed: TokenTable::is_absent_from_witness c3cbd905
// Translates fixed: is_rival a02508f1
static int is_absent_from_witness(int f, int target, int witness)
{
    for (int i = 0;; i++) {
        BOUNDED(i);
        int w = load_crosswise(witness);
        if (!IS_REFERENCE(w)) return !COUNT(w, f);
        long r = resolve(witness, w);
        if (R_KIND(r) == STALE) continue;
        if (COUNT(R_CONTENT(r), f)) return 0;
        if (R_KIND(r) == SETTLED) {
#ifdef TRUST_ABORTS
            return 1;
#endif
            thaw(witness, w, R_CONTENT(r));
            continue;
        }
        if (MOVED(R_TRANSFER(r)) || PLACED(R_TRANSFER(r)) != f) return 1;
#ifndef NO_RULE
        if (witness < target) return 0;
#endif
        decide(INDEX(w), R_CONTROL(r), ABORTED);
    }
}

// Translates fixed: TokenTable::settle_reference ca33422a
static void decide_admission(int r, int pending, int t)
{
    // What places no token is an emptying.
    int absent = PLACED(t) && is_absent_from_witness(PLACED(t), SOURCE(t), DESTINATION(t));
    decide(INDEX(r), pending, absent ? COMMITTED : ABORTED);
}

// Translates fixed: TokenTable::settle d6101213
// Translates fixed: TokenTable::settle_reference ca33422a
static int settle(int bucket)
{
    int w = load(bucket);
    if (!IS_REFERENCE(w)) return w;
    for (int i = 0;; i++) {
        BOUNDED(i);
        w = load(bucket);
        if (!IS_REFERENCE(w)) return w;
        long r = resolve(bucket, w);
        if (R_KIND(r) == STALE) continue;
        if (R_KIND(r) == SETTLED) {
            if (thaw(bucket, w, R_CONTENT(r))) return R_CONTENT(r);
            continue;
        }
#ifndef OWNERS_DECIDE
        if (!MOVED(R_TRANSFER(r))) {
            decide_admission(w, R_CONTROL(r), R_TRANSFER(r));
            continue;
        }
#endif
        decide(INDEX(w), R_CONTROL(r), ABORTED);
    }
}

// ---- lookup -------------------------------------------------------------------------------------
#define NO 1
#define YES 2
#define UNCLEAR 3

// Translates fixed: TokenTable::find_in_word fc7fa994
static int find_in_word(int f, int bucket, int w)
{
    if (!IS_REFERENCE(w)) return COUNT(w, f) ? YES : NO;
    long r = resolve(bucket, w);
    if (R_KIND(r) == STALE) return UNCLEAR;
#ifndef NO_ARRIVAL
    int t = R_TRANSFER(r);
    if (R_KIND(r) == UNDECIDED && MOVED(t) == f && bucket != SOURCE(t)) {
        if (LOAD(word[SOURCE(t)], SOURCE_LOAD) == w) return YES;
        if (control_of(w, CONTROL_AGAIN) != R_CONTROL(r)) return UNCLEAR;
    }
#endif
    return COUNT(R_CONTENT(r), f) ? YES : NO;
}

// Translates fixed: TokenTable::find_slowly e54f25be
static int find_slowly(int f, int first)
{
    int second = first ^ MASK(f);
    for (int i = 0;; i++) {
        BOUNDED(i);
        int v = version(first, f);
        int a = load(first), b = load(second);
        int answer = find_in_word(f, first, a);
        if (answer == NO) answer = find_in_word(f, second, b);
        if (answer == YES) return YES;
        if (answer == NO && unchanged(first, f, v)) return NO;
    }
}

// The answer, if the two words give it at a glance.
// Translates fixed: glance b06f921c
static int glance(int f, int first)
{
    int v = version(first, f);
    int a = LOAD(word[first], PAIR_TO_LOOK), b = LOAD(word[first ^ MASK(f)], PAIR_TO_LOOK);
    PAIR_LOADED;
    if (!IS_REFERENCE(a) && !IS_REFERENCE(b) && unchanged(first, f, v))
        return COUNT(a, f) + COUNT(b, f) ? YES : NO;
    return UNCLEAR;
}

// Translates fixed: TokenTable::contains 330cb4e1
static int contains(int f, int first)
{
    int answer = glance(f, first);
    return answer == UNCLEAR ? find_slowly(f, first) : answer;
}

// Looks up without validation of a hit.
// Translates fixed: TokenTable::find 6976ea7c
static int find(int f, int first)
{
    int v = version(first, f);
    int a = LOAD(word[first], PAIR_TO_LOOK), b = LOAD(word[first ^ MASK(f)], PAIR_TO_LOOK);
    PAIR_LOADED;
    if (!IS_REFERENCE(a) && !IS_REFERENCE(b)) {
        if (COUNT(a, f) || COUNT(b, f)) return YES;
        if (unchanged(first, f, v)) return NO;
    }
    return find_slowly(f, first);
}

// Loads both words, settled and validated as for a miss.
// Translates fixed: TokenTable::settled_pair 5c8e0a06
static int pair(int f, int first)
{
    for (int i = 0;; i++) {
        BOUNDED(i);
        int v = version(first, f);
        int a = settle(first), b = settle(first ^ MASK(f));
        if (unchanged(first, f, v)) return a | b << 8;
    }
}

// ---- relocation ---------------------------------------------------------------------------------
// With STOP=n the owner of descriptor 0 stops for good after its n-th step; in a table that several
// processes share, the one that is killed.
#ifdef DIES
#define STEP(n) \
    if (STOP == (n) && (d & KILLED)) return 0
#elif defined(STOP)
#define STEP(n) \
    if (STOP == (n) && d == 0) return 0
#else
#define STEP(n)
#endif

// Translates kernel: try_to_relocate 87d78fda
// Translates kernel: change_two_words e45f2e95
static int relocate(int d, int moved, int placed, int source)
{
    int destination = source ^ MASK(moved);
    int old_s = settle(source), old_d = settle(destination);
    int t = TRANSFER(moved, placed, source, destination), old = OLD(old_s, old_d);
    int new_s = after(source, t, old), new_d = after(destination, t, old);
    if (new_s < 0 || new_d < 0) return 0;
    int pending = publish(d, t, old), r = REFERENCE(d, USES(pending));
    STEP(1);
    int lower = source < destination ? source : destination;
    int higher = source ^ destination ^ lower;
    if (!freeze(lower, before(lower, t, old), r)) {
        decide_own(d, pending, ABORTED);
        return 0;
    }
    STEP(2);
    if (!freeze(higher, before(higher, t, old), r)) {
        decide_own(d, pending, ABORTED);
        thaw(lower, r, before(lower, t, old));
        return 0;
    }
    STEP(3);
    announce(source, moved);
    STEP(4);
    int committed = decide_own(d, pending, COMMITTED);
    STEP(5);
    thaw(source, r, committed ? new_s : old_s);
    STEP(6);
    thaw(destination, r, committed ? new_d : old_d);
    return committed;
}

// Translates kernel: execute 5f46014e
// Translates kernel: relocate 204d89c7
static int hop(int descriptor, int moved, int source)
{
    int d = claim(descriptor);
    if (d < 0) return 0;
    int done = relocate(d, moved, 0, source);
    drop(d);
    return done;
}

// Inserts `placed` in place of `moved`, which goes to its other bucket.
// Translates kernel: execute 5f46014e
static int kick(int d, int placed, int moved, int source)
{
    return relocate(d, moved, placed, source) ? YES : 0;
}

// ---- insertion ----------------------------------------------------------------------------------
// Translates fixed: TokenTable::add_to 5d558f6d
static int add_to(int f, int first, int a, int b)
{
    int in_first = VACANCIES(a) >= VACANCIES(b);
    int added = with(in_first ? a : b, f);
    if (added < 0) return -1;
    return exchange(in_first ? first : first ^ MASK(f), in_first ? a : b, added);
}

// Returns 0 if there is no room: the client itself makes room by a path.
// Translates fixed: TokenTable::insert 8f22de8c
// Translates fixed: TokenTable::add d45f303a
static int insert(int f, int first)
{
    int a = LOAD(word[first], PAIR_TO_INSERT), b = LOAD(word[first ^ MASK(f)], PAIR_TO_INSERT);
    PAIR_LOADED;
    if (!IS_REFERENCE(a) && !IS_REFERENCE(b) && add_to(f, first, a, b) == 1) return YES;
    for (int i = 0;; i++) {
        BOUNDED(i);
        a = settle(first), b = settle(first ^ MASK(f));
        int added = add_to(f, first, a, b);
        if (added < 0) return 0;
        if (added == 1) return YES;
    }
}

// ---- removal ------------------------------------------------------------------------------------
// Translates fixed: TokenTable::remove 3ef7aab8
// Translates fixed: TokenTable::remove_by 7d4e6b05
// Translates fixed: TokenTable::clear_one 2c3fc926
// Translates fixed: TokenTable::change cd1553c2
static int remove_one(int f, int first)
{
    int second = first ^ MASK(f);
    int a = LOAD(word[first], PAIR_TO_REMOVE), b = LOAD(word[second], PAIR_TO_REMOVE);
    PAIR_LOADED;
    if (!IS_REFERENCE(a) && !IS_REFERENCE(b) && COUNT(a, f) + COUNT(b, f) == 1) {
        int content = COUNT(a, f) ? a : b;
        if (exchange(COUNT(a, f) ? first : second, content, without(content, f))) return YES;
    }
    int bumped = 0;
    for (int i = 0;; i++) {
        BOUNDED(i);
        int v = version(first, f);
        for (int j = 0;; j++) {
            BOUNDED(j);
            a = settle(first), b = settle(second);
            if (!COUNT(a, f) && !COUNT(b, f)) break;
            int in_first = COUNT(a, f), content = in_first ? a : b;
            if (COUNT(in_first ? b : a, f) && !bumped) {
#ifndef NO_TWIN
                announce(first, f);
#endif
                bumped = 1;
            }
            if (exchange(in_first ? first : second, content, without(content, f))) return YES;
        }
        if (unchanged(first, f, v)) return NO;
    }
}

// ---- admission ----------------------------------------------------------------------------------
#ifndef CHECK_BEFORE
#define CHECK_BEFORE 1
#endif
#ifndef CHECK_AFTER
#define CHECK_AFTER 1
#endif

// Changes the source of a transfer, if `permits`, which is asked while the word is frozen. Returns
// OUTDATED, or whether it was changed.
#define OUTDATED 2
#define CHANGE_WORD(result, d, t, before, after, permits)                              \
    do {                                                                               \
        int pending = publish(d, t, OLD(before, 0)), r = REFERENCE(d, USES(pending));  \
        STEP(1);                                                                       \
        if (!freeze(SOURCE(t), before, r)) {                                           \
            result = OUTDATED;                                                         \
            break;                                                                     \
        }                                                                              \
        STEP(2);                                                                       \
        if (permits) {                                                                 \
            result = commit(SOURCE(t), r, after) || IS_COMMITTED(d);                   \
            STEP(3);                                                                   \
            break;                                                                     \
        }                                                                              \
        decide_own(d, pending, ABORTED);                                               \
        STEP(4);                                                                       \
        result = IS_COMMITTED(d);                                                      \
        thaw(SOURCE(t), r, result ? after : before);                                   \
    } while (0)
#define IS_COMMITTED(d) (STATE(LOAD(control[PLACE(d)], CONTROL_OF_OWNER)) == COMMITTED)

// Makes one attempt to add a token if there is none here or in other tables. Returns the answer, or
// 0.
// Translates fixed: TokenTable::try_insert_unique e19859b6
// Translates fixed: TokenTable::try_insert_unique_slowly 169a6314
// Translates fixed: TokenTable::admit_to_emptier 13a587e7
// Translates fixed: TokenTable::admit 9b276434
// Translates kernel: change_word bcbe83a4
static int try_to_admit(int descriptor, int f, int first, int state)
{
    int a = LOAD(word[first], PAIR_TO_LOOK), b = LOAD(word[first ^ MASK(f)], PAIR_TO_LOOK);
    PAIR_LOADED;
    if (IS_REFERENCE(a) || IS_REFERENCE(b)) a = settle(first), b = settle(first ^ MASK(f));
    if (COUNT(a, f) || COUNT(b, f)) return NO;
    int in_first = VACANCIES(a) >= VACANCIES(b);
    int target = in_first ? first : first ^ MASK(f), content = in_first ? a : b;
    int admitted = with(content, f);
    if (admitted < 0) return 0;
    int d = claim(descriptor);
    if (d < 0) return 0;
    int t = TRANSFER(0, f, target, target ^ MASK(f)), changed;
    CHANGE_WORD(changed, d, t, content, admitted,
                CHECK_BEFORE && is_absent_from_witness(f, target, target ^ MASK(f)) && CHECK_AFTER);
    drop(d);
    return changed == 1 ? YES : 0;
}

// Translates fixed: TokenTable::insert_unique 52f160b8
// Translates fixed: TokenTable::insert_unique_again 38327f7c
static int admit(int d, int f, int first)
{
    for (int i = 0; i < ATTEMPTS; i++) {
        int told = try_to_admit(d, f, first, 0);
        if (told) return told;
#ifdef STOP
        if (d == 0) return 0;
#endif
    }
    return 0;
}

// Returns whether a table has no token of a class, for an admission in another table.
// Translates fixed: TokenTable::is_absent 23d05403
// Translates fixed: TokenTable::is_absent_slowly 14c5cc13
// Translates fixed: TokenTable::settle_crosswise 28fbc587
static int is_absent(int f, int first)
{
    for (int i = 0;; i++) {
        BOUNDED(i);
        int v = version(first, f);
        int a = load_crosswise(first);
        if (IS_REFERENCE(a)) a = settle(first);
        if (COUNT(a, f)) return 0;
        int b = load_crosswise(first ^ MASK(f));
        if (IS_REFERENCE(b)) b = settle(first ^ MASK(f));
        if (COUNT(b, f)) return 0;
        if (unchanged(first, f, v)) return 1;
    }
}

// ---- recovery -----------------------------------------------------------------------------------
// Takes back the descriptor that a dead process held. Returns whether it is certain that the dead
// one's call has had its effect, or never will.
// Translates fixed: TokenTable::recover dddba198
// Translates kernel: Descriptor::owner 03074b65
// Translates kernel: Descriptor::last 746dade6
// Translates kernel: Descriptor::take_from b7e2603b
static int recover(int descriptor)
{
    int owner = LOAD(owned[descriptor], RELAXED);
    // Only in C: the system says it, after the last step of the dead one.
    if (owner != OWNER(KILLED) || !LOAD(dead, ACQUIRE)) return 0;
#ifndef NO_SETTLEMENT
    int t = LOAD(fields[descriptor][0], RELAXED);
    settle(SOURCE(t));
    settle(DESTINATION(t));
#endif
    replace(&owned[descriptor], owner, 0, TAKE, RELAXED);
    return 1;
}

// ---- scan ---------------------------------------------------------------------------------------
// The copies of a class in a snapshot; -1 if the log was full, or another scan is on.
// Translates fixed: copy_group c01b1f8a
// Translates kernel: Hints::scan ffd1f1a3
// Translates kernel: Scan::forget a2f16797
// Translates kernel: Stripes::announce_scan 351c23a8
// Translates kernel: Stripes::end_scan bc183f1c
// Translates kernel: Scan::hints d71b731d
// Translates kernel: Hints::end_scan 18b8c37e
static int scan(int f, int first)
{
    int expected = 0;
    if (!atomic_compare_exchange_strong_explicit(&scanning, &expected, 1, SCAN_BEGIN, RELAXED))
        return -1;
    STORE(scanning, 1, RELAXED);
    for (int i = 0; i < NOTES; i++) STORE(noted[i], 0, RELAXED);
    STORE(notes, 0, RELAXED);
    for (int i = 0; i < STRIPES; i++) atomic_fetch_or_explicit(&stripe[i], SCAN_ON, ANNOUNCE_SCAN);
    int copies = 0;
    for (int b = 0; b < WORDS; b++) {
        int c = settle(b);
        if (b == first || b == (first ^ MASK(f))) copies += COUNT(c, f);
    }
    for (int i = 0; i < STRIPES; i++) atomic_fetch_and_explicit(&stripe[i], ~SCAN_ON, RELAXED);
    int hints = LOAD(notes, RELAXED);
    for (int i = 0; i < hints && hints <= NOTES; i++) {
        int hint = LOAD(noted[i], RELAXED);
        if ((hint & 3) == f) {
            int both = pair(f, hint >> 2);
            copies = COUNT(both & 0xff, f) + COUNT(both >> 8, f);
        }
    }
    STORE(scanning, 0, SCAN_END);
    return hints > NOTES ? -1 : copies;
}
