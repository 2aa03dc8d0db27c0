// Uniform playouts from the empty board and nothing else, for Callgrind: playouts SIDE COUNT.
#include <cstdio>
#include <cstdlib>

#include "games/go/position.hpp"

namespace {

template <class B>
double play(int side, int count) {
    const auto root = katachi::go::Position<B>({side, side}, {}).search_state(katachi::go::EyeRule::simple, {});
    katachi::Rng rng(1);
    double total = 0;
    for (int i = 0; i < count; ++i) {
        auto state = root;
        total += state.uniform_playout(rng, katachi::longest_playout).total;
    }
    return total;
}

}  // namespace

int main(int argc, char** argv) {
    if (argc != 3) {
        std::fputs("usage: playouts SIDE COUNT\n", stderr);
        return 2;
    }
    const int side = std::atoi(argv[1]);
    const int count = std::atoi(argv[2]);
    const bool small = katachi::go::SmallBoard::fits({side, side});
    std::printf("%g\n", small ? play<katachi::go::SmallBoard>(side, count) : play<katachi::go::LargeBoard>(side, count));
    return 0;
}
