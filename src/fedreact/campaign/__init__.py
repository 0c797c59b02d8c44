"""Campaigns: runs at a large scale, some each evening, whose values by seed are kept."""
