"""Where the values of a YAML document stand, found by walking its nodes when somebody asks."""

import re
from typing import Any

import yaml

from ci_judge.errors import Place
from ci_judge.file_schema.loaded_file import DataPath, Scalar, ScalarStyle
from ci_judge.file_schema.yaml_values import is_merge

_STYLES: dict[str, ScalarStyle] = {"'": "single", '"': "double", "|": "literal", ">": "folded"}
_COMMENT = re.compile(r"[ \t]+(#[^\n]*)")


class YamlPlaces:
    """The locator of a YAML file; ``root`` is None for a file without any content."""

    def __init__(self, *, file: str, text: str, root: yaml.Node | None) -> None:
        self._file = file
        self._text = text
        self._root = root

    def place(self, path: DataPath) -> Place:
        if self._root is None:
            return Place(file=self._file)
        mark, _, _ = self._walk(self._root, path)
        return Place(file=self._file, line=mark.line + 1, column=mark.column + 1)

    def scalar(self, path: DataPath) -> Scalar | None:
        if self._root is None:
            return None
        _, node, steps = self._walk(self._root, path)
        if steps < len(path) or not isinstance(node, yaml.ScalarNode):
            return None
        start, end = node.start_mark, node.end_mark
        style = _STYLES.get(node.style or "", "plain")
        comment = _COMMENT.match(self._text, end.index) if style == "plain" else None
        return Scalar(
            style=style,
            text=self._text[start.index : end.index],
            line=start.line + 1,
            column=start.column + 1,
            end_line=end.line + 1,
            end_column=end.column + 1,
            comment=comment[1] if comment else None,
        )

    @staticmethod
    def _walk(root: yaml.Node, path: DataPath) -> tuple[Any, yaml.Node, int]:
        """Go down as far as the path exists: the mark to show, the node, the steps taken."""
        mark, node = root.start_mark, root
        for steps, step in enumerate(path):
            found = _entry(node, step)
            if found is None:
                return mark, node, steps
            mark, node = found
        return mark, node, len(path)


def _entry(node: yaml.Node, step: str | int) -> tuple[Any, yaml.Node] | None:
    if isinstance(node, yaml.SequenceNode):
        inside = isinstance(step, int) and 0 <= step < len(node.value)
        return (node.value[step].start_mark, node.value[step]) if inside else None
    if not isinstance(node, yaml.MappingNode):
        return None
    for key, value in node.value:
        if key.value == step:
            return key.start_mark, value
    return _merged_entry(node, step)


def _merged_entry(node: yaml.MappingNode, step: str | int) -> tuple[Any, yaml.Node] | None:
    for key, value in node.value:
        if is_merge(key):
            sources = value.value if isinstance(value, yaml.SequenceNode) else [value]
            found = next(filter(None, (_entry(source, step) for source in sources)), None)
            if found is not None:
                return found
    return None
