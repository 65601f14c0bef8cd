/*
 * lockfree_cuckoo.hpp: the filters of lockfree_cuckoo.h for C++20.
 *
 *     lockfree_cuckoo::filter seen({.capacity = 1'000'000});
 *     if (seen.insert_unique(flow)) ...       // throws std::system_error
 *
 *     std::error_code error;
 *     bool added = seen.insert_unique(flow, error);   // throws nothing; false if there is an error
 *     if (error == LFCF_FULL) ...
 *
 * Each call is the function of the same name of lockfree_cuckoo.h, which says what it does, which threads may make it, and
 * what it costs: `insert_hash` is `lfcf_insert`, `insert` is `lfcf_insert_bytes`, and so on. All calls that "any" threads
 * may make are const. Each has two forms: one throws std::system_error, with the details as its text; the other has a
 * std::error_code as its last argument, and is noexcept.
 *
 * An item is text, bytes, or a value of a type without padding: an integer, or a struct of integers without gaps. A hash is
 * 64 well mixed bits, never a number as such.
 */
#ifndef LOCKFREE_CUCKOO_HPP
#define LOCKFREE_CUCKOO_HPP

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
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

/// Lets a std::error_code be compared with an `lfcf_status`. It is where that type is, so that it is found.
inline std::error_code make_error_code(lfcf_status status) noexcept
{
    return {static_cast<int>(status), lockfree_cuckoo::category()};
}

namespace lockfree_cuckoo {

/// The bytes of an item, which stay where they are.
class item {
public:
    item(std::string_view text) noexcept : bytes_(text.data()), size_(text.size()) {}
    item(const std::string &text) noexcept : item(std::string_view(text)) {}
    item(const char *text) noexcept : item(std::string_view(text)) {}
    template <std::size_t N>
    item(std::span<const std::byte, N> bytes) noexcept : bytes_(bytes.data()), size_(bytes.size())
    {
    }

    /// A value without padding: equal values have equal bytes.
    template <class T>
        requires std::has_unique_object_representations_v<T> && (!std::is_array_v<T>) && (!std::is_pointer_v<T>)
    item(const T &value) noexcept : bytes_(&value), size_(sizeof value)
    {
    }

    const void *bytes() const noexcept { return bytes_; }
    std::size_t size() const noexcept { return size_; }

private:
    const void *bytes_;
    std::size_t size_;
};

/// How to build a filter: the fields of `lfcf_options`, which says what they mean. 0 is the default of each number.
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
};

/// What a bulk call did: a bit for each hash, and the number of hashes before the first that was refused.
struct bulk {
    std::uint64_t mask = 0;
    std::size_t done = 0;
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
    friend class filter;
    void swap(stored &other) noexcept
    {
        std::swap(bytes_, other.bytes_);
        std::swap(size_, other.size_);
    }

    void *bytes_ = nullptr;
    std::size_t size_ = 0;
};

/// A filter of any kind. One that was moved from has none: its calls fail with LFCF_NULL.
class filter {
public:
    using hash_t = std::uint64_t;
    using hashes_t = std::span<const hash_t>;
    using code_t = std::error_code;

    filter() = default;
    explicit filter(const options &wanted)
    {
        code_t error;
        throw_if(error, [&] { *this = create(wanted, error); });
    }
    filter(filter &&other) noexcept : filter_(std::exchange(other.filter_, nullptr)) {}
    filter &operator=(filter &&other) noexcept
    {
        std::swap(filter_, other.filter_);
        return *this;
    }
    ~filter() { lfcf_destroy(filter_); }

    static filter create(const options &wanted, code_t &error) noexcept
    {
        filter made;
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
        note(lfcf_create(&options, &made.filter_), error);
        return made;
    }

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

