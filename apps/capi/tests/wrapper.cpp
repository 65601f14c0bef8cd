// The wrapper for C++: what it adds to the calls, which are tested in C.
#include <array>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <iostream>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

#include "lockfree_cuckoo.hpp"

using lockfree_cuckoo::filter;
using lockfree_cuckoo::filter_of;

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
        // Once: not the details, and then in general.
        CHECK(!std::strstr(error.what(), error.code().message().c_str()));
        return error.code().value();
    }
    return 0;
}

// The text of the error that a call throws.
template <class Call> static std::string what(Call call)
{
    try {
        call();
    } catch (const lockfree_cuckoo::error &error) {
        const lockfree_cuckoo::error copy = error;
        return copy.what();
    }
    return "";
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
static_assert(is_item<flow> && is_item<std::array<char, 4>> && is_item<std::string> && is_item<const char *>);
static_assert(!is_item<gaps> && !is_item<double> && !is_item<flow *> && !is_item<std::nullptr_t[1]>);
static_assert(!is_item<std::uint64_t> && !is_item<int> && !is_item<std::span<int>>);
template <class T, class Key>
concept is_key = std::is_convertible_v<T, typename filter_of<Key>::item_t>;
static_assert(is_key<std::uint32_t, std::uint32_t> && is_key<int, std::uint32_t> && is_key<flow, flow>);
static_assert(!is_key<std::uint64_t, std::uint32_t> && !is_key<int, std::uint64_t> && !is_key<char, int>);
static_assert(is_key<const char *, std::string> && is_key<std::string, std::string_view> && !is_key<char, std::string>);
static_assert(!is_key<flow, std::uint64_t> && !is_key<std::uint64_t, flow> && !is_key<double, std::uint64_t>);

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

// Of one type, with the same bytes as in C.
static void typed()
{
    filter_of<std::uint64_t> seen({.capacity = 100});
    std::uint64_t number = 5;
    seen.insert(5ull);
    CHECK(seen.contains(number) && seen.contains(5ll) && seen.count(number) == 1);
    CHECK(lfcf_contains_bytes(seen.get(), &number, sizeof number) == 1);
    CHECK(seen.remove(5ull) && seen.insert_unique(number) && seen.hash(number) == seen.hash(5ull));
    filter_of<std::string> names({.capacity = 100});
    CHECK(names.insert_unique("name") && !names.insert_unique(std::string("name")));
    CHECK(filter_of<std::string_view>::from_bytes(names.to_bytes().bytes()).contains("name"));
    filter_of<flow> flows({.capacity = 100});
    CHECK(flows.insert_unique(flow{1, 2}) && flows.contains(flow{1, 2}) && !flows.contains(flow{2, 1}));
}

static void values()
{
    filter_of<std::uint32_t> hops({.capacity = 1000, .value_bits = 4});
    std::error_code error;
    hops.insert_value(1, 15);
    CHECK(hops.value(1) == 15 && !hops.value(2));
    CHECK(!hops.insert_unique_value(2, 3) && hops.insert_unique_value(2, 5) == 3);
    CHECK(!hops.insert_unique_value(3, 0, error) && !error && hops.insert_unique_value(3, 5, error) == 0 && !error);
    CHECK(hops.replace_value(2, 3, 4) && !hops.replace_value(2, 3, 4) && hops.value(2, error) == 4 && !error);
    hops.insert_value(2, 6, error);
    int sum = 0;
    for (std::uint16_t value : hops.values(2))
        sum += value;
    CHECK(sum == 10 && hops.values(2, error).size() == 2 && hops.values(9).size() == 0 && !error);
    CHECK(hops.replace_value(2, 6, 7, error) && hops.remove_value(2, 7, error) && !error);
    CHECK(hops.remove_value(2, 4) && !hops.value(2));
    std::array<std::uint64_t, 3> hashes{hops.hash(1), hops.hash(2), hops.hash(3)};
    std::array<std::uint16_t, 3> found{9, 9, 9};
    CHECK(hops.value_bulk(hashes, found) == 5 && found[0] == 15 && found[1] == 0);
    CHECK(hops.value_bulk(hashes, found, error) == 5 && !error);
    CHECK(thrown([&] { hops.value_bulk(hashes, std::span(found).first(2)); }) == LFCF_INVALID);
    // By hash, with and without exceptions.
    hops.insert_value_hash(hashes[1], 1);
    hops.insert_value_hash(hashes[1], 2, error);
    CHECK(hops.values_hash(hashes[1]).size() == 2 && hops.values_hash(hashes[1], error).size() == 2);
    CHECK(hops.replace_value_hash(hashes[1], 1, 3) && hops.replace_value_hash(hashes[1], 2, 4, error));
    CHECK(hops.remove_value_hash(hashes[1], 3) && hops.remove_value_hash(hashes[1], 4, error));
    CHECK(!hops.value_hash(hashes[1]) && !hops.value_hash(hashes[1], error) && !error);
    CHECK(!hops.insert_unique_value_hash(hashes[1], 8) && hops.insert_unique_value_hash(hashes[1], 9, error) == 8);
    CHECK(hops.measure().value_bits == 4);
    // Errors, thrown and told.
    CHECK(thrown([&] { hops.insert_value(1, 16); }) == LFCF_INVALID);
    CHECK(!hops.insert_unique_value(9, 16, error) && error == LFCF_INVALID);
    CHECK(!hops.replace_value(1, 15, 16, error) && error == LFCF_INVALID);
    filter without({.capacity = 100});
    CHECK(thrown([&] { without.value("flow"); }) == LFCF_WRONG_KIND);
    CHECK(!without.remove_value("flow", 1, error) && error == LFCF_WRONG_KIND);
    filter none;
    none.insert_value("flow", 1, error);
    CHECK(error == LFCF_NULL && !none.value("flow", error) && error == LFCF_NULL);
}

static std::uint64_t told(void *time) { return *static_cast<std::uint64_t *>(time); }

static void clocks()
{
    using namespace std::chrono_literals;
    using lockfree_cuckoo::rotation_clock;
    std::uint64_t time = 1'000'000'000;
    std::error_code error;
    filter window({.kind = LFCF_ROTATING, .capacity = 100, .generations = 3});
    rotation_clock clock(window, 60s, told, &time);
    window.insert("flow");
    CHECK(window.age("flow") == 0u && !window.age("other"));
    time += 59'000'000'000;
    CHECK(!window.rotate_if_due(clock) && window.until_due(clock) == 1s && window.young_age(clock) == 59s);
    time += 2'000'000'000;
    CHECK(window.rotate_if_due(clock, error) && !error);
    CHECK(window.age("flow", error) == 1u && window.age_hash(window.hash("flow")) == 1u && !error);
    CHECK(!window.age_hash(window.hash("other"), error) && !error);
    CHECK(window.until_due(clock, error) == 60s && window.young_age(clock, error) == 0s && !error);
    // After it was stored for a minute and a half.
    filter loaded = filter::from_bytes(window.to_bytes().bytes());
    rotation_clock later = rotation_clock::create(loaded, 60s, nullptr, nullptr, error);
    CHECK(later && !error && loaded.catch_up(later, 90s) == 1 && loaded.age("flow") == 2u);
    CHECK(loaded.catch_up(later, -90s) == 0 && loaded.catch_up(later, std::chrono::hours(1), error) == 3 && !error);
    CHECK(!loaded.contains("flow"));
    // No time is too long.
    rotation_clock longest(loaded, std::chrono::nanoseconds::max());
    CHECK(loaded.until_due(longest) > std::chrono::hours(1'000'000));
    loaded.catch_up(longest, std::chrono::nanoseconds::max());
    CHECK(loaded.young_age(longest) < std::chrono::hours(1));
    std::uint64_t never = 0;
    rotation_clock oldest(loaded, 1s, told, &never);
    never = UINT64_MAX;
    CHECK(loaded.young_age(oldest) == std::chrono::nanoseconds::max());
    // By the times of the items.
    never = 0;
    rotation_clock of_items(loaded, 1s, told, &never);
    never = 2'500'000'000;
    CHECK(of_items.periods() == 2u && of_items.periods(error) == 0u && !error);
    never = 1'000'000'000;
    CHECK(!of_items.periods() && !of_items.periods(error) && !error);
    CHECK(thrown([] { rotation_clock().periods(); }) == LFCF_NULL);
    // Ownership, and errors.
    rotation_clock moved = std::move(clock);
    CHECK(!clock && !window.rotate_if_due(moved) && thrown([&] { window.rotate_if_due(clock); }) == LFCF_NULL);
    clock = std::move(moved);
    CHECK(clock.get() && !window.rotate_if_due(clock));
    CHECK(thrown([&] { rotation_clock(window, 0s); }) == LFCF_INVALID);
    CHECK(!rotation_clock::create(window, -1s, told, &time, error) && error == LFCF_INVALID);
    filter fixed({.capacity = 100});
    CHECK(thrown([&] { rotation_clock(fixed, 60s); }) == LFCF_WRONG_KIND);
    CHECK(!fixed.rotate_if_due(clock, error) && error == LFCF_WRONG_KIND);
    CHECK(fixed.catch_up(clock, 1s, error) == 0 && error == LFCF_WRONG_KIND);
    CHECK(!fixed.age("flow", error) && error == LFCF_WRONG_KIND);
}

#ifdef __linux__
// The status with which a child ends that makes a call.
template <class Call> static int of_child(Call call)
{
    const pid_t child = fork();
    if (child == 0)
        _exit(call() ? 0 : 1);
    int status = -1;
    CHECK(child > 0 && waitpid(child, &status, 0) == child);
    return status;
}

static void processes()
{
    using names = filter_of<std::string>;
    const std::string path = "/dev/shm/lfcf-test-cpp-" + std::to_string(getpid());
    std::error_code error;
    names seen = names::shared_create({.capacity = 1000});
    seen.insert("parent");
    CHECK(of_child([&] { return seen.contains("parent") && seen.insert_unique("child"); }) == 0);
    CHECK(!seen.insert_unique("child") && seen.shared_recover() == 0);
    CHECK(of_child([&] { return seen.insert_unique("killed") && raise(SIGKILL) != 0; }) == SIGKILL);
    CHECK(seen.contains("killed") && seen.shared_recover() >= 0 && seen.shared_recover(error) == 0 && !error);

    names other = names::shared_attach(seen.shared_fd());
    names reader = names::shared_attach_reader(seen.shared_fd());
    CHECK(other.insert_unique("other") && seen.contains("other") && reader.contains("other"));
    CHECK(names::shared_attach(other.shared_fd(error), error).contains("other") && !error);
    CHECK(names::shared_attach_reader(other.shared_fd(), error).contains("other") && !error);
    CHECK(thrown([&] { seen.clear(); }) == LFCF_SHARED && thrown([&] { reader.insert("a"); }) == LFCF_READ_ONLY);
    names copy = seen.snapshot();
    CHECK(seen.remove("other") && copy.contains("other") && !reader.contains("other"));
    CHECK(thrown([&] { copy.shared_fd(); }) == LFCF_WRONG_KIND);
    CHECK(copy.shared_fd(error) == -1 && error == LFCF_WRONG_KIND);
    CHECK(thrown([&] { copy.shared_recover(); }) == LFCF_WRONG_KIND);
    CHECK(copy.shared_recover(error) == 0 && error == LFCF_WRONG_KIND);
    CHECK(thrown([] { names::shared_attach(-1); }) == LFCF_INVALID);
    CHECK(thrown([] { names::shared_attach_reader(-1); }) == LFCF_INVALID);
    CHECK(thrown([] { names::shared_create({.kind = LFCF_GROWING}); }) == LFCF_INVALID);
    CHECK(!names::shared_create({.kind = LFCF_GROWING}, error) && error == LFCF_INVALID);
    CHECK(names::shared_create({.capacity = 100}, error).insert_unique("a") && !error);

    // By a name.
    CHECK(thrown([&] { names::shared_open(path.c_str()); }) == LFCF_NO_FILE);
    CHECK(!names::shared_open_reader(path.c_str(), error) && error == LFCF_NO_FILE);
    names::shared_create_at({.capacity = 100}, path.c_str()).insert("a");
    CHECK(thrown([&] { names::shared_create_at({}, path.c_str()); }) == LFCF_FILE_EXISTS);
    CHECK(!names::shared_create_at({}, path.c_str(), error) && error == LFCF_FILE_EXISTS);
    CHECK(names::shared_open(path.c_str()).contains("a") && names::shared_open_reader(path.c_str()).contains("a"));
    CHECK(names::shared_open(path.c_str(), error).contains("a") && !error);
    CHECK(names::shared_open_reader(path.c_str(), error).contains("a") && !error);
    CHECK(thrown([&] { names::shared_open_reader(path.c_str()).insert("b"); }) == LFCF_READ_ONLY);
    const names by_name = names::shared_open_reader(path.c_str(), error);
    by_name.insert("b", error);
    CHECK(error == LFCF_READ_ONLY);
    const names by_descriptor = names::shared_attach_reader(seen.shared_fd(), error);
    by_descriptor.insert("b", error);
    CHECK(error == LFCF_READ_ONLY);
    CHECK(unlink(path.c_str()) == 0);
    CHECK(names::shared_create_at({}, path.c_str(), error) && !error && unlink(path.c_str()) == 0);
    CHECK(thrown([&] { names::shared_open_reader(path.c_str()); }) == LFCF_NO_FILE);
    CHECK(!names::shared_open(path.c_str(), error) && error == LFCF_NO_FILE);
    // A copy of one of this process.
    names own({.capacity = 100});
    own.insert("a");
    CHECK(own.shared_copy().remove("a") && own.shared_copy(error).remove("a") && !error && own.contains("a"));
    CHECK(own.shared_copy_at(path.c_str()).contains("a"));
    CHECK(thrown([&] { own.shared_copy_at(path.c_str()); }) == LFCF_FILE_EXISTS);
    CHECK(!own.shared_copy_at(path.c_str(), error) && error == LFCF_FILE_EXISTS);
    CHECK(unlink(path.c_str()) == 0 && own.shared_copy_at(path.c_str(), error) && !error);
    CHECK(unlink(path.c_str()) == 0);
    CHECK(!names::shared_attach(-1, error) && error == LFCF_INVALID);
    CHECK(!names::shared_attach_reader(-1, error) && error == LFCF_INVALID);
}
#else
static void processes()
{
    CHECK(thrown([] { filter::shared_create({}); }) == LFCF_UNSUPPORTED);
}
#endif

template <class Key> static void bulks(const filter_of<Key> &seen)
{
    std::vector<std::uint64_t> hashes;
    for (Key number = 0; number < 100; number++)
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
    CHECK(what([&] { seen.insert_unique_many(burst, answers); }) == "100 answers for 64 hashes: give as many");
    CHECK(seen.insert_many(burst, error) == 64 && seen.remove_many(burst, error) == 64 && !error);
}

int main()
{
    filter seen({.capacity = 1000});
    items(seen);
    typed();
    values();
    bulks(filter_of<std::uint64_t>({.capacity = 1000}));
    clocks();
    processes();

    // Without options there is a filter with the usual ones, or none.
    CHECK(filter({}) && filter({}).measure().capacity == 1024 && !filter());

    // A filter as small as its items, and as large as was told before.
    filter_of<int> growing({.kind = LFCF_GROWING, .capacity = 100});
    const std::size_t slots = growing.measure().slots;
    CHECK(slots == filter::measure_options({.kind = LFCF_GROWING, .capacity = 100}).slots);
    for (int item = 0; item < 1000; item++)
        growing.insert(item);
    for (int item = 0; item < 1000; item++)
        growing.remove(item);
    CHECK(growing.measure().slots > slots);
    growing.shrink_to_fit();
    CHECK(growing.measure().slots == slots);

    // Errors, thrown and told.
    std::error_code error;
    CHECK(thrown([] { filter({.buckets = 127}); }) == LFCF_INVALID);
    CHECK(!filter::create({.buckets = 127}, error) && error == LFCF_INVALID);
    CHECK(filter::measure_options({.buckets = 127}, error).memory == 0 && error == LFCF_INVALID);
    CHECK(what([] { filter::measure_options({.buckets = 127}); }) == lfcf_last_error());
    CHECK(what([] { filter({.buckets = 127}); }).starts_with("127 buckets are not possible"));
    filter().shrink_to_fit(error);
    CHECK(error == LFCF_NULL);
    CHECK(thrown([&] { seen.rotate(); }) == LFCF_WRONG_KIND);
    CHECK(!seen.refresh("flow", error) && error == LFCF_WRONG_KIND && !error.message().empty());
    CHECK(seen.insert_unique("flow", error) && !error);

    filter small({.seed = 7, .max_false_positive_rate = 0.05, .smallest = true});
    CHECK(filter::hash_seeded(7, "flow") == small.hash("flow"));
    CHECK(filter::hash_seeded(7, flow{1, 2}, error) == small.hash(flow{1, 2}) && !error);
    CHECK(filter_of<int>::hash_seeded(7, 5) != filter_of<int>::hash_seeded(8, 5));
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
    auto dump = moved.to_dump();
    CHECK(filter::from_dump(dump.bytes()).contains("flow"));
    CHECK(!filter::from_dump(taken.bytes(), nullptr, nullptr, error) && error == LFCF_NOT_A_FILTER);
    CHECK(moved.to_dump(1, 1, error).bytes().empty() && error == LFCF_INVALID);
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
    std::uint64_t length = 0, age = 0;
    filter::from_dump(window.to_dump(1'000'000'000, 7).bytes(), &length, &age);
    CHECK(length == 1'000'000'000 && age >= 7);
}
