"""A package of a few lines that pip installs without a network: it brings its own way to build."""

from pathlib import Path

PYPROJECT = """\
[project]
name = "tiny-shop"
version = "1.0"

[build-system]
requires = []
build-backend = "tiny_backend"
backend-path = ["."]
"""
BACKEND = """\
import pathlib, zipfile

NAME = "tiny_shop-1.0-py3-none-any.whl"
INFO = "tiny_shop-1.0.dist-info"
SCRIPT = "[console_scripts]\\ntiny-shop = tiny_shop:main\\n"

def build_editable(wheel_directory, config_settings=None, metadata_directory=None):
    here = pathlib.Path.cwd()
    (here / "tiny_shop.egg-info").write_text("as many backends leave it beside the sources")
    return _wheel(wheel_directory, {"tiny_shop.pth": f"{here / 'src'}\\n"})

def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    (pathlib.Path.cwd() / "tiny_shop.egg-info").write_text("likewise")
    source = pathlib.Path("src/tiny_shop/__init__.py").read_text()
    return _wheel(wheel_directory, {"tiny_shop/__init__.py": source})

def _wheel(folder, files):
    files = {**files,
        f"{INFO}/METADATA": "Metadata-Version: 2.1\\nName: tiny-shop\\nVersion: 1.0\\n",
        f"{INFO}/WHEEL": "Wheel-Version: 1.0\\nGenerator: tiny\\nRoot-Is-Purelib: true\\n"
        "Tag: py3-none-any\\n",
        f"{INFO}/entry_points.txt": SCRIPT,
    }
    files[f"{INFO}/RECORD"] = "".join(f"{name},,\\n" for name in files) + f"{INFO}/RECORD,,\\n"
    with zipfile.ZipFile(pathlib.Path(folder, NAME), "w") as wheel:
        for name, text in files.items():
            wheel.writestr(name, text)
    return NAME
"""
MODULE = """\
import json

def price(article):
    return f"one {article} costs 3 euros"

def main():
    print(json.dumps({"reply": price("apple")}))
"""


def write_package(folder: Path) -> None:
    """Write it: the module ``tiny_shop`` with ``price`` and the program ``tiny-shop``."""
    sources = folder / "src/tiny_shop"
    sources.mkdir(parents=True)
    (sources / "__init__.py").write_text(MODULE)
    (folder / "pyproject.toml").write_text(PYPROJECT)
    (folder / "tiny_backend.py").write_text(BACKEND)
