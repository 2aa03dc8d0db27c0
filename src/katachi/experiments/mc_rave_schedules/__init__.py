"""Two schedules of the weight of RAVE values."""
