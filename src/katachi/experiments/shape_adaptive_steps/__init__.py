"""Steps that fall with occurrences, follow a variance or learn themselves, against fixed ones."""
