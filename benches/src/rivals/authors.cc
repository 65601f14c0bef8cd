// The C++ side of `authors.rs`: the filter of the paper's authors, for keys that are hashes.

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "cuckoofilter.h"

namespace {

// The keys are hashes already.
struct Ready {
    uint64_t operator()(uint64_t hash) const { return hash; }
};

// Fingerprints of 16 bits in buckets of four, and each bucket in one word.
using Filter = cuckoofilter::CuckooFilter<uint64_t, 16, cuckoofilter::SingleTable, Ready>;

}  // namespace

extern "C" {

Filter *authors_new(size_t items) { return new Filter(items); }

void authors_delete(Filter *filter) { delete filter; }

size_t authors_bytes(const Filter *filter) { return filter->SizeInBytes(); }

size_t authors_insert(Filter *filter, const uint64_t *hashes, size_t count) {
    size_t inserted = 0;
    for (size_t at = 0; at < count; at++) inserted += filter->Add(hashes[at]) == cuckoofilter::Ok;
    return inserted;
}

// The filter has no such call: a lookup, then an insert.
size_t authors_insert_unique(Filter *filter, const uint64_t *hashes, size_t count) {
    size_t added = 0;
    for (size_t at = 0; at < count; at++) {
        added += filter->Contain(hashes[at]) != cuckoofilter::Ok &&
                 filter->Add(hashes[at]) == cuckoofilter::Ok;
    }
    return added;
}

size_t authors_contains(const Filter *filter, const uint64_t *hashes, size_t count) {
    size_t found = 0;
    for (size_t at = 0; at < count; at++) found += filter->Contain(hashes[at]) == cuckoofilter::Ok;
    return found;
}

size_t authors_remove(Filter *filter, const uint64_t *hashes, size_t count) {
    size_t removed = 0;
    for (size_t at = 0; at < count; at++) removed += filter->Delete(hashes[at]) == cuckoofilter::Ok;
    return removed;
}

}  // extern "C"
