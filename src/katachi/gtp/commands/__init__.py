"""What a controller can ask, by family. Importing this package registers all of it (katachi.gtp.registry)."""

from katachi.gtp.commands import analysis, basics, clock, engine, go, gogui, rules

__all__ = ["analysis", "basics", "clock", "engine", "go", "gogui", "rules"]
