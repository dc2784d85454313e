"""What a short run is spared: modules that it has no use for, and searches for garbage."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

CASE = """\
from ci_judge import case

@case("The price is 80.")
def test_price():
    return {"actual": 80, "expected": 80}
"""
NOT_FOR_CASES_AND_THE_STUB = {
    *("ci_judge.suites.scenario_file", "ci_judge.judges.chat", "ci_judge.judges.chat_wire"),
    *("ci_judge.judges.openai", "ci_judge.judges.anthropic", "ci_judge.judges.systemone"),
    *("httpx", "rich", "urllib.request"),
}
MAIN = """
import gc, json, sys
from ci_judge.__main__ import main
sys.argv = ["ci-judge", "run", "-q"]
code = main()
told = {"code": code, "modules": sorted(sys.modules), "collects": gc.isenabled()}
told["young"] = sum(map(len, map(gc.get_objects, range(3))))
told["spared"] = gc.get_freeze_count()
print(json.dumps(told), file=sys.stderr)
"""


def run_in(folder: Path) -> dict[str, Any]:
    (folder / "case_price.py").write_text(CASE)
    (folder / "ci-judge.yaml").write_text(
        "suite: {paths: [case_price.py]}\njudge: {provider: stub}\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", MAIN],
        cwd=folder,
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )
    told: dict[str, Any] = json.loads(done.stderr.splitlines()[-1])
    return told


def test_a_run_of_cases_with_the_stub_loads_only_what_it_uses(tmp_path: Path) -> None:
    told = run_in(tmp_path)
    assert told["code"] == 0
    assert not NOT_FOR_CASES_AND_THE_STUB & set(told["modules"])


def test_garbage_is_collected_in_a_run_and_what_is_left_is_not_searched_for_it(
    tmp_path: Path,
) -> None:
    told = run_in(tmp_path)
    assert told["collects"] is True
    assert told["spared"] > 50 * told["young"]
