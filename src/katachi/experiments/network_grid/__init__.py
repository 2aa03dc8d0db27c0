"""Four trainers and three rules of networks that learn 5x5 Go."""
