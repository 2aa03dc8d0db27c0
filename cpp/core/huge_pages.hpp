// Memory for large tables that are read at random: in pages of 2 MiB, where the system has them, so that few translations of addresses are missed.
#pragma once

#include <cstddef>
#include <new>

#ifdef __linux__
#include <sys/mman.h>
#endif

namespace katachi {

template <class T>
struct HugePageAllocator {
    using value_type = T;

    HugePageAllocator() = default;
    template <class U>
    HugePageAllocator(const HugePageAllocator<U>& /*other*/) {}  // NOLINT(google-explicit-constructor): allocators convert

    T* allocate(std::size_t count) {
        const std::size_t bytes = count * sizeof(T);
        if (bytes < page) {
            return static_cast<T*>(::operator new(bytes));
        }
        void* const start = ::operator new(bytes, std::align_val_t{page});
#ifdef MADV_HUGEPAGE
        ::madvise(start, bytes, MADV_HUGEPAGE);  // a wish: it may be refused
#endif
        return static_cast<T*>(start);
    }
    void deallocate(T* start, std::size_t count) {
        if (count * sizeof(T) < page) {
            ::operator delete(start);
        } else {
            ::operator delete(start, std::align_val_t{page});
        }
    }

    bool operator==(const HugePageAllocator& /*other*/) const { return true; }

   private:
    static constexpr std::size_t page = std::size_t{2} << 20;
};

}  // namespace katachi
