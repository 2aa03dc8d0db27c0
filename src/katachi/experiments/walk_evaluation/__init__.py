"""Policy evaluation on Random walk: Vodopivec's section 6.1."""
