"""What TD search has learnt is for here and now, and worth keeping for the next move."""
