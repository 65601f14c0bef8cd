/*
 * lockfree_cuckoo.hpp: the filters of lockfree_cuckoo.h for C++20.
 *
 *     lockfree_cuckoo::filter_of<std::uint32_t> seen({.capacity = 1'000'000});
 *     if (seen.insert_unique(address)) ...       // throws lockfree_cuckoo::error
 *
 *     std::error_code error;
 *     bool added = seen.insert_unique(address, error);   // throws nothing; false if there is an error
 *     if (error == LFCF_FULL) ...
 *
 * Each call is the function of the same name of lockfree_cuckoo.h, which says what it does, which threads may make it, and
 * what it costs: `insert_hash` is `lfcf_insert`, `insert` is `lfcf_insert_bytes`, and so on. All calls that "any" threads
 * may make are const. A filter that was moved from, or that was made without options, is none: its calls fail with
 * LFCF_NULL. Each has two forms: one throws an `error`, a std::system_error whose text is that of `lfcf_last_error`; the
 * other has a std::error_code as its last argument, and is noexcept.
 *
 * `filter_of<Key>` has items of one type: text, an integer, or another type without padding, as a struct of integers
 * without gaps. Equal numbers of different widths have different bytes, so an integer of another width than the key's does
 * not compile: `contains(5ull)` of a filter_of<std::uint32_t>. `filter` has items of any type but integers. A hash is 64
 * well mixed bits, never a number as such.
 */
#ifndef LOCKFREE_CUCKOO_HPP
#define LOCKFREE_CUCKOO_HPP

#if __cplusplus < 201709L
#error "lockfree_cuckoo.hpp needs C++20: -std=c++20"
#endif

#include <array>
#include <chrono>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>
#include <type_traits>
#include <utility>

#include "lockfree_cuckoo.h"

template <> struct std::is_error_code_enum<lfcf_status> : std::true_type {};

namespace lockfree_cuckoo {

/// The category of the errors: their numbers are those of `lfcf_status`.
inline const std::error_category &category() noexcept
{
    static const struct : std::error_category {
        const char *name() const noexcept override { return "lockfree_cuckoo"; }
        std::string message(int status) const override { return lfcf_status_text(status); }
    } instance;
    return instance;
}

} // namespace lockfree_cuckoo

/// Lets a std::error_code be compared with an `lfcf_status`. It is where that type is, so that it
/// is found.
inline std::error_code make_error_code(lfcf_status status) noexcept
{
    return {static_cast<int>(status), lockfree_cuckoo::category()};
}

namespace lockfree_cuckoo {

/// What a call throws. `code()` is the status, and `what()` says once what failed, with the numbers.
class error : public std::system_error {
public:
    error(std::error_code code, const char *text) : std::system_error(code), text_(text) {}

    const char *what() const noexcept override { return text_.what(); }

private:
    /// Copies of it share the text, and cannot fail.
    std::runtime_error text_;
};

/// The answer of a call of the C header, unless that is an error.
inline int check(int answer)
{
    if (answer < 0)
        throw error({answer, category()}, lfcf_last_error());
    return answer;
}

/// The answer of a call of the C header, or 0 if that is an error, which is in `code` then.
inline int note(int answer, std::error_code &code) noexcept
{
    code = answer < 0 ? std::error_code(answer, category()) : std::error_code();
    return answer < 0 ? 0 : answer;
}

/// A type whose equal values have equal bytes: it has no padding, and does not point to what it
/// means.
template <class T>
concept without_padding = std::has_unique_object_representations_v<T> && !std::is_array_v<T> && !std::is_pointer_v<T>
                          && !std::is_null_pointer_v<T>
                          && !std::ranges::enable_borrowed_range<T>;

template <class T>
concept text_like = std::is_convertible_v<const T &, std::string_view>;

/// An integer, whose bytes depend on its width.
template <class T>
concept has_width = std::is_integral_v<T>;

/// The bytes of an item, which stay where they are.
class item {
public:
    template <text_like T> item(const T &text) noexcept(std::is_nothrow_convertible_v<const T &, std::string_view>)
    {
        const std::string_view view = text;
        bytes_ = view.data();
        size_ = view.size();
    }
    template <std::size_t N>
    item(std::span<const std::byte, N> bytes) noexcept : item(bytes.data(), bytes.size())
    {
    }
    /// A value without padding. An integer needs a filter_of<its type>, which refuses those of
    /// other widths.
    template <without_padding T>
        requires(!has_width<T> && !text_like<T>)
    item(const T &value) noexcept : item(&value, sizeof value)
    {
    }

