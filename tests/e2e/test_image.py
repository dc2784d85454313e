"""The image as a runner starts it: its user, its mounts, its signals, its interpreter."""

import json
import os
import select
import signal
from pathlib import Path

import pytest

from ci_judge.sinks.outputs import OUTPUTS
from tests.image_tool import OWNER, REPOSITORY, Container, build_image, image_tool, run_tool
from tests.tiny_package import write_package

CONFIG = """\
suite: {paths: [case_one.py], env: [BELL]}
judge: {provider: stub}
"""
CASE = """\
from ci_judge import case

@case('says "yes"')
def test_answer():
    return {"text": "ANSWER"}
"""


@pytest.fixture
def container(tmp_path: Path, tmp_path_factory: pytest.TempPathFactory) -> Container:
    shared = tmp_path_factory.getbasetemp()
    build_image(shared.parent if "PYTEST_XDIST_WORKER" in os.environ else shared)
    one = Container(tmp_path)
    one.write("ci-judge.yaml", CONFIG)
    one.write("case_one.py", CASE.replace("ANSWER", "yes"))
    return one


def owners(folder: Path) -> dict[str, int]:
    return {str(path.relative_to(folder)): path.lstat().st_uid for path in folder.rglob("*")}


def test_a_pass_and_everything_written_is_the_workspaces_owners(container: Container) -> None:
    ended = container.run(report_dir="out/report")
    assert ended.exit_code == 0, ended.out
    assert ended.outputs["status"] == "passed"
    assert set(ended.outputs) == set(OUTPUTS)
    assert (container.workspace / ended.outputs["html"]).is_file()
    owner_of = owners(container.workspace)
    assert {"out", "out/report", "out/report/attempts.jsonl", ".ci-judge"} <= set(owner_of)
    assert set(owner_of.values()) == {OWNER}
    assert container.commands("set_output").stat().st_uid == OWNER
    notes = [line for line in ended.log.shown if "user of their own" in line]
    assert notes == [], "children have one here"


def test_a_failed_gate_fails_the_step(container: Container) -> None:
    container.write("case_one.py", CASE.replace("ANSWER", "no"))
    ended = container.run()
    assert (ended.exit_code, ended.outputs["status"]) == (1, "failed")
    assert ended.log.annotations("error")


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_signal_leaves_a_report_and_outputs(
    container: Container, number: signal.Signals, code: int
) -> None:
    bell = container.workspace / "bell"
    os.mkfifo(bell)
    bell.chmod(0o666)
    container.write(
        "case_one.py",
        "import pathlib, threading\nfrom ci_judge import case\n@case('says \"yes\"')\n"
        "def test_slow():\n    pathlib.Path('bell').write_text('x')\n"
        "    threading.Event().wait(600)\n",
    )
    reader = os.open(bell, os.O_RDWR)
    running = container.start()
    try:
        assert select.select([reader], [], [], 60)[0], "the case was not called"
        running.send_signal(number)
        ended = container.end(running)
    finally:
        os.close(reader)
        running.kill()
        running.wait()
    assert ended.exit_code == code, ended.out
    assert ended.outputs["status"] == "interrupted"
    assert (container.workspace / ended.outputs["json"]).is_file()
    assert set(owners(container.workspace).values()) == {OWNER}


def test_what_the_workspace_holds_does_not_reach_our_process(container: Container) -> None:
    for name in ("json", "httpx", "ci_judge", "sitecustomize", "usercustomize"):
        container.write(f"{name}.py", "raise SystemExit('taken over')")
    attack = ("--env", "PYTHONPATH=/github/workspace", "--env", "PYTHONHOME=/github/workspace")
    ended = container.run(*attack)
    assert ended.exit_code == 0, ended.out
    assert "taken over" not in ended.out
    assert ended.outputs["status"] == "passed"


