"""An example of counting moves as if they had been first."""
