"""Decisions and arithmetic, pure: no I/O, no clock, no chance."""
