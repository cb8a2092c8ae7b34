"""A trained parser at work."""
