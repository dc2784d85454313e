"""The library: run a suite from Python and read the report.

python examples/run_suite.py                       # the FAQ bot
python examples/run_suite.py path/to/ci-judge.yaml
"""

import asyncio
import sys
from pathlib import Path

from ci_judge import run

FAQ_BOT = Path(__file__).parent / "faq-bot" / "ci-judge.yaml"


async def main(config: Path) -> int:
    """Run the suite and print a line for each test that did not pass."""
    report = await run(config)
    print(report["headline"])
    for group in report["groups"]:
        for test in group["tests"]:
            if test["result"] != "passed":
                print(f"- {test['id']}: {test['gate']['sentence']}")
    return report["exit_code"]


if __name__ == "__main__":
    sys.exit(asyncio.run(main(Path(sys.argv[1]) if sys.argv[1:] else FAQ_BOT)))
