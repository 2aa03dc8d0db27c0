// Growing storage that never moves what it holds and never holds twice what it needs: a list of equal chunks.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <type_traits>
#include <vector>

#include "core/access.hpp"

namespace katachi {

template <class T, std::uint32_t shift = 15>
class Chunked {
    static_assert(std::is_trivially_copyable_v<T> && std::is_trivially_destructible_v<T>);

   public:
    static constexpr std::uint32_t chunk_size = 1U << shift;

    T& operator[](std::uint32_t i) { return chunks_[i >> shift].get()[i & (chunk_size - 1)]; }
    const T& operator[](std::uint32_t i) const { return chunks_[i >> shift].get()[i & (chunk_size - 1)]; }
    std::uint32_t size() const { return size_; }
    std::size_t bytes() const { return chunks_.size() * chunk_size * sizeof(T); }

    // What `allocate(count)` would add to `bytes`.
    std::size_t growth(std::uint32_t count) const {
        const std::uint32_t used = size_ & (chunk_size - 1);
        return count == 0 || (used != 0 && chunk_size - used >= count) ? 0 : chunk_size * sizeof(T);
    }

    // The first of `count` neighbours (at most chunk_size): they lie in one chunk, so that a pointer walks over them.
    std::uint32_t allocate(std::uint32_t count) {
        std::uint32_t first = size_;
        if (chunk_size - (first & (chunk_size - 1)) < count) {
            first = (first | (chunk_size - 1)) + 1;
        }
        grow(first + count);
        return first;
    }

    // At least that many elements, the new ones as T{} makes them. A chunk is not written before: of a large one the system would have to find all
    // pages at once, while other threads may be waiting.
    void grow(std::uint32_t size) {
        while (chunks_.size() * chunk_size < size) {
            chunks_.push_back(Chunk(std::allocator<T>().allocate(chunk_size)));
        }
        for (std::uint32_t i = size_; i < size;) {
            const std::uint32_t end = std::min(size, (i | (chunk_size - 1)) + 1);
            std::uninitialized_value_construct_n(&(*this)[i], end - i);
            i = end;
        }
        size_ = size;
    }

    // So many elements will not move the list of chunks: threads may read what is there while one of them adds more.
    void reserve(std::size_t size) { chunks_.reserve(size / chunk_size + 2); }

    // Forgets what is behind.
    void shrink(std::uint32_t size) {
        size_ = size;
        chunks_.resize((static_cast<std::size_t>(size) + chunk_size - 1) >> shift);
    }

   private:
    struct Free {
        void operator()(T* chunk) const { std::allocator<T>().deallocate(chunk, chunk_size); }
    };

    using Chunk = std::unique_ptr<T, Free>;

    std::vector<Chunk> chunks_;
    alignas(cache_line) std::uint32_t size_ = 0;  // apart from the list, which threads read all the time
};

}  // namespace katachi
