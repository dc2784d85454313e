"""The calibration that a run goes by: its file, and whether it is one of the run's judge.

``ci-judge calibrate`` makes it, in ``judging_labels``.
"""