    void insert(item it) const { check(lfcf_insert_bytes(filter_, it.bytes(), it.size())); }
    void insert(item it, code_t &error) const noexcept
    {
        note(lfcf_insert_bytes(filter_, it.bytes(), it.size()), error);
    }
    bool insert_unique(item it) const { return check(lfcf_insert_unique_bytes(filter_, it.bytes(), it.size())); }
    bool insert_unique(item it, code_t &error) const noexcept
    {
        return note(lfcf_insert_unique_bytes(filter_, it.bytes(), it.size()), error);
    }
    bool contains(item it) const { return check(lfcf_contains_bytes(filter_, it.bytes(), it.size())); }
    bool contains(item it, code_t &error) const noexcept
    {
        return note(lfcf_contains_bytes(filter_, it.bytes(), it.size()), error);
    }
    bool remove(item it) const { return check(lfcf_remove_bytes(filter_, it.bytes(), it.size())); }
    bool remove(item it, code_t &error) const noexcept
    {
        return note(lfcf_remove_bytes(filter_, it.bytes(), it.size()), error);
    }
    int count(item it) const { return check(lfcf_count_bytes(filter_, it.bytes(), it.size())); }
    int count(item it, code_t &error) const noexcept
    {
        return note(lfcf_count_bytes(filter_, it.bytes(), it.size()), error);
    }
    bool refresh(item it) const { return check(lfcf_refresh_bytes(filter_, it.bytes(), it.size())); }
    bool refresh(item it, code_t &error) const noexcept
    {
        return note(lfcf_refresh_bytes(filter_, it.bytes(), it.size()), error);
    }
    hash_t hash(item it) const
    {
        hash_t found = 0;
        check(lfcf_hash_bytes(filter_, it.bytes(), it.size(), &found));
        return found;
    }
    hash_t hash(item it, code_t &error) const noexcept
    {
        hash_t found = 0;
        note(lfcf_hash_bytes(filter_, it.bytes(), it.size(), &found), error);
        return found;
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
    /// The form that throws does not say what was done before. Use the other one if inserts can be refused.
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

    /// Of any number of hashes, with as many answers: LFCF_INVALID if there are fewer or more. Returns how many were done.
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
        code_t error;
        throw_if(error, [&] { contains_many(hashes, answers, error); });
    }
    void insert_unique_many(hashes_t hashes, std::span<bool> answers) const
    {
        code_t error;
        throw_if(error, [&] { insert_unique_many(hashes, answers, error); });
    }
    void refresh_many(hashes_t hashes, std::span<bool> answers) const
    {
        code_t error;
        throw_if(error, [&] { refresh_many(hashes, answers, error); });
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

    filter snapshot() const
    {
        filter copy;
        check(lfcf_snapshot(filter_, &copy.filter_));
        return copy;
    }
    filter snapshot(code_t &error) const noexcept
    {
        filter copy;
        note(lfcf_snapshot(filter_, &copy.filter_), error);
        return copy;
    }
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
    static filter from_bytes(std::span<const std::byte> bytes)
    {
        filter made;
        check(lfcf_from_bytes(bytes.data(), bytes.size(), &made.filter_));
        return made;
    }
    static filter from_bytes(std::span<const std::byte> bytes, code_t &error) noexcept
    {
        filter made;
        note(lfcf_from_bytes(bytes.data(), bytes.size(), &made.filter_), error);
        return made;
    }
    void write_fd(int fd) const { check(lfcf_write_fd(filter_, fd)); }
    void write_fd(int fd, code_t &error) const noexcept { note(lfcf_write_fd(filter_, fd), error); }
    static filter read_fd(int fd)
    {
        filter made;
        check(lfcf_read_fd(fd, &made.filter_));
        return made;
    }
    static filter read_fd(int fd, code_t &error) noexcept
    {
        filter made;
        note(lfcf_read_fd(fd, &made.filter_), error);
        return made;
    }

private:
    static int check(int answer)
    {
        if (answer < 0)
            throw std::system_error(answer, category(), lfcf_last_error());
        return answer;
    }
    static int note(int answer, code_t &error) noexcept
    {
        error = answer < 0 ? code_t(answer, category()) : code_t();
        return answer < 0 ? 0 : answer;
    }
    template <class Call> static void throw_if(const code_t &error, Call call)
    {
        call();
        if (error)
            throw std::system_error(error, lfcf_last_error());
    }
    static bool as_many(hashes_t hashes, std::span<bool> answers, code_t &error) noexcept
    {
        bool is = hashes.size() == answers.size();
        error = is ? code_t() : make_error_code(LFCF_INVALID);
        return is;
    }

    lfcf_filter *filter_ = nullptr;
};

} // namespace lockfree_cuckoo

#endif
