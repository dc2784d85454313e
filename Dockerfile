# The digest is pinned by the release workflow; here the tag stands for it.
FROM python:3.13-slim AS build
ENV PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_NO_CACHE_DIR=1 PIP_ROOT_USER_ACTION=ignore
COPY requirements.lock requirements-build.lock /src/
RUN python -m pip install --require-hashes --requirement /src/requirements-build.lock \
    && python -m venv /opt/ci-judge \
    && /opt/ci-judge/bin/python -m pip install --require-hashes --requirement /src/requirements.lock
COPY pyproject.toml README.md LICENSE /src/
COPY ci_judge /src/ci_judge
RUN python -m pip wheel --no-deps --no-index --no-build-isolation --wheel-dir /wheels /src \
    && /opt/ci-judge/bin/python -m pip install --no-deps --no-index /wheels/*.whl \
    && /opt/ci-judge/bin/python -m compileall -q /opt/ci-judge/lib
COPY entrypoint.py /opt/ci-judge/

FROM python:3.13-slim
COPY --from=build /opt/ci-judge /opt/ci-judge
# Once with bytecode being kept: the base brings none of the standard library's.
RUN ["/opt/ci-judge/bin/python", "-I", "-c", "import ci_judge.action, ci_judge.cli, ci_judge.suites.case_service, venv; from ci_judge.renderers.html_report import compile_templates; compile_templates()"]
ENV PYTHONDONTWRITEBYTECODE=1
# No USER and no WORKDIR: the workspace that the runner mounts belongs to another user.
ENTRYPOINT ["/opt/ci-judge/bin/python", "-I", "-B", "-u", "/opt/ci-judge/entrypoint.py"]
