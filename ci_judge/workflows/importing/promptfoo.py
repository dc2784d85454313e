"""``ci-judge import promptfoo``: a promptfooconfig.yaml as criterion, scenarios and target."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from ci_judge.errors import InvalidInput
from ci_judge.model.suite import JsonValue
from ci_judge.workflows.importing.foreign import Foreign, open_foreign
from ci_judge.workflows.importing.imported import (
    Chapter,
    Draft,
    Imported,
    Notes,
    criterion_id,
    told_apart,
)
from ci_judge.workflows.importing.nunjucks import Untranslatable
from ci_judge.workflows.importing.promptfoo_assertions import Wanted, translate
from ci_judge.workflows.importing.promptfoo_prompts import Prompt, prompts_of
from ci_judge.workflows.importing.promptfoo_target import endpoint_of, judge_of
from ci_judge.workflows.importing.promptfoo_tests import FoundTest, TestReader

_SIGNS: Final = ("prompts", "providers", "targets", "tests", "scenarios")
_LEAST_SIGNS: Final = 2
_SILENT: Final = frozenset(
    {
        *("$schema", "description", "prompts", "providers", "targets", "tests", "scenarios"),
        *("defaultTest", "evaluateOptions", "outputPath", "sharing", "tags", "metadata"),
        *("assertionTemplates", "commandLineOptions", "writeLatestResults"),
    }
)


def import_promptfoo(path: Path, *, notes: Notes) -> Imported:
    """Translate a configuration. Raises InvalidInput for what is none."""
    config = open_foreign(path, notes=notes, root=path.parent)
    there = [key for key in _SIGNS if isinstance(config.data, Mapping) and key in config.data]
    if len(there) < _LEAST_SIGNS:
        raise InvalidInput.of(
            "this is no configuration of promptfoo",
            hint=f"one has prompts, providers and tests; this has {', '.join(there) or 'none'}",
            place=config.place(),
        )
    return _Importer(config=config).imported()


@dataclass(slots=True, kw_only=True)
class _Importer:
    config: Foreign
    _graders: list[Foreign] = field(default_factory=list)
    _tabular: bool = False
    _sends_history: bool = True

    def imported(self) -> Imported:
        config = self.config
        endpoint = endpoint_of(config)
        self._sends_history = endpoint.sends_history
        for key in config.data:
            if key not in _SILENT:
                config.note(f"the key {key} has no counterpart", key=key)
        prompts = prompts_of(config)
        if endpoint.message is not None:
            prompts = [Prompt(label="", template=endpoint.message)]
        elif not prompts:
            prompts = [Prompt(label="", template="{{prompt}}")]
        drafts = told_apart(self._drafts(prompts))
        title = config.text("description") or f"What {config.loaded.file} expects"
        sections: dict[str, JsonValue] = {"target": endpoint.target}
        runs = self._repeat()
        if runs is not None:
            sections["run"] = {"runs": runs}
        if any(draft.expected for draft in drafts):
            sections["judge"] = judge_of(self._graders, config)
        chapter = Chapter(
            criterion=criterion_id(config.loaded.file.rpartition(".")[0]),
            title=" ".join(title.split()),
            description=f"Imported from {config.loaded.file}: say here what must hold, in words.",
            drafts=drafts,
            tabular=self._tabular,
        )
        return Imported(chapters=(chapter,), config=sections)

    def _repeat(self) -> int | None:
        options = self.config.get("evaluateOptions")
        repeat = options.data.get("repeat") if options and isinstance(options.data, dict) else None
        return repeat if isinstance(repeat, int) and 1 < repeat <= 10_000 else None  # noqa: PLR2004 - what run.runs takes

    # --- tests ---------------------------------------------------------------------------

    def _drafts(self, prompts: list[Prompt]) -> Iterator[Draft]:
        reader = TestReader(config=self.config, graders=self._graders)
        for test in reader.tests():
            wanted = Wanted()
            for assertion in test.assertions:
                self._note_grader(assertion)
                translate(assertion, test.values, wanted)
            if not wanted.expected and not wanted.checks:
                test.own.note("a test without an assertion that has a counterpart is left out")
                continue
            self._tabular = self._tabular or test.tabular
            for prompt in prompts:
                yield from self._draft(test, wanted, prompt, several=len(prompts) > 1)

    def _draft(
        self, test: FoundTest, wanted: Wanted, prompt: Prompt, *, several: bool
    ) -> Iterator[Draft]:
        try:
            history, message = prompt.talk(test.values)
        except Untranslatable as error:
            test.own.note(f"the prompt {_short(prompt.label)} {error}: it has no counterpart")
            return
        if history and not self._sends_history:
            said = [{"role": past.role, "content": past.content} for past in history]
            history, message = (), [*said, {"role": "user", "content": message}]
            test.own.note("a prompt of several messages is one message here: the list of them")
        if isinstance(message, str) and not message.strip():
            test.own.note("a test whose prompt comes out empty is left out")
            return
        name = test.own.text("description") or _first_value(test.values) or str(message)
        yield Draft(
            name=f"{_short(name)}, {_short(prompt.label)}" if several else _short(name),
            turns=(message,),
            history=history,
            expected=tuple(dict.fromkeys(wanted.expected)),
            checks=tuple(wanted.checks),
        )

    def _note_grader(self, assertion: Foreign) -> None:
        grader = assertion.get("provider")
        if grader is not None:
            self._graders.append(grader)


def _first_value(values: Mapping[str, Any]) -> str:
    return next((value for value in values.values() if isinstance(value, str) and value), "")


def _short(text: str) -> str:
    words = " ".join(text.split())
    return words if len(words) <= 60 else f"{words[:57].rstrip()}..."  # noqa: PLR2004 - a name
