"""Control policies and value normalisation on Shortest walk: Vodopivec's figures 6.8 to 6.11."""
