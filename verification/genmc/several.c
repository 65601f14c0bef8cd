// Races in a growing filter at its last level: a second, finer table is added. Inserts go to the
// finest table, lookups and removes walk from the finest to the coarsest: src/growing.
//
// Table 0 is initial. Tables 1 and 2 are the same second table, made by two threads.
#define TABLES 3
#define WORDS 2
#define OWNERS_DECIDE
#define F 1
#define G 2
#define IS(n) (CLIENT == n)
#define INSERT(f, b) DO(K_INSERT, f, insert_into_finest(f, b))
#define CONTAINS(f, b) DO(K_HAS, f, walk(f, b))
#define REMOVE(f, b) DO(K_REMOVE, f, remove_from_finest(f, b))
#define ADMIT(d, f, b) DO(K_ADMIT, f, admit_to_finest(d, f, b))
#define ADD_TABLE(mine) ACT(add_table(mine))
#define HOP(d, f, table, b) ACT(hop(d, f, 2 * (table) + (b)))

#if IS(1) // a table is added, with an item in it; and a lookup that began before
#define T0 ADD_TABLE(1) INSERT(F, 0)
#define T1 CONTAINS(F, FIRST) CONTAINS(F, FIRST)
#elif IS(2) // an item moves on to the finer table: inserted again, and then removed once
#define W0 ONE(F)
#define T0 ADD_TABLE(1) INSERT(F, 0) REMOVE(F, FIRST)
#define T1 CONTAINS(F, FIRST)
#elif IS(3) // two threads add the table at once, and each looks for the other's item
#define T0 ADD_TABLE(1) INSERT(F, 0) CONTAINS(G, FIRST)
#define T1 ADD_TABLE(2) INSERT(G, 0) CONTAINS(F, FIRST)
#elif IS(4) // crosswise, an insert into either table
#define STRIPES 2
#define T0 ADD_TABLE(1) INSERT(F, 0) CONTAINS(G, FIRST)
#define T1 INSERT(G, 0) CONTAINS(F, FIRST)
#elif IS(5) // two admissions of one class, one of them in the finer table
#define NO_LOOK
#define T0 ADMIT(0, F, 0)
#define T1 ADD_TABLE(1) ADMIT(1, F, FIRST)
#elif IS(6) // the same, with the table added by a third thread
#define NO_LOOK
#define T0 ADMIT(0, F, 0)
#define T1 ADMIT(1, F, FIRST)
#define T2 ADD_TABLE(1)
#elif IS(7) // an admission against a hop in the coarser table, without the lookup first
#define NO_LOOK
#define ADDED
#define W0 ONE(F)
#define T0 ADMIT(0, F, FIRST)
#define T1 HOP(1, F, 0, 0)
#elif IS(8) // an admission against a remove in the coarser table and an insert
#define NO_LOOK
#define ADDED
#define W0 ONE(F)
#define T0 ADMIT(0, F, 0)
#define T1 REMOVE(F, FIRST) INSERT(F, 0)
#elif IS(9) // an admission in the coarser table, whose word froze before the finer one was added
#define NO_LOOK
#define T0 ADMIT(0, F, 0)
#define T1 ADD_TABLE(1) INSERT(F, 0) REMOVE(F, FIRST)
#elif IS(10) // one order: an insert into the finer table, one into the coarser, seen by two others
#define STRIPES 2
#define T0 ADD_TABLE(1) INSERT(F, 0)
#define T1 INSERT(G, 0)
#define T2 CONTAINS(F, 0) CONTAINS(G, 0)
#define T3 CONTAINS(G, 0) CONTAINS(F, 0)
#endif

// Checks the coarser tables, and then whether the table is still the finest: src/growing/several.rs.
#define CHECK_AFTER later_hold_none(f, first)
static int later_hold_none(int f, int first);
#include "protocol.h"

static atomic_int followed; // the bit of the root of table 0
static atomic_int later;    // the second table, once it is there
static int made[TABLES];    // written without an atomic access, before the table is there

// Translates growing: Tables::count a30e14c4
static int second_table(void)
{
    int table = LOAD(later, BLOCK_GET);
    if (table) assert(made[table]);
    return table;
}

// Translates growing: Tables::add 480bb6f1
// Translates growing: Levels::set_successor dfba4706
static void add_table(int mine)
{
    if (!second_table()) {
        made[mine] = 1;
        int expected = 0;
        atomic_compare_exchange_strong_explicit(&later, &expected, mine, BLOCK_ADD, BLOCK_GET);
    }
    for (int i = 0;; i++) {
        BOUNDED(i);
        if (LOAD(followed, ROOT_LOAD) || replace(&followed, 0, 1, ROOT_EXCHANGE, ROOT_FAILURE))
            return;
    }
}

// Translates growing: Tables::newest 7d13cfbb
// Translates growing: Levels::root 61b12582
static int finest(void)
{
    if (!LOAD(followed, ROOT_LOAD)) return 0;
    int table = second_table();
    assert(table); // Whether the table has a successor.
    return table;
}

// Translates growing: Tables::lookup_in_all 52377b13
static int walk(int f, int b)
{
    int table = finest();
    if (table && contains(f, 2 * table + b) == YES) return YES;
    return contains(f, b);
}

// Translates growing: Tables::remove_from_all 10d43db3
static int remove_from_finest(int f, int b)
{
    int table = finest();
    if (table && remove_one(f, 2 * table + b) == YES) return YES;
    return remove_one(f, b);
}

// Translates growing: Tables::insert_or_grow 60fae96f
static int insert_into_finest(int f, int b) { return insert(f, 2 * finest() + b); }

// Translates growing: <Others as AbsenceElsewhere>::check_after 4905d652
static int later_hold_none(int f, int first)
{
    int table = first / 2;
#ifndef NO_OTHER_TABLES
    if (table && !is_absent(f, first & 1)) return 0;
#endif
    return finest() == table;
}

// Translates growing: <Growing as RawFilter>::insert_unique 1ec481f0
// Translates growing: Growing::insert_absent 92331ddd
static int admit_to_finest(int d, int f, int b)
{
#ifndef NO_LOOK
    if (walk(f, b) == YES) return NO;
#endif
    return try_to_admit(d, f, 2 * finest() + b, 0);
}

#include "explain.h"
#include "multiset.h"

static void begin(void)
{
    STORE(word[0], W0, RELAXED);
#ifdef ADDED
    made[1] = 1;
    STORE(later, 1, RELAXED);
    STORE(followed, 1, RELAXED);
#endif
    for (int d = 0; d < 2; d++) STORE(control[d], ABORTED, RELAXED);
}

static long content_at_the_beginning(void) { return CONTENT(W0); }

static long content_at_the_end(void)
{
    long end = 0;
    for (int i = 0; i < TABLES * WORDS; i++) {
        int w = LOAD(word[i], RELAXED);
        assert(!IS_REFERENCE(w)); // every owner has ended
        end += CONTENT(w);
    }
    return end;
}
