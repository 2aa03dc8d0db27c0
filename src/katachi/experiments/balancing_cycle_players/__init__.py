"""The policies of the iterated cycle as players."""
