"""What a state is described by: binary features of Go positions. The native half is cpp/features."""
