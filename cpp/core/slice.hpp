// Native loops run in slices, so that Ctrl-C, progress bars and `stop` are answered between them.
//
// A Job is work that can be left and taken up again: `advance` works until the slice expires or the job is done. The
// door (bindings/) calls it again and again and looks at signals in between. The outcome does not depend on where the
// slices fall.
#pragma once

#include <chrono>
#include <thread>

namespace katachi {

class Slice {
   public:
    using Clock = std::chrono::steady_clock;
    static constexpr std::chrono::milliseconds longest{50};

    explicit Slice(Clock::duration duration = longest) : end_(Clock::now() + duration) {}

    bool expired() const { return Clock::now() >= end_; }

   private:
    Clock::time_point end_;
};

// Asks the clock only once in `period` calls, for loops whose body is shorter than a look at the clock.
class SliceTicker {
   public:
    SliceTicker(const Slice& slice, unsigned period) : slice_(slice), period_(period) {}

    bool expired() { return ++count_ % period_ == 0 && slice_.expired(); }

   private:
    const Slice& slice_;
    unsigned period_;
    unsigned count_ = 0;
};

// Who is driving a job, and whether a slice is under way. Written by the door alone, under the interpreter lock.
struct Use {
    const char* running = "this is already running";  // what a second driver is told
    bool driven = false;
    bool in_slice = false;
    int readers = 0;  // threads that wait for the end of a slice
    std::thread::id driver;
};

class Job {
   public:
    Job() = default;
    Job(const Job&) = default;
    Job(Job&&) = default;
    Job& operator=(const Job&) = default;
    Job& operator=(Job&&) = default;
    virtual ~Job() = default;

    // Works until done (true) or until the slice expires (false).
    virtual bool advance(const Slice& slice) = 0;
    // The share of the work that is done, 0 to 1; negative when nobody can tell.
    virtual double progress() const = 0;
    // Jobs that call back into Python keep the interpreter lock.
    virtual bool calls_python() const { return false; }

    // Jobs that work on the same thing have its use in common: one of them is driven at a time.
    virtual Use& use() const { return use_; }

   private:
    mutable Use use_;
};

}  // namespace katachi
