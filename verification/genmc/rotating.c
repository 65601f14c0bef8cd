// Races in a rotating filter: two generations and a spare, three tables of two words. The state is
// that of src/rotating/state.rs, emptying that of src/rotating/empty.rs.
//
#define TABLES 3
#define WORDS 2
#define OWNERS_DECIDE
#define F 1
#define G 2
#define IS(n) (CLIENT == n)
#define INSERT(f, b) DO(K_INSERT, f, rotating_insert(f, b))
#define CONTAINS(f, b) DO(K_HAS, f, rotating_contains(f, b))
#define REMOVE(f, b) DO(K_REMOVE, f, rotating_remove(f, b))
#define ADMIT(d, f, b) DO(K_ADMIT, f, rotating_admit(d, f, b))
#define ROTATE(d) DO(K_ROTATE, 0, rotate(d, -1))
// Rotates if there were this many rotations.
#define ROTATE_IF(d, n) ACT(rotate(d, n))
#define NUMBER_OF_ROTATIONS DO(K_ROTATIONS, 0, 1 + ROTATIONS(LOAD(state, STATE_LOAD)))
#define HOP(d, f, table, b) ACT(hop(d, f, 2 * (table) + (b)))

// O, Y and S are word 0 of the oldest table, of the young one, and of the spare.
#if IS(1) // a rotation against an insert and a lookup
#define T0 INSERT(F, 0) CONTAINS(F, FIRST)
#define T1 ROTATE(0)
#elif IS(2) // a rotation forgets the oldest generation, for all threads at once
#define O ONE(F)
#define T0 ROTATE(0)
#define T1 CONTAINS(F, FIRST) CONTAINS(F, FIRST)
#define T2 CONTAINS(F, FIRST) NUMBER_OF_ROTATIONS
#elif IS(3) // a thread that sees that a table is young again sees that it was emptied
#define O ONE(F)
#define T0 ROTATE(0) ROTATE(0)
#define T1 NUMBER_OF_ROTATIONS CONTAINS(F, FIRST)
#elif IS(4) // a late insert that learns the number of rotations at its end expires no later
#define T0 INSERT(F, FIRST) NUMBER_OF_ROTATIONS
#define T1 ROTATE(0) ROTATE(0) ROTATE(0) ROTATE(0)
#define UNEXPLAINED
#define AFTER assert(SAID(r0, 1) - 1 + 2 > 4 || !live_copies(F))
#elif IS(5) // two threads empty one spare, and an item comes back to the table
#define S ONE(F)
#define DIRTY
#define T0 ROTATE_IF(0, 0)
#define T1 ROTATE_IF(1, 0) INSERT(F, FIRST) CONTAINS(F, FIRST)
#define UNEXPLAINED
#define AFTER assert(SAID(r1, 1) == YES && live_copies(F) == 1)
#elif IS(6) // two admissions of one class, one of them after a rotation
#define NO_LOOK
#define T0 ADMIT(0, F, 0)
#define T1 ROTATE(2) ADMIT(1, F, FIRST)
#elif IS(7) // an admission against a hop in the older generation, without the lookup first
#define NO_LOOK
#define O ONE(F)
#define T0 ADMIT(0, F, FIRST)
#define T1 HOP(1, F, 0, 0)
#elif IS(8) // an admission against a remove of the older token and an insert
#define NO_LOOK
#define O ONE(F)
#define T0 ADMIT(0, F, 0)
#define T1 REMOVE(F, FIRST) INSERT(F, 0)
#elif IS(9) // an insert and a lookup for another class in each thread, in two generations
#define STRIPES 2
#define T0 INSERT(F, 0) CONTAINS(G, FIRST)
#define T1 ROTATE(0) INSERT(G, 0) CONTAINS(F, FIRST)
#elif IS(10) // an admission against a rotation, and a lookup by the thread that rotated
#define NO_LOOK
#define T0 ADMIT(0, F, 0)
#define T1 ROTATE(1) CONTAINS(F, FIRST) CONTAINS(F, FIRST)
#elif IS(11) // two admissions, one of them after a rotation by a third thread
#define NO_LOOK
#define T0 ADMIT(0, F, 0)
#define T1 ADMIT(1, F, FIRST)
#define T2 ROTATE(2)
#elif IS(12) // a thread that has seen a rotation, and one that has seen an insert before it
#define T0 ROTATE(0) CONTAINS(F, FIRST)
#define T1 INSERT(F, 0) NUMBER_OF_ROTATIONS
#elif IS(13) // a token that hops in the spare while that is emptied, then the table is young
#define S ONE(F)
#define DIRTY
#define T0 ROTATE(0) CONTAINS(F, FIRST)
#define T1 HOP(1, F, 2, 0)
#define UNEXPLAINED
#define AFTER assert(!live_copies(F))
#elif IS(14) // two rotations at once
#define O ONE(F)
#define T0 ROTATE(0)
#define T1 ROTATE(1)
#define T2 CONTAINS(F, FIRST)
#endif

