"""Data in and out: a user's files become a dataset, and datasets become files of others."""
