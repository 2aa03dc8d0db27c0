"""Strong players who err unequally, and weak ones whose errors cancel."""
