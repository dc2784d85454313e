"""From YAML nodes to data: every mistake of the whole file, no alias bomb, nothing lost."""

from dataclasses import dataclass, field
from typing import Any

import yaml

from ci_judge.errors import Place, Problem
from ci_judge.file_schema.loaded_file import WrittenList, WrittenMap
from ci_judge.file_schema.showing import quoted
from ci_judge.file_schema.yaml_scalars import NULL, STR, scalar_value

MOST_ALIASES = 100
DEEPEST = 100
_MAP, _SEQ = "tag:yaml.org,2002:map", "tag:yaml.org,2002:seq"


def is_merge(key: yaml.Node) -> bool:
    """Whether a key is the ``<<`` that takes over the entries of another map."""
    return isinstance(key, yaml.ScalarNode) and key.value == "<<" and not key.style


@dataclass(slots=True)
class _Built:
    """A node's data and how many aliases are expanded in it."""

    data: Any
    aliases: int


@dataclass(slots=True, kw_only=True)
class ValueBuilder:
    """Builds the data of one document. Mistakes are collected in ``problems``.

    A node that is met a second time is met through an alias, since PyYAML hands out one object
    for all of them; its data is shared, never built again, so that a bomb costs nothing.
    """

    file: str
    problems: list[Problem] = field(default_factory=list)
    _built: dict[int, _Built] = field(default_factory=dict)
    _open: set[int] = field(default_factory=set)
    _aliases: int = 0

    def build(self, root: yaml.Node) -> Any:
        return self._value(root, root.start_mark)

    def _value(self, node: yaml.Node, used_at: Any) -> Any:
        """Give a node's data. ``used_at`` is the mark to blame when the use is what is wrong."""
        known = self._built.get(id(node))
        if known is not None:
            return self._again(known, used_at)
        if id(node) in self._open:
            self._problem("an alias may not stand inside what it names", used_at)
            return None
        before = self._aliases
        data = self._fresh(node)
        self._built[id(node)] = _Built(data, self._aliases - before)
        return data

    def _again(self, known: _Built, used_at: Any) -> Any:
        within = self._aliases <= MOST_ALIASES
        self._aliases += 1 + known.aliases
        if within and self._aliases > MOST_ALIASES:
            self._problem(
                f"more than {MOST_ALIASES} aliases are expanded in this file",
                used_at,
                "write the values out, or use the file's defaults",
            )
        return known.data

    def _fresh(self, node: yaml.Node) -> Any:
        if isinstance(node, yaml.ScalarNode):
            return self._scalar(node)
        if len(self._open) >= DEEPEST:
            self._problem(f"nested more than {DEEPEST} levels deep", node.start_mark)
            return None
        self._open.add(id(node))
        try:
            return self._map(node) if isinstance(node, yaml.MappingNode) else self._list(node)
        finally:
            self._open.discard(id(node))

    def _scalar(self, node: yaml.ScalarNode) -> Any:
        try:
            return scalar_value(node.tag, node.value)
        except ValueError as error:
            reason = (
                str(error) if "tag" in str(error) else "its tag does not fit, or it is too long"
            )
            self._problem(f"{quoted(node.value)} cannot be read: {reason}", node.start_mark)
            return None

    def _list(self, node: yaml.Node) -> WrittenList:
        self._check_tag(node, _SEQ)
        items = WrittenList()
        for index, item in enumerate(node.value):
            items.append(
                self._value(item, node.start_mark if id(item) in self._built else item.start_mark)
            )
            self._remember(items, index, item)
        return items

    def _map(self, node: yaml.MappingNode) -> WrittenMap:
        self._check_tag(node, _MAP)
        entries, merged = WrittenMap(), []
        first: dict[str, int] = {}
        for key_node, value_node in node.value:
            key = self._key(key_node, first)
            value = self._value(value_node, key_node.start_mark)
            if key is None:
                continue
            if is_merge(key_node):
                merged.extend(self._merged(value, key_node))
            else:
                entries[key] = value
                self._remember(entries, key, value_node)
        for source in merged:
            _take_over(entries, source)
        return entries

    def _key(self, node: yaml.Node, first: dict[str, int]) -> str | None:
        """Give a key as text, or None (and a problem) for one that cannot stand."""
        if not isinstance(node, yaml.ScalarNode):
            self._problem("a key must be text", node.start_mark, _meant_placeholder(node))
            return None
        key = str(node.value)
        if key in first:
            message = f"the key {quoted(key)} stands twice (first on line {first[key]})"
            self._problem(message, node.start_mark, "remove one of the two")
            return None
        first[key] = node.start_mark.line + 1
        return key

    def _merged(self, value: Any, key: yaml.Node) -> list[WrittenMap]:
        sources = value if isinstance(value, WrittenList) else [value]
        if all(isinstance(source, WrittenMap) for source in sources):
            return list(sources)
        self._problem('"<<" takes a map or a list of maps', key.start_mark)
        return []

    def _check_tag(self, node: yaml.Node, tag: str) -> None:
        if node.tag != tag:
            self._problem(f"the tag {node.tag} is not supported", node.start_mark)

    @staticmethod
    def _remember(parent: WrittenMap | WrittenList, at: str | int, node: yaml.Node) -> None:
        if isinstance(node, yaml.ScalarNode) and node.tag not in {STR, NULL}:
            parent.written[at] = str(node.value)

    def _problem(self, message: str, mark: Any, hint: str | None = None) -> None:
        place = Place(file=self.file, line=mark.line + 1, column=mark.column + 1)
        self.problems.append(Problem(message=message, hint=hint, place=place))


def _meant_placeholder(node: yaml.Node) -> str | None:
    """Recognise ``{{message}}`` without quotes, which is a map in the place of a key."""
    inner = node.value if isinstance(node, yaml.MappingNode) and node.flow_style else []
    if len(inner) == 1 and isinstance(inner[0][0], yaml.ScalarNode):
        return f'quote it: "{{{{{inner[0][0].value}}}}}"'
    return None


def _take_over(entries: WrittenMap, source: WrittenMap) -> None:
    for key, value in source.items():
        if key not in entries:
            entries[key] = value
            if key in source.written:
                entries.written[key] = source.written[key]
