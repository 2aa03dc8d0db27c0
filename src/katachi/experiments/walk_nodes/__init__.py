"""How many states are memorised per episode, with and without transpositions: Vodopivec's figure 6.13."""