#define CHECK_AFTER is_current(state)
#define CHECK_BEFORE earlier_hold_none(f, first & 1, state)
static int is_current(int state);
static int is_absent(int f, int first);
static int earlier_hold_none(int f, int b, int state);
#include "protocol.h"

#ifndef O
#define O 0
#endif
#ifndef Y
#define Y 0
#endif
#ifndef S
#define S 0
#endif

// ---- the state: rotations, soils, the young table, and whether the spare is clean ---------------
static atomic_int state;

#define CLEAN 1
#define SOIL (1 << 4)
#define ROTATION (1 << 8)
#define ROTATIONS(s) ((s) / ROTATION)
#define YOUNG(s) (((s) >> 1) & 3)
#define SPARE(s) ((YOUNG(s) + 1) % TABLES)
#define OLDEST(s) ((YOUNG(s) + 2) % TABLES)

// Translates rotating: State::soiled 123c0ec0
static int soiled(int s)
{
    return ((s + SOIL) & (ROTATION - SOIL)) | (s & ~(ROTATION - SOIL) & ~CLEAN);
}
// Translates rotating: State::rotated c347a447
static int rotated(int s) { return (ROTATIONS(s) + 1) * ROTATION + (SPARE(s) << 1); }

// Translates rotating: AtomicState::replace 9ae80cac
static int replace_state(int old, int new)
{
    return replace(&state, old, new, STATE_EXCHANGE, STATE_FAILURE);
}

// Translates rotating: Rotating::is_current d744fa2b
static int is_current(int s) { return ROTATIONS(LOAD(state, STATE_LOAD)) == ROTATIONS(s); }

// ---- walks --------------------------------------------------------------------------------------
#define NONE -1
#define UNTOLD -2

// The oldest table that has a token, if the words tell it at a glance; else a negative number.
// Translates rotating: Ring::oldest_holder c3fa0d5f
static int oldest_holder(int f, int b, int s)
{
    int older = glance(f, 2 * OLDEST(s) + b);
    if (older == UNCLEAR) return UNTOLD;
    int younger = glance(f, 2 * YOUNG(s) + b);
    if (younger == UNCLEAR) return UNTOLD;
    return older == YES ? OLDEST(s) : younger == YES ? YOUNG(s) : NONE;
}

// Translates rotating: <Rotating as RawFilter>::contains 230b74a7
// Translates rotating: Ring::contains f29575d5
// Translates rotating: Rotating::contains_slowly fa8335ee
static int rotating_contains(int f, int b)
{
    int s = LOAD(state, STATE_LOAD), holder = oldest_holder(f, b, s);
    if (holder != UNTOLD && is_current(s)) return holder == NONE ? NO : YES;
    for (int i = 0;; i++) {
        BOUNDED(i);
        s = LOAD(state, STATE_LOAD);
        int found = contains(f, 2 * OLDEST(s) + b) == YES || contains(f, 2 * YOUNG(s) + b) == YES;
        if (is_current(s)) return found ? YES : NO;
    }
}

