// Growing storage that never moves what it holds and never holds twice what it needs: a list of equal chunks.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace katachi {

template <class T, std::uint32_t shift = 15>
class Chunked {
   public:
    static constexpr std::uint32_t chunk_size = 1U << shift;

    T& operator[](std::uint32_t i) { return (*chunks_[i >> shift])[i & (chunk_size - 1)]; }
    const T& operator[](std::uint32_t i) const { return (*chunks_[i >> shift])[i & (chunk_size - 1)]; }
    std::uint32_t size() const { return size_; }
    std::size_t bytes() const { return chunks_.size() * chunk_size * sizeof(T); }

    // What `allocate(count)` would add to `bytes`.
    std::size_t growth(std::uint32_t count) const {
        const std::uint32_t used = size_ & (chunk_size - 1);
        return count == 0 || (used != 0 && chunk_size - used >= count) ? 0 : chunk_size * sizeof(T);
    }

    // The first of `count` neighbours (at most chunk_size): they lie in one chunk, so that a pointer walks over them.
    std::uint32_t allocate(std::uint32_t count) {
        if (chunk_size - (size_ & (chunk_size - 1)) < count) {
            size_ = (size_ | (chunk_size - 1)) + 1;
        }
        const std::uint32_t first = size_;
        grow(first + count);
        return first;
    }

    // At least that many elements, for storage that runs in parallel with another one.
    void grow(std::uint32_t size) {
        while (chunks_.size() * chunk_size < size) {
            chunks_.push_back(std::make_unique<std::array<T, chunk_size>>());
        }
        size_ = size;
    }

    // So many elements will not move the list of chunks: threads may read what is there while one of them adds more.
    void reserve(std::size_t size) { chunks_.reserve(size / chunk_size + 2); }

    // Forgets what is behind; what is allocated again is not cleared.
    void shrink(std::uint32_t size) {
        size_ = size;
        chunks_.resize((static_cast<std::size_t>(size) + chunk_size - 1) >> shift);
    }

   private:
    std::vector<std::unique_ptr<std::array<T, chunk_size>>> chunks_;
    std::uint32_t size_ = 0;
};

}  // namespace katachi
