"""When TD search hands its simulations over to a default policy."""
