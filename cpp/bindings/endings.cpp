// Endings of Go: solved exactly, and what is alive for ever.
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "bindings/any_position.hpp"
#include "bindings/bindings.hpp"
#include "core/errors.hpp"
#include "games/go/unconditional_life.hpp"
#include "search/ending_solver.hpp"

namespace katachi::bindings {

namespace {

const SmallPosition& small_position(const AnyPosition& position, int most_points) {
    return *position.visit([&](const auto& p) -> const SmallPosition* {
        if constexpr (std::is_same_v<std::remove_cvref_t<decltype(p)>, SmallPosition>) {
            if (p.geometry().area() <= most_points) {
                return &p;
            }
        }
        const go::Geometry geometry = p.geometry();
        throw InvalidArgumentError("this is for boards of at most " + std::to_string(most_points) + " points, not for " +
                                   std::to_string(geometry.width) + "x" + std::to_string(geometry.height));
    });
}

std::vector<int> listed(go::PointSet points) {
    std::vector<int> found;
    for (; points != 0; points &= points - 1) {
        found.push_back(std::countr_zero(points));
    }
    return found;
}

using Solved = std::tuple<go::EndingSolver::Verdict, double, int, std::uint64_t>;

std::optional<Solved> solve_ending(const AnyPosition& position, std::uint64_t nodes, const Progress& progress) {
    go::EndingSolver solver(small_position(position, go::EndingState::most_points), nodes);
    return drive(solver, progress) ? std::optional(Solved(solver.verdict(), solver.outcome(), solver.depth(), solver.nodes())) : std::nullopt;
}

std::pair<std::vector<int>, std::vector<int>> safe_area(const AnyPosition& position, Player player) {
    const SmallPosition& small = small_position(position, go::PointSets::most_points);
    const go::Geometry geometry = small.geometry();
    std::array<go::PointSet, 3> colours{};
    for (int i = 0; i < geometry.area(); ++i) {
        colours[static_cast<std::size_t>(small.board().colour(geometry.padded_point(i)))] |= go::PointSet{1} << i;
    }
    const auto [black, white, empty] = colours;
    const go::SafeArea safe = go::safe_area(go::PointSets(geometry), player == Player::black ? black : white, empty);
    return {listed(safe.stones), listed(safe.eyes)};
}

}  // namespace

void bind_endings(nb::module_& m) {
    nb::enum_<go::EndingSolver::Verdict>(m, "EndingVerdict", "What has become of an attempt to solve an ending.")
        .value("PROVEN", go::EndingSolver::Verdict::proven)
        .value("OUT_OF_NODES", go::EndingSolver::Verdict::out_of_nodes)
        .value("SUPERKO", go::EndingSolver::Verdict::superko, "Proven under simple ko, but superko may forbid a move of the proof.");
    m.def("solve_ending", &solve_ending, "position"_a, "nodes"_a, "progress"_a.none() = nb::none(),
          "(verdict, Black's z if proven, depth in plies, nodes); None if progress stopped it. See katachi.search.endings.");
    m.def("safe_area", &safe_area, "position"_a, "player"_a, "Stones of a player that live for ever, and the single points between such stones.");
}

}  // namespace katachi::bindings
