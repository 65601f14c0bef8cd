// Races in a fixed table. -DCLIENT=n selects one, -DFIRST=b the bucket that its lookups read first.
//
// W0 to W3 are the initial words, T0 to T3 the calls of the threads.
#define F 1
#define G 2
#define IS(n) (CLIENT == n)
#define INSERT(f, b) DO(K_INSERT, f, insert(f, b))
#define CONTAINS(f, b) DO(K_HAS, f, contains(f, b))
#define FIND(f, b) DO(K_HAS, f, find(f, b))
#define REMOVE(f, b) DO(K_REMOVE, f, remove_one(f, b))
#define ADMIT(d, f, b) DO(K_ADMIT, f, admit(d, f, b))
#define KICK(d, placed, moved, b) DO(K_INSERT, placed, kick(d, placed, moved, b))
#define HOP(d, f, b) ACT(hop(d, f, b))
// Checks the minimum number of copies of a class in a snapshot.
#define SCAN(f, b, least)              \
    ACT({                              \
        int n = scan(f, b);            \
        assert(n < 0 || n >= (least)); \
    })

// ---- Hops against readers and removes -----------------------------------------------------------
#if IS(10) // a hop against a reader
#define W0 ONE(F)
#define T0 HOP(0, F, 0)
#define T1 CONTAINS(F, FIRST)
#elif IS(11) // the same, two lookups, the second without validation of hits
#define W0 ONE(F)
#define T0 HOP(0, F, 0)
#define T1 CONTAINS(F, FIRST) FIND(F, FIRST)
#elif IS(12) // a hop against a reader and a writer that settles (inserts another class)
#define STRIPES 2
#define W0 ONE(F)
#define T0 HOP(0, F, 0)
#define T1 CONTAINS(F, FIRST)
#define T2 INSERT(G, 0)
#elif IS(13) // a hop against a remove, and the remover sees its own remove
#define W0 ONE(F)
#define T0 HOP(0, F, 0)
#define T1 REMOVE(F, FIRST) CONTAINS(F, 0) CONTAINS(F, 1)
#elif IS(14) // a hop against two removes of one token
#define W0 ONE(F)
#define T0 HOP(0, F, 0)
#define T1 REMOVE(F, FIRST)
#define T2 REMOVE(F, 1)

// ---- A hop and the way back ---------------------------------------------------------------------
#elif IS(20) // hop and hop back against a reader
#define W0 ONE(F)
#define T0 HOP(0, F, 0) HOP(0, F, 1)
#define T1 CONTAINS(F, FIRST)
#elif IS(21) // the same, with two lookups
#define W0 ONE(F)
#define T0 HOP(0, F, 0) HOP(0, F, 1)
#define T1 FIND(F, FIRST) CONTAINS(F, 1 - FIRST)
#elif IS(22) // hop, and hop back by another thread, against a reader
#define W0 ONE(F)
#define T0 HOP(0, F, 0)
#define T1 HOP(1, F, 1)
#define T2 CONTAINS(F, FIRST)
#elif IS(23) // hop, back and again
#define W0 ONE(F)
#define T0 HOP(0, F, 0) HOP(0, F, 1) HOP(0, F, 0)
#define T1 CONTAINS(F, FIRST)
#elif IS(24) // a token at rest, while another hops twice over it
#define STRIPES 2
#define W0 (ONE(F) + ONE(G))
#define T0 HOP(0, G, 0) HOP(0, G, 1)
#define T1 CONTAINS(F, FIRST)

// ---- Hops that meet -----------------------------------------------------------------------------
#elif IS(30) // two hops that meet, crosswise
#define STRIPES 2
#define W0 ONE(F)
#define W1 ONE(G)
#define T0 HOP(0, F, 0)
#define T1 HOP(1, G, 1)
#elif IS(31) // the same with a reader
#define STRIPES 2
#define W0 ONE(F)
#define W1 ONE(G)
#define T0 HOP(0, F, 0)
#define T1 HOP(1, G, 1)
#define T2 CONTAINS(F, FIRST)
#elif IS(32) // two hops of one token with a reader
#define W0 ONE(F)
#define T0 HOP(0, F, 0)
#define T1 HOP(1, F, 0)
#define T2 CONTAINS(F, FIRST)
#elif IS(33) // two hops that meet in one of three words, with a reader
#define STRIPES 2
#define WORDS 4
#define MASK(f) (f)
#define W0 ONE(F)
#define W3 ONE(G)
#define T0 HOP(0, F, 0)
#define T1 HOP(1, G, 3)
#define T2 CONTAINS(F, FIRST)

