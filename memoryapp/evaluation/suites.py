"""What every suite gets and gives, and their list."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from memoryapp.evaluation import answers, retrieval, suites_data, suites_made, suites_statements
from memoryapp.evaluation.datasets import Malformed, Missing
from memoryapp.evaluation.memory import Memory
from memoryapp.evaluation.metrics import Suite
from memoryapp.evaluation.options import Options

Runner = Callable[[Memory, Options], Suite]
SUITES: dict[str, Runner] = {
    "cases": suites_statements.cases,
    "utterances": suites_statements.utterances,
    "no_context": suites_statements.no_context,
    "noise": suites_made.noise,
    "redaction": suites_made.redaction,
    "mempalace": suites_data.mempalace,
    "xpersona": suites_data.xpersona,
    "longmemeval": suites_data.longmemeval,
    "personamem": suites_data.personamem,
    "locomo": suites_data.locomo,
    "locomo_retrieval": retrieval.locomo,
    "longmemeval_retrieval": retrieval.longmemeval,
    "answers": answers.seeds,
    "locomo_answers": answers.locomo,
    "longmemeval_answers": answers.longmemeval,
    "speed": suites_made.speed,
}


@dataclass(frozen=True, slots=True)
class Progress:
    """Told before and after each suite."""

    begins: Callable[[str], None]
    ended: Callable[[Suite], None]


def run(names: Sequence[str], memory: Memory, options: Options, progress: Progress) -> list[Suite]:
    """The suites in the order of the list. One whose data is missing or not readable is in
    the result as skipped, with the reason."""
    done = []
    for name in [name for name in SUITES if name in names]:
        progress.begins(name)
        started = time.perf_counter()
        try:
            suite = SUITES[name](memory, options)
        except Missing as error:
            suite = Suite(name, skipped=f"no data: {error} isn't in the data folder")
        except answers.NoModel:
            suite = Suite(name, skipped="no model: set OPENAI_API_KEY or OPENAI_BASE_URL")
        except Malformed as error:
            suite = Suite(name, skipped=f"the data can't be read: {error}")
        suite = replace(suite, seconds=round(time.perf_counter() - started, 1))
        progress.ended(suite)
        done.append(suite)
    return done


def folder(path: str | None) -> Path | None:
    """The data folder; None when none was named. Raises NotADirectoryError."""
    if path is None:
        return None
    found = Path(path)
    if not found.is_dir():
        raise NotADirectoryError(path)
    return found
