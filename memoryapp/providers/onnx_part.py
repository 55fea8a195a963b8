"""Cuts a part out of an ONNX model. A session computes every node that its model has, whatever
is asked of it: who needs the state after two layers of six pays for six.

Messages of protocol buffers are rows of fields, each behind a tag (its number and how it is
written), so that a model can be copied without the fields that a part doesn't need; the numbers
are those of ``onnx.proto``, which never change.
"""

from __future__ import annotations

from collections.abc import Iterator

_GRAPH = 7  # of ModelProto
_NODE, _STORED, _INPUT, _OUTPUT = 1, 5, 11, 12  # of GraphProto
_TAKES, _GIVES = 1, 2  # of NodeProto
_TENSOR_NAME, _VALUE_NAME, _TYPE = 8, 1, 2  # of TensorProto and ValueInfoProto
_FLOATS = b"\x0a\x02\x08\x01"  # TypeProto: a tensor of FLOAT, of any shape

_VARINT, _EIGHT_BYTES, _BYTES, _FOUR_BYTES = 0, 1, 2, 5


def part(model: bytes, output: str, *, given: str = "") -> bytes:
    """The model with the one ``output``, a tensor of floats that its graph has inside, and no
    more than is needed for it; ``given`` is a tensor of floats inside that becomes an input.
    Raises ValueError when the graph has no such tensor."""
    out = bytearray()
    for number, whole, body in _fields(memoryview(model)):
        out += _field(number, _graph(body, output, given)) if number == _GRAPH else whole
    return bytes(out)


def _graph(graph: memoryview, output: str, given: str) -> bytes:
    fields = list(_fields(graph))
    needed, nodes, made = {output}, [], {""}
    # Nodes stand behind those whose results they take.
    for number, whole, body in reversed(fields):
        if number != _NODE:
            continue
        gives = _names(body, _GIVES)
        made.update(gives)
        if not needed.isdisjoint(gives) and given not in gives:
            needed.update(_names(body, _TAKES))
            nodes.append(whole)
    if not made.issuperset((output, given)):
        raise ValueError(f"The model has no tensor {output} or {given} inside.")
    out = bytearray().join(reversed(nodes))
    for number, whole, body in fields:
        kept = number != _OUTPUT
        if number in (_STORED, _INPUT):
            name = _TENSOR_NAME if number == _STORED else _VALUE_NAME
            kept = not needed.isdisjoint(_names(body, name))
        if kept and number != _NODE:
            out += whole
    if given:
        out += _field(_INPUT, _value(given))
    return bytes(out + _field(_OUTPUT, _value(output)))


def _value(name: str) -> bytes:
    return _field(_VALUE_NAME, name.encode()) + _field(_TYPE, _FLOATS)


def _names(message: memoryview, wanted: int) -> list[str]:
    return [str(body, "utf-8") for number, _, body in _fields(message) if number == wanted and body]


def _fields(message: memoryview) -> Iterator[tuple[int, memoryview, memoryview]]:
    """Of each field its number, the whole of it and, of bytes, what they are."""
    at = 0
    while at < len(message):
        start = at
        tag, at = _varint(message, at)
        number, written = tag >> 3, tag & 7
        body = message[at:at]
        if written == _VARINT:
            _, at = _varint(message, at)
        elif written == _BYTES:
            length, at = _varint(message, at)
            body = message[at : at + length]
            at += length
        elif written in (_EIGHT_BYTES, _FOUR_BYTES):
            at += 8 if written == _EIGHT_BYTES else 4
        if written not in (_VARINT, _EIGHT_BYTES, _BYTES, _FOUR_BYTES) or at > len(message):
            raise ValueError("The file is no ONNX model.")
        yield number, message[start:at], body


def _varint(message: memoryview, at: int) -> tuple[int, int]:
    value = shift = 0
    while at < len(message):
        byte = message[at]
        at += 1
        value |= (byte & 0x7F) << shift
        shift += 7
        if byte < 0x80:
            return value, at
    raise ValueError("The file is no ONNX model.")


def _field(number: int, body: bytes) -> bytes:
    return _number(number << 3 | _BYTES) + _number(len(body)) + body


def _number(value: int) -> bytes:
    out = bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)