// ---- Admissions that meet -----------------------------------------------------------------------
#elif IS(40) // admission against admission, crossed targets
#define T0 ADMIT(0, F, 0)
#define T1 ADMIT(1, F, 1)
#elif IS(41) // the same target
#define T0 ADMIT(0, F, 0)
#define T1 ADMIT(1, F, 0)
#elif IS(42) // crossed, with a reader
#define T0 ADMIT(0, F, 0)
#define T1 ADMIT(1, F, 1)
#define T2 CONTAINS(F, FIRST)
#elif IS(43) // crossed, with a helper that settles
#define STRIPES 2
#define T0 ADMIT(0, F, 0)
#define T1 ADMIT(1, F, 1)
#define T2 INSERT(G, FIRST)
#elif IS(44) // crossed, two attempts
#define ATTEMPTS 2
#define T0 ADMIT(0, F, 0)
#define T1 ADMIT(1, F, 1)
#elif IS(45) // crossed, then each removes what it added
#define T0 ADMIT(0, F, 0) CONTAINS(F, 0)
#define T1 ADMIT(1, F, 1) CONTAINS(F, 0)
#elif IS(46) // crossed, and one of the descriptors goes on to hop another class
#define STRIPES 2
#define W0 ONE(G)
#define W1 ONE(3)
#define T0 ADMIT(0, F, 0) HOP(0, G, 0)
#define T1 ADMIT(1, F, 1)
#elif IS(47) // three admissions
#define DESCRIPTORS_USED 3
#define T0 ADMIT(0, F, 0)
#define T1 ADMIT(1, F, 1)
#define T2 ADMIT(2, F, 0)
#elif IS(48) // crossed: one of the two gets through
#define T0 ADMIT(0, F, 0)
#define T1 ADMIT(1, F, 1)
#define AFTER assert(r0 || r1)
#elif IS(49) // crossed, with a helper that only settles
#define T0 ADMIT(0, F, 0)
#define T1 ADMIT(1, F, 1)
#define T2 ACT(settle(FIRST))
#define AFTER assert(r0 || r1)

// ---- Admissions, hops, inserts and removes ------------------------------------------------------
#elif IS(50) // admission against a hop of a stored token: without the lookup first
#define W1 ONE(F)
#define T0 ADMIT(0, F, 0)
#define T1 HOP(1, F, 1)
#elif IS(51) // admission, hop, plain insert
#define T0 ADMIT(0, F, 0)
#define T1 HOP(1, F, 1)
#define T2 INSERT(F, 1)
#elif IS(52) // admission, hop, remove
#define W1 ONE(F)
#define T0 ADMIT(0, F, FIRST)
#define T1 HOP(1, F, 1)
#define T2 REMOVE(F, 0)
#elif IS(53) // admission against an insert by a path
#define STRIPES 2
#define W0 (2 * ONE(G))
#define T0 ADMIT(0, F, 1)
#define T1 KICK(1, F, G, 0)
#elif IS(54) // admission against a hop of another class over the same words
#define STRIPES 2
#define W0 ONE(G)
#define T0 ADMIT(0, F, FIRST)
#define T1 HOP(1, G, 0)
#elif IS(55) // two removes and two admissions of one class
#define W0 ONE(F)
#define T0 REMOVE(F, 0) ADMIT(0, F, 0)
#define T1 REMOVE(F, 1) ADMIT(1, F, 1)
#elif IS(57) // two removes of two tokens, then two admissions: one finds the class empty
#define W0 ONE(F)
#define W1 ONE(F)
#define T0 REMOVE(F, 0) ADMIT(0, F, 0)
#define T1 REMOVE(F, 1) ADMIT(1, F, 1)
#elif IS(56) // admission against insert and remove
#define T0 ADMIT(0, F, 0)
#define T1 INSERT(F, 1) REMOVE(F, 0)
#elif IS(58) // crossed admissions, a writer that helps both, and its lookup
#define STRIPES 2
#define T0 ADMIT(0, F, 0)
#define T1 ADMIT(1, F, 1)
#define T2 INSERT(G, 0) CONTAINS(F, FIRST)
#elif IS(59) // the same, with a remove of what was admitted
#define STRIPES 2
#define T0 ADMIT(0, F, 0) REMOVE(F, 0)
#define T1 ADMIT(1, F, 1)
#define T2 CONTAINS(F, FIRST)

