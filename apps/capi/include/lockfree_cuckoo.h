/*
 * lockfree_cuckoo.h: approximate sets that any number of threads share without a lock.
 *
 * A filter stores a fingerprint of each item. A lookup finds every item that was inserted and not removed. It also finds
 * an absent item now and then: one in 8,600 in a full filter of the default layout. Items can be removed. Remove only what
 * you inserted: any other removal can remove the fingerprint of another item.
 *
 *     lfcf_options options = {.size = sizeof options, .capacity = 1000000};
 *     lfcf_filter *seen;
 *     if (lfcf_create(&options, &seen) < 0) {
 *         fprintf(stderr, "%s\n", lfcf_last_error());
 *         return 1;
 *     }
 *     int new = lfcf_insert_unique_bytes(seen, &flow, sizeof flow);   // 1: new, 0: known, less: an error
 *     ...
 *     lfcf_destroy(seen);
 *
 * Link with what `pkg-config --cflags --libs lockfree-cuckoo` prints. For the static library, name its file
 * liblockfree_cuckoo_c.a, and add -lpthread -lm -ldl. With CMake: find_package(lockfree-cuckoo CONFIG REQUIRED), and the
 * target lockfree-cuckoo::shared or lockfree-cuckoo::static.
 *
 * ANSWERS. Every call that can fail returns an int: 0 or more is an answer, less is an `lfcf_status`. So compare:
 * `if (lfcf_contains(f, h) > 0)`, not `if (lfcf_contains(f, h))`. A call that fails changes nothing, unless its
 * description says what. No call ends the process or unwinds into the caller, unless a thread is cancelled asynchronously.
 *
 * POINTERS must point to what their type says, for the time of the call. A null pointer and a misaligned one are errors,
 * which the calls find out. Other bad pointers are undefined behaviour, as everywhere in C. An array of 0 elements may be
 * null.
 *
 * HASHES are 64 bits, well mixed in the high bits, which choose the place, and in the low ones, which are the fingerprint.
 * A CRC or another hash of 32 bits is not one, and neither is a counter or an address: use the calls that take bytes.
 * Those hash with `lfcf_hash_bytes`. A struct is bytes if it has no padding, or if its padding is set to 0.
 *
 * VALUES. A fixed filter with `value_bits` stores a number of 4, 8 or 15 bits beside each copy of an item: a next hop, an
 * owner, a set. Its calls take hashes: `lfcf_hash_bytes` makes one of bytes. The filter cannot tell an absent item that it
 * finds by mistake, so it also returns a value for that one. Use values where that is acceptable, or check the answer.
 *
 * TIME. A filter that rotates forgets when it is rotated, and `lfcf_rotate_if_due` does it by an `lfcf_clock`. All times are
 * nanoseconds.
 *
 * PROCESSES. A filter of `lfcf_create` is of one process: after a fork, parent and child have separate copies. On Linux,
 * `lfcf_shared_create` and its like make one in memory that processes share. What is said of threads holds of the threads
 * of all of them. A process is trusted if it may write to that memory.
 *
 * THREADS. "any" means that any number of threads may make this call at the same time, beside all other calls for the
 * filter that say so. None of these waits for another thread: a thread that is stopped within a call blocks no other.
 * "alone" means that no other call for the filter may run at the same time: order them by joining threads, or by a lock.
 * A filter must be handed to other threads as any object is: by creating them, through an atomic, under a lock. What a
 * thread wrote before it inserted an item is visible to a thread that finds it, unless it found a false positive.
 * The first insert or removal of a thread gets a number for the thread, which may allocate. Nothing else here
 * allocates or takes a lock, unless its description says so. On Linux a cancelled thread (pthread_cancel) ends behind the
 * call that it is in, also if that reads or writes. Not supported: PTHREAD_CANCEL_ASYNCHRONOUS, and calls in signal
 * handlers. ThreadSanitizer and helgrind see races in the library where there are none: the files lockfree_cuckoo.tsan and
 * lockfree_cuckoo.supp beside this header tell them so.
 */


#ifndef LOCKFREE_CUCKOO_H
#define LOCKFREE_CUCKOO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/**
 * The version of this header: 10,000 times the major number, plus 100 times the minor one, plus
 * the patch level.
 */
#define LFCF_VERSION 100

/**
 * A flag: `seed` counts. Otherwise the seed is random, so that no attacker knows it.
 */
#define LFCF_SEEDED 1

/**
 * A flag: choose the layout, and with it the size, that takes the least memory for
 * `max_false_positive_rate`. It has no values.
 */
#define LFCF_SMALLEST 2

/**
 * The most hashes of a call that answers with a bit mask.
 */
#define LFCF_BULK_MAX 64

/**
 * The most values that `lfcf_values` stores.
 */
#define LFCF_VALUES_MAX 8

/**
 * Why a call failed. Later versions may add numbers, and change none.
 */
