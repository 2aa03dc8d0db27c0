// Work that several threads share for a while: all of them have ended when it is over.
#pragma once

#include <atomic>
#include <cstddef>
#include <exception>
#include <thread>
#include <vector>

namespace katachi {

// Calls work(i, is_stopped) for i from 0 to size - 1, each in a thread of its own, the first in the thread of the caller. When one throws, the
// others are asked to stop, and the error comes out here.
template <class Work>
void work_together(std::size_t size, Work&& work) {
    std::atomic<bool> is_stopped = false;
    std::vector<std::exception_ptr> errors(size);
    const auto guarded = [&](std::size_t i) {
        try {
            work(i, is_stopped);
        } catch (...) {
            errors[i] = std::current_exception();
            is_stopped = true;
        }
    };
    {
        std::vector<std::jthread> threads;
        try {
            for (std::size_t i = 1; i < size; ++i) {
                threads.emplace_back(guarded, i);
            }
        } catch (...) {  // no more threads to be had
            errors[0] = std::current_exception();
            is_stopped = true;
        }
        if (!is_stopped) {
            guarded(0);
        }
    }
    for (const std::exception_ptr& error : errors) {
        if (error) {
            std::rethrow_exception(error);
        }
    }
}

}  // namespace katachi