// ---- Removes with a twin ------------------------------------------------------------------------
#elif IS(60) // remove, reader, insert
#define W1 ONE(F)
#define T0 REMOVE(F, 0)
#define T1 CONTAINS(F, FIRST)
#define T2 INSERT(F, 0)
#elif IS(61) // insert and remove with a twin in one thread, against a reader
#define W1 ONE(F)
#define T0 INSERT(F, 0) REMOVE(F, 1)
#define T1 CONTAINS(F, FIRST)
#elif IS(62) // the same, twice
#define W1 ONE(F)
#define T0 INSERT(F, 0) REMOVE(F, 1) INSERT(F, 1) REMOVE(F, 0)
#define T1 CONTAINS(F, FIRST)
#elif IS(63) // the remover and the inserter are different threads, and the inserter looks
#define W1 ONE(F)
#define T0 REMOVE(F, 1)
#define T1 CONTAINS(F, FIRST)
#define T2 INSERT(F, 0) CONTAINS(F, 1)
#elif IS(64) // two removes of two twins, and a reader
#define W0 ONE(F)
#define W1 ONE(F)
#define T0 REMOVE(F, 0)
#define T1 REMOVE(F, 1)
#define T2 CONTAINS(F, FIRST)
#elif IS(65) // a remove with a twin that hops
#define W0 ONE(F)
#define W1 ONE(F)
#define T0 REMOVE(F, FIRST)
#define T1 HOP(1, F, 1)
#define T2 CONTAINS(F, 0)
#elif IS(66) // a remove that must know that another token came first, and a reader
#define STRIPES 2
#define WORDS 4
#define W1 ONE(F)
#define T0 INSERT(G, 2) REMOVE(F, 0)
#define T1 INSERT(F, 0) CONTAINS(G, 2)
#define T2 CONTAINS(F, FIRST)
#elif IS(67) // the same where both tokens stay: nothing is missed
#define STRIPES 2
#define WORDS 4
#define W1 ONE(F)
#define T0 INSERT(G, 2) REMOVE(F, FIRST)
#define T1 INSERT(F, 0) CONTAINS(G, 2)
#define T2 CONTAINS(F, 0) CONTAINS(F, 1)

// ---- A descriptor in one use after another ------------------------------------------------------
#elif IS(70) // reuse: hop, hop back; a late helper settles; then all threads look
#define STRIPES 2
#define W0 ONE(F)
#define T0 HOP(0, F, 0) HOP(0, F, 1)
#define T1 INSERT(G, FIRST)
#elif IS(71) // the same with four words of fields
#define FIELDS 4
#define STRIPES 2
#define W0 ONE(F)
#define T0 HOP(0, F, 0) HOP(0, F, 1)
#define T1 INSERT(G, FIRST) CONTAINS(F, FIRST)
#elif IS(72) // a shared descriptor, claimed by two threads one after the other, and a reader
#define SHARED
#define STRIPES 2
#define W0 ONE(F)
#define W1 ONE(G)
#define T0 HOP(0, F, 0)
#define T1 HOP(0, G, 1)
#define T2 CONTAINS(F, FIRST)
#elif IS(73) // reuse: hop of one class, then admission of another; a reader of the first
#define STRIPES 2
#define W0 ONE(F)
#define T0 HOP(0, F, 0) ADMIT(0, G, 1)
#define T1 CONTAINS(F, FIRST)
#elif IS(74) // the same with a helper
#define STRIPES 2
#define W0 ONE(F)
#define T0 HOP(0, F, 0) ADMIT(0, G, 1)
#define T1 REMOVE(F, FIRST)
#elif IS(75) // reuse: admission, then hop of the admitted token, against an admission that helps
#define T0 ADMIT(0, F, 0) HOP(0, F, 0)
#define T1 ADMIT(1, F, 1)
#elif IS(76) // a shared descriptor for two uses in different words; a reader of both words
#define SHARED
#define STRIPES 2
#define WORDS 4
#define MASK(f) (f)
#define W0 ONE(F)
#define W3 ONE(G)
#define T0 HOP(0, F, 0)
#define T1 HOP(0, G, 3)
#define T2 CONTAINS(F, FIRST)
#elif IS(77) // one descriptor admits twice, in different words; a reader of both
#define STRIPES 2
#define WORDS 4
#define T0 ADMIT(0, F, 0) ADMIT(0, G, 2)
#define T1 CONTAINS(G, 2) CONTAINS(F, 0)
#elif IS(78) // one descriptor admits a class twice, with a removal between; a helper may decide late
#define STRIPES 2
#define T0 ADMIT(0, F, 0) REMOVE(F, 0) ADMIT(0, F, 0)
#define T1 INSERT(G, FIRST)
#elif IS(79) // one descriptor admits two classes; a helper may decide late, and a lookup
#define STRIPES 2
#define T0 ADMIT(0, F, 0) ADMIT(0, G, 0)
#define T1 INSERT(3, 0)
#define T2 CONTAINS(F, FIRST)

