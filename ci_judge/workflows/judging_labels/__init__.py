"""``ci-judge calibrate``: has labels judged, and writes a ``calibration`` of what comes of it."""
