"""A person against a player, without a terminal in sight: the game, its picture as text, and where it is kept.

`table` has the game, `board_text` draws it, `autosave` keeps it between two sittings, `dialogue` understands what the
person types. The terminal itself, and the options of `katachi play`, are in katachi.cli.play.
"""