// ---- One order of all words and controls: three and four threads, or two crosswise --------------
#elif IS(80) // one order: two inserts, each with a lookup for the other's class
#define STRIPES 2
#define WORDS 4
#define T0 INSERT(F, 0) CONTAINS(G, 2)
#define T1 INSERT(G, 2) CONTAINS(F, 0)
#elif IS(81) // IRIW with plain inserts
#define STRIPES 2
#define WORDS 4
#define T0 INSERT(F, 0)
#define T1 INSERT(G, 2)
#define T2 CONTAINS(F, 0) CONTAINS(G, 2)
#define T3 CONTAINS(G, 2) CONTAINS(F, 0)
#elif IS(82) // crosswise with admissions
#define STRIPES 2
#define WORDS 4
#define T0 ADMIT(0, F, 0) CONTAINS(G, 2)
#define T1 ADMIT(1, G, 2) CONTAINS(F, 0)
#elif IS(83) // IRIW with admissions: the order of two commits
#define STRIPES 2
#define WORDS 4
#define T0 ADMIT(0, F, 0)
#define T1 ADMIT(1, G, 2)
#define T2 CONTAINS(F, 0) CONTAINS(G, 2)
#define T3 CONTAINS(G, 2) CONTAINS(F, 0)
#elif IS(84) // IRIW with removes
#define STRIPES 2
#define WORDS 4
#define W0 ONE(F)
#define W2 ONE(G)
#define T0 REMOVE(F, 0)
#define T1 REMOVE(G, 2)
#define T2 CONTAINS(F, 0) CONTAINS(G, 2)
#define T3 CONTAINS(G, 2) CONTAINS(F, 0)
#elif IS(85) // crosswise with removes
#define STRIPES 2
#define WORDS 4
#define W0 ONE(F)
#define W2 ONE(G)
#define T0 REMOVE(F, 0) CONTAINS(G, 2)
#define T1 REMOVE(G, 2) CONTAINS(F, 0)
#elif IS(86) // crosswise, insert and admission
#define STRIPES 2
#define WORDS 4
#define T0 ADMIT(0, F, 0) CONTAINS(G, 2)
#define T1 INSERT(G, 2) CONTAINS(F, 0)
#elif IS(87) // IRIW, insert and admission
#define STRIPES 2
#define WORDS 4
#define T0 ADMIT(0, F, 0)
#define T1 INSERT(G, 2)
#define T2 CONTAINS(F, 0) CONTAINS(G, 2)
#define T3 CONTAINS(G, 2) CONTAINS(F, 0)
#elif IS(88) // IRIW, an insert by a path and a plain one
#define STRIPES 3
#define WORDS 4
#define W0 ONE(3)
#define T0 KICK(0, F, 3, 0)
#define T1 INSERT(G, 2)
#define T2 CONTAINS(F, 0) CONTAINS(G, 2)
#define T3 CONTAINS(G, 2) CONTAINS(F, 0)
#elif IS(89) // crosswise, an insert by a path and a plain one
#define STRIPES 3
#define WORDS 4
#define W0 ONE(3)
#define T0 KICK(0, F, 3, 0) CONTAINS(G, 2)
#define T1 INSERT(G, 2) CONTAINS(F, 0)

