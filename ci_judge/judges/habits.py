"""What is remembered about servers that do not take everything: asked once, known for the run."""

from dataclasses import dataclass, field


@dataclass(slots=True, kw_only=True)
class Habit:
    """What one model behind one address takes; it only ever gets less."""

    with_schema: bool = True
    old_limit_name: bool = False

    def forgo_schema(self) -> None:
        self.with_schema = False

    def use_old_limit_name(self) -> None:
        self.old_limit_name = True


@dataclass(frozen=True, slots=True)
class Habits:
    """The habits of all servers of a run, by address and model."""

    _known: dict[tuple[str, str], Habit] = field(default_factory=dict)

    def of(self, url: str, model: str) -> Habit:
        """Return the one habit of this model behind this address."""
        return self._known.setdefault((url, model), Habit())
