"""The release workflow's own scripts, run on a copy of the repository with a remote of its own."""

import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml

from ci_judge.version import __version__
from tests.tools import tool

ROOT = Path(__file__).resolve().parents[2]
DIGEST = "sha256:" + "0123456789abcdef" * 4
FILES = ("Dockerfile", "action.yml", "ci_judge/version.py")


def step(job: str, name: str) -> dict[str, Any]:
    text = (ROOT / ".github/workflows/release.yml").read_text(encoding="utf-8")
    (found,) = [
        one for one in yaml.safe_load(text)["jobs"][job]["steps"] if one.get("name") == name
    ]
    return dict(found)


class Checkout:
    """A commit of the files that a release changes, and a bare repository to push to."""

    def __init__(self, folder: Path) -> None:
        self.remote, self.folder = folder / "remote.git", folder / "checkout"
        self.git("init", "--quiet", "--bare", str(self.remote), cwd=folder)
        self.git("init", "--quiet", str(self.folder), cwd=folder)
        for name in (*FILES, ".github/pin_base.sh", ".github/pin_image.sh"):
            (self.folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, self.folder / name)
        self.git("add", ".")
        self.git("-c", "user.name=x", "-c", "user.email=x@y", "commit", "--quiet", "-m", "x")
        self.git("remote", "add", "origin", str(self.remote))

    def git(self, *words: str, cwd: Path | None = None) -> str:
        return subprocess.run(
            [tool("git"), *words],
            cwd=cwd or self.folder,
            env=self.environment(),
            capture_output=True,
            text=True,
            timeout=60,
            check=True,
        ).stdout

    def environment(self, **more: str) -> dict[str, str]:
        return {
            "PATH": os.environ["PATH"],
            "HOME": "/nowhere",
            "GIT_CONFIG_NOSYSTEM": "1",
            **more,
        }

    def run(self, script: str, **environment: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            ["bash", "--noprofile", "--norc", "-e", "-o", "pipefail", "-c", script],
            cwd=self.folder,
            env=self.environment(**environment),
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )


@pytest.fixture
def checkout(tmp_path: Path) -> Checkout:
    return Checkout(tmp_path)


def test_the_released_tag_uses_the_image_by_its_digest(checkout: Checkout) -> None:
    script = step("tag", "Commit the digests and tag the commit")["run"]
    made = {
        "TOKEN": "unused",
        "BASE": DIGEST,
        "DIGEST": DIGEST,
        "IMAGE": "ghcr.io/octo-org/ci-judge",
    }
    done = checkout.run(script, VERSION="1.2.3", **made)
    assert done.returncode == 0, done.stderr
    for tag in ("v1.2.3", "v1"):
        action = yaml.safe_load(checkout.git("show", f"{tag}:action.yml", cwd=checkout.remote))
        image = f"docker://ghcr.io/octo-org/ci-judge@{DIGEST}"
        assert action["runs"] == {"using": "docker", "image": image}
        dockerfile = checkout.git("show", f"{tag}:Dockerfile", cwd=checkout.remote)
        bases = [line.split()[1] for line in dockerfile.splitlines() if line.startswith("FROM ")]
        assert bases == [f"python:3.13-slim@{DIGEST}"] * 2
    changed = checkout.git("diff", "--name-only", "HEAD~", "HEAD").split()
    assert changed == ["Dockerfile", "action.yml"]


@pytest.mark.parametrize("digest", ["", "latest", f"{DIGEST}\nRUN x"])
def test_what_is_no_digest_is_released_nowhere(checkout: Checkout, digest: str) -> None:
    for script in ('.github/pin_base.sh Dockerfile "$D"', '.github/pin_image.sh action.yml "a@$D"'):
        assert checkout.run(f"bash {script}", D=digest).returncode == 1
    assert checkout.git("status", "--porcelain") == ""


@pytest.mark.parametrize(("version", "code"), [(__version__, 0), ("99.0.0", 1)])
def test_a_tag_that_is_not_the_version_in_the_code_releases_nothing(
    checkout: Checkout, tmp_path: Path, version: str, code: int
) -> None:
    output = tmp_path / "output"
    done = checkout.run(
        step("image", "The tag names the version in the code")["run"],
        GITHUB_REF_NAME=f"release/{version}",
        GITHUB_REPOSITORY="Octo-Org/CI-Judge",
        GITHUB_OUTPUT=str(output),
    )
    assert done.returncode == code
    if code == 0:
        said = output.read_text()
        assert said == f"version={version}\nimage=ghcr.io/octo-org/ci-judge\n"


def test_the_base_is_found_in_the_dockerfile(checkout: Checkout, tmp_path: Path) -> None:
    docker = tmp_path / "bin/docker"
    docker.parent.mkdir()
    docker.write_text(f'#!/bin/sh\necho "$@" > {tmp_path}/asked\nprintf %s {DIGEST}\n')
    docker.chmod(0o755)
    done = checkout.run(
        step("image", "Pin the base image")["run"],
        PATH=f"{docker.parent}:{os.environ['PATH']}",
        GITHUB_OUTPUT=str(tmp_path / "output"),
    )
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "asked").read_text().split()[-1] == "python:3.13-slim"
    assert (tmp_path / "output").read_text() == f"digest={DIGEST}\n"


def test_each_job_may_do_what_it_must_and_no_more() -> None:
    text = (ROOT / ".github/workflows/release.yml").read_text(encoding="utf-8")
    workflow = yaml.safe_load(text)
    assert workflow["permissions"] == {}
    image = {"contents": "read", "packages": "write", "id-token": "write", "attestations": "write"}
    assert workflow["jobs"]["image"]["permissions"] == image
    assert workflow["jobs"]["tag"]["permissions"] == {"contents": "write"}
    pushed = step("image", "Build and push")["with"]
    assert pushed["platforms"] == "linux/amd64,linux/arm64"
