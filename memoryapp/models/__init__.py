"""The tables. Who may change what is listed in ``tests/test_mutability.py``."""

from .audit import AuditEvent
from .budget import TokenDay, TokenUse
from .erasure import ErasureReceipt, ErasureRequest, Tombstone
from .facts import Attribute, Decision, Evidence, Fact
from .imports import Import
from .limits import RateBucket
from .names import SubjectAlias
from .outbox import IdempotencyKey, Outbox
from .retrieval import EmbeddingCache, FactEmbedding, FactLink, FactUsage, MessageEmbedding
from .settings import MemorySettings, NeverTopic
from .source import Conversation, Extraction, Message
from .uses import HandAct, MemoryUse
from .webhooks import MemoryEvent, WebhookDelivery, WebhookEndpoint

__all__ = [
    "Attribute",
    "AuditEvent",
    "Conversation",
    "Decision",
    "EmbeddingCache",
    "ErasureReceipt",
    "ErasureRequest",
    "Evidence",
    "Extraction",
    "Fact",
    "FactEmbedding",
    "FactLink",
    "FactUsage",
    "HandAct",
    "IdempotencyKey",
    "Import",
    "MemoryEvent",
    "MemorySettings",
    "MemoryUse",
    "Message",
    "MessageEmbedding",
    "NeverTopic",
    "Outbox",
    "RateBucket",
    "SubjectAlias",
    "TokenDay",
    "TokenUse",
    "Tombstone",
    "WebhookDelivery",
    "WebhookEndpoint",
]
