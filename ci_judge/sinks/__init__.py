"""The places where a finished report goes."""
