"""What a state is worth: weights of features and where they are kept. The native half is cpp/values."""
