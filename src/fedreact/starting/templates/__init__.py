"""Files that ``fedreact new`` writes: each runs as it is, and says what to fill in."""
