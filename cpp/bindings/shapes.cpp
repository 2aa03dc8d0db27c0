#include <nanobind/stl/shared_ptr.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "bindings/any_position.hpp"
#include "bindings/arrays.hpp"
#include "bindings/bindings.hpp"
#include "values/afterstates.hpp"
#include "values/recomputed.hpp"
#include "values/shape_audit.hpp"
#include "values/shape_evaluator.hpp"
#include "values/shape_weights.hpp"

namespace katachi::bindings {

namespace {

using features::Code;
using features::Entry;
using features::Feature;
using features::Representation;
using features::ShapeSet;
using features::ShapeSize;
using features::ShareTable;
using features::Sharing;
using features::Turns;
using features::Window;

template <class C>
decltype(auto) checked_at(C&& list, int index, const char* what) {
    if (index < 0 || index >= static_cast<int>(list.size())) {
        throw InvalidArgumentError("there is no " + std::string(what) + " " + std::to_string(index) + ", only " + std::to_string(list.size()));
    }
    return list[static_cast<std::size_t>(index)];
}

void check_table(const Representation& r, int table) { checked_at(r.tables().tables(), table, "table"); }
void check_family(const Representation& r, int family) { checked_at(r.shapes().sizes(), family, "family"); }
void check_board(const Representation& r, const AnyPosition& position) {
    const int side = r.shapes().side();
    if (!(position.geometry() == go::Geometry{side, side})) {
        throw InvalidArgumentError("these local shapes are for boards of " + std::to_string(side) + "x" + std::to_string(side) + ", not of " +
                                   std::to_string(position.geometry().width) + "x" + std::to_string(position.geometry().height));
    }
}

template <class P>
int moves_of(const P& position) {
    return static_cast<int>(position.moves().size());
}

std::vector<std::pair<int, int>> sizes_of(const Representation& r) {
    std::vector<std::pair<int, int>> sizes;
    for (const ShapeSize size : r.shapes().sizes()) {
        sizes.emplace_back(size.width, size.height);
    }
    return sizes;
}

// The entries of a table, feature by feature.
Array<Entry> entries(const Representation& r, int table, Player to_play) {
    check_table(r, table);
    const ShareTable& chosen = *r.tables_for(to_play)[static_cast<std::size_t>(table)];
    std::vector<Entry> all;
    all.reserve(r.shapes().features());
    for (std::size_t w = 0; w < r.shapes().windows().size(); ++w) {
        const auto first = chosen.entries.begin() + static_cast<std::ptrdiff_t>(chosen.firsts[w]);
        all.insert(all.end(), first, first + ShapeSet::contents(r.shapes().windows()[w].size));
    }
    return array_of(std::move(all));
}

void bind_representation(nb::module_& m) {
    nb::enum_<Sharing>(m, "Sharing", "Which local shapes have one weight; see cpp/features/weight_sharing.hpp.")
        .value("NONE", Sharing::none)
        .value("INVERSION", Sharing::inversion)
        .value("TURNED", Sharing::turned)
        .value("ANYWHERE", Sharing::anywhere)
        .value("DEPENDENT", Sharing::dependent)
        .value("INDEPENDENT", Sharing::independent);
    nb::enum_<Turns>(m, "Turns", "Vectors of weights: for all states, for each player to move, or both kinds.")
        .value("BOTH", Turns::both)
        .value("EACH", Turns::each)
        .value("EACH_AND_BOTH", Turns::each_and_both);

    nb::class_<Representation>(m, "ShapeRepresentation",
                               "Local shapes of a square board and how they share weights; see katachi.features.local_shapes.")
        .def(
            "__init__",
            [](Representation* self, int side, const std::vector<std::pair<int, int>>& sizes, const std::vector<Sharing>& sharing, Turns turns,
               int stage_length) {
                features::RepresentationOptions options{side, {}, sharing, turns, stage_length};
                if (sizes.empty()) {
                    throw InvalidArgumentError("local shapes need at least one size of shapes");
                }
                for (const auto& [width, height] : sizes) {
                    options.sizes.push_back({width, height});
                }
                new (self) Representation(options);
            },
            nb::kw_only(), "side"_a, "sizes"_a, "sharing"_a, "turns"_a = Turns::both, "stage_length"_a = 0)
        .def_static(
            "none", [](int side) { return std::make_unique<Representation>(features::RepresentationOptions{side, {}, {Sharing::none}}); }, "side"_a,
            "No shapes, for a search that has other features.")
        .def_prop_ro("side", [](const Representation& r) { return r.shapes().side(); })
        .def_prop_ro("sizes", &sizes_of, "(width, height) of each family.")
        .def_prop_ro(
            "tables",
            [](const Representation& r) {
                std::vector<Sharing> schemes;
                for (const ShareTable& table : r.tables().tables()) {
                    schemes.push_back(table.sharing);
                }
                return schemes;
            },
            "The schemes of its tables; where turns count, those of the player to move come first.")
        .def_prop_ro("features", [](const Representation& r) { return r.shapes().features(); })
        .def_prop_ro("weights", &Representation::weights, "Of all stages.")
        .def_prop_ro("stages", &Representation::stages)
        .def_prop_ro(
            "max_active", [](const Representation& r) { return r.shapes().windows().size() * r.tables().tables().size(); },
            "Weights that can count in one state.")
        .def_prop_ro(
            "windows",
            [](const Representation& r) {
                std::vector<std::tuple<Feature, int, int, int, int, int>> windows;
                for (const Window& w : r.shapes().windows()) {
                    windows.emplace_back(w.first, w.family, w.size.width, w.size.height, w.row, w.col);
                }
                return windows;
            },
            "(first feature, family, width, height, row, column) of each.")
        .def(
            "features_of",
            [](const Representation& r, int family) {
                check_family(r, family);
                return r.shapes().features_of(family);
            },
            "family"_a)
        .def(
            "weights_of",
            [](const Representation& r, int family, int table) {
                check_family(r, family);
                check_table(r, table);
                return r.tables().tables()[static_cast<std::size_t>(table)].unique[static_cast<std::size_t>(family)];
            },
            "family"_a, "table"_a, "In one stage.")
        .def(
            "first_weight",
            [](const Representation& r, int family, int table) {
                check_family(r, family);
                check_table(r, table);
                return r.tables().first_weight(family, table);
            },
            "family"_a, "table"_a, "In the first stage; a later one has + stage * weights / stages.")
        .def(
            "window_of",
            [](const Representation& r, Feature feature) {
                if (feature >= r.shapes().features()) {
                    throw InvalidArgumentError("there is no feature " + std::to_string(feature) + ", only " + std::to_string(r.shapes().features()));
                }
                return r.shapes().window_of(feature);
            },
            "feature"_a)
        .def("stage", &Representation::stage, "moves"_a, "Of a state after so many moves.")
        .def("entries", &entries, "table"_a, "to_play"_a = Player::black,
             "By feature: +(weight + 1), -(weight + 1), or 0 for what has no weight; in the first stage.")
        .def(
            "active",
            [](const Representation& r, const AnyPosition& position) {
                check_board(r, position);
                return position.visit([&](const auto& p) {
                    std::vector<Entry> all;
                    for_each_active(r, p.board(), p.to_play(), r.stage(moves_of(p)), [&](Entry entry) { all.push_back(entry); });
                    return array_of(std::move(all));
                });
            },
            "position"_a, "The entries that count in a position, window by window, without zeros.");
}

void bind_weights(nb::module_& m) {
    nb::class_<ShapeWeights>(m, "ShapeWeights", "Weights of local shapes, zero at first.")
        .def(nb::init<std::uint32_t, bool>(), "count"_a, "is_signed"_a = true, "Without signs they are for shapes that share no weight.")
        .def_prop_ro("count", &ShapeWeights::count)
        .def_prop_ro("is_signed", &ShapeWeights::is_signed)
        .def("values", &weights_array, "A copy.")
        .def("assign", &assign_weights, "values"_a, "All of them.")
        .def(
            "set",
            [](ShapeWeights& w, std::uint32_t index, float value) {
                if (index >= w.count()) {
                    throw InvalidArgumentError("there is no weight " + std::to_string(index) + ", only " + std::to_string(w.count()));
                }
                w.set(static_cast<Entry>(index) + 1, value);
            },
            "index"_a, "value"_a);
}

double shape_sum(const Representation& r, const ShapeWeights& weights, const AnyPosition& position) {
    check_board(r, position);
    check_weights(r, weights);
    return position.visit([&](const auto& p) { return recomputed_sum(r, weights, p.board(), p.to_play(), r.stage(moves_of(p))); });
}

std::vector<std::pair<Action, double>> shape_afterstates(const Representation& r, const ShapeWeights& weights, const AnyPosition& position,
                                                         LookupKind kind) {
    check_board(r, position);
    check_weights(r, weights);
    return position.visit([&](const auto& p) {
        Lookups lookups(r, weights, kind);
        Afterstates<Lookups::Lookup> sums(lookups.shapes(), lookups.lookup(opponent(p.to_play()), r.stage(moves_of(p) + 1)));
        sums.reset(p.board());
        ActionBuffer legal;
        p.legal_actions(legal);
        std::vector<std::pair<Action, double>> found;
        for (const Action action : legal) {
            if (p.geometry().is_pass(action)) {
                found.emplace_back(action, sums.sum());
            } else if (const go::Point point = p.geometry().padded_point(action.value); !p.board().is_suicide(point)) {
                found.emplace_back(action, sums.sum() + static_cast<double>(sums.change(p.board(), point)));
            }
        }
        return found;
    });
}

template <class B>
AuditTally run_audit(ShapeAudit<B> audit, const Progress& progress) {
    drive(audit, progress);
    return audit.tally();
}

// Every legal action but suicides; where weights depend on the player to move or the stage, they are played.
std::vector<std::pair<Action, double>> evaluated_afterstates(const ShapeEvaluator& evaluator, const AnyPosition& position) {
    check_board(evaluator.representation(), position);
    return position.visit([&](const auto& p) {
        ActionBuffer legal;
        p.legal_actions(legal);
        std::vector<std::pair<Action, double>> found;
        std::optional<Afterstates<FixedLookup>> sums;
        if (evaluator.is_fused()) {
            sums.emplace(evaluator.fused_shapes(), evaluator.lookup());
            sums->reset(p.board());
        }
        for (const Action action : legal) {
            const bool is_pass = p.geometry().is_pass(action);
            const go::Point point = is_pass ? go::no_point : p.geometry().padded_point(action.value);
            if (!is_pass && p.board().is_suicide(point)) {
                continue;
            }
            if (sums) {
                found.emplace_back(action, static_cast<double>(sums->sum() + (is_pass ? 0 : sums->change(p.board(), point))) * evaluator.unit());
            } else {
                auto after = p.board();
                if (is_pass) {
                    after.pass();
                } else {
                    after.play(point);
                }
                found.emplace_back(action, evaluator.sum(after, opponent(p.to_play()), moves_of(p) + 1));
            }
        }
        return found;
    });
}

void bind_evaluator(nb::module_& m) {
    nb::class_<ShapeEvaluator>(m, "ShapeEvaluator", "Weights of local shapes that stay as they are, rounded a little so that sums are exact.")
        .def(
            "__init__",
            [](ShapeEvaluator* self, std::shared_ptr<const Representation> r, const ShapeWeights& weights, std::optional<double> linear_offset) {
                check_weights(*r, weights);
                new (self) ShapeEvaluator(std::move(r), weights, linear_offset);
            },
            "representation"_a, "weights"_a, "linear_offset"_a.none() = nb::none())
        .def_prop_ro("unit", &ShapeEvaluator::unit, "What weights are rounded to multiples of.")
        .def_prop_ro("linear_offset", &ShapeEvaluator::linear_offset, "Of weights that were learnt with a linear head; None: of any other.")
        .def_prop_ro("side", [](const ShapeEvaluator& e) { return e.representation().shapes().side(); })
        .def_prop_ro(
            "sizes", [](const ShapeEvaluator& e) { return sizes_of(e.representation()); }, "(width, height) of its shapes.")
        .def("chance", &ShapeEvaluator::chance, "sum"_a, "What a sum says about Black's chance to win.")
        .def(
            "sum",
            [](const ShapeEvaluator& e, const AnyPosition& position) {
                check_board(e.representation(), position);
                return position.visit([&](const auto& p) { return e.sum(p.board(), p.to_play(), moves_of(p)); });
            },
            "position"_a, "The sum of a position, recomputed.")
        .def("afterstates", &evaluated_afterstates, "position"_a, "(action, sum of the state after it) for every legal action but suicides.");
}

void bind_sums(nb::module_& m) {
    nb::enum_<LookupKind>(m, "LookupKind", "Through which tables sums of local shapes are kept.")
        .value("SHARED", LookupKind::shared, "Those of the sharing: weights may change.")
        .value("FROZEN", LookupKind::frozen, "One worth for each feature.")
        .value("FUSED", LookupKind::fused, "One worth for each feature of the largest size.");
    m.def("shape_sum", &shape_sum, "representation"_a, "weights"_a, "position"_a, "The sum of the weights that count in a position, recomputed.");
    m.def("shape_afterstates", &shape_afterstates, "representation"_a, "weights"_a, "position"_a, "kind"_a = LookupKind::shared,
          "(action, sum of the state after it) for every legal action but suicides, none of which is played.");

    nb::class_<AuditTally>(m, "ShapeAuditTally", "What a comparison of sums that are kept with recomputed ones has seen.")
        .def_ro("games", &AuditTally::games)
        .def_ro("positions", &AuditTally::positions)
        .def_ro("captures", &AuditTally::captures, "Positions reached by taking stones.")
        .def_ro("afterstates", &AuditTally::afterstates, "That were compared.")
        .def_ro("taking", &AuditTally::taking, "Afterstates with stones taken.")
        .def_ro("sum_error", &AuditTally::sum_error, "The largest difference of a sum.")
        .def_ro("afterstate_error", &AuditTally::afterstate_error, "The largest difference of an afterstate's sum.");
    m.def(
        "audit_shapes",
        [](std::shared_ptr<const Representation> r, std::shared_ptr<const ShapeWeights> weights, const Rng& rng, std::uint64_t positions,
           LookupKind kind, bool all, const Progress& progress) {
            check_weights(*r, *weights);
            const int side = r->shapes().side();
            if (go::SmallBoard::fits({side, side})) {
                return run_audit(ShapeAudit<go::SmallBoard>(std::move(r), std::move(weights), kind, rng, positions, all), progress);
            }
            return run_audit(ShapeAudit<go::LargeBoard>(std::move(r), std::move(weights), kind, rng, positions, all), progress);
        },
        "representation"_a, "weights"_a, "rng"_a, "positions"_a, "kind"_a = LookupKind::shared, "all"_a = false, "progress"_a.none() = nb::none(),
        "Plays games, half of the moves random and half the best, and compares sums that are kept with recomputed ones:\n"
        "those of the moves chosen and of all that take stones; with `all` those of all candidates.");
}

}  // namespace

void check_weights(const Representation& shapes, const ShapeWeights& weights) {
    if (weights.count() != shapes.weights()) {
        throw InvalidArgumentError("these shapes have " + std::to_string(shapes.weights()) + " weights, not " + std::to_string(weights.count()));
    }
    if (!weights.is_signed() && !BasicUnsharedLookup<ShapeWeights>::fits(shapes)) {
        throw InvalidArgumentError(
            "weights without signs (is_signed=False) are for shapes that share none, whoever is to move and whatever the stage");
    }
}

void assign_weights(ShapeWeights& weights, const FloatsIn& values) {
    if (values.shape(0) != weights.count()) {
        throw InvalidArgumentError("there are " + std::to_string(weights.count()) + " weights, not " + std::to_string(values.shape(0)));
    }
    const float* const data = values.data();
    if (!std::all_of(data, data + weights.count(), [](float value) { return std::isfinite(value); })) {
        throw InvalidArgumentError("a weight is not a finite number");
    }
    for (std::uint32_t i = 0; i < weights.count(); ++i) {
        weights.set(static_cast<Entry>(i) + 1, data[i]);
    }
}

void bind_shapes(nb::module_& m) {
    bind_representation(m);
    bind_weights(m);
    bind_evaluator(m);
    bind_sums(m);
}

}  // namespace katachi::bindings
