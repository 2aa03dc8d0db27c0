// How loops that change numbers read and write them, chosen when they are compiled: plainly, for one thread, or so that several threads
// may work on the same numbers at a time.
#pragma once

#include <atomic>

namespace katachi {

struct PlainAccess {
    static float load(const float& number) { return number; }
    static void store(float& number, float value) { number = value; }
};

// Every number is read and written whole, and nobody waits or knows in which order: of two changes in one moment, one may be lost.
// While threads are at work, all of them access the numbers this way.
struct AtomicAccess {
    static float load(float& number) { return std::atomic_ref(number).load(std::memory_order_relaxed); }
    static void store(float& number, float value) { std::atomic_ref(number).store(value, std::memory_order_relaxed); }
};

}  // namespace katachi
