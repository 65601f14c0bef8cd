// The wrapper for C++: what it adds to the calls, which are tested in C.
#include <array>
#include <cstdlib>
#include <iostream>
#include <thread>
#include <unistd.h>
#include <vector>

#include "lockfree_cuckoo.hpp"

using lockfree_cuckoo::filter;

#define CHECK(that)                                                                                   \
    do {                                                                                              \
        if (!(that)) {                                                                                \
            std::cerr << __FILE__ << ":" << __LINE__ << ": " << #that << "\n";                        \
            std::exit(1);                                                                             \
        }                                                                                             \
    } while (0)

// The status of the error that a call throws; 0 if it throws nothing.
template <class Call> static int thrown(Call call)
{
    try {
        call();
    } catch (const std::system_error &error) {
        CHECK(error.code().category() == lockfree_cuckoo::category());
        CHECK(*error.what());
        return error.code().value();
    }
    return 0;
}

struct flow {
    std::uint32_t source, destination;
};
struct gaps {
    std::uint8_t one;
    std::uint32_t other;
};
template <class T>
concept is_item = std::is_convertible_v<T, lockfree_cuckoo::item>;
static_assert(is_item<flow> && is_item<std::uint64_t> && is_item<std::string> && is_item<const char *>);
static_assert(!is_item<gaps> && !is_item<double> && !is_item<flow *> && !is_item<std::nullptr_t[1]>);

static void items(const filter &seen)
{
    CHECK(seen.insert_unique(flow{1, 2}) && !seen.insert_unique(flow{1, 2}) && seen.contains(flow{1, 2}));
    CHECK(seen.remove(flow{1, 2}) && !seen.contains(flow{1, 2}));
    // Text is the same item in whatever it is, without a 0 at its end.
    seen.insert("text");
    std::array<char, 4> text{'t', 'e', 'x', 't'};
    CHECK(seen.contains(std::string("text")) && seen.contains(std::string_view("text")));
    CHECK(seen.contains(std::as_bytes(std::span(text))));
    CHECK(seen.count("text") == 1 && seen.count_hash(seen.hash("text")) == 1);
    CHECK(seen.remove_hash(seen.hash("text")) && seen.measure().items == 0);
}

static void bulks(const filter &seen)
{
    std::vector<std::uint64_t> hashes;
    for (std::uint64_t number = 0; number < 100; number++)
        hashes.push_back(seen.hash(number));
    std::span<const std::uint64_t> burst(hashes.data(), 64), all(hashes);
    std::array<bool, 100> answers;
    CHECK(seen.insert_unique_bulk(burst.first(3)) == 7);
    CHECK(seen.contains_bulk(burst) == 7);
    std::error_code error;
    CHECK(seen.insert_unique_bulk(burst, error).done == 64 && !error);
    CHECK(seen.insert_unique_many(all, answers, error) == 100 && answers[99] && !answers[0]);
    seen.contains_many(all, answers);
    CHECK(answers[0] && answers[99] && seen.remove_many(all) == 100);
    CHECK(thrown([&] { seen.contains_bulk(all); }) == LFCF_INVALID);
    CHECK(thrown([&] { seen.contains_many(burst, answers); }) == LFCF_INVALID);
    CHECK(seen.insert_many(burst, error) == 64 && seen.remove_many(burst, error) == 64 && !error);
}

int main()
{
    filter seen({.capacity = 1000});
    items(seen);
    bulks(seen);

    // Errors, thrown and told.
    std::error_code error;
    CHECK(thrown([] { filter({.buckets = 127}); }) == LFCF_INVALID);
    CHECK(!filter::create({.buckets = 127}, error) && error == LFCF_INVALID);
    CHECK(thrown([&] { seen.rotate(); }) == LFCF_WRONG_KIND);
    CHECK(!seen.refresh("flow", error) && error == LFCF_WRONG_KIND && !error.message().empty());
    CHECK(seen.insert_unique("flow", error) && !error);

    filter small({.seed = 7, .max_false_positive_rate = 0.05, .smallest = true});
    CHECK(small.measure().seed == 7 && small.measure().fingerprint_bits < 16);

    // Ownership.
    filter copy = seen.snapshot();
    filter moved = std::move(seen);
    CHECK(!seen && thrown([&] { seen.contains("flow"); }) == LFCF_NULL);
    CHECK(moved.contains("flow") && copy.contains("flow"));
    moved.clear();
    CHECK(!moved.contains("flow"));
    moved = std::move(copy);
    CHECK(moved.contains("flow"));
    auto stored = moved.to_bytes();
    auto taken = std::move(stored);
    CHECK(stored.bytes().empty() && filter::from_bytes(taken.bytes()).contains("flow"));
    CHECK(!filter::from_bytes(taken.bytes().first(100), error) && error == LFCF_TRUNCATED);
    int ends[2];
    CHECK(pipe(ends) == 0);
    std::thread writer([&] { moved.write_fd(ends[1]); });
    CHECK(filter::read_fd(ends[0]).contains("flow"));
    writer.join();

    // A filter that ages, shared by threads.
    filter window({.kind = LFCF_ROTATING, .capacity = 100});
    std::thread other([&] { window.refresh("flow"); });
    other.join();
    CHECK(!window.refresh("flow") && window.rotate_if(0) && !window.rotate_if(0) && window.rotations() == 1);
    window.rotate();
    CHECK(!window.contains("flow") && !window.is_full());
}
