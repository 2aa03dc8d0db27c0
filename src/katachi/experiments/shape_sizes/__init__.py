"""Which sizes of local shapes learn fast, and which end high."""