// Translates rotating: <Rotating as RawFilter>::remove 6868951f
// Translates rotating: Ring::remove 0ecf280a
// Translates rotating: Rotating::remove_slowly c0cbebd2
static int rotating_remove(int f, int b)
{
    int s = LOAD(state, STATE_LOAD), holder = oldest_holder(f, b, s);
    if (holder >= 0 && remove_one(f, 2 * holder + b) == YES) return YES;
    if (holder == NONE && is_current(s)) return NO;
    for (int i = 0;; i++) {
        BOUNDED(i);
        s = LOAD(state, STATE_LOAD);
        if (remove_one(f, 2 * OLDEST(s) + b) == YES) return YES;
        if (remove_one(f, 2 * YOUNG(s) + b) == YES) return YES;
        if (is_current(s)) return NO;
    }
}

// Translates rotating: <Rotating as RawFilter>::insert a158dce9
// Translates rotating: Rotating::arrive_late 5a4658ed
static int rotating_insert(int f, int b)
{
    int s = LOAD(state, STATE_LOAD), table = YOUNG(s);
    if (!insert(f, 2 * table + b)) return 0;
#ifndef NO_SOIL
    if (is_current(s)) return YES;
    for (int i = 0;; i++) {
        BOUNDED(i);
        s = LOAD(state, STATE_LOAD);
        if (SPARE(s) != table || replace_state(s, soiled(s))) return YES;
    }
#endif
    return YES;
}

// Translates rotating: <Older as AbsenceElsewhere>::check_before b805dd9d
static int earlier_hold_none(int f, int b, int s)
{
#ifdef NO_OTHER_TABLES
    return 1;
#endif
    return is_absent(f, 2 * OLDEST(s) + b);
}

// Translates rotating: <Rotating as RawFilter>::insert_unique a882d381
// Translates rotating: Rotating::add_to_young ea0d2cb2
static int rotating_admit(int d, int f, int b)
{
#ifndef NO_LOOK
    if (rotating_contains(f, b) == YES) return NO;
#endif
    int s = LOAD(state, STATE_LOAD), told = try_to_admit(d, f, 2 * YOUNG(s) + b, s);
    return told == NO && !is_current(s) ? 0 : told;
}

// ---- emptying and rotation ----------------------------------------------------------------------
// Empties a word while there is no rotation. 0 if there was one, or the attempts were disturbed.
// Translates rotating: empty_word f050e301
// Translates kernel: change_word bcbe83a4
// Translates rotating: settle_or_empty 700addc9
static int empty_word(int d, int bucket, int s)
{
    for (int i = 0;; i++) {
        BOUNDED(i);
        int w = load(bucket);
        if (IS_REFERENCE(w)) {
            long r = resolve(bucket, w);
            int is_emptying = !MOVED(R_TRANSFER(r)) && !PLACED(R_TRANSFER(r));
            if (R_KIND(r) == UNDECIDED && is_emptying && is_current(s))
                decide(INDEX(w), R_CONTROL(r), COMMITTED);
            w = settle(bucket);
        }
        if (!w) return 1;
        int t = TRANSFER(0, 0, bucket, bucket), permitted = 1, changed;
#ifdef NO_PERMIT
        CHANGE_WORD(changed, d, t, w, 0, 1);
#else
        CHANGE_WORD(changed, d, t, w, 0, permitted = is_current(s));
#endif
        if (changed == 1) return 1;
        if (!permitted) return 0;
    }
}

// Translates kernel: Stripes::bumps 0229b1ef
static int bumps(int table)
{
    int sum = 0;
    for (int i = 0; i < STRIPES; i++) sum += LOAD(stripe[table * STRIPES + i], PASS) / BUMP;
    return sum;
}