HOSTILE = """\
import json, os, pathlib, subprocess
from ci_judge import case

def attempt(what):
    try:
        return str(what())
    except OSError as error:
        return type(error).__name__

@case('says "yes"')
def test_reach():
    commands = sorted(pathlib.Path("/github/file_commands").iterdir())
    ours = pathlib.Path("ci-judge-report")
    found = {
        "uid": os.getuid(), "groups": os.getgroups(), "parent": os.getppid(),
        "home": os.environ["HOME"], "names": sorted(os.environ),
        "environ": attempt(lambda: open("/proc/1/environ", "rb").read(5)),
        "memory": attempt(lambda: open("/proc/1/mem", "rb").read(5)),
        "kill": attempt(lambda: os.kill(1, 15)),
        "commands": sorted({attempt(lambda: one.write_text("status=passed")) for one in commands}),
        "remove": attempt(lambda: commands[0].unlink()),
        "report": attempt(lambda: (ours / "report.json").write_text("{}")),
        "locked": [line for line in open("/proc/self/status") if line.startswith("NoNewPrivs")],
    }
    subprocess.Popen(["sh", "-c", "while :; do sleep 1; done"], start_new_session=True)
    return {"text": "yes", "found": found}
"""


def test_a_case_reaches_neither_us_nor_the_runner(container: Container) -> None:
    container.write("case_one.py", HOSTILE)
    ended = container.run(github_token="ghs_" + "0123456789" * 3)
    assert ended.exit_code == 0, ended.out
    report = json.loads((container.workspace / "ci-judge-report/report.json").read_text())
    found = report["groups"][0]["tests"][0]["runs"][0]["evidence"]["found"]
    assert found["uid"] not in {0, OWNER}
    assert found["groups"] == []
    assert found["parent"] == 1
    assert found["home"].startswith("/tmp/ci-judge-")  # noqa: S108 - made for it alone
    assert not [name for name in found["names"] if name.startswith(("GITHUB_", "INPUT_"))]
    for what in ("environ", "memory", "kill", "remove", "report"):
        assert found[what] == "PermissionError", what
    assert found["commands"] == ["PermissionError"]
    assert found["locked"] == ["NoNewPrivs:\t1\n"], "no su, no sudo"
    assert ended.outputs["status"] == "passed"


def test_a_case_that_runs_as_the_owner_leaves_nothing_in_the_command_files(
    container: Container,
) -> None:
    container.write(
        "case_one.py",
        "import os, pathlib\nfrom ci_judge import case\n@case('says \"yes\"')\ndef test_write():\n"
        "    for one in pathlib.Path('/github/file_commands').iterdir():\n"
        "        one.write_text('status=passed\\nEVIL=1\\n')\n"
        "    pathlib.Path('app.sqlite3').write_text('beside the app')\n"
        "    return {'text': f'yes {os.getuid()}'}\n",
    )
    ended = container.run("--env", "CI_JUDGE_CHILDREN_RUN_AS=workspace-owner")
    assert ended.exit_code == 0, ended.out
    for kind in ("set_env", "add_path", "save_state"):
        assert container.commands(kind).read_text() == ""
    assert "EVIL" not in container.commands("set_output").read_text()
    assert "EVIL" not in container.commands("step_summary").read_text()
    assert "GITHUB_ENV; that was taken out" in ended.out
    assert owners(container.workspace)["app.sqlite3"] == OWNER


SERVED = """\
import http.server, json, sqlite3, sys
database = sqlite3.connect("app.sqlite3", check_same_thread=False)
database.execute("create table if not exists seen (what)")
class App(http.server.BaseHTTPRequestHandler):
    def do_GET(self): self.answer()
    def do_POST(self): self.answer()
    def answer(self):
        data = json.dumps({"reply": "yes"}).encode()
        self.send_response(200); self.send_header("Content-Length", str(len(data)))
        self.end_headers(); self.wfile.write(data)
http.server.ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1])), App).serve_forever()
"""
SERVING = """\
suite: {criteria: acceptance.md, paths: [scenarios.yaml]}
target:
  url: "http://127.0.0.1:{{port}}/chat"
  response_path: reply
  serve: {command: "python app.py {{port}}", ready_url: "http://127.0.0.1:{{port}}/"}
judge: {provider: stub}
"""


@pytest.mark.parametrize(("run_as", "code"), [("", 3), ("workspace-owner", 0), ("same-user", 0)])
def test_an_app_that_writes_beside_its_sources_is_told_how_it_may(
    container: Container, run_as: str, code: int
) -> None:
    container.write("app.py", SERVED)
    container.write("ci-judge.yaml", SERVING)
    container.write("acceptance.md", "## Answers\n")
    container.write(
        "scenarios.yaml",
        "criterion: answers\nscenarios:\n"
        "  - {name: Asks, message: Yes?, checks: [{contains: yes}], runs: 1, gate: rate}\n",
    )
    ended = container.run("--env", f"CI_JUDGE_CHILDREN_RUN_AS={run_as}")
    assert ended.exit_code == code, ended.out
    errors = [one.message for one in ended.log.annotations("error")]
    assert [("CI_JUDGE_CHILDREN_RUN_AS" in text) for text in errors] == [True] * bool(code)


