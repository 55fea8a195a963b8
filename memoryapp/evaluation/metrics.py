"""Shares, counts and rates with what they were counted from, and what got worse. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, Literal

Unit = Literal["share", "count", "rate"]
Better = Literal["higher", "lower", ""]
FORMAT = 1
# Two runs on one machine differ by this much in speed alone.
RATE_TOLERANCE = 0.2


@dataclass(frozen=True, slots=True)
class Measure:
    """A figure and what it stands on.

    A ``share`` is ``hits`` of ``total``; a ``count`` is ``hits`` among ``total``; a ``rate``
    is ``hits`` in ``total`` seconds. ``better`` is empty where neither direction is.
    """

    name: str
    hits: float
    total: float
    unit: Unit = "share"
    better: Better = "higher"
    target: float | None = None

    @property
    def value(self) -> float | None:
        """The figure itself; None when there was nothing to count."""
        if self.unit == "count":
            return self.hits
        return self.hits / self.total if self.total else None

    @property
    def met(self) -> bool | None:
        """Whether the target is reached; None without a target or a value."""
        if self.target is None or self.value is None or not self.better:
            return None
        return self.value >= self.target if self.better == "higher" else self.value <= self.target

    def __str__(self) -> str:
        if self.value is None:
            return "— (0/0)"
        if self.unit == "count":
            return f"{self.hits:,.0f} of {self.total:,.0f}"
        if self.unit == "rate":
            return f"{self.value:,.0f}/s ({self.hits:,.0f} in {self.total:.1f} s)"
        return f"{self.value:.3f} ({self.hits:,.0f}/{self.total:,.0f})"


@dataclass(frozen=True, slots=True)
class Failure:
    """One thing that was not as it should be. ``key`` is the same in every run."""

    key: str
    what: str


@dataclass(frozen=True, slots=True)
class Suite:
    """What one suite found. ``skipped`` says why it didn't run and is empty when it did;
    ``files`` are names beside the report."""

    name: str
    measures: Sequence[Measure] = ()
    failures: Sequence[Failure] = ()
    skipped: str = ""
    seconds: float = 0.0
    files: Sequence[str] = ()
    notes: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class Run:
    """One evaluation, as it is written to disk."""

    started_at: str
    extractor: str
    embedder: str
    suites: Sequence[Suite] = field(default_factory=tuple)
    format: int = FORMAT

    def as_json(self) -> dict[str, Any]:
        return asdict(self)


class NotARun(ValueError):
    """The data isn't a run that this version wrote."""


def run_from_json(data: Any) -> Run:
    """The run that ``as_json`` gave. Raises NotARun."""
    try:
        if data["format"] != FORMAT:
            raise NotARun(f"the run has format {data['format']}, not {FORMAT}")
        suites = tuple(
            Suite(
                **{
                    **suite,
                    "measures": tuple(Measure(**measure) for measure in suite["measures"]),
                    "failures": tuple(Failure(**failure) for failure in suite["failures"]),
                    "files": tuple(suite["files"]),
                    "notes": tuple(suite["notes"]),
                }
            )
            for suite in data["suites"]
        )
        return Run(data["started_at"], data["extractor"], data["embedder"], suites)
    except (KeyError, TypeError) as error:
        raise NotARun("the file isn't a run of this command") from error


@dataclass(frozen=True, slots=True)
class Tally:
    """Statements found, said and right, from which precision and recall come.

    ``right`` of ``stored`` facts are right; ``found`` of ``wanted`` statements were found.
    """

    right: int = 0
    stored: int = 0
    found: int = 0
    wanted: int = 0

    def __add__(self, other: Tally) -> Tally:
        return Tally(
            self.right + other.right,
            self.stored + other.stored,
            self.found + other.found,
            self.wanted + other.wanted,
        )

    def measures(
        self, label: str = "", *, precision: float | None = None, recall: float | None = None
    ) -> tuple[Measure, Measure]:
        """Precision and recall; ``label`` goes before their names."""
        before = f"{label} " if label else ""
        return (
            Measure(f"{before}precision", self.right, self.stored, target=precision),
            Measure(f"{before}recall", self.found, self.wanted, target=recall),
        )


@dataclass(frozen=True, slots=True)
class Change:
    """A figure in two runs."""

    suite: str
    measure: str
    before: Measure
    after: Measure

    @property
    def worse(self) -> bool:
        """Whether it moved the wrong way, by more than chance for a rate."""
        old, new = self.before.value, self.after.value
        if old is None or new is None or not self.after.better:
            return False
        lost = old - new if self.after.better == "higher" else new - old
        slack = RATE_TOLERANCE * abs(old) if self.after.unit == "rate" else 1e-9
        return lost > slack


@dataclass(frozen=True, slots=True)
class Comparison:
    """``changes`` are the figures that differ; ``new_failures`` are in the newer run alone;
    ``missing`` are suites or figures that only the older one has."""

    changes: Sequence[Change]
    new_failures: Sequence[tuple[str, Failure]]
    missing: Sequence[str]

    @property
    def worse(self) -> Sequence[Change]:
        return [change for change in self.changes if change.worse]

    @property
    def got_worse(self) -> bool:
        return bool(self.worse or self.new_failures)


def _measures(run: Run) -> Iterator[tuple[tuple[str, str], Measure]]:
    for suite in run.suites:
        for measure in suite.measures:
            yield (suite.name, measure.name), measure


def compare(old: Run, new: Run) -> Comparison:
    """What differs from the older run to the newer, as far as both ran it."""
    before, after = dict(_measures(old)), dict(_measures(new))
    changes = [
        Change(suite, name, before[suite, name], measure)
        for (suite, name), measure in after.items()
        if (suite, name) in before and before[suite, name] != measure
    ]
    known: Mapping[str, set[str]] = {
        suite.name: {failure.key for failure in suite.failures}
        for suite in old.suites
        if not suite.skipped
    }
    fresh = [
        (suite.name, failure)
        for suite in new.suites
        if suite.name in known
        for failure in suite.failures
        if failure.key not in known[suite.name]
    ]
    missing = [f"{suite}: {name}" for suite, name in before if (suite, name) not in after]
    return Comparison(changes, fresh, missing)