typedef enum lfcf_status {
  /**
   * Nothing failed.
   */
  LFCF_OK = 0,
  /**
   * A pointer is null.
   */
  LFCF_NULL = -1,
  /**
   * A pointer is not a multiple of the alignment of its type.
   */
  LFCF_MISALIGNED = -2,
  /**
   * A number is out of its range, or an option is unknown or does not go with another one.
   */
  LFCF_INVALID = -3,
  /**
   * The filter is not of the kind that has this call, or it has no values.
   */
  LFCF_WRONG_KIND = -4,
  /**
   * No room was found for the item. Remove items, rotate, or use a larger filter, or one that
   * grows.
   */
  LFCF_FULL = -5,
  /**
   * No room, in a filter that is mostly empty: the hashes are not well mixed, or few items have
   * many copies.
   */
  LFCF_POOR_HASHES = -6,
  /**
   * As many copies of the item are stored as there is room for: eight with the default layout.
   * Or of items with hashes that look the same, as counters and addresses do: mix them.
   */
  LFCF_TOO_MANY_COPIES = -7,
  /**
   * No room, and a limit, or the lack of memory, keeps the filter from growing.
   */
  LFCF_CANNOT_GROW = -8,
  /**
   * Other threads changed the same place during every attempt: try again.
   */
  LFCF_DISTURBED = -9,
  /**
   * Other threads use all 1,023 descriptors, or there is no memory for more: try again. If
   * threads were killed in calls, `lfcf_clear` frees theirs. Or the child of a fork got no seat
   * in memory that processes share.
   */
  LFCF_NO_DESCRIPTOR = -10,
  /**
   * Another thread is taking a snapshot of the filter: try again later.
   */
  LFCF_BUSY = -11,
  /**
   * Memory could not be allocated.
   */
  LFCF_OUT_OF_MEMORY = -12,
  /**
   * A limit on memory or on false positives is too low even for an empty filter.
   */
  LFCF_LIMIT = -13,
  /**
   * The system could not read or write.
   */
  LFCF_IO = -14,
  /**
   * The stored filter ends early.
   */
  LFCF_TRUNCATED = -15,
  /**
   * This is not a stored filter.
   */
  LFCF_NOT_A_FILTER = -16,
  /**
   * The stored filter is damaged, or bytes follow it.
   */
  LFCF_DAMAGED = -17,
  /**
   * A later release wrote the stored filter, in a form that this one does not know.
   */
  LFCF_NEWER_VERSION = -18,
  /**
   * The stored filter has a hasher of its own, which only the program that wrote it knows.
   */
  LFCF_OTHER_HASHER = -19,
  /**
   * A mistake in this library. Report it.
   */
  LFCF_BUG = -20,
  /**
   * The filter is a reader, which only looks up.
   */
  LFCF_READ_ONLY = -21,
  /**
   * The call needs the filter alone, and other processes may have it.
   */
  LFCF_SHARED = -22,
  /**
   * The size of the memory can change, and then the system would end every process that has it.
   */
  LFCF_NOT_SEALED = -23,
  /**
   * 1,023 processes have the filter already.
   */
  LFCF_NO_SEAT = -24,
  /**
   * No file has this name.
   */
  LFCF_NO_FILE = -25,
  /**
   * A file has this name already.
   */
  LFCF_FILE_EXISTS = -26,
  /**
   * The system has no memory that processes share as filters need it: it is not Linux, or the
   * processor is not little-endian.
   */
  LFCF_UNSUPPORTED = -27,
  /**
   * The machine has gone down since the file was made, so it may have lost items. Remove it, and
   * make the filter anew.
   */
  LFCF_OTHER_BOOT = -28,
} lfcf_status;

/**
 * What a filter does when it is full, and as time passes.
 */
typedef enum lfcf_kind {
  /**
   * The size is fixed. A full filter refuses inserts.
   */
  LFCF_FIXED = 0,
  /**
   * It doubles when it is full.
   */
  LFCF_GROWING = 1,
  /**
   * The size is fixed. Items leave one to two periods after their insert: see `lfcf_rotate`.
   */
  LFCF_ROTATING = 2,
} lfcf_kind;

/**
 * Says when a filter that rotates is to rotate. It knows the period, what tells it the time, and
 * when the last rotation had taken effect.
 */
typedef struct lfcf_clock lfcf_clock;

/**
 * A filter of any kind, in the memory of this process or in memory that processes share.
 */
typedef struct lfcf_filter lfcf_filter;

/**
 * How to build a filter. Set all to 0, `size` to the size of the struct, and then what you need. 0
 * is the default of each option.
 */
typedef struct lfcf_options {
  /**
   * `sizeof(lfcf_options)`. So the library knows the version of the header that the caller was
   * compiled with.
   */
  size_t size;
  /**
   * An `lfcf_kind`.
   */
  uint32_t kind;
  /**
   * `LFCF_SEEDED`, `LFCF_SMALLEST`, both, or 0.
   */
  uint32_t flags;
  /**
   * The items to have room for: 1,024 unless set. One that grows begins with this. Of one that
   * rotates it is the items of one period, the busiest: each table has room for that many.
   */
  size_t capacity;
  /**
   * The number of buckets instead of `capacity`: a power of two from 2, times at most 31.
   */
  size_t buckets;
  /**
   * The seed of `lfcf_hash_bytes`, if `flags` has `LFCF_SEEDED`.
   */
  uint64_t seed;
  /**
   * The most bytes that the filter may take.
   */
  size_t max_memory;
  /**
   * The most false positives in lookups of absent items, above 0 and below 1. A filter that
   * could have more, when it has as many items as it is sized for, is not built. One that grows
   * does not grow beyond it.
   */
  double max_false_positive_rate;
  /**
   * The buckets that one insert may search for room, 2 to 4,096.
   */
  size_t search_budget;
  /**
   * Of a filter that rotates: the number of rotations that end the life of an item, 2 to 15.
   */
  uint32_t generations;
  /**
   * The layout of the buckets: slots in a bucket. The layouts, as slots and bits, are 8 and 8, 6
   * and 10, 6 and 12, 5 and 12, 5 and 14, 4 and 16 (the default), 4 and 17, 3 and 21, 2 and 31.
   * One that grows has the default.
   */
  uint32_t slots;
  /**
   * The layout of the buckets: bits of a fingerprint. Set both or none.
   */
  uint32_t fingerprint_bits;
  /**
   * Of a fixed filter: the bits of the value of each copy, 4, 8 or 15; 0 for none. It chooses
   * the layout: 4 slots of 12 bits, 3 of 13, 2 of 16. So an item takes about 17, 23 or 37 bits
   * in all, and a full filter finds an absent item in 0.19, 0.07 or 0.006 % of the lookups. An
   * item has at most 8, 6 or 4 copies.
   */
  uint32_t value_bits;
} lfcf_options;

/**
 * Tells a clock the time, in nanoseconds since any moment. It gets the `context` that was passed
 * with it. It returns, without a call for the clock.
 */
typedef uint64_t (*lfcf_now)(void *context);

/**
 * What a filter is and holds. Set `size` before the call.
 */
typedef struct lfcf_measures {
  /**
   * `sizeof(lfcf_measures)`.
   */
  size_t size;
  /**
   * An `lfcf_kind`.
   */
  uint32_t kind;
  /**
   * The generations of one that rotates, else 0.
   */
  uint32_t generations;
  /**
   * The number of stored copies. Exact while no thread writes.
   */
  size_t items;
  /**
   * The items that it is sized for: one that grows at present, one that rotates in each
   * generation.
   */
  size_t capacity;
  /**
   * The slots of all tables.
   */
  size_t slots;
  /**
   * The number of tables that hold items.
   */
  size_t tables;
  /**
   * All bytes in use.
   */
  size_t memory;
  /**
   * How often it has rotated.
   */
  uint64_t rotations;
  /**
   * The seed of `lfcf_hash_bytes`. Keep it secret from those who choose the items.
   */
  uint64_t seed;
  /**
   * The fraction of the slots in use.
   */
  double load_factor;
  /**
   * The share of lookups of absent items that find one, at the present load, with well mixed
   * hashes.
   */
  double false_positive_rate;
  /**
   * The layout: slots of a bucket.
   */
  uint32_t bucket_slots;
  /**
   * The layout: bits of a fingerprint.
   */
  uint32_t fingerprint_bits;
  /**
   * The layout: bits of a value, else 0. The largest value is `(1 << value_bits) - 1`.
   */
  uint32_t value_bits;
  /**
   * 0.
   */
  uint32_t reserved;
} lfcf_measures;

