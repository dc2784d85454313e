"""Why a report did not get to where it should go."""


class SinkFailed(Exception):
    """The report could not be published here. One sentence for people; never the verdict."""
