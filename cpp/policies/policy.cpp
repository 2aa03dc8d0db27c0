#include "policies/policy.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <optional>
#include <span>
#include <utility>

#include "core/errors.hpp"

namespace katachi {

namespace {

constexpr std::array<std::string_view, 9> names{"uniform", "mogo", "fuego", "greedy", "gaussian", "softmax", "softmax-shapes", "mix", "switch"};

std::string number_text(double number) {
    std::array<char, 32> digits{};
    const char* const end = std::to_chars(digits.data(), digits.data() + digits.size(), number).ptr;
    return {static_cast<const char*>(digits.data()), end};
}

std::optional<PolicyKind> find(std::string_view name, PolicyKind first, PolicyKind last) {
    for (auto i = static_cast<std::size_t>(first); i <= static_cast<std::size_t>(last); ++i) {
        if (names[i] == name) {
            return static_cast<PolicyKind>(i);
        }
    }
    return std::nullopt;
}

}  // namespace

Policy Policy::named(std::string_view name) {
    const auto kind = find(name, PolicyKind::uniform, PolicyKind::fuego);
    if (!kind) {
        throw InvalidArgumentError("there is no playout policy '" + std::string(name) + "'");
    }
    return {.kind = *kind, .number = 0, .shapes = {}, .placements = {}, .shares = {}, .parts = {}};
}

Policy Policy::learnt(std::string_view name, double number, std::shared_ptr<const ShapeEvaluator> shapes) {
    const auto kind = find(name, PolicyKind::greedy, PolicyKind::softmax);
    if (!kind) {
        throw InvalidArgumentError("there is no playout policy '" + std::string(name) + "' over learnt values");
    }
    const bool is_right = *kind == PolicyKind::greedy ? number >= 0 && number <= 1 : number > 0 && std::isfinite(number);
    if (!is_right) {
        throw InvalidArgumentError("the playout policy " + std::string(name) + " takes a number " +
                                   (*kind == PolicyKind::greedy ? "from 0 to 1" : "above 0") + ", not " + number_text(number));
    }
    if (!shapes) {
        throw InvalidArgumentError("the playout policy " + std::string(name) + " needs weights of local shapes");
    }
    return {.kind = *kind, .number = number, .shapes = std::move(shapes), .placements = {}, .shares = {}, .parts = {}};
}

Policy Policy::softmax_shapes(std::shared_ptr<const FrozenPlacements> placements) {
    if (!placements) {
        throw InvalidArgumentError("the playout policy softmax-shapes needs weights of local shapes");
    }
    return {.kind = PolicyKind::shapes, .number = 0, .shapes = {}, .placements = std::move(placements), .shares = {}, .parts = {}};
}

Policy Policy::mix(std::vector<double> shares, std::vector<Policy> parts) {
    double sum = 0;
    for (const double share : shares) {
        sum += share;
    }
    const bool is_right = shares.size() == parts.size() && std::ranges::all_of(shares, [](double share) { return share > 0; });
    if (!is_right || std::abs(sum - 1) > 1e-6) {
        throw InvalidArgumentError("a mixture of playout policies has shares above 0 whose sum is 1, not " + number_text(sum));
    }
    return {.kind = PolicyKind::mix, .number = 0, .shapes = {}, .placements = {}, .shares = std::move(shares), .parts = std::move(parts)};
}

Policy Policy::two_stages(double moves, Policy first, Policy second) {
    if (moves < 0 || !std::isfinite(moves)) {
        throw InvalidArgumentError("a playout policy is switched after 0 or more moves, not " + number_text(moves));
    }
    Policy policy{.kind = PolicyKind::two_stages, .number = moves, .shapes = {}, .placements = {}, .shares = {}, .parts = {}};
    policy.parts.push_back(std::move(first));
    policy.parts.push_back(std::move(second));
    return policy;
}

std::string Policy::text() const {
    std::string text(names[static_cast<std::size_t>(kind)]);
    switch (kind) {
        case PolicyKind::uniform:
        case PolicyKind::mogo:
        case PolicyKind::fuego:
        case PolicyKind::shapes:
            return text;
        case PolicyKind::greedy:
        case PolicyKind::gaussian:
        case PolicyKind::softmax:
            return text + "(" + number_text(number) + ")";
        case PolicyKind::mix:
            for (std::size_t i = 0; i < parts.size(); ++i) {
                text += i == 0 ? '(' : '+';
                text += number_text(shares[i]);
                text += '*';
                text += parts[i].text();
            }
            return text + ")";
        case PolicyKind::two_stages:
            return text + "(" + number_text(number) + ";" + parts[0].text() + ";" + parts[1].text() + ")";
    }
    return text;
}

const Policy* Policy::part_of_go() const {
    if (parts.empty()) {
        return kind == PolicyKind::uniform ? nullptr : this;
    }
    for (const Policy& part : parts) {
        if (const Policy* found = part.part_of_go()) {
            return found;
        }
    }
    return nullptr;
}

}  // namespace katachi