#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

/**
 * The version of the library that runs; `LFCF_VERSION` is that of the header that was compiled.
 *
 * Threads: any. Cost: none.
 */
uint32_t lfcf_version(void);

/**
 * What a negative answer means, in a few words. For a number that is no status: "unknown status".
 *
 * Threads: any. Memory: the text is constant. Cost: none.
 */
const char *lfcf_status_text(int status);

/**
 * What failed in the last call of this thread that failed, with its numbers: "127 buckets are not
 * possible: ...". Empty if none has failed yet.
 *
 * Threads: any; each has its own text. Memory: the text is the library's, and stays until the next
 * call of this thread that fails, or until the thread ends. Cost: none.
 */
const char *lfcf_last_error(void);

/**
 * Creates an empty filter in `*filter`; NULL if it fails.
 *
 * `LFCF_INVALID`: an option is not possible; `lfcf_last_error` says which, and often the nearest
 * that is possible. `LFCF_LIMIT`: `max_memory` or `max_false_positive_rate` is too low.
 * `LFCF_OUT_OF_MEMORY`.
 *
 * Threads: any. Memory: the filter is the caller's, until `lfcf_destroy`; the options are not
 * kept. Cost: time linear in the size. It allocates all that the filter will ever use: two bytes
 * an item, three times that if it rotates: `lfcf_measure_options` tells how much. Only a filter
 * that grows allocates later, in inserts.
 */
int lfcf_create(const struct lfcf_options *options, struct lfcf_filter **filter);

/**
 * Frees a filter. NULL is no error: it does nothing. Memory that processes share goes with the
 * last descriptor and the last name that it has.
 *
 * Threads: alone, as the last call for this filter. Cost: that of freeing the memory.
 */
int lfcf_destroy(struct lfcf_filter *filter);

/**
 * Removes all items. One that grows has its first size again. One that rotates keeps its number of
 * rotations.
 *
 * `LFCF_SHARED`, `LFCF_READ_ONLY`: it is in memory that processes share. Make a new one instead.
 *
 * Threads: alone. It also frees the descriptors of threads that were killed in calls. Cost: time
 * linear in the size.
 */
int lfcf_clear(struct lfcf_filter *filter);

/**
 * Makes a filter that grows as small as its items allow, but not smaller than it was created. It
 * undoes doublings, so false positives become rarer. Nothing is lost, and it can grow again. It
 * does nothing to a filter of another kind. Returns 0, also if the memory for the smaller table
 * cannot be allocated: then the filter keeps its size. `LFCF_SHARED` and `LFCF_READ_ONLY` as
 * `lfcf_clear`.
 *
 * Threads: alone. Cost: time linear in the size, and meanwhile the memory of the smaller table as
 * well.
 */
int lfcf_shrink_to_fit(struct lfcf_filter *filter);

/**
 * Adds one copy of an item, whether or not it is stored. Returns 0.
 *
 * `LFCF_FULL`, `LFCF_POOR_HASHES`, `LFCF_TOO_MANY_COPIES`, `LFCF_CANNOT_GROW`: it is not added.
 * `LFCF_DISTURBED`, `LFCF_NO_DESCRIPTOR`: try again. `LFCF_READ_ONLY`.
 *
 * Threads: any. Cost: one exchange; a search of up to `search_budget` buckets in a filter that is
 * nearly full. One that grows may allocate, and moves a few buckets while it doubles.
 */
int lfcf_insert(const struct lfcf_filter *filter, uint64_t hash);

/**
 * Adds an item if it is absent. Returns 1 if it was absent and this call added it, else 0: it is
 * stored, or a false positive. If several threads race for an absent item, one of them gets 1.
 * Errors as `lfcf_insert`, except `LFCF_TOO_MANY_COPIES`.
 *
 * Threads: any. Cost: that of a lookup if it is stored, else four locked instructions; otherwise
 * as `lfcf_insert`.
 */
int lfcf_insert_unique(const struct lfcf_filter *filter, uint64_t hash);

/**
 * Returns 1 if an item is stored, or now and then if it is absent; else 0.
 *
 * Threads: any. Cost: two loads from the table, for each generation of one that rotates. Writes
 * and allocates nothing.
 */
int lfcf_contains(const struct lfcf_filter *filter, uint64_t hash);

/**
 * Removes one copy of an item that you inserted. Returns 1, or 0 if there was none. If several
 * threads race for one copy, one of them gets 1. One that rotates removes the oldest copy.
 * `LFCF_READ_ONLY`.
 *
 * Threads: any. Cost: one exchange, or two.
 */
int lfcf_remove(const struct lfcf_filter *filter, uint64_t hash);

/**
 * Returns the number of copies of an item. It may be too high while other threads write the same
 * item. `LFCF_READ_ONLY`: it may have to end a call of another thread, which a reader cannot.
 *
 * Threads: any. Cost: that of a lookup of an absent item.
 */
int lfcf_count(const struct lfcf_filter *filter, uint64_t hash);

/**
 * Stores the hash of `size` bytes in `*hash`: what the calls by bytes use. With one seed it is the
 * same on every machine and in every later release: rapidhash v3 with secrets made from the seed,
 * which docs/format.md defines to the last bit, for programs without this library. Filters hash
 * alike if they have the same seed: `LFCF_SEEDED`, a stored filter, a snapshot.
 *
 * Threads: any. Cost: two short hashes, about 9 ns in all for 8 bytes.
 */
int lfcf_hash_bytes(const struct lfcf_filter *filter, const void *item, size_t size, uint64_t *hash);

