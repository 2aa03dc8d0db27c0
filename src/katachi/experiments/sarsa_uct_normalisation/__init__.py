"""Figure 7.7 of Vodopivec (2018): space-local normalisation on board games."""
