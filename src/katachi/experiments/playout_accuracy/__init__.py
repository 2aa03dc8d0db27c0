"""How strong noisy policies are, and how right their playouts."""