/**
 * Stores what `lfcf_hash_bytes` stores for a filter with this seed in `*hash`, without a filter:
 * for a thread or a program that hashes, and passes hashes on to where the filter is.
 *
 * Threads: any. Cost: about three times that of `lfcf_hash_bytes`, as a filter prepares its seed
 * once, and this call does so each time.
 */
int lfcf_hash_bytes_seeded(uint64_t seed, const void *item, size_t size, uint64_t *hash);

/**
 * `lfcf_insert` of `lfcf_hash_bytes`. Threads and cost: as those.
 */
int lfcf_insert_bytes(const struct lfcf_filter *filter, const void *item, size_t size);

/**
 * `lfcf_insert_unique` of `lfcf_hash_bytes`. Threads and cost: as those.
 */
int lfcf_insert_unique_bytes(const struct lfcf_filter *filter, const void *item, size_t size);

/**
 * `lfcf_contains` of `lfcf_hash_bytes`. Threads and cost: as those.
 */
int lfcf_contains_bytes(const struct lfcf_filter *filter, const void *item, size_t size);

/**
 * `lfcf_remove` of `lfcf_hash_bytes`. Threads and cost: as those.
 */
int lfcf_remove_bytes(const struct lfcf_filter *filter, const void *item, size_t size);

/**
 * `lfcf_count` of `lfcf_hash_bytes`. Threads and cost: as those.
 */
int lfcf_count_bytes(const struct lfcf_filter *filter, const void *item, size_t size);

/**
 * Looks up to 64 hashes up, and sets bit `i` of `*mask` to the answer for `hashes[i]`. Returns the
 * number of bits that are set. `LFCF_INVALID`: there are more than 64.
 *
 * Threads: any. Cost: that of `lfcf_contains` for each hash, but all their memory accesses begin
 * at once: the words of up to 32 hashes are prefetched first, and those of the others meanwhile.
 * Allocates nothing.
 */
int lfcf_contains_bulk(const struct lfcf_filter *filter, const uint64_t *hashes, size_t count, uint64_t *mask);

/**
 * Makes `lfcf_insert_unique` for up to 64 hashes in order, and sets bit `i` of `*mask` if this
 * call added `hashes[i]`. Returns the number of bits that are set. A hash that occurs twice is
 * added once.
 *
 * An error ends it at the first hash that is refused: `*done` is the index of that hash, the bits
 * before it are right, and the hashes behind it were not tried. `done` may be NULL; without an
 * error `*done` is `count`.
 *
 * Threads: any; the hashes go in one by one. Cost: that of `lfcf_insert_unique` for each hash,
 * with prefetching.
 */
int lfcf_insert_unique_bulk(const struct lfcf_filter *filter,
                            const uint64_t *hashes,
                            size_t count,
                            uint64_t *mask,
                            size_t *done);

/**
 * Makes `lfcf_refresh` for up to 64 hashes in order, and sets bit `i` of `*mask` if `hashes[i]` is
 * new. Returns the number of bits that are set. `done` and errors are those of
 * `lfcf_insert_unique_bulk`, and `LFCF_WRONG_KIND`.
 *
 * Threads: any. Cost: that of `lfcf_refresh` for each hash, with prefetching.
 */
int lfcf_refresh_bulk(const struct lfcf_filter *filter,
                      const uint64_t *hashes,
                      size_t count,
                      uint64_t *mask,
                      size_t *done);

/**
 * Looks any number of hashes up, and sets `answers[i]` to the answer for `hashes[i]`. Returns 0.
 *
 * Threads: any. Cost: that of `lfcf_contains` for each hash, with prefetching. Allocates nothing.
 */
int lfcf_contains_many(const struct lfcf_filter *filter, const uint64_t *hashes, size_t count, bool *answers);

/**
 * Makes `lfcf_insert_unique` for any number of hashes in order, and sets `answers[i]` to whether
 * this call added `hashes[i]`. Returns 0. `done` and errors are those of
 * `lfcf_insert_unique_bulk`.
 *
 * Threads: any; the hashes go in one by one. Cost: that of `lfcf_insert_unique` for each hash,
 * with prefetching.
 */
int lfcf_insert_unique_many(const struct lfcf_filter *filter,
                            const uint64_t *hashes,
                            size_t count,
                            bool *answers,
                            size_t *done);

/**
 * Makes `lfcf_refresh` for any number of hashes in order, and sets `answers[i]` to whether
 * `hashes[i]` is new. Returns 0. `done` and errors are those of `lfcf_insert_unique_bulk`, and
 * `LFCF_WRONG_KIND`.
 *
 * Threads: any. Cost: that of `lfcf_refresh` for each hash, with prefetching.
 */
int lfcf_refresh_many(const struct lfcf_filter *filter,
                      const uint64_t *hashes,
                      size_t count,
                      bool *answers,
                      size_t *done);

/**
 * Makes `lfcf_insert` for any number of hashes in order. Returns 0. `done` and errors are those of
 * `lfcf_insert_unique_bulk`.
 *
 * Threads: any; the hashes go in one by one. Cost: that of `lfcf_insert` for each hash, with
 * prefetching.
 */
int lfcf_insert_many(const struct lfcf_filter *filter, const uint64_t *hashes, size_t count, size_t *done);

/**
 * Makes `lfcf_remove` for any number of hashes. Returns 0; `*removed` is the number of copies that
 * it removed, and may be NULL. `LFCF_READ_ONLY`.
 *
 * Threads: any. Cost: that of `lfcf_remove` for each hash, with prefetching.
 */
int lfcf_remove_many(const struct lfcf_filter *filter, const uint64_t *hashes, size_t count, size_t *removed);

/**
 * Adds one copy of an item with a value, whatever copies are stored. Returns 0. `lfcf_insert` adds
 * one with the value 0.
 *
 * Errors as `lfcf_insert`. `LFCF_INVALID`: the value is too large. `LFCF_WRONG_KIND`.
 *
 * Threads and cost: as `lfcf_insert`.
 */
int lfcf_insert_value(const struct lfcf_filter *filter, uint64_t hash, uint16_t value);

/**
 * Adds an item with the value in `*value` if the item is absent. Returns 1 if this call added it.
 * Otherwise it returns 0, and stores the value in `*value` that was found: that of the item, or
 * rarely that of a false positive. So afterwards `*value` is the value in the filter. If several
 * threads race for an absent item, one of them gets 1, and the others get its value.
 *
 * Errors as `lfcf_insert_unique`. `LFCF_INVALID`: the value is too large. `LFCF_WRONG_KIND`. An
 * error leaves `*value` as it is.
 *
 * Threads and cost: as `lfcf_insert_unique`.
 */
