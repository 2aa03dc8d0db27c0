"""Alpha-beta on what Dyna-2 has learnt."""
