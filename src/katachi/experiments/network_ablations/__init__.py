"""What single choices of the training are worth."""
