// What every search shows at the door: it runs under a limit, can go on later, and tells what it thinks of each root action.
#pragma once

#include <cstdint>
#include <vector>

#include "core/slice.hpp"
#include "core/types.hpp"
#include "search/limit.hpp"

namespace katachi {

struct RootAction {
    Action action;
    std::uint64_t visits = 0;
    double value = 0;  // expected return of player 0, by these visits
};

class Search : public Job {
   public:
    // Starts (or goes on with) a search under a fresh limit; `advance` then does the work.
    void begin(const Limit& limit) {
        meter_ = Meter(limit);
        has_begun_ = true;
    }

    double progress() const override { return has_begun_ ? meter_.share() : 0; }
    std::uint64_t simulations() const { return simulations_; }
    std::uint64_t steps() const { return steps_; }
    virtual std::vector<RootAction> root_actions() const = 0;

    bool advance(const Slice& slice) override {
        if (!has_begun_) {
            return true;
        }
        const int period = simulations_per_look();
        while (!is_finished() && (!has_answer() || !meter_.is_spent(true))) {
            for (int i = 0; i < period && !is_finished() && (!has_answer() || !meter_.is_spent(false)); ++i) {
                count(1, simulate());
            }
            if (slice.expired()) {
                break;
            }
        }
        return is_finished() || (has_answer() && meter_.is_spent(true));
    }

   protected:
    // One simulated game; returns its number of steps. A simulation that throws leaves no trace: the search can go on as if
    // it had not begun. What is learnt online has been learnt.
    virtual std::uint64_t simulate() = 0;
    // A search with a fixed amount of work, or no room for more, says here that it is done.
    virtual bool is_finished() const { return false; }
    // The first run goes on until there is something to say, whatever its limit.
    virtual bool has_answer() const { return simulations_ > 0; }
    // Between two looks at the clock: a few where one is hardly longer than a look. A game in Python is.
    virtual int simulations_per_look() const { return calls_python() ? 1 : 8; }
    // What has been spent of the present limit. Only inside `simulate` and `advance`.
    const Meter& meter() const { return meter_; }
    bool has_begun() const { return has_begun_; }
    // Simulations that have been done, for a search with an `advance` of its own.
    void count(std::uint64_t simulations, std::uint64_t steps) {
        meter_.add(simulations, steps);
        simulations_ += simulations;
        steps_ += steps;
    }
    // Works on the limit of another search for a while, and counts from where that one stands.
    void join(const Search& other) {
        meter_ = other.meter_;
        has_begun_ = other.has_begun_;
        simulations_ = other.simulations_;
        steps_ = other.steps_;
    }
    // The counts begin anew with another root.
    void reset_counts() { simulations_ = steps_ = 0; }

   private:
    Meter meter_{Limit{}};
    bool has_begun_ = false;
    std::uint64_t simulations_ = 0;
    std::uint64_t steps_ = 0;
};

}  // namespace katachi
