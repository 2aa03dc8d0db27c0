"""All inputs of a network, against the board alone."""
