// What plays simulated games, as a value: a small tree of policies (Silver 2009, 4.6.3, 6.9, 7 and 9.2). It is made ready for a game by
// PolicyFor (playout.hpp), once for each search.
//
// Its text is the language of settings, which src/katachi/policies/policy_text.py reads: switch(6;greedy(0.1);mix(0.4*uniform+0.6*fuego)).
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "values/placement_factors.hpp"
#include "values/shape_evaluator.hpp"

namespace katachi {

enum class PolicyKind : std::uint8_t {
    uniform,    // any candidate
    mogo,       // handcrafted ones of Go: go_policies.hpp
    fuego,      //
    greedy,     // over learnt values of Go: learnt_policies.hpp
    gaussian,   //
    softmax,    //
    shapes,     // softmax over local shapes, with weights of its own: softmax_shapes.hpp
    mix,        // one of its parts, drawn by their shares at each move
    two_stages  // the first part for some moves of a playout, then the second
};

struct Policy {
    PolicyKind kind = PolicyKind::uniform;
    double number = 0;                                   // epsilon, sd, tau, or the moves of the first stage
    std::shared_ptr<const ShapeEvaluator> shapes;        // of the learnt ones
    std::shared_ptr<const FrozenPlacements> placements;  // of softmax over local shapes
    std::vector<double> shares;                          // of a mixture
    std::vector<Policy> parts;                           // of a mixture, and of two stages

    // With a named error for what is none.
    static Policy named(std::string_view name);
    static Policy learnt(std::string_view name, double number, std::shared_ptr<const ShapeEvaluator> shapes);
    static Policy softmax_shapes(std::shared_ptr<const FrozenPlacements> placements);
    static Policy mix(std::vector<double> shares, std::vector<Policy> parts);
    static Policy two_stages(double moves, Policy first, Policy second);

    std::string text() const;
    // The first part that is for Go only; nothing if there is none.
    const Policy* part_of_go() const;
};

}  // namespace katachi
