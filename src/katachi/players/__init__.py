"""Players: whoever chooses moves. Named by short specs (`flat-mc:sims=100`), TOML tables or external commands.

An external GTP engine is `gtp:COMMAND`: `gtp_process` talks to it and cannot hang, `gtp_player` plays Go with it.
"""
