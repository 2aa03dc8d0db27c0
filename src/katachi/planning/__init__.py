"""Classical planning and reinforcement learning, small and clear: for checking the fast searches, and for teaching.

`mdp` writes a game out as tables, `dynamic_programming` solves them; `memories` and `learning` learn from experience,
by tables or linear features; `control` acts meanwhile; `td_search` and `dyna2` do so in simulated games;
`step_sizes` and `least_squares` learn faster; `sparse_sampling` looks ahead by samples; `policy_gradient` learns a
policy itself. Everything is undiscounted, values
are player 0's, randomness is an argument. Manual: docs/planning.md, docs/td_search.md, docs/dyna2.md.
"""
