"""What TD search learns in one position."""
