"""Figures 7.4 and 7.5 of Vodopivec (2018): which lambda is best, and at which budget."""