    const void *bytes() const noexcept { return bytes_; }
    std::size_t size() const noexcept { return size_; }

protected:
    item(const void *bytes, std::size_t size) noexcept : bytes_(bytes), size_(size) {}

private:
    const void *bytes_;
    std::size_t size_;
};

/// A type of what the calls of a filter_of<Key> take: `Key`; any text, if that is text; an integer
/// of the same width, if that is an integer.
template <class T, class Key>
concept key_like = std::same_as<T, Key> || (text_like<T> && text_like<Key>)
                   || (has_width<T> && has_width<Key> && sizeof(T) == sizeof(Key));

/// An item of a filter_of<Key>.
template <class Key> class key : public item {
    static_assert(text_like<Key> || without_padding<Key>, "a key is text, or a value without padding");

public:
    template <key_like<Key> T>
        requires text_like<T>
    key(const T &text) noexcept(std::is_nothrow_constructible_v<item, const T &>) : item(text)
    {
    }
    template <key_like<Key> T>
        requires(!text_like<T>)
    key(const T &value) noexcept : item(&value, sizeof value)
    {
    }
};

/// How to build a filter: the fields of `lfcf_options`, which says what they mean. 0 is the default
/// of each number.
struct options {
    lfcf_kind kind = LFCF_FIXED;
    std::size_t capacity = 0;
    std::size_t buckets = 0;
    /// Random unless set.
    std::optional<std::uint64_t> seed = std::nullopt;
    std::size_t max_memory = 0;
    double max_false_positive_rate = 0;
    /// LFCF_SMALLEST.
    bool smallest = false;
    std::size_t search_budget = 0;
    std::uint32_t generations = 0;
    std::uint32_t slots = 0;
    std::uint32_t fingerprint_bits = 0;
    std::uint32_t value_bits = 0;
};

/// What a bulk call did: a bit for each hash, and the number of hashes before the first that was
/// refused.
struct bulk {
    std::uint64_t mask = 0;
    std::size_t done = 0;
};

/// The values of the copies of an item, in no order.
class copies {
public:
    const std::uint16_t *begin() const noexcept { return values_.data(); }
    const std::uint16_t *end() const noexcept { return begin() + count_; }
    std::size_t size() const noexcept { return count_; }

private:
    template <class> friend class filter_of;

    std::array<std::uint16_t, LFCF_VALUES_MAX> values_ = {};
    std::size_t count_ = 0;
};

/// A stored filter in memory.
class stored {
public:
    stored() = default;
    stored(stored &&other) noexcept { swap(other); }
    stored &operator=(stored &&other) noexcept
    {
        stored(std::move(other)).swap(*this);
        return *this;
    }
    ~stored() { lfcf_free_bytes(bytes_, size_); }

    std::span<const std::byte> bytes() const noexcept { return {static_cast<const std::byte *>(bytes_), size_}; }

private:
    template <class> friend class filter_of;
    void swap(stored &other) noexcept
    {
        std::swap(bytes_, other.bytes_);
        std::swap(size_, other.size_);
    }

    void *bytes_ = nullptr;
    std::size_t size_ = 0;
};

template <class Key> class filter_of;

/// The clock of a filter that rotates: `lfcf_clock`. One that was moved from, or made without a
/// filter, is none: calls that get it fail with LFCF_NULL. Times that the C header takes as numbers
/// are taken for 0 if they are negative; a period of 0 fails with LFCF_INVALID.
class rotation_clock {
public:
    using time_t = std::chrono::nanoseconds;

    rotation_clock() = default;
    /// `now` must not throw.
    template <class Key>
    explicit rotation_clock(const filter_of<Key> &of, time_t period, lfcf_now now = nullptr, void *context = nullptr)
    {
        check(lfcf_clock_create(of.get(), number(period), now, context, &clock_));
    }
    rotation_clock(rotation_clock &&other) noexcept : clock_(std::exchange(other.clock_, nullptr)) {}
    rotation_clock &operator=(rotation_clock &&other) noexcept
    {
        std::swap(clock_, other.clock_);
        return *this;
    }
    ~rotation_clock() { lfcf_clock_destroy(clock_); }

    template <class Key>
    static rotation_clock create(const filter_of<Key> &of, time_t period, lfcf_now now, void *context,
                                 std::error_code &error) noexcept
    {
        rotation_clock made;
        note(lfcf_clock_create(of.get(), number(period), now, context, &made.clock_), error);
        return made;
    }

    explicit operator bool() const noexcept { return clock_ != nullptr; }
    /// The clock for calls of the C header. It stays this object's.
    lfcf_clock *get() const noexcept { return clock_; }

