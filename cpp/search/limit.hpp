// Budgets, apart from settings: a search stops at the first limit that it reaches. Silver counts simulations,
// Vodopivec simulated steps, players seconds.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <limits>
#include <optional>

namespace katachi {

struct Limit {
    std::optional<std::uint64_t> simulations;
    std::optional<std::uint64_t> steps;
    std::optional<double> seconds;
};

// What has been spent of a limit since `start`.
class Meter {
   public:
    explicit Meter(const Limit& limit) : limit_(limit), start_(std::chrono::steady_clock::now()) {}

    void add(std::uint64_t simulations, std::uint64_t steps) {
        simulations_ += simulations;
        steps_ += steps;
    }

    // `look_at_clock` is false in most turns of a fast loop.
    bool is_spent(bool look_at_clock) const {
        return (limit_.simulations && simulations_ >= *limit_.simulations) || (limit_.steps && steps_ >= *limit_.steps) ||
               (look_at_clock && limit_.seconds && seconds() >= *limit_.seconds);
    }

    const Limit& limit() const { return limit_; }
    std::uint64_t simulations() const { return simulations_; }
    std::uint64_t steps() const { return steps_; }
    std::uint64_t simulations_left() const {
        return limit_.simulations ? *limit_.simulations - std::min(simulations_, *limit_.simulations) : std::numeric_limits<std::uint64_t>::max();
    }
    // How many steps are left, if they are limited.
    std::uint64_t steps_left() const {
        return limit_.steps ? *limit_.steps - std::min(steps_, *limit_.steps) : std::numeric_limits<std::uint64_t>::max();
    }

    // How many seconds are left, if they are limited.
    double seconds_left() const { return limit_.seconds ? std::max(0.0, *limit_.seconds - seconds()) : std::numeric_limits<double>::infinity(); }

    double share() const {
        double share = 0;
        if (limit_.simulations) {
            share = std::max(share, ratio(static_cast<double>(simulations_), static_cast<double>(*limit_.simulations)));
        }
        if (limit_.steps) {
            share = std::max(share, ratio(static_cast<double>(steps_), static_cast<double>(*limit_.steps)));
        }
        if (limit_.seconds) {
            share = std::max(share, ratio(seconds(), *limit_.seconds));
        }
        return std::min(share, 1.0);
    }

   private:
    static double ratio(double part, double whole) { return whole > 0 ? part / whole : 1.0; }
    double seconds() const { return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count(); }

    Limit limit_;
    std::chrono::steady_clock::time_point start_;
    std::uint64_t simulations_ = 0;
    std::uint64_t steps_ = 0;
};

}  // namespace katachi
