#include "games/connect_four.hpp"
#include "games/explicit_tree.hpp"
#include "games/gomoku.hpp"
#include "games/hex.hpp"
#include "games/pig.hpp"
#include "games/tic_tac_toe.hpp"
#include "games/walk.hpp"
#include "training/network_learning_of.hpp"

namespace katachi {

template std::unique_ptr<NetworkLearning> make_network_learning(const std::vector<ConnectFour>&, std::shared_ptr<NetworkValue>,
                                                                const NetworkLearningOptions&, const Rng&, bool);
template std::unique_ptr<NetworkLearning> make_network_learning(const std::vector<ExplicitTree>&, std::shared_ptr<NetworkValue>,
                                                                const NetworkLearningOptions&, const Rng&, bool);
template std::unique_ptr<NetworkLearning> make_network_learning(const std::vector<Gomoku>&, std::shared_ptr<NetworkValue>,
                                                                const NetworkLearningOptions&, const Rng&, bool);
template std::unique_ptr<NetworkLearning> make_network_learning(const std::vector<Hex>&, std::shared_ptr<NetworkValue>, const NetworkLearningOptions&,
                                                                const Rng&, bool);
template std::unique_ptr<NetworkLearning> make_network_learning(const std::vector<Pig>&, std::shared_ptr<NetworkValue>, const NetworkLearningOptions&,
                                                                const Rng&, bool);
template std::unique_ptr<NetworkLearning> make_network_learning(const std::vector<RandomWalk>&, std::shared_ptr<NetworkValue>,
                                                                const NetworkLearningOptions&, const Rng&, bool);
template std::unique_ptr<NetworkLearning> make_network_learning(const std::vector<ShortestWalk>&, std::shared_ptr<NetworkValue>,
                                                                const NetworkLearningOptions&, const Rng&, bool);
template std::unique_ptr<NetworkLearning> make_network_learning(const std::vector<TicTacToe>&, std::shared_ptr<NetworkValue>,
                                                                const NetworkLearningOptions&, const Rng&, bool);

}  // namespace katachi
