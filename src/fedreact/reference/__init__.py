"""A run that is kept in the repository, and the pages that are written from it."""