def test_a_report_folder_that_cannot_be_written_is_found_before_anything_runs(
    container: Container, tmp_path: Path
) -> None:
    sealed = tmp_path / "sealed"
    sealed.mkdir()
    volume = f"{sealed}:/github/workspace/ci-judge-report:ro"
    ended = container.run("--podman-arg", "-v", "--podman-arg", volume)
    assert ended.exit_code == 2, ended.out
    (error,) = ended.log.annotations("error")
    assert "ci-judge-report" in error.message
    assert ended.outputs["status"] == "invalid"
    assert list(sealed.iterdir()) == []


@pytest.mark.parametrize("requirements", ["-e .", "requirements.txt"])
def test_python_cases_have_what_is_required(container: Container, requirements: str) -> None:
    write_package(container.workspace)
    container.write("requirements.txt", "--no-index\n-e .\n")
    container.write(
        "case_one.py",
        "import os, sys\nfrom ci_judge import case\nfrom tiny_shop import price\n"
        "@case('says \"3 euros\"')\ndef test_price():\n"
        "    return {'text': price('apple'), 'uid': os.getuid(), 'python': sys.prefix}\n",
    )
    ended = container.run(requirements=requirements)
    assert ended.exit_code == 0, ended.out
    assert "Successfully installed tiny-shop-1.0" in ended.out
    assert "tiny_shop.egg-info" not in owners(container.workspace), "built in a copy"


def test_requirements_that_cannot_be_had_are_one_error(container: Container) -> None:
    ended = container.run(requirements="--no-index no-such-thing-at-all")
    assert ended.exit_code == 3, ended.out
    (error,) = ended.log.annotations("error")
    assert "no-such-thing-at-all" in error.message
    assert ended.outputs["status"] == "error"


def test_with_arguments_it_is_the_command_line(container: Container) -> None:
    ended = container.run(arguments=["run", "--runs", "1", "-q"])
    assert ended.exit_code == 0, ended.out
    assert ended.log.commands == ()
    assert ended.outputs == {}
    assert set(owners(container.workspace).values()) == {OWNER}


def test_nothing_but_what_is_built_from_gets_into_the_build(container: Container) -> None:
    shown = container.run("--tag", list_of_the_context(container), arguments=["-type", "f"])
    files = {line.removeprefix("/context/") for line in shown.out.split()}
    assert "pyproject.toml" in files
    assert "ci_judge/app.py" in files
    folders = {name.partition("/")[0] for name in files if "/" in name}
    assert folders == {"ci_judge"}, "no tests, no examples, no .git"
    assert not [name for name in files if "__pycache__" in name]
    assert {name for name in files if "/" not in name} == ALONE


ALONE = {
    "LICENSE",
    "README.md",
    "entrypoint.py",
    "pyproject.toml",
    "requirements-build.lock",
    "requirements.lock",
}


def list_of_the_context(container: Container) -> str:
    """Build an image that lists what a Dockerfile of this repository can copy."""
    tag = "localhost/ci-judge-context:latest"
    file = container.temp.parent / "Dockerfile"
    file.write_text('FROM python:3.13-slim\nCOPY . /context\nENTRYPOINT ["find", "/context"]\n')
    named = os.path.relpath(file, REPOSITORY)
    built = run_tool(image_tool(), "--build-only", "--tag", tag, "--file", named)
    assert built.returncode == 0, built.stderr
    return tag


BYTECODE = """\
import os, sys
import ci_judge.action, ci_judge.cli
found = [(one.__name__, one.__cached__) for one in list(sys.modules.values())
         if getattr(one, "__cached__", None)]
print([name for name, path in found if not os.path.exists(path)], len(found) > 200)
"""


def test_whatever_a_run_imports_has_its_bytecode_in_the_image(container: Container) -> None:
    python = ("--entrypoint", "/opt/ci-judge/bin/python")
    ended = container.run(*python, arguments=["-I", "-c", BYTECODE])
    assert ended.out.splitlines()[0] == "[] True"
