"""Many runs at once, nothing lost."""