// ---- Scans --------------------------------------------------------------------------------------
#elif IS(90) // a scan against a hop
#define W0 ONE(F)
#define T0 HOP(0, F, 0)
#define T1 SCAN(F, 0, 1)
#elif IS(91)
#define W1 ONE(F)
#define T0 HOP(0, F, 1)
#define T1 SCAN(F, 0, 1)
#elif IS(92) // a scan against a remove with a twin
#define W1 ONE(F)
#define T0 INSERT(F, 0) REMOVE(F, 1)
#define T1 SCAN(F, 0, 1)
#elif IS(93) // two scans: a late note of the first
#define W1 ONE(F)
#define T0 HOP(0, F, 1)
#define T1 SCAN(F, 0, 1) SCAN(F, 0, 1)
#elif IS(94) // hop and back
#define NOTES 2
#define W1 ONE(F)
#define T0 HOP(0, F, 1) HOP(0, F, 0)
#define T1 SCAN(F, 0, 1)
#elif IS(95) // scans of two threads
#define W1 ONE(F)
#define T0 HOP(0, F, 1)
#define T1 SCAN(F, 0, 1)
#define T2 SCAN(F, 0, 1)

// ---- What a call publishes ----------------------------------------------------------------------
#elif IS(100) // a hit publishes the writes before the insert
#define T0 ACT(data = 1) INSERT(F, 0)
#define T1 CONTAINS(F, FIRST) ACT(if (last == YES) assert(data == 1))
#elif IS(101) // also after a hop by another thread
#define T0 ACT(data = 1) INSERT(F, 0)
#define T1 CONTAINS(F, FIRST) ACT(if (last == YES) assert(data == 1))
#define T2 HOP(0, F, 0)
#elif IS(102) // also after an admission
#define T0 ACT(data = 1) ADMIT(0, F, 0)
#define T1 CONTAINS(F, FIRST) ACT(if (last == YES) assert(data == 1))
#elif IS(103) // a remove acquires them too, whichever thread finished the admission
#define T0 ACT(data = 1) ADMIT(0, F, 0)
#define T1 REMOVE(F, FIRST) ACT(if (last == YES) assert(data == 1))
#elif IS(104) // an admission acquires the writes before a remove
#define W0 ONE(F)
#define T0 ACT(data = 1) REMOVE(F, 0)
#define T1 ADMIT(0, F, FIRST) ACT(if (last == YES) assert(data == 1))

