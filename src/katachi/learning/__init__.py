"""Learning rules for weights of features. The native half is cpp/learning."""
