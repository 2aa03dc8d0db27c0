"""The best snapshots of trained networks against GNU Go, and end positions that they call."""
