"""Messages in the wire format of protobuf (protobuf.dev/programming-guides/encoding). A message is a list of buffers and
its length, so that large fields are copied only once, when the whole is written."""
from __future__ import annotations

import struct
from collections.abc import Iterable
from typing import Any, NamedTuple


class Message(NamedTuple):
    """Fields, one after the other."""

    size: int
    parts: list[Any]  #: buffers


Field = Message

_LENGTH_DELIMITED = 2
_FIXED32 = 5


def _varint(value: int) -> bytes:
    """Seven bits a byte, the lowest first; negative numbers are those of 64 bits."""
    value &= (1 << 64) - 1
    result = bytearray()
    while value > 127:
        result.append(value & 127 | 128)
        value >>= 7
    result.append(value)
    return bytes(result)


def _joined(parts: Iterable[Any]) -> Message:
    parts = list(parts)
    return Message(sum(memoryview(part).nbytes for part in parts), parts)


def integer(number: int, value: int) -> Field:
    return _joined([_varint(number << 3) + _varint(value)])


def float32(number: int, value: float) -> Field:
    return _joined([_varint(number << 3 | _FIXED32) + struct.pack("<f", value)])


def raw(number: int, data: Any) -> Field:
    """Bytes, which are a buffer."""
    return _joined([_varint(number << 3 | _LENGTH_DELIMITED) + _varint(memoryview(data).nbytes), data])


def text(number: int, value: str) -> Field:
    return raw(number, value.encode())


def nested(number: int, inner: Message) -> Field:
    head = _varint(number << 3 | _LENGTH_DELIMITED) + _varint(inner.size)
    return Message(len(head) + inner.size, [head, *inner.parts])


def message(*fields: Field) -> Message:
    return Message(sum(field.size for field in fields), [part for field in fields for part in field.parts])


def to_bytes(message_: Message) -> bytes:
    return b"".join(message_.parts)
