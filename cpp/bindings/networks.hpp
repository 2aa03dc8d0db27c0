// Numbers of networks and their trainers on their way between Python and native code.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "bindings/arrays.hpp"
#include "learning/network_trainer.hpp"

namespace katachi::bindings {

// All of them, which must be as many and finite.
void assign_numbers(std::span<double> target, const DoublesIn& values, const std::string& what);

std::vector<Array<double>> trainer_memories(NetworkTrainer& trainer);
void set_trainer_memories(NetworkTrainer& trainer, const std::vector<DoublesIn>& values);

}  // namespace katachi::bindings