int lfcf_insert_unique_value(const struct lfcf_filter *filter, uint64_t hash, uint16_t *value);

/**
 * Looks an item up. Returns 1 and stores its value in `*value`, or returns 0 and stores 0. Of an
 * item with several copies it finds any. For an absent item it finds, now and then, the value of
 * another item. `LFCF_WRONG_KIND`.
 *
 * Threads: any. Cost: about that of `lfcf_contains`. Writes and allocates nothing.
 */
int lfcf_value(const struct lfcf_filter *filter, uint64_t hash, uint16_t *value);

/**
 * Stores the values of all copies of an item in `values`, which has room for `LFCF_VALUES_MAX`, in
 * no order. Returns their number. While other threads write the same item, it may find the value
 * of a copy that is being removed beside that of one that has just been inserted.
 * `LFCF_WRONG_KIND`. `LFCF_READ_ONLY` as `lfcf_count`.
 *
 * Threads: any. Cost: that of `lfcf_count`.
 */
int lfcf_values(const struct lfcf_filter *filter, uint64_t hash, uint16_t *values);

/**
 * Changes the value of one copy of an item that you inserted from `from` to `to`, in one exchange.
 * Returns 1, or 0 if no copy has the value `from`. If several threads replace the value of one
 * copy, one of them gets 1. The item is never absent meanwhile, and no room is needed: it works in
 * a full filter too.
 *
 * `LFCF_INVALID`: `to` is too large. `LFCF_WRONG_KIND`.
 *
 * Threads: any. Cost: one exchange, or two.
 */
int lfcf_replace_value(const struct lfcf_filter *filter, uint64_t hash, uint16_t from, uint16_t to);

/**
 * Removes one copy of an item that you inserted with this value. Returns 1, or 0 if there was
 * none. `lfcf_remove` removes a copy with any value. `LFCF_WRONG_KIND`.
 *
 * Threads and cost: as `lfcf_remove`.
 */
int lfcf_remove_value(const struct lfcf_filter *filter, uint64_t hash, uint16_t value);

/**
 * Makes `lfcf_value` for up to 64 hashes: sets bit `i` of `*mask` if it finds `hashes[i]`, and
 * stores the value in `values[i]`, else 0. Returns the number of bits that are set.
 * `LFCF_INVALID`: there are more than 64. `LFCF_WRONG_KIND`.
 *
 * Threads: any. Cost: that of `lfcf_value` for each hash, with prefetching. Allocates nothing.
 */
int lfcf_value_bulk(const struct lfcf_filter *filter,
                    const uint64_t *hashes,
                    size_t count,
                    uint64_t *mask,
                    uint16_t *values);

/**
 * Forgets the oldest generation, and directs inserts to an empty one. With `n` generations, two
 * unless set, the `n`-th rotation after its insert ends the life of an item. Returns 0. To rotate
 * by the time, use `lfcf_rotate_if_due`; to rotate when the young generation is full,
 * `lfcf_rotate_if`.
 *
 * `LFCF_DISTURBED`, `LFCF_NO_DESCRIPTOR`: it did not rotate; try again. `LFCF_WRONG_KIND`.
 * `LFCF_READ_ONLY`.
 *
 * Threads: any; if several call it, each rotates once. Cost: the rotation is one exchange; then
 * this call empties a table, in time linear in the size of a generation. Allocates nothing.
 */
int lfcf_rotate(const struct lfcf_filter *filter);

/**
 * Rotates if there have been `rotations` rotations so far, and returns 1. If there have been more,
 * returns 0: another thread has done this rotation. So it does for a number that is still to come.
 * Errors as `lfcf_rotate`. To rotate when an
 * insert is refused, read `lfcf_rotations` before the insert: then threads that are refused at the
 * same time rotate once.
 *
 * Threads: any; if several ask for one rotation, one of them gets 1. Cost: as `lfcf_rotate`, or
 * one load.
 */
int lfcf_rotate_if(const struct lfcf_filter *filter, uint64_t rotations);

/**
 * Stores in `*rotations` how often the filter has rotated. `LFCF_WRONG_KIND`.
 *
 * Threads: any. Cost: one load.
 */
int lfcf_rotations(const struct lfcf_filter *filter, uint64_t *rotations);

/**
 * Begins the life of an item anew: adds a copy to the young generation if it has none. Returns 1
 * if the item is new, that is, in no generation, else 0. Do not remove an item that you refresh:
 * it may have a copy in each generation.
 *
 * Errors as `lfcf_insert_unique`, and `LFCF_WRONG_KIND`.
 *
 * Threads: any; if several race for a new item, it is new to one of them. Cost: that of a lookup
 * if the young generation has it, else as `lfcf_insert_unique`.
 */
int lfcf_refresh(const struct lfcf_filter *filter, uint64_t hash);

/**
 * `lfcf_refresh` of `lfcf_hash_bytes`. Threads and cost: as those.
 */
int lfcf_refresh_bytes(const struct lfcf_filter *filter, const void *item, size_t size);

/**
 * Tells the age of an item: stores the number of rotations since its insert, or since its last
 * refresh, in `*age`, and returns 1. If the item is in no generation, it stores 0 and returns 0.
 * With `n` generations, the `n - age`-th rotation from now forgets the item. A false positive has
 * an age, too, and can make an item seem younger. `LFCF_WRONG_KIND`.
 *
 * Threads: any. Cost: that of a lookup of an absent item, as it always reads all generations.
 */
int lfcf_age(const struct lfcf_filter *filter, uint64_t hash, uint32_t *age);

/**
 * `lfcf_age` of `lfcf_hash_bytes`. Threads and cost: as those.
 */
int lfcf_age_bytes(const struct lfcf_filter *filter, const void *item, size_t size, uint32_t *age);

