"""Which sizes of local shapes TD search needs."""
