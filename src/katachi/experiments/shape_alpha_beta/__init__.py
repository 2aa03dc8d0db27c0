"""Alpha-beta of depth 1 to 6 on learnt weights."""
