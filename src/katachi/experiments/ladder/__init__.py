"""The rating ladder of what plays already: random, flat Monte-Carlo with more and more playouts, GNU Go."""
