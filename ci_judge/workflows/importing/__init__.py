"""``ci-judge import``: suites of other tools, as far as they say what ours can say."""
