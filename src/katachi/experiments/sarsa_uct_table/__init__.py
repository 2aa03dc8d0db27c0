"""Table A.1 of Vodopivec (2018): Sarsa-UCT(lambda) against UCT on four games."""
