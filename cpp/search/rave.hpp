// RAVE (Silver 2009, 8.3 and 8.4): an action of a node is also worth what episodes earned in which the same player took it later, all moves as
// first. What it is worth to the control policy is a mean of both, Q* = (1 - beta) Q + beta Q~, whose weight beta falls with the visits.
#pragma once

#include <cmath>

#include "search/tree_options.hpp"

namespace katachi {

// Q~ and N~ of an action: returns of player 0, and how many.
struct Rave {
    double sum = 0;
    double count = 0;

    double value() const { return sum / count; }
};

// beta = sqrt(k / (3 N(s) + k))   (eq. 8.13): 1/2 where N(s) = k. It is 0 for k = 0, where the formula is 0/0 at first.
inline double hand_selected_weight(double k, double parent_visits) { return k == 0 ? 0 : std::sqrt(k / (3 * parent_visits + k)); }

// beta = N~ / (N + N~ + 4 N N~ b^2)   (eq. 8.41, minimum mean squared error for a RAVE bias of b in even positions).
inline double min_mse_weight(double visits, double rave_count, double bias) {
    return rave_count / (visits + rave_count + 4 * visits * rave_count * bias * bias);
}

// beta of the actions of one node. Without a RAVE value it is 0; without a visit it is 1, unless RAVE counts for nothing.
class RaveWeight {
   public:
    RaveWeight(const TreeSearchOptions& options, double parent_visits)
        : is_alone_(options.rave == RaveUse::rave), is_min_mse_(options.rave_schedule == RaveSchedule::min_mse), bias_(options.rave_bias) {
        if (options.rave != RaveUse::none && !is_alone_ && !is_min_mse_) {
            later_ = hand_selected_weight(options.rave_k, parent_visits);
            first_ = options.rave_k == 0 ? 0 : 1;
        }
    }

    double operator()(double visits, double rave_count) const {
        if (rave_count == 0) {
            return 0;
        }
        if (is_alone_) {
            return 1;
        }
        return is_min_mse_ ? min_mse_weight(visits, rave_count, bias_) : visits == 0 ? first_ : later_;
    }

   private:
    bool is_alone_;
    bool is_min_mse_;
    double bias_;
    double later_ = 0;
    double first_ = 0;
};

}  // namespace katachi
