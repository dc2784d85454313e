"""The process that makes room for requirements: ``requirements_child.py FOLDER PACKAGE [FROM TO]``.

Runs as whoever the cases run as, before anything of theirs has run; standard library only.
FOLDER becomes a virtual environment that knows ci_judge (PACKAGE) and nothing else of ours; FROM is
copied to TO, as far as it can be read, for builds write beside their sources.
"""

import shutil
import sys
import sysconfig
import venv
from pathlib import Path

_LEFT_OUT = frozenset({"node_modules", "__pycache__"})


def make_environment(folder: Path, package: Path) -> None:
    """Make it, with a .pth that leads to the package and not to its neighbours."""
    venv.EnvBuilder(symlinks=True, with_pip=False).create(folder)
    shelf = folder / "share" / "ci-judge"
    shelf.mkdir(parents=True)
    (shelf / package.name).symlink_to(package, target_is_directory=True)
    base = {"base": str(folder), "platbase": str(folder)}
    packages = Path(sysconfig.get_path("purelib", "venv", vars=base))
    (packages / "ci-judge.pth").write_text(f"{shelf}\n", encoding="utf-8")


def copy_sources(source: Path, target: Path) -> None:
    """Copy what can be read; what cannot is none of the children's business."""

    def left_out(folder: str, names: list[str]) -> set[str]:
        here = Path(folder)
        environments = {name for name in names if (here / name / "pyvenv.cfg").is_file()}
        return environments | {name for name in names if name in _LEFT_OUT}

    try:
        shutil.copytree(source, target, symlinks=True, ignore=left_out)
    except shutil.Error as error:
        sys.stdout.write(f"{len(error.args[0])} files of the workspace were not copied\n")


def main(arguments: list[str]) -> None:
    folder, package, *sources = map(Path, arguments)
    make_environment(folder, package)
    if sources:
        copy_sources(*sources)


if __name__ == "__main__":
    main(sys.argv[1:])
