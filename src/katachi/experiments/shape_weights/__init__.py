"""One training run watched: weights, errors, occurrences, and how well one ply plays with it."""
