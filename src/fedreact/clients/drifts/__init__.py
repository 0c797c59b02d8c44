"""Drift: how the data of clients changes over rounds.

``contract`` has what a kind of drift defines; ``migration``, ``switching`` and ``visiting`` are
Fed-REACT's Strategies 3, 1 and 2, and ``simplex`` what two of them share; with ``swap`` all changes
at once. ``schedule`` draws
a kind, and who takes part, before the rounds. ``sudden`` replaces inputs of some clients for a
while; ``detection`` is FedConD's test for drift.
"""
