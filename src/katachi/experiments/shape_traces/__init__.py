"""How far errors go back: lambda, with accumulating and replacing traces."""
