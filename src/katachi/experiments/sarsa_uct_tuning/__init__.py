"""Figures 7.1 to 7.3 of Vodopivec (2018): how C_p and lambda were tuned."""
