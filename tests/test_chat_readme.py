"""The README's example of a chat, run as it stands but for the address and the key."""

from __future__ import annotations

import re
from typing import Any

from accounts.models import User
from tests.chat import current, read_all
from tests.chatting import asgi_site, patience, secret_of, talks, upstream
from tests.conftest import Site
from tests.model_server import StandIn
from tests.test_readme import README

__all__ = ["asgi_site", "patience", "upstream"]


def test_the_example_runs(
    asgi_site: Site, owner: User, upstream: StandIn, patience: None, capsys: Any
) -> None:
    section = README.split("## Point your OpenAI client here")[1].split("\n## ")[0]
    found = re.search(r"```python\n(.+?)```", section, re.DOTALL)
    assert found
    code = found[1].replace("http://127.0.0.1:8000", asgi_site.url)
    assert asgi_site.url in code
    exec(code.replace("mem_…", secret_of(owner)), {})
    assert capsys.readouterr().out == "Noted.\nnone\n"
    assert talks(owner)
    read_all(owner)
    assert current(owner, "home") == ["Porto"]
