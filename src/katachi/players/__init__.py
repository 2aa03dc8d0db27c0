"""Players: whoever chooses moves. Named by short specs (`flat-mc:sims=100`), TOML tables or external commands."""
