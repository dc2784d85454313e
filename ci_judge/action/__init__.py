"""The front door of the GitHub action: INPUT_* and GITHUB_* in, outputs and an exit code out."""

from ci_judge.action.door import main as main
