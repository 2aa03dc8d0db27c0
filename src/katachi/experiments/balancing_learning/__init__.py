"""Four learners of playout policies: their labels, weights and errors."""
