"""The SystemOne configuration of the example, against a mock server that others wrote."""

import json
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.e2e.commands import ci_judge, copy_of
from tests.tools import tool