/**
 * Creates a clock in `*clock` for a filter that rotates: the first period begins now. NULL if it
 * fails. `period` is in nanoseconds. To remember each item for at least a time `w` with `n`
 * generations, it is `w / (n - 1)`.
 *
 * `now` tells the time; `context` is passed to it. If `now` is NULL, the clock reads the system's
 * monotonic clock, CLOCK_MONOTONIC on Linux. It is never set, and it stands still while the
 * machine is suspended: then nothing is inserted, and items stay longer, never shorter. If they
 * are to leave by then, pass a function that reads CLOCK_BOOTTIME. Do not read CLOCK_REALTIME, nor
 * whole seconds: setting that clock, or cutting the time, makes items leave early. If the time
 * goes back all the same, the period begins again.
 *
 * `LFCF_INVALID`: the period is 0. `LFCF_WRONG_KIND`. `LFCF_READ_ONLY`. `LFCF_OUT_OF_MEMORY`.
 *
 * Threads: any. Memory: the clock is the caller's, until `lfcf_clock_destroy`. It does not keep
 * the filter. Cost: one small allocation.
 */
int lfcf_clock_create(const struct lfcf_filter *filter,
                      uint64_t period,
                      lfcf_now now,
                      void *context,
                      struct lfcf_clock **clock);

/**
 * Frees a clock. NULL is no error: it does nothing.
 *
 * Threads: one, as the last call for this clock. Cost: that of freeing the memory.
 */
int lfcf_clock_destroy(struct lfcf_clock *clock);

/**
 * Rotates if a period has passed since the last rotation. Returns 1 if this call rotated, else 0.
 * Call it as often as you like, for example between two batches: however late it comes, an item
 * stays for at least `n - 1` periods, minus the duration of its insert. A late call rotates once,
 * and the next period begins when the rotation has taken effect. If another thread rotates, or
 * `lfcf_rotate` does, the period begins with that.
 *
 * `LFCF_DISTURBED`, `LFCF_NO_DESCRIPTOR`: it did not rotate; it is still due. `LFCF_WRONG_KIND`.
 *
 * Threads: any for the filter, one at a time for the clock. So give each thread that rotates a
 * clock of its own: together they rotate once per period. Or share one under a lock. Cost: one
 * load, and the time is read; if it is due, as `lfcf_rotate`, and the time is read twice.
 */
int lfcf_rotate_if_due(const struct lfcf_filter *filter, struct lfcf_clock *clock);

/**
 * Stores the time until the next rotation is due in `*nanoseconds`: 0 if it is, and at most a
 * period. `LFCF_WRONG_KIND`.
 *
 * Threads: as `lfcf_rotate_if_due`. Cost: one load, and the time is read.
 */
int lfcf_until_due(const struct lfcf_filter *filter, struct lfcf_clock *clock, uint64_t *nanoseconds);

/**
 * Stores the age of the young generation in `*nanoseconds`: the time since the last rotation. Store
 * it with the filter, for `lfcf_catch_up`. Make the call after the copy, as `lfcf_to_bytes`: if
 * there was a rotation between both, items stay longer. `LFCF_WRONG_KIND`.
 *
 * Threads: as `lfcf_rotate_if_due`. Cost: one load, and the time is read.
 */
int lfcf_young_age(const struct lfcf_filter *filter, struct lfcf_clock *clock, uint64_t *nanoseconds);

/**
 * Makes the rotations that came due while a filter was stored, so that it forgets what it would
 * have forgotten. Returns their number: at most the number of generations, as nothing is left
 * then. `elapsed` is the age of the young generation when the filter was stored, as
 * `lfcf_young_age` told it, plus the time for which it was stored. The clock goes on with what is
 * left of it.
 *
 * For a filter in use, `lfcf_rotate_if_due` is right: this call would end the life of items that
 * came meanwhile too early.
 *
 * `LFCF_DISTURBED`, `LFCF_NO_DESCRIPTOR`: part of the rotations is made, and `elapsed` is counted;
 * try again with 0 for it. `LFCF_WRONG_KIND`.
 *
 * Threads: before other threads use the filter; one at a time for the clock. Cost: for each
 * rotation as `lfcf_rotate`.
 */
int lfcf_catch_up(const struct lfcf_filter *filter, struct lfcf_clock *clock, uint64_t elapsed);

/**
 * For items that carry their own times, as the packets of a capture, and come in about the order
 * of these: stores in `*periods` how many periods have ended by the time that `now` returns, and
 * begins the present one when the last of them ended. Returns 1; or 0, and stores 0, if the time is
 * before the present period. Call `lfcf_rotate` so often, or as often as there are generations,
 * which forgets everything. As no item of the ended periods is still to come, no rotation is late.
 * For such a clock this is the only call: the others count from the moment of a rotation.
 *
 * Threads: one at a time for the clock. Cost: the time is read.
 */
int lfcf_periods(struct lfcf_clock *clock, uint64_t *periods);

/**
 * Fills `*measures`, whose `size` you have set. They are approximate while other threads write.
 *
 * Threads: any. Cost: about 64 loads for each table.
 */
int lfcf_measure(const struct lfcf_filter *filter, struct lfcf_measures *measures);

/**
 * Fills `*measures`, whose `size` you have set, with what `lfcf_measure` would tell of a filter
 * that `lfcf_create` makes of these options: its memory above all, and the layout that
 * LFCF_SMALLEST chooses. But `false_positive_rate` is the one at capacity: of a filter that
 * rotates with all generations full, of one that grows before its first doubling, each of which
 * adds as much. `seed` is 0 unless `options` has one. Allocates nothing.
 *
 * Errors as `lfcf_create`, but for `LFCF_OUT_OF_MEMORY`. An error leaves `*measures` as it is.
 *
 * Threads: any. Cost: about ten microseconds, and 200 with LFCF_SMALLEST.
 */
int lfcf_measure_options(const struct lfcf_options *options, struct lfcf_measures *measures);

/**
 * Returns 1 if the filter holds as many items as it is sized for, else 0. An insert may still find
 * room. One that grows grows soon. Of one that rotates it says whether the young generation is
 * full: rotate.
 *
 * Threads: any. Cost: about 64 loads, so not for every item.
 */
int lfcf_is_full(const struct lfcf_filter *filter);

/**
 * Stores the filter in memory, in `*size` bytes at `*bytes`: eight bytes a bucket, and about a
 * hundred. The form is the same on every machine, and every later release reads it. It holds every
 * item that is stored from before the call until after it, and any part of what is inserted or
 * removed meanwhile.
 *
 * `LFCF_BUSY`, `LFCF_DISTURBED`: try again. `LFCF_OUT_OF_MEMORY`. If it fails, `*bytes` is NULL
 * and `*size` is 0.
 *
 * Threads: any. Memory: the bytes are the caller's, until `lfcf_free_bytes`. They contain the
 * seed. Cost: time linear in the size; the bytes, and a copy of the filter if other threads write
 * meanwhile.
 */
