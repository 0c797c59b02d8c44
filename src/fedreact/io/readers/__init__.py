"""Readers of a user's files, one format a file (:mod:`fedreact.io.contract`)."""
