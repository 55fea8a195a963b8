"""Candidates under their canonical keys, held against what is near them."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from dataclasses import replace
from uuid import UUID

from memoryapp import (
    budget,
    judge,
    providers,
    store,
)
from memoryapp import (
    registry as registries,
)
from memoryapp.context import acting_for
from memoryapp.folding import Names
from memoryapp.ports import ProviderError
from memoryapp.reconcile import tidied
from memoryapp.records import (
    Candidate,
    Fold,
    Neighbour,
    Ruling,
)
from memoryapp.store.timelines import Vector

logger = logging.getLogger(__name__)


def fold(
    candidates: Sequence[Candidate], registry: registries.Registry
) -> tuple[list[Candidate], dict[str, Fold]]:
    """The candidates under their canonical keys: known names and aliases first, open ones by
    the meaning of their names. Returns also what was folded: known key to its fold."""
    canonical = [registry.canonicalise(c) for c in candidates]
    unknown = {c.attribute for c in canonical if c.attribute not in registry}
    if not unknown:
        return canonical, {}
    try:
        names = _names(registry)
        found = {name: fold for name in unknown if (fold := names.fold(name)) is not None}
    except ProviderError as error:
        logger.warning("open attributes stay open: %s", error.code)
        return canonical, {}
    folded = [
        registry.canonicalise(replace(c, attribute=found[c.attribute].key))
        if c.attribute in found
        else c
        for c in canonical
    ]
    return folded, {registry.canonical(f.key): f for f in found.values()}


_known_names: dict[tuple[str, int], Names] = {}


def _names(registry: registries.Registry) -> Names:
    """The registry's names in the active embedder's space, made at the first open name."""
    embedder, names = providers.embedder(), registry.names()
    key = (embedder.model, hash(frozenset(names.items())))
    if key not in _known_names:
        _known_names.clear()
        _known_names[key] = Names(names, embedder)
    return _known_names[key]


def settle(
    *,
    user_id: UUID,
    candidates: Sequence[Candidate],
    vectors: Mapping[str, Vector],
    registry: registries.Registry,
) -> tuple[list[Candidate], dict[Candidate, Ruling]]:
    """Hold each candidate against its near neighbours under other keys: the rule first, the
    model when there is one, the user's review otherwise. Returns the candidates, those that
    say the same as a neighbour under the neighbour's key, and what was ruled of whom."""
    settled: list[Candidate] = []
    rulings: dict[Candidate, Ruling] = {}
    chat = providers.chat_model()
    model = chat and budget.Paid(chat, user_id=user_id, now=providers.clock().now())
    stated = [c for c in candidates if c.operation == "state"]
    near_by: dict[Candidate, list[Neighbour]] = {}
    if stated:
        # One transaction for all, closed before a model is asked.
        with acting_for(user_id):
            near_by = {
                candidate: store.neighbours(
                    user_id=user_id,
                    candidate=candidate,
                    vector=vectors.get(registry.statement(candidate)),
                    near=judge.NEAR,
                )
                for candidate in stated
            }
    for candidate in candidates:
        if candidate.operation == "end":
            settled.append(candidate)
            continue
        statement, near = registry.statement(candidate), near_by[candidate]
        ruling = judge.rule(candidate, near, registry)
        if ruling is None:
            other = judge.open_question(candidate, near, with_model=model is not None)
            if other is not None:
                ruling = judge.undecided(other)
                if model is not None:
                    try:
                        ruling = judge.ask(model, candidate, statement, other)
                    except ProviderError as error:
                        logger.warning("no ruling for %s: %s", user_id, error.code)
        if ruling is not None:
            if ruling.verdict == "same":
                candidate = replace(
                    candidate,
                    attribute=ruling.neighbour.attribute,
                    scope=ruling.neighbour.scope,
                    value=ruling.neighbour.value,
                )
            rulings[tidied(candidate)] = ruling
        settled.append(candidate)
    return settled, rulings
