"""What the members of the closed lists mean, in words for those who read a report."""

from ci_judge.errors import ExitCode
from ci_judge.model.evidence import FailureCode as Failed
from ci_judge.model.reasons import NotRunCode as NotRun

CODES: dict[str, str] = {
    # one run
    Failed.CONNECTION_REFUSED: "Nobody listens at the address",
    Failed.NAME_NOT_FOUND: "The host name is not known",
    Failed.TLS: "No secure connection: a certificate that is not trusted, or no TLS at all",
    Failed.CONNECTION_LOST: "The connection broke off before the reply was whole",
    Failed.TIMEOUT: "The time limit passed first",
    Failed.TOO_LARGE: "The reply is larger than is read",
    Failed.HTTP_STATUS: "A status that is no success",
    Failed.REDIRECT: "A redirect that is not followed",
    Failed.ORIGIN_DOWN: "Not sent: nobody had ever answered at that address",
    Failed.BUDGET: "Not sent: the budget was spent",
    Failed.UNREADABLE_REPLY: "The reply is not what the configuration says, such as no JSON",
    Failed.NO_RESPONSE: "The reply holds no answer, or an empty one",
    Failed.STREAM_ERROR: "A stream that reported an error or did not come to its end",
    Failed.EXCEPTION: "A case raised an exception, or an assert in it failed",
    Failed.INVALID_EVIDENCE: "A case returned something that is not JSON",
    Failed.EXITED: "A case or a command ended by itself with an exit code",
    Failed.CRASHED: "A case or a command was ended by a signal",
    Failed.REFUSED: "The judge refused to judge",
    Failed.TRUNCATED: "The judge's answer was cut at its token limit",
    Failed.EMPTY: "The judge answered nothing",
    Failed.UNREADABLE_VERDICT: "The judge answered, but not with a verdict",
    Failed.NEEDS_A_JUDGE: "The stub has nothing to compare: no quoted phrase, no expected value",
    Failed.NOT_RECORDED: "The report does not hold this evidence as it was (`ci-judge rejudge`)",
    Failed.CHECK_ERROR: "A check could not be evaluated",
    Failed.INTERNAL: "A fault of CI Judge's own within this run",
    # runs that were not made
    NotRun.INTERRUPTED: "The command was interrupted before this run",
    NotRun.MAXFAIL: "Enough tests had failed before this run (`-x`, `--maxfail`)",
    NotRun.DISK: "Runs could not be written down any more",
    NotRun.MAX_ERRORS: "`run.max_errors` errors in a row had ended the test",
    NotRun.SHARD_MISSING: "The report of the shard that made this run was not there to be merged",
}
"""Every code of the closed lists. A code that both have is one reason, and stands here once."""

EXIT_CODES: dict[ExitCode, str] = {
    ExitCode.PASSED: "Every gate passed (or `run.fail_on` lets off what did not, which is said)",
    ExitCode.FAILED: "At least one gate failed",
    ExitCode.INVALID: "Configuration, suite file, flag or input is wrong; nothing was sent",
    ExitCode.UNDECIDED: "No gate failed, but at least one could not be decided",
    ExitCode.NOTHING_TO_JUDGE: "No test matched",
    ExitCode.BUG: "A bug in CI Judge; a traceback and where to report it are printed",
    ExitCode.INTERRUPTED: "Interrupted (SIGINT); the partial report is written and marked so",
    ExitCode.TERMINATED: "Terminated (SIGTERM); the partial report is written and marked so",
}
