"""Builds the report document out of results: the one place where values become entries."""