int lfcf_to_bytes(const struct lfcf_filter *filter, void **bytes, size_t *size);

/**
 * Frees what `lfcf_to_bytes` or `lfcf_to_dump` returned, with the same size. NULL is no error: it
 * does nothing.
 *
 * Threads: any, once. Cost: that of freeing the memory.
 */
int lfcf_free_bytes(void *bytes, size_t size);

/**
 * Creates the filter in `*filter` that was stored in these bytes, of any kind, with its seed; NULL
 * if it fails. The bytes may come from anywhere: they are checked. (Checksums find accidents, not
 * malice.)
 *
 * `LFCF_NOT_A_FILTER`, `LFCF_TRUNCATED`, `LFCF_DAMAGED`, `LFCF_NEWER_VERSION`,
 * `LFCF_OTHER_HASHER`, `LFCF_OUT_OF_MEMORY`.
 *
 * Threads: any. Memory: the filter is the caller's, until `lfcf_destroy`; the bytes are not kept.
 * Cost: time linear in the size.
 */
int lfcf_from_bytes(const void *bytes, size_t size, struct lfcf_filter **filter);

/**
 * Writes what `lfcf_to_bytes` returns to a file descriptor: a file, a pipe or a socket, in
 * blocking mode. It is not flushed to the disk.
 *
 * As `lfcf_to_bytes`, and `LFCF_IO`: part of it may be written, and `errno` is that of the system.
 * A broken pipe raises SIGPIPE, unless the program ignores it. `LFCF_INVALID`: the descriptor is
 * negative.
 *
 * Threads: any; if others write to the descriptor, the bytes mix. Memory: the descriptor stays
 * open, and is the caller's. Cost: as `lfcf_to_bytes`, and the writing.
 */
int lfcf_write_fd(const struct lfcf_filter *filter, int fd);

/**
 * Creates a filter in `*filter` from what `lfcf_write_fd` wrote, and reads not a byte more; NULL
 * if it fails.
 *
 * Errors as `lfcf_from_bytes`; `LFCF_IO`: how much was read is unspecified; `LFCF_INVALID`: the
 * descriptor is negative.
 *
 * Threads: any. Memory: the filter is the caller's, until `lfcf_destroy`; the descriptor stays
 * open, and is the caller's. Cost: time linear in the size, and the reading, in pieces of up to 16
 * KiB.
 */
int lfcf_read_fd(int fd, struct lfcf_filter **filter);

/**
 * Makes a dump of the filter, in `*size` bytes at `*bytes`: what `CF.LOADCHUNK` loads, in
 * lockfree-cuckoo-server and in the module for Valkey and Redis. Cut it where you like behind the
 * first 64 bytes. The iterator of a chunk is the number of bytes of the dump up to the end of the
 * chunk. Clients find an item that was inserted with `lfcf_hash_bytes` of its bytes.
 *
 * Of a filter that rotates, `window` is the time for which the server knows an item at least, from
 * 100 million to 1e18 nanoseconds, and `age` the time since the last rotation, as `lfcf_young_age`
 * stores it. The server rotates.
 * Pass 0 for both with any other filter.
 *
 * As `lfcf_to_bytes`, and `LFCF_INVALID`: the filter rotates and `window` is out of range, or it
 * does not rotate and `window` is not 0.
 *
 * Threads: any. Memory: the bytes are the caller's, until `lfcf_free_bytes`. They contain the
 * seed. Cost: as `lfcf_to_bytes`.
 */
int lfcf_to_dump(const struct lfcf_filter *filter, uint64_t window, uint64_t age, void **bytes, size_t *size);

/**
 * Creates the filter of a dump in `*filter`: of the chunks of `CF.SCANDUMP`, from
 * lockfree-cuckoo-server or the module for Valkey and Redis, one behind the other. NULL if it
 * fails. The hash of a client's item is `lfcf_hash_bytes`.
 *
 * Of a filter with a window, stores the window in `*window` and the age of the youngest generation
 * in `*age`, in nanoseconds. With `n` generations, create a clock with the period
 * `window / (n - 1)`, and pass the age to `lfcf_catch_up`. Of any other filter both are 0. Either
 * pointer may be null.
 *
 * Errors as `lfcf_from_bytes`. A filter that grows may take any memory.
 *
 * Threads: any. Memory: the filter is the caller's, until `lfcf_destroy`; the dump is not kept.
 * Cost: time linear in the size.
 */
int lfcf_from_dump(const void *dump, size_t size, struct lfcf_filter **filter, uint64_t *window, uint64_t *age);

/**
 * Creates a copy of the filter in `*copy`, with its seed, while other threads use it; NULL if it
 * fails. The copy holds every item that is stored from before the call until after it, and any
 * part of what is inserted or removed meanwhile.
 *
 * `LFCF_BUSY`, `LFCF_DISTURBED`: try again. `LFCF_OUT_OF_MEMORY`.
 *
 * Threads: any; writers do not wait. Memory: the copy is the caller's, until `lfcf_destroy`. Cost:
 * time linear in the size; the copy, and in the first snapshot of a filter a sixteenth of its
 * table, which it keeps.
 */
int lfcf_snapshot(const struct lfcf_filter *filter, struct lfcf_filter **copy);

/**
 * Creates an empty filter in `*filter`, in new memory that processes share; NULL if it fails. All
 * calls for filters take it, but for `lfcf_clear` and `lfcf_shrink_to_fit`. A process that is
 * killed, at whatever instruction, blocks no other, loses nothing and invents nothing.
 *
 * Children of a fork use the filter as it is; each destroys it for itself. A child takes a seat of
 * its own at its first `lfcf_insert_unique`, or insert that must move other items. For this it
 * opens a file in `/proc`. So let it insert an item before it gives up rights. Other programs get
 * the memory by `lfcf_shared_fd`.
 *
 * Errors as `lfcf_create`; `LFCF_INVALID`, too: the filter is one that grows. `LFCF_IO`: `errno`
 * is that of the system. `LFCF_NO_SEAT`. `LFCF_UNSUPPORTED`: this is not Linux.
 *
 * Threads: any. Memory: the filter is the caller's, until `lfcf_destroy`; the options are not
 * kept. The memory lasts as long as a process has it, or its descriptor. Cost: as `lfcf_create`.
 * Besides what that takes, each table has from the start 64 KiB for the filter's own descriptors and
 * a sixteenth for snapshots: `lfcf_measure` tells all of it.
 */
