"""The memory as an MCP server, at ``/mcp``: Streamable HTTP, without sessions.

``application`` is the ASGI application. Each request is complete by itself (it carries its
key, and for an application's key the header ``X-Memory-User``), so any web worker may answer
it, and no lifespan has to run. Database work is done in threads, one transaction at a time.
"""

from __future__ import annotations

from .app import application

__all__ = ["application"]