// ---- Added segments of descriptors; a dead thread has claimed number 0 ------------------------
#elif IS(110) // a hop with an added descriptor, against a reader
#define SEGMENTS
#define W0 ONE(F)
#define T0 HOP(1, F, 0)
#define T1 CONTAINS(F, FIRST)
#elif IS(111) // the same, and a writer that settles
#define SEGMENTS
#define STRIPES 2
#define W0 ONE(F)
#define T0 HOP(1, F, 0)
#define T1 INSERT(G, FIRST) CONTAINS(F, FIRST)
#elif IS(112) // two threads add at once: two hops, and a reader
#define SEGMENTS
#define STRIPES 2
#define W0 ONE(F)
#define W1 ONE(G)
#define T0 HOP(1, F, 0)
#define T1 HOP(2, G, 1)
#define T2 CONTAINS(F, FIRST)
#elif IS(113) // two admissions add at once, crossed: each resolves the reference of the other
#define SEGMENTS
#define T0 ADMIT(1, F, 0)
#define T1 ADMIT(2, F, 1)
#define AFTER assert(r0 || r1)
#elif IS(114) // the same, and a thread that has never seen a segment settles
#define SEGMENTS
#define T0 ADMIT(1, F, 0)
#define T1 ADMIT(2, F, 1)
#define T2 ACT(settle(FIRST))
#elif IS(115) // the third segment behind the second: hops in different words, and a reader of both
#define SEGMENTS
#define STRIPES 2
#define WORDS 4
#define W0 ONE(F)
#define W2 ONE(G)
#define T0 HOP(1, F, 0)
#define T1 HOP(2, G, 2)
#define T2 CONTAINS(F, FIRST) CONTAINS(G, 2 + FIRST)
#elif IS(116) // a segment that was given back is claimed again by another thread: hop, and hop back
#define SEGMENTS
#define W0 ONE(F)
#define T0 HOP(1, F, 0)
#define T1 HOP(2, F, 1)
#define T2 CONTAINS(F, FIRST)
// ---- A process that is killed, and others that take back what it held ---------------------------
#elif IS(120) // in an admission; after the recovery it is certain whether that took effect
#define DIES
#define T0 KILLED_IN(ADMIT(KILLED, F, 0))
#define T1 RECOVER_ALONE CONTAINS(F, FIRST)
#define T2 INSERT(G, FIRST)
#define AFTER IT_IS_CERTAIN
#elif IS(121) // in a hop
#define DIES
#define W0 ONE(F)
#define T0 KILLED_IN(HOP(KILLED, F, 0))
#define T1 RECOVER CONTAINS(F, FIRST) CONTAINS(F, 1)
#define T2 INSERT(G, FIRST)
#elif IS(122) // in an insert by a path; after the recovery it is certain whether that took effect
#define DIES
#define W0 ONE(G)
#define T0 KILLED_IN(KICKED(KILLED, F, G, 0))
#define T1 RECOVER_ALONE CONTAINS(F, FIRST)
#define T2 REMOVE(G, FIRST)
#define AFTER IT_IS_CERTAIN
#elif IS(123) // in an admission; another process claims the descriptor, and admits another class
#define DIES
#define STRIPES 2
#define T0 KILLED_IN(ADMIT(KILLED, F, 0))
#define T1 RECOVER
#define T2 ADMIT(0, G, 0) CONTAINS(F, FIRST)
#elif IS(124) // in a hop; another process claims the descriptor, and relocates another token
#define DIES
#define STRIPES 2
#define WORDS 4
#define MASK(f) (f)
#define W0 ONE(F)
#define W3 ONE(G)
#define T0 KILLED_IN(HOP(KILLED, F, 0))
#define T1 RECOVER
#define T2 HOP(0, G, 3)
#define T3 CONTAINS(F, FIRST)
#elif IS(125) // in an admission; two recover at once, and claim the descriptor
#define DIES
#define STRIPES 2
#define T0 KILLED_IN(ADMIT(KILLED, F, 0))
#define T1 RECOVER ADMIT(0, G, 0)
#define T2 RECOVER ADMIT(0, 3, 1)
#elif IS(126) // in a hop; two recover at once, and one of them hops back
#define DIES
#define W0 ONE(F)
#define T0 KILLED_IN(HOP(KILLED, F, 0))
#define T1 RECOVER HOP(0, F, 1)
#define T2 RECOVER CONTAINS(F, FIRST)
#endif

#ifdef DIES
#define SHARED
#ifndef STOP // both words are frozen, or the one of an admission
#define STOP 2
#endif
static int recovered; // written by one thread, and read after it has ended
#define KILLED_IN(call) call ACT(STORE(dead, 1, RELEASE))
#define KICKED(d, placed, moved, b) DO(K_INSERT, placed, kick(claim(d), placed, moved, b))
#define RECOVER ACT(recover(0))
#define RECOVER_ALONE ACT(recovered = recover(0))
// The final content has three bits of count for F.
#define IT_IS_CERTAIN assert(!recovered || ((long)r1 & 15) == (end & 7 ? YES : NO))
#endif

#include "protocol.h"

#ifndef DESCRIPTORS_USED
#define DESCRIPTORS_USED 2
#endif

#include "explain.h"
#include "multiset.h"

static void begin(void)
{
    int before[] = {W0, W1, W2, W3};
    for (int i = 0; i < WORDS; i++)
        if (before[i]) STORE(word[i], before[i], RELAXED);
    // A use that is over, as in a new descriptor.
#ifdef SEGMENTS
    STORE(control[0], ABORTED, RELAXED);
    STORE(owned[0], 1, RELAXED);
#else
    for (int d = 0; d < DESCRIPTORS_USED; d++) STORE(control[d], ABORTED, RELAXED);
#endif
}

static long content_at_the_beginning(void)
{
    return CONTENT(W0) + CONTENT(W1) + CONTENT(W2) + CONTENT(W3);
}

static long content_at_the_end(void)
{
    long end = 0;
    for (int i = 0; i < WORDS; i++) {
#ifdef STOP
        int w = settle(i);
#else
        int w = LOAD(word[i], RELAXED);
        assert(!IS_REFERENCE(w)); // every owner has ended
#endif
        assert(TOTAL(w) <= SLOTS);
        end += CONTENT(w);
    }
    return end;
}
