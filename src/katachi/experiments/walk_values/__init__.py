"""Initial and playout values on the walks: Vodopivec's figure 6.12."""
