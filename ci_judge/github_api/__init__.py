"""What we ask of GitHub, github.com or another server; what goes wrong there is a value.

``GitHubApi`` has the verbs for comments and pull requests, ``GitHubCalls`` the calls that further
verbs are made of: paged, patient with rate limits, and never leaving the server they were told of.
"""

from ci_judge.github_api.calls import GitHubCalls, Sender
from ci_judge.github_api.comments import COMMENTS_QUERY
from ci_judge.github_api.history import (
    MOST_FILES,
    Artifact,
    ChangedFiles,
    Compared,
    History,
    PastRun,
)
from ci_judge.github_api.limits import MOST_WAIT_SECONDS, Patience, Pause
from ci_judge.github_api.values import (
    Comment,
    GitHubAccess,
    GitHubAnswer,
    GitHubRefusal,
    Head,
    PullRequest,
)
from ci_judge.github_api.verbs import GitHubApi

__all__ = [
    "COMMENTS_QUERY",
    "MOST_FILES",
    "MOST_WAIT_SECONDS",
    "Artifact",
    "ChangedFiles",
    "Comment",
    "Compared",
    "GitHubAccess",
    "GitHubAnswer",
    "GitHubApi",
    "GitHubCalls",
    "GitHubRefusal",
    "Head",
    "History",
    "PastRun",
    "Patience",
    "Pause",
    "PullRequest",
    "Sender",
]
