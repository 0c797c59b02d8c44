"""Flower's glue around the two halves of :mod:`fedreact.federation`."""
