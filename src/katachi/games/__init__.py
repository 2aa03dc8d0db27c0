"""Games: the contract that every search shares, the registry, the check for users' own games, and Go.

Start with `contract`; `katachi.games.go` is Go; the native half is cpp/games.
"""
