"""TD search whose random moves are mostly the default policy's, against the opponents of the headlines."""
