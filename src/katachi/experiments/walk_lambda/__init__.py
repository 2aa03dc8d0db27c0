"""What lambda does on Shortest walk: Vodopivec's figures 6.2 to 6.7."""
