"""Measures what CI Judge costs and what is promised of it; nothing here passes or fails.

    python -m bench [--json FILE] [--only WORD]... [--small] [--no-peer] [--environments FOLDER]

CPU is user plus system seconds of the measured process and its children, as the operating system
counts them; each figure is the median of its runs, and what is compared is measured in turns.
Compare ratios of one run: walls and even CPU seconds of a shared machine are not those of another.
"""

import argparse
import compileall
import json
import os
import platform
from collections.abc import Sequence
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path

from bench.measuring import HERE
from bench.rows import ROWS, Place, Row

WIDTHS = (62, 20, 20)


def shown(row: Row) -> str:
    """Put a row on lines: figure, goal, measured; below it what it is compared with."""
    mark = {True: "ok", False: "MISSED", None: ""}[row.reached]
    figure, goal, measured = (
        text.ljust(width)
        for text, width in zip((row.figure, row.goal, row.measured), WIDTHS, strict=True)
    )
    lines = [f"{figure} {goal} {measured} {mark}".rstrip()]
    lines += [f"    {detail}" for detail in row.details]
    return "\n".join(lines)


def document(rows: Sequence[Row]) -> dict[str, object]:
    """Return what is written as JSON."""
    return {
        "date": datetime.now(tz=UTC).date().isoformat(),
        "machine": f"{os.cpu_count()} cores, {platform.machine()}",
        "python": platform.python_version(),
        "load_average": os.getloadavg()[0],
        "rows": [asdict(row) for row in rows],
    }


def parsed() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m bench", description=__doc__)
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.add_argument("--json", type=Path, help="write the figures here as well")
    parser.add_argument("--only", action="append", choices=sorted(ROWS), help="these rows alone")
    parser.add_argument("--small", action="store_true", help="a tenth of the work, once")
    parser.add_argument("--no-peer", action="store_true", help="do not install and run juried")
    parser.add_argument(
        "--environments",
        type=Path,
        default=Path(__file__).parent / ".environments",
        help="folder of the virtual environments",
    )
    return parser.parse_args()


def main() -> None:
    """Print a row after another; write all of them as JSON when asked to."""
    asked = parsed()
    # As an installer does: the processes of case files write no bytecode of their own.
    compileall.compile_dir(HERE.parent / "ci_judge", quiet=2)
    place = Place(
        small=asked.small, with_peer=not asked.no_peer, environments=asked.environments.resolve()
    )
    rows: list[Row] = []
    for name, build in ROWS.items():
        if asked.only and name not in asked.only:
            continue
        for row in build(place):
            rows.append(row)
            print(shown(row), flush=True)
            if asked.json:
                asked.json.write_text(json.dumps(document(rows), indent=2) + "\n")


if __name__ == "__main__":
    main()