    /// Nothing if the time is before the present period.
    std::optional<std::uint64_t> periods()
    {
        std::uint64_t ended = 0;
        return check(lfcf_periods(clock_, &ended)) ? std::optional(ended) : std::nullopt;
    }
    std::optional<std::uint64_t> periods(std::error_code &error) noexcept
    {
        std::uint64_t ended = 0;
        return note(lfcf_periods(clock_, &ended), error) ? std::optional(ended) : std::nullopt;
    }

private:
    template <class> friend class filter_of;

    static std::uint64_t number(time_t time) noexcept
    {
        return time.count() < 0 ? 0 : static_cast<std::uint64_t>(time.count());
    }
    /// The longest time if it is longer.
    static time_t time(std::uint64_t number) noexcept
    {
        const auto longest = static_cast<std::uint64_t>(time_t::max().count());
        return time_t(static_cast<time_t::rep>(number < longest ? number : longest));
    }

    lfcf_clock *clock_ = nullptr;
};

/// A filter of any kind, whose items are of the type `Key`. One that was moved from has none: its
/// calls fail with LFCF_NULL. A filter that is read is taken for one of these items: the stored
/// form does not say their type.
template <class Key> class filter_of {
    /// What `{}` converts to best, of all that a filter is made of.
    enum class usual_options {};

public:
    /// What the calls for one item take.
    using item_t = std::conditional_t<std::is_same_v<Key, item>, item, key<Key>>;
    using value_t = std::uint16_t;
    using hash_t = std::uint64_t;
    using hashes_t = std::span<const hash_t>;
    using code_t = std::error_code;

    filter_of() = default;
    explicit filter_of(const options &wanted)
    {
        const lfcf_options options = in_c(wanted);
        check(lfcf_create(&options, &filter_));
    }
    /// `filter_of({})`, with the usual options.
    explicit filter_of(usual_options) : filter_of(options()) {}
    filter_of(filter_of &&other) noexcept : filter_(std::exchange(other.filter_, nullptr)) {}
    filter_of &operator=(filter_of &&other) noexcept
    {
        std::swap(filter_, other.filter_);
        return *this;
    }
    ~filter_of() { lfcf_destroy(filter_); }

    static filter_of create(const options &wanted, code_t &error) noexcept
    {
        const lfcf_options options = in_c(wanted);
        return noted_filter(error, lfcf_create, &options);
    }

    /// In memory that processes share, on Linux. They are like other filters, but for `clear` and
    /// `shrink_to_fit`.
    static filter_of shared_create(const options &wanted)
    {
        const lfcf_options options = in_c(wanted);
        return checked_filter(lfcf_shared_create, &options);
    }
    static filter_of shared_create(const options &wanted, code_t &error) noexcept
    {
        const lfcf_options options = in_c(wanted);
        return noted_filter(error, lfcf_shared_create, &options);
    }
    static filter_of shared_create_at(const options &wanted, const char *path)
    {
        const lfcf_options options = in_c(wanted);
        return checked_filter(lfcf_shared_create_at, &options, path);
    }
    static filter_of shared_create_at(const options &wanted, const char *path, code_t &error) noexcept
    {
        const lfcf_options options = in_c(wanted);
        return noted_filter(error, lfcf_shared_create_at, &options, path);
    }
    /// The descriptor stays the caller's.
    static filter_of shared_attach(int fd) { return checked_filter(lfcf_shared_attach, fd); }
    static filter_of shared_attach(int fd, code_t &error) noexcept
    {
        return noted_filter(error, lfcf_shared_attach, fd);
    }
    static filter_of shared_open(const char *path) { return checked_filter(lfcf_shared_open, path); }
    static filter_of shared_open(const char *path, code_t &error) noexcept
    {
        return noted_filter(error, lfcf_shared_open, path);
    }
    /// What writes fails with LFCF_READ_ONLY.
    static filter_of shared_attach_reader(int fd) { return checked_filter(lfcf_shared_attach_reader, fd); }
    static filter_of shared_attach_reader(int fd, code_t &error) noexcept
    {
        return noted_filter(error, lfcf_shared_attach_reader, fd);
    }
    static filter_of shared_open_reader(const char *path) { return checked_filter(lfcf_shared_open_reader, path); }
    static filter_of shared_open_reader(const char *path, code_t &error) noexcept
    {
        return noted_filter(error, lfcf_shared_open_reader, path);
    }
    filter_of shared_copy() { return checked_filter(lfcf_shared_copy, filter_); }
    filter_of shared_copy(code_t &error) noexcept { return noted_filter(error, lfcf_shared_copy, filter_); }
    filter_of shared_copy_at(const char *path) { return checked_filter(lfcf_shared_copy_at, filter_, path); }
    filter_of shared_copy_at(const char *path, code_t &error) noexcept
    {
        return noted_filter(error, lfcf_shared_copy_at, filter_, path);
    }
    /// The descriptor stays this object's. Without one, the form that throws nothing returns -1.
    int shared_fd() const { return check(lfcf_shared_fd(filter_)); }
    int shared_fd(code_t &error) const noexcept
    {
        const int fd = note(lfcf_shared_fd(filter_), error);
        return error ? -1 : fd;
    }
    int shared_recover() const { return check(lfcf_shared_recover(filter_)); }
    int shared_recover(code_t &error) const noexcept { return note(lfcf_shared_recover(filter_), error); }

    explicit operator bool() const noexcept { return filter_ != nullptr; }
    /// The filter for calls of the C header. It stays this object's.
    lfcf_filter *get() const noexcept { return filter_; }

    void insert_hash(hash_t hash) const { check(lfcf_insert(filter_, hash)); }
    void insert_hash(hash_t hash, code_t &error) const noexcept { note(lfcf_insert(filter_, hash), error); }
    bool insert_unique_hash(hash_t hash) const { return check(lfcf_insert_unique(filter_, hash)); }
    bool insert_unique_hash(hash_t hash, code_t &error) const noexcept
    {
        return note(lfcf_insert_unique(filter_, hash), error);
    }
    bool contains_hash(hash_t hash) const { return check(lfcf_contains(filter_, hash)); }
    bool contains_hash(hash_t hash, code_t &error) const noexcept { return note(lfcf_contains(filter_, hash), error); }
    bool remove_hash(hash_t hash) const { return check(lfcf_remove(filter_, hash)); }
    bool remove_hash(hash_t hash, code_t &error) const noexcept { return note(lfcf_remove(filter_, hash), error); }
    int count_hash(hash_t hash) const { return check(lfcf_count(filter_, hash)); }
    int count_hash(hash_t hash, code_t &error) const noexcept { return note(lfcf_count(filter_, hash), error); }
    bool refresh_hash(hash_t hash) const { return check(lfcf_refresh(filter_, hash)); }
    bool refresh_hash(hash_t hash, code_t &error) const noexcept { return note(lfcf_refresh(filter_, hash), error); }

    void insert(item_t it) const { check(lfcf_insert_bytes(filter_, it.bytes(), it.size())); }
    void insert(item_t it, code_t &error) const noexcept
    {
        note(lfcf_insert_bytes(filter_, it.bytes(), it.size()), error);
    }
    bool insert_unique(item_t it) const { return check(lfcf_insert_unique_bytes(filter_, it.bytes(), it.size())); }
    bool insert_unique(item_t it, code_t &error) const noexcept
    {
        return note(lfcf_insert_unique_bytes(filter_, it.bytes(), it.size()), error);
    }
    bool contains(item_t it) const { return check(lfcf_contains_bytes(filter_, it.bytes(), it.size())); }
    bool contains(item_t it, code_t &error) const noexcept
    {
        return note(lfcf_contains_bytes(filter_, it.bytes(), it.size()), error);
    }
    bool remove(item_t it) const { return check(lfcf_remove_bytes(filter_, it.bytes(), it.size())); }
    bool remove(item_t it, code_t &error) const noexcept
    {
        return note(lfcf_remove_bytes(filter_, it.bytes(), it.size()), error);
    }
    int count(item_t it) const { return check(lfcf_count_bytes(filter_, it.bytes(), it.size())); }
    int count(item_t it, code_t &error) const noexcept
    {
        return note(lfcf_count_bytes(filter_, it.bytes(), it.size()), error);
    }
    bool refresh(item_t it) const { return check(lfcf_refresh_bytes(filter_, it.bytes(), it.size())); }
    bool refresh(item_t it, code_t &error) const noexcept
    {
        return note(lfcf_refresh_bytes(filter_, it.bytes(), it.size()), error);
    }
    hash_t hash(item_t it) const
    {
        hash_t found = 0;
        check(lfcf_hash_bytes(filter_, it.bytes(), it.size(), &found));
        return found;
    }
    hash_t hash(item_t it, code_t &error) const noexcept
    {
        hash_t found = 0;
        note(lfcf_hash_bytes(filter_, it.bytes(), it.size(), &found), error);
        return found;
    }
    /// The hash that `hash` returns of a filter with this seed, without a filter.
    static hash_t hash_seeded(std::uint64_t seed, item_t it)
    {
        hash_t found = 0;
        check(lfcf_hash_bytes_seeded(seed, it.bytes(), it.size(), &found));
        return found;
    }
    static hash_t hash_seeded(std::uint64_t seed, item_t it, code_t &error) noexcept
    {
        hash_t found = 0;
        note(lfcf_hash_bytes_seeded(seed, it.bytes(), it.size(), &found), error);
        return found;
    }

    /// Of a filter with values. The forms for an item hash it, and make the call of the C header
    /// for its hash.
    void insert_value_hash(hash_t hash, value_t value) const { check(lfcf_insert_value(filter_, hash, value)); }
    void insert_value_hash(hash_t hash, value_t value, code_t &error) const noexcept
    {
        note(lfcf_insert_value(filter_, hash, value), error);
    }
    /// Returns nothing if this call added the item with this value, else the value that was found.
    std::optional<value_t> insert_unique_value_hash(hash_t hash, value_t value) const
    {
        return check(lfcf_insert_unique_value(filter_, hash, &value)) ? std::nullopt : std::optional(value);
    }
    /// Nothing too if there is an error: look at that first.
    std::optional<value_t> insert_unique_value_hash(hash_t hash, value_t value, code_t &error) const noexcept
    {
        bool is_found = note(lfcf_insert_unique_value(filter_, hash, &value), error) == 0 && !error;
        return is_found ? std::optional(value) : std::nullopt;
    }
    std::optional<value_t> value_hash(hash_t hash) const
    {
        value_t value = 0;
        return check(lfcf_value(filter_, hash, &value)) ? std::optional(value) : std::nullopt;
    }
    std::optional<value_t> value_hash(hash_t hash, code_t &error) const noexcept
    {
        value_t value = 0;
        return note(lfcf_value(filter_, hash, &value), error) ? std::optional(value) : std::nullopt;
    }
    copies values_hash(hash_t hash) const
    {
        copies found;
        found.count_ = static_cast<std::size_t>(check(lfcf_values(filter_, hash, found.values_.data())));
        return found;
    }
    copies values_hash(hash_t hash, code_t &error) const noexcept
    {
        copies found;
        found.count_ = static_cast<std::size_t>(note(lfcf_values(filter_, hash, found.values_.data()), error));
        return found;
    }
    bool replace_value_hash(hash_t hash, value_t from, value_t to) const
    {
        return check(lfcf_replace_value(filter_, hash, from, to));
    }
    bool replace_value_hash(hash_t hash, value_t from, value_t to, code_t &error) const noexcept
    {
        return note(lfcf_replace_value(filter_, hash, from, to), error);
    }
    bool remove_value_hash(hash_t hash, value_t value) const { return check(lfcf_remove_value(filter_, hash, value)); }
    bool remove_value_hash(hash_t hash, value_t value, code_t &error) const noexcept
    {
        return note(lfcf_remove_value(filter_, hash, value), error);
    }
    void insert_value(item_t it, value_t value) const { insert_value_hash(hash(it), value); }
    void insert_value(item_t it, value_t value, code_t &error) const noexcept
    {
        insert_value_hash(hash(it, error), value, error);
    }
    std::optional<value_t> insert_unique_value(item_t it, value_t value) const
    {
        return insert_unique_value_hash(hash(it), value);
    }
    std::optional<value_t> insert_unique_value(item_t it, value_t value, code_t &error) const noexcept
    {
        return insert_unique_value_hash(hash(it, error), value, error);
    }
    std::optional<value_t> value(item_t it) const { return value_hash(hash(it)); }
    std::optional<value_t> value(item_t it, code_t &error) const noexcept
    {
        return value_hash(hash(it, error), error);
    }
    copies values(item_t it) const { return values_hash(hash(it)); }
    copies values(item_t it, code_t &error) const noexcept { return values_hash(hash(it, error), error); }
    bool replace_value(item_t it, value_t from, value_t to) const { return replace_value_hash(hash(it), from, to); }
    bool replace_value(item_t it, value_t from, value_t to, code_t &error) const noexcept
    {
        return replace_value_hash(hash(it, error), from, to, error);
    }
    bool remove_value(item_t it, value_t value) const { return remove_value_hash(hash(it), value); }
    bool remove_value(item_t it, value_t value, code_t &error) const noexcept
    {
        return remove_value_hash(hash(it, error), value, error);
    }
    /// Of up to 64 hashes, with as many values: LFCF_INVALID if there are fewer or more.
    std::uint64_t value_bulk(hashes_t hashes, std::span<value_t> values) const
    {
        std::uint64_t mask = 0;
        check_as_many(hashes, values);
        check(lfcf_value_bulk(filter_, hashes.data(), hashes.size(), &mask, values.data()));
        return mask;
    }
    std::uint64_t value_bulk(hashes_t hashes, std::span<value_t> values, code_t &error) const noexcept
    {
        std::uint64_t mask = 0;
        if (as_many(hashes, values, error))
            note(lfcf_value_bulk(filter_, hashes.data(), hashes.size(), &mask, values.data()), error);
        return mask;
    }

    /// Of up to 64 hashes: bit `i` of the mask is the answer for `hashes[i]`.
    std::uint64_t contains_bulk(hashes_t hashes) const
    {
        std::uint64_t mask = 0;
        check(lfcf_contains_bulk(filter_, hashes.data(), hashes.size(), &mask));
        return mask;
    }
    std::uint64_t contains_bulk(hashes_t hashes, code_t &error) const noexcept
    {
        std::uint64_t mask = 0;
        note(lfcf_contains_bulk(filter_, hashes.data(), hashes.size(), &mask), error);
        return mask;
    }
    /// The form that throws does not say what was done before. Use the other one if inserts can be
    /// refused.
    std::uint64_t insert_unique_bulk(hashes_t hashes) const
    {
        std::uint64_t mask = 0;
        check(lfcf_insert_unique_bulk(filter_, hashes.data(), hashes.size(), &mask, nullptr));
        return mask;
    }
    bulk insert_unique_bulk(hashes_t hashes, code_t &error) const noexcept
    {
        bulk did;
        note(lfcf_insert_unique_bulk(filter_, hashes.data(), hashes.size(), &did.mask, &did.done), error);
        return did;
    }
    std::uint64_t refresh_bulk(hashes_t hashes) const
    {
        std::uint64_t mask = 0;
        check(lfcf_refresh_bulk(filter_, hashes.data(), hashes.size(), &mask, nullptr));
        return mask;
    }
    bulk refresh_bulk(hashes_t hashes, code_t &error) const noexcept
    {
        bulk did;
        note(lfcf_refresh_bulk(filter_, hashes.data(), hashes.size(), &did.mask, &did.done), error);
        return did;
    }

    /// Of any number of hashes, with as many answers: LFCF_INVALID if there are fewer or more.
    /// Returns how many were done.
    std::size_t contains_many(hashes_t hashes, std::span<bool> answers, code_t &error) const noexcept
    {
        return as_many(hashes, answers, error)
                       && note(lfcf_contains_many(filter_, hashes.data(), hashes.size(), answers.data()), error) == 0
                       && !error
                   ? hashes.size()
                   : 0;
    }
    std::size_t insert_unique_many(hashes_t hashes, std::span<bool> answers, code_t &error) const noexcept
    {
        std::size_t done = 0;
        if (as_many(hashes, answers, error))
            note(lfcf_insert_unique_many(filter_, hashes.data(), hashes.size(), answers.data(), &done), error);
        return done;
    }
    std::size_t refresh_many(hashes_t hashes, std::span<bool> answers, code_t &error) const noexcept
    {
        std::size_t done = 0;
        if (as_many(hashes, answers, error))
            note(lfcf_refresh_many(filter_, hashes.data(), hashes.size(), answers.data(), &done), error);
        return done;
    }
    std::size_t insert_many(hashes_t hashes, code_t &error) const noexcept
    {
        std::size_t done = 0;
        note(lfcf_insert_many(filter_, hashes.data(), hashes.size(), &done), error);
        return done;
    }
    std::size_t remove_many(hashes_t hashes, code_t &error) const noexcept
    {
        std::size_t removed = 0;
        note(lfcf_remove_many(filter_, hashes.data(), hashes.size(), &removed), error);
        return removed;
    }
    void contains_many(hashes_t hashes, std::span<bool> answers) const
    {
        check_as_many(hashes, answers);
        check(lfcf_contains_many(filter_, hashes.data(), hashes.size(), answers.data()));
    }
    void insert_unique_many(hashes_t hashes, std::span<bool> answers) const
    {
        check_as_many(hashes, answers);
        check(lfcf_insert_unique_many(filter_, hashes.data(), hashes.size(), answers.data(), nullptr));
    }
    void refresh_many(hashes_t hashes, std::span<bool> answers) const
    {
        check_as_many(hashes, answers);
        check(lfcf_refresh_many(filter_, hashes.data(), hashes.size(), answers.data(), nullptr));
    }
    void insert_many(hashes_t hashes) const { check(lfcf_insert_many(filter_, hashes.data(), hashes.size(), nullptr)); }
    std::size_t remove_many(hashes_t hashes) const
    {
        std::size_t removed = 0;
        check(lfcf_remove_many(filter_, hashes.data(), hashes.size(), &removed));
        return removed;
    }

    void rotate() const { check(lfcf_rotate(filter_)); }
    void rotate(code_t &error) const noexcept { note(lfcf_rotate(filter_), error); }
    bool rotate_if(std::uint64_t rotations) const { return check(lfcf_rotate_if(filter_, rotations)); }
    bool rotate_if(std::uint64_t rotations, code_t &error) const noexcept
    {
        return note(lfcf_rotate_if(filter_, rotations), error);
    }
    std::uint64_t rotations() const
    {
        std::uint64_t found = 0;
        check(lfcf_rotations(filter_, &found));
        return found;
    }
    std::uint64_t rotations(code_t &error) const noexcept
    {
        std::uint64_t found = 0;
        note(lfcf_rotations(filter_, &found), error);
        return found;
    }
    /// The clock is used by one thread at a time: see `lfcf_rotate_if_due`.
    bool rotate_if_due(rotation_clock &clock) const { return check(lfcf_rotate_if_due(filter_, clock.get())); }
    bool rotate_if_due(rotation_clock &clock, code_t &error) const noexcept
    {
        return note(lfcf_rotate_if_due(filter_, clock.get()), error);
    }
    std::chrono::nanoseconds until_due(rotation_clock &clock) const
    {
        std::uint64_t found = 0;
        check(lfcf_until_due(filter_, clock.get(), &found));
        return rotation_clock::time(found);
    }
    std::chrono::nanoseconds until_due(rotation_clock &clock, code_t &error) const noexcept
    {
        std::uint64_t found = 0;
        note(lfcf_until_due(filter_, clock.get(), &found), error);
        return rotation_clock::time(found);
    }
    std::chrono::nanoseconds young_age(rotation_clock &clock) const
    {
        std::uint64_t found = 0;
        check(lfcf_young_age(filter_, clock.get(), &found));
        return rotation_clock::time(found);
    }
    std::chrono::nanoseconds young_age(rotation_clock &clock, code_t &error) const noexcept
    {
        std::uint64_t found = 0;
        note(lfcf_young_age(filter_, clock.get(), &found), error);
        return rotation_clock::time(found);
    }
    /// An `elapsed` below 0, of a wall clock that was set back, is taken for 0: items stay longer.
    int catch_up(rotation_clock &clock, std::chrono::nanoseconds elapsed) const
    {
        return check(lfcf_catch_up(filter_, clock.get(), rotation_clock::number(elapsed)));
    }
    int catch_up(rotation_clock &clock, std::chrono::nanoseconds elapsed, code_t &error) const noexcept
    {
        return note(lfcf_catch_up(filter_, clock.get(), rotation_clock::number(elapsed)), error);
    }
    /// The rotations since the insert of an item, or its last refresh; nothing if it is absent.
    std::optional<std::uint32_t> age_hash(hash_t hash) const
    {
        std::uint32_t age = 0;
        return check(lfcf_age(filter_, hash, &age)) ? std::optional(age) : std::nullopt;
    }
    std::optional<std::uint32_t> age_hash(hash_t hash, code_t &error) const noexcept
    {
        std::uint32_t age = 0;
        return note(lfcf_age(filter_, hash, &age), error) ? std::optional(age) : std::nullopt;
    }
    std::optional<std::uint32_t> age(item_t it) const
    {
        std::uint32_t age = 0;
        return check(lfcf_age_bytes(filter_, it.bytes(), it.size(), &age)) ? std::optional(age) : std::nullopt;
    }
    std::optional<std::uint32_t> age(item_t it, code_t &error) const noexcept
    {
        std::uint32_t age = 0;
        return note(lfcf_age_bytes(filter_, it.bytes(), it.size(), &age), error) ? std::optional(age) : std::nullopt;
    }

    /// What a filter with these options will take, before it is built.
    static lfcf_measures measure_options(const options &wanted)
    {
        lfcf_measures measures = {};
        measures.size = sizeof measures;
        const lfcf_options options = in_c(wanted);
        check(lfcf_measure_options(&options, &measures));
        return measures;
    }
    static lfcf_measures measure_options(const options &wanted, code_t &error) noexcept
    {
        lfcf_measures measures = {};
        measures.size = sizeof measures;
        const lfcf_options options = in_c(wanted);
        note(lfcf_measure_options(&options, &measures), error);
        return measures;
    }
    lfcf_measures measure() const
    {
        lfcf_measures measures = {};
        measures.size = sizeof measures;
        check(lfcf_measure(filter_, &measures));
        return measures;
    }
    lfcf_measures measure(code_t &error) const noexcept
    {
        lfcf_measures measures = {};
        measures.size = sizeof measures;
        note(lfcf_measure(filter_, &measures), error);
        return measures;
    }
    bool is_full() const { return check(lfcf_is_full(filter_)); }
    bool is_full(code_t &error) const noexcept { return note(lfcf_is_full(filter_), error); }
    /// Alone, as the C header says: so it is not const.
    void clear() { check(lfcf_clear(filter_)); }
    void clear(code_t &error) noexcept { note(lfcf_clear(filter_), error); }
    /// Alone, too.
    void shrink_to_fit() { check(lfcf_shrink_to_fit(filter_)); }
    void shrink_to_fit(code_t &error) noexcept { note(lfcf_shrink_to_fit(filter_), error); }

    filter_of snapshot() const { return checked_filter(lfcf_snapshot, filter_); }
    filter_of snapshot(code_t &error) const noexcept { return noted_filter(error, lfcf_snapshot, filter_); }
    stored to_bytes() const
    {
        stored form;
        check(lfcf_to_bytes(filter_, &form.bytes_, &form.size_));
        return form;
    }
    stored to_bytes(code_t &error) const noexcept
    {
        stored form;
        note(lfcf_to_bytes(filter_, &form.bytes_, &form.size_), error);
        return form;
    }
    static filter_of from_bytes(std::span<const std::byte> bytes)
    {
        return checked_filter(lfcf_from_bytes, bytes.data(), bytes.size());
    }
    static filter_of from_bytes(std::span<const std::byte> bytes, code_t &error) noexcept
    {
        return noted_filter(error, lfcf_from_bytes, bytes.data(), bytes.size());
    }
    stored to_dump(std::uint64_t window = 0, std::uint64_t age = 0) const
    {
        stored dump;
        check(lfcf_to_dump(filter_, window, age, &dump.bytes_, &dump.size_));
        return dump;
    }
    stored to_dump(std::uint64_t window, std::uint64_t age, code_t &error) const noexcept
    {
        stored dump;
        note(lfcf_to_dump(filter_, window, age, &dump.bytes_, &dump.size_), error);
        return dump;
    }
    static filter_of from_dump(std::span<const std::byte> dump, std::uint64_t *window = nullptr, std::uint64_t *age = nullptr)
    {
        filter_of made;
        check(lfcf_from_dump(dump.data(), dump.size(), &made.filter_, window, age));
        return made;
    }
    static filter_of from_dump(std::span<const std::byte> dump, std::uint64_t *window, std::uint64_t *age,
                            code_t &error) noexcept
    {
        filter_of made;
        note(lfcf_from_dump(dump.data(), dump.size(), &made.filter_, window, age), error);
        return made;
    }
    void write_fd(int fd) const { check(lfcf_write_fd(filter_, fd)); }
    void write_fd(int fd, code_t &error) const noexcept { note(lfcf_write_fd(filter_, fd), error); }
    static filter_of read_fd(int fd) { return checked_filter(lfcf_read_fd, fd); }
    static filter_of read_fd(int fd, code_t &error) noexcept { return noted_filter(error, lfcf_read_fd, fd); }

private:
    /// The filter that a call of the C header makes, whose last argument is the place for it.
    template <class Call, class... Given> static filter_of checked_filter(Call call, Given... given)
    {
        filter_of made;
        check(call(given..., &made.filter_));
        return made;
    }
    template <class Call, class... Given>
    static filter_of noted_filter(code_t &error, Call call, Given... given) noexcept
    {
        filter_of made;
        note(call(given..., &made.filter_), error);
        return made;
    }

    static lfcf_options in_c(const options &wanted) noexcept
    {
        lfcf_options options = {};
        options.size = sizeof options;
        options.kind = static_cast<std::uint32_t>(wanted.kind);
        options.flags = (wanted.seed ? LFCF_SEEDED : 0) | (wanted.smallest ? LFCF_SMALLEST : 0);
        options.capacity = wanted.capacity;
        options.buckets = wanted.buckets;
        options.seed = wanted.seed.value_or(0);
        options.max_memory = wanted.max_memory;
        options.max_false_positive_rate = wanted.max_false_positive_rate;
        options.search_budget = wanted.search_budget;
        options.generations = wanted.generations;
        options.slots = wanted.slots;
        options.fingerprint_bits = wanted.fingerprint_bits;
        options.value_bits = wanted.value_bits;
        return options;
    }
    template <class Answer> static bool as_many(hashes_t hashes, std::span<Answer> answers, code_t &error) noexcept
    {
        bool is = hashes.size() == answers.size();
        error = is ? code_t() : make_error_code(LFCF_INVALID);
        return is;
    }
    template <class Answer> static void check_as_many(hashes_t hashes, std::span<Answer> answers)
    {
        if (hashes.size() != answers.size())
            throw error(make_error_code(LFCF_INVALID), (std::to_string(answers.size()) + " answers for "
                                                        + std::to_string(hashes.size()) + " hashes: give as many")
                                                           .c_str());
    }

    lfcf_filter *filter_ = nullptr;
};

/// A filter with items of any type, but integers: text, bytes, and values without padding.
using filter = filter_of<item>;

} // namespace lockfree_cuckoo

#endif
