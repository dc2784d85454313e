"""Whoever marks evidence."""
