"""One episode of the five-state Random walk, worked out exactly: Vodopivec's section 6.3."""
