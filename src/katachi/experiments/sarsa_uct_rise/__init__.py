"""Lambda that rises with the simulations of a move's search, against fixed ones, at many budgets."""