int lfcf_shared_create(const struct lfcf_options *options, struct lfcf_filter **filter);

/**
 * `lfcf_shared_create` in a new file of this name. Other processes find it whole or not at all.
 * Take a name below `/dev/shm` or `/run`, which are memory: a file on a disk loses items when the
 * machine goes down, and is refused from then on. The file has the mode 600. Whoever may write to
 * it is trusted not to make it smaller.
 *
 * Errors as `lfcf_shared_create`. `LFCF_FILE_EXISTS`. `LFCF_NO_FILE`: there is no such directory.
 * `LFCF_IO`: also if the file system has no files without a name (`O_TMPFILE`).
 *
 * Threads: any. Memory: as `lfcf_shared_create`, and it lasts as long as the file. Cost: as
 * `lfcf_shared_create`.
 */
int lfcf_shared_create_at(const struct lfcf_options *options, const char *path, struct lfcf_filter **filter);

/**
 * Copies a filter of this process into new memory that processes share, as `*copy`; NULL if it
 * fails. So what was read by `lfcf_from_bytes`, or copied by `lfcf_snapshot`, comes into such
 * memory.
 *
 * Errors as `lfcf_shared_create`. `LFCF_INVALID`: the filter is one that grows. `LFCF_SHARED`,
 * `LFCF_READ_ONLY`: it is in such memory: call `lfcf_snapshot` first.
 *
 * Threads: alone. Memory: the copy is the caller's, until `lfcf_destroy`; the filter stays as it
 * is. Cost: time linear in the size.
 */
int lfcf_shared_copy(struct lfcf_filter *filter, struct lfcf_filter **copy);

/**
 * `lfcf_shared_copy` into a new file of this name, as `lfcf_shared_create_at`.
 *
 * Errors as `lfcf_shared_copy`, and as `lfcf_shared_create_at`.
 *
 * Threads, memory and cost: as `lfcf_shared_copy`.
 */
int lfcf_shared_copy_at(struct lfcf_filter *filter, const char *path, struct lfcf_filter **copy);

/**
 * Attaches to the memory behind a descriptor, which `lfcf_shared_fd` told in this or in another
 * process: the same filter in `*filter`, of whatever kind and layout; NULL if it fails.
 *
 * `LFCF_NOT_SEALED`: it is the descriptor of something else, or of a file with a name: open that
 * by `lfcf_shared_open`. `LFCF_NOT_A_FILTER`: also for a stored filter, which
 * `lfcf_shared_copy` brings into such memory. `LFCF_TRUNCATED`, `LFCF_DAMAGED`,
 * `LFCF_NEWER_VERSION`, `LFCF_OTHER_HASHER`, `LFCF_OUT_OF_MEMORY`, `LFCF_NO_SEAT`,
 * `LFCF_UNSUPPORTED`. `LFCF_INVALID`: the descriptor is negative. `LFCF_IO`: `errno` is that of
 * the system.
 *
 * Threads: any. Memory: the filter is the caller's, until `lfcf_destroy`. The descriptor stays the
 * caller's, who may close it as soon as the call has returned. Cost: some calls of the system; the
 * memory is mapped, not copied.
 */
int lfcf_shared_attach(int fd, struct lfcf_filter **filter);

/**
 * Opens the filter in `*filter` that `lfcf_shared_create_at` made in this file, of whatever kind
 * and layout; NULL if it fails. If several processes open a filter or make it: after
 * `LFCF_NO_FILE` call `lfcf_shared_create_at`, and after its `LFCF_FILE_EXISTS` begin again.
 *
 * `LFCF_NO_FILE`, `LFCF_OTHER_BOOT`. Otherwise errors as `lfcf_shared_attach`, but for
 * `LFCF_NOT_SEALED`.
 *
 * Threads: any. Memory: the filter is the caller's, until `lfcf_destroy`. Cost: as
 * `lfcf_shared_attach`.
 */
int lfcf_shared_open(const char *path, struct lfcf_filter **filter);

/**
 * `lfcf_shared_attach` for a process that only looks up: it maps the memory to read, and takes no
 * seat. The filter has the calls for one item, or many, that look up, and those that measure:
 * `lfcf_contains`, `lfcf_value`, `lfcf_age`, `lfcf_rotations`, `lfcf_hash_bytes`, `lfcf_measure`,
 * `lfcf_is_full`, with their forms for bytes, `_bulk` and `_many`. All others fail with
 * `LFCF_READ_ONLY`.
 *
 * Errors as `lfcf_shared_attach`, but for `LFCF_NO_SEAT`.
 *
 * Threads, memory and cost: as `lfcf_shared_attach`.
 */
int lfcf_shared_attach_reader(int fd, struct lfcf_filter **filter);

/**
 * `lfcf_shared_open` for a process that only looks up, as `lfcf_shared_attach_reader`. It needs no
 * right to write to the file.
 *
 * Errors as `lfcf_shared_open`, but for `LFCF_NO_SEAT`.
 *
 * Threads, memory and cost: as `lfcf_shared_attach`.
 */
int lfcf_shared_open_reader(const char *path, struct lfcf_filter **filter);

/**
 * Returns the descriptor of the memory, to hand it to another process. A program that this process
 * starts does not inherit it. Hand it over by a socket, or inherit a `dup` of it.
 *
 * `LFCF_WRONG_KIND`: the filter is of one process. `LFCF_READ_ONLY`: a reader has none.
 *
 * Threads: any. Memory: the descriptor is the filter's, which closes it in `lfcf_destroy`: do not
 * close it, and `dup` it to keep it for longer. Cost: none.
 */
int lfcf_shared_fd(const struct lfcf_filter *filter);

/**
 * Takes back what processes held that died in a call. Returns the number of these calls. To attach
 * or to open does the same, and so does a call that misses what they held. So nobody has to call
 * it. After it the last call of a dead process has had its whole effect, or never will.
 *
 * `LFCF_WRONG_KIND`: the filter is of one process. `LFCF_READ_ONLY`.
 *
 * Threads: any. Cost: 1,023 loads for each table, and a call of the system for each process that
 * is in a call.
 */
int lfcf_shared_recover(const struct lfcf_filter *filter);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif  /* LOCKFREE_CUCKOO_H */
