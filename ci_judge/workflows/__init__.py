"""What a command other than run does."""
