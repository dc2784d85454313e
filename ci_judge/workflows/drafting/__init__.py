"""Scenarios that a model writes: what it is asked, and what of its reply can be used."""
