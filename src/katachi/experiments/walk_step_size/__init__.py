"""Step sizes that fall with the visits and constant ones: Vodopivec's section 6.2."""
