"""What programs of the suite told the runner behind our back is taken back before we speak."""

from pathlib import Path

import pytest

from ci_judge.action.door import run_action
from ci_judge.action.order import Judged, Order
from ci_judge.engine.stopping import StopSign
from ci_judge.errors import InvalidInput, Problem
from ci_judge.sinks.log import LogWriter
from ci_judge.sinks.outputs import OUTPUTS
from tests.action_step import Step
from tests.builders import a_test
from tests.runner_double import read_summary


@pytest.fixture
def step(tmp_path: Path) -> Step:
    return Step(tmp_path)


def test_what_a_program_of_the_suite_told_the_runner_is_taken_back(step: Step) -> None:
    order: list[str] = []

    async def judge(order_: Order, log: LogWriter, stop_sign: StopSign) -> Judged:
        step.files.output.write_text("status=passed\nevil=1\n")
        step.files.summary.write_text("# all is well\n")
        order.append("judged")
        return await step.judges(a_test(result="failed"))(order_, log, stop_sign)

    def end_others() -> None:
        assert "evil" in step.files.output.read_text(), "nobody may write after it was undone"
        order.append("ended")

    environment = step.files.environment()
    run_action(environment, write=step.written.append, judge=judge, end_others=end_others)
    assert order == ["judged", "ended"]
    assert "evil" not in step.outputs
    assert step.outputs["status"] != "passed"
    assert "all is well" not in read_summary(step.files.summary)
    said = [one.message for one in step.log.annotations("warning")]
    assert [text for text in said if "GITHUB_OUTPUT" in text]


def test_it_is_taken_back_also_when_the_suite_could_not_run(step: Step) -> None:
    async def judge(order: Order, log: LogWriter, stop_sign: StopSign) -> Judged:
        del order, log, stop_sign
        step.files.output.write_text("evil=1\n")
        raise InvalidInput(Problem(message="wrong"))

    assert step.run(judge) == 2
    assert set(step.outputs) == set(OUTPUTS)