// Translates rotating: Rotating::clean 0371c00c
// Translates rotating: TokenTable::empty_while 51331ea5
static void clean(int d, int s)
{
    if (s & CLEAN) return;
    int spare = SPARE(s);
    for (int i = 0;; i++) {
        BOUNDED(i);
        int before = bumps(spare);
        for (int b = 0; b < WORDS; b++)
            if (!empty_word(d, 2 * spare + b, s)) return;
        if (bumps(spare) == before) break;
    }
    replace_state(s, s | CLEAN);
}

// Rotates, if there were `number` rotations, or in any case. After the exchange of the state, the
// emptying of the next spare is left to the next rotation unless CLEAN_AFTER.
// Translates rotating: Rotating::turn_at ea19e6da
static int rotate(int d, int number)
{
    for (int i = 0;; i++) {
        BOUNDED(i);
        int s = LOAD(state, STATE_LOAD);
        if (number >= 0 && number != ROTATIONS(s)) return NO;
        if (!(s & CLEAN)) {
            clean(d, s);
        } else if (replace_state(s, rotated(s))) {
#ifdef CLEAN_AFTER
            clean(d, LOAD(state, STATE_LOAD));
#endif
            return YES;
        }
    }
}

static int live_copies(int f);
// The answer of a thread in one of its calls.
#define SAID(r, call) ((int)((long)(r) >> 4 * (call)) & 15)

#include "explain.h"

// ---- the multiset in two generations, and the number of rotations -------------------------------
#define UNIT(f) (1L << 3 * ((f)-1))
#define IN(generation, f) (((generation) >> 3 * ((f)-1)) & 7)
#define OLD_OF(s) ((s)&0x1ff)
#define YOUNG_OF(s) ((s) >> 9 & 0x1ff)
#define TURNS(s) ((s) >> 18)

static long after_call(long s, int kind, int f, int said)
{
    if (kind == K_ROTATE) return YOUNG_OF(s) | (TURNS(s) + 1) << 18;
    if (kind == K_ROTATIONS) return TURNS(s) + 1 == said ? s : -1;
    if (kind == K_INSERT) return s + (UNIT(f) << 9);
    int there = IN(OLD_OF(s), f) || IN(YOUNG_OF(s), f);
    if (kind == K_ADMIT) return (said == NO) != there ? -1 : there ? s : s + (UNIT(f) << 9);
    if ((said == YES) != there) return -1;
    if (kind != K_REMOVE || !there) return s;
    return IN(OLD_OF(s), f) ? s - UNIT(f) : s - (UNIT(f) << 9);
}

// A late token may be in either of the two generations.
static int is_end(long s, long end) { return OLD_OF(s) + YOUNG_OF(s) == end; }

static void begin(void)
{
    // The tables are oldest, young, spare.
    STORE(word[0], O, RELAXED);
    STORE(word[2], Y, RELAXED);
    STORE(word[4], S, RELAXED);
#ifdef DIRTY
    STORE(state, 1 << 1, RELAXED);
#else
    STORE(state, 1 << 1 | CLEAN, RELAXED);
#endif
    for (int d = 0; d < 3; d++) STORE(control[d], ABORTED, RELAXED);
}

static long content_of(int w)
{
    return COUNT(w, 1) * UNIT(1) + COUNT(w, 2) * UNIT(2) + COUNT(w, 3) * UNIT(3);
}

static long content_at_the_beginning(void) { return content_of(O) | content_of(Y) << 9; }

static long content_at_the_end(void)
{
    int s = LOAD(state, RELAXED);
    long end = 0;
    for (int b = 0; b < WORDS; b++) {
        int old = LOAD(word[2 * OLDEST(s) + b], RELAXED),
            young = LOAD(word[2 * YOUNG(s) + b], RELAXED);
        assert(!IS_REFERENCE(old) && !IS_REFERENCE(young));
        end += content_of(old) + content_of(young);
    }
    return end;
}

static int live_copies(int f) { return IN(content_at_the_end(), f); }
