"""What made MoGo strong, step by step."""
