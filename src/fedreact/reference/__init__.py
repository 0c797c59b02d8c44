"""Runs that are kept in the repository, and the pages that are written from them."""
