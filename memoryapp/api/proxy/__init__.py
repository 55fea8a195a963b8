"""An OpenAI-compatible address with a memory, at ``/v1``.

``application`` is the ASGI application, ``lifespan`` its life. A chat request is passed on to
the configured model server with what is remembered about the question in its system message;
its answer comes back as it is, and the new turns are stored. The chat goes on when the memory
can't: see ``memory``.
"""

from __future__ import annotations

from .app import application, lifespan

__all__ = ["application", "lifespan"]
