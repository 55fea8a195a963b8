"""The heads of the logs' chains, noted every night outside of the database.

A chain shows what was changed in it, not that its end was cut off. A head that was noted
elsewhere does: the log must still have it (DESIGN section 8).
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Mapping, Sequence
from datetime import datetime
from uuid import UUID

from accounts.models import User
from memoryapp import audit, outside
from memoryapp.audit import Head
from memoryapp.context import acting_for

FOLDER = "log"


def note(*, now: datetime) -> int:
    """Note the heads that have moved since they were noted, of every account; returns how
    many. Raises outside.Unreadable, and what the storage raises."""
    before = {user_id: heads[-1] for user_id, heads in noted().items()}
    lines = []
    for user_id in User.objects.values_list("id", flat=True).iterator():
        with acting_for(user_id):
            head = audit.head(user_id=user_id)
        if head is not None and head != before.get(user_id):
            lines.append(json.dumps([str(user_id), head.seq, head.hash.hex()]))
    if lines:
        outside.keep(FOLDER, f"{outside.moment(now)}.jsonl", "\n".join(lines).encode())
    return len(lines)


def noted() -> Mapping[UUID, Sequence[Head]]:
    """Every head that was ever noted, the oldest first. Raises outside.Unreadable."""
    heads: dict[UUID, list[Head]] = defaultdict(list)
    for name, content in outside.kept(FOLDER):
        try:
            for line in content.splitlines():
                user_id, seq, digest = json.loads(line)
                heads[UUID(user_id)].append(Head(int(seq), bytes.fromhex(digest)))
        except (ValueError, TypeError, AttributeError) as error:
            raise outside.Unreadable(name) from error
    return heads
