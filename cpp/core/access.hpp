// How loops that change numbers read and write them, chosen when they are compiled: plainly, for one thread, or so that several threads
// may work on the same numbers at a time.
#pragma once

#include <atomic>
#include <cstddef>
#include <type_traits>

namespace katachi {

// What one thread writes often and others read lies so far apart: a change takes all that is in a line of the cache away from the other cores.
inline constexpr std::size_t cache_line = 64;

struct PlainAccess {
    template <class T>
    static T load(const T& number) {
        return number;
    }
    template <class T>
    static void store(T& number, std::type_identity_t<T> value) {
        number = value;
    }
};

// Every number is read and written whole, and nobody waits or knows in which order: of two changes in one moment, one may be lost.
// While threads are at work, all of them access the numbers this way.
struct AtomicAccess {
    template <class T>
    static T load(T& number) {
        return std::atomic_ref(number).load(std::memory_order_relaxed);
    }
    template <class T>
    static void store(T& number, std::type_identity_t<T> value) {
        std::atomic_ref(number).store(value, std::memory_order_relaxed);
    }
};

}  // namespace katachi
