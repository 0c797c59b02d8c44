"""Formats of others that datasets and scores are written in, one a file."""
