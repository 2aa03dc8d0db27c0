// Waiting for a moment: who holds one of these locks has a few hundred instructions to do, and sleeping and waking up would take far longer.
#pragma once

#include <atomic>
#include <cstdint>
#include <thread>

namespace katachi {

// Takes a flag that lies anywhere. After a while the others wait by giving their time away: the holder may have no core.
inline void spin_until_locked(std::atomic_ref<std::uint8_t> flag) {
    constexpr int most_looks = 100;
    for (int looks = 0; flag.exchange(1, std::memory_order_acquire) != 0;) {
        while (flag.load(std::memory_order_relaxed) != 0) {
            if (++looks > most_looks) {
                std::this_thread::yield();
            }
        }
    }
}

inline void unlock_flag(std::atomic_ref<std::uint8_t> flag) { flag.store(0, std::memory_order_release); }

// For std::unique_lock and the like.
class SpinLock {
   public:
    void lock() { spin_until_locked(std::atomic_ref(flag_)); }
    void unlock() { unlock_flag(std::atomic_ref(flag_)); }

   private:
    std::uint8_t flag_ = 0;
};

}  // namespace katachi
