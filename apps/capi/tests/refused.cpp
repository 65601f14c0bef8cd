// Code that the wrapper for C++ refuses to compile: -DCASE=1 and on select a case each. -DCASE=0
// compiles.
#include "lockfree_cuckoo.hpp"

struct gaps {
    std::uint8_t one;
    std::uint32_t other;
};

void use(const lockfree_cuckoo::filter &any, const lockfree_cuckoo::filter_of<std::uint32_t> &addresses)
{
    addresses.insert(5);
    any.insert("text");
#if CASE == 1
    addresses.contains(5ull); // refused: a 64-bit integer in a filter of 32-bit ones
#elif CASE == 2
    addresses.contains(std::uint16_t(5)); // refused: a narrower one, which would convert
#elif CASE == 3
    addresses.contains(5.0); // refused: not an integer
#elif CASE == 4
    any.contains(5); // refused: an integer in a filter that does not know its width
#elif CASE == 5
    any.contains(gaps{1, 2}); // refused: padding
#elif CASE == 6
    lockfree_cuckoo::filter_of<gaps>().contains(gaps{1, 2}); // refused: padding
#endif
}
