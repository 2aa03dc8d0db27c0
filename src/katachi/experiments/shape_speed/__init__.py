"""How fast local shapes are valued, and what learning costs."""
