"""Dyna-2 and hybrid search: what chapter 7 says in two lines."""
