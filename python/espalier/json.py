"""Models over JSON records, derived from samples.

    model = esp.json.model(records, hidden=32, ignore=["toxic"])
    scores = engine.infer(records, lambda r: out(model(r)))
"""
# pyright: reportPrivateUsage=false
from __future__ import annotations

import copy
import os
from typing import Any, Iterator, Mapping, Sequence

from . import _core
from .nn.native import Native, Parts


class Model(Native):
    """Maps a record of a schema to a row [hidden]: model(record).

    Every object, list and text of the record is a row of `hidden` elements, and calls for the same position in the schema
    run together, whatever the sizes of the records. Strings with more than max_categories different values are read
    letter by letter, at most max_letters bytes. Fields outside the schema are ignored; strings outside an enum are one
    more category; a value of the wrong kind is a DataError with its path, "$.atoms[3]: ...". Parameters are named after
    the path: model["atoms.items.weight"].
    """

    def __init__(
        self, schema: Mapping[str, Any], *, hidden: int = 32, max_categories: int = 100, max_letters: int = 256
    ) -> None:
        parts = Parts(_core.json.model(schema, hidden, max_categories, max_letters))
        self.__dict__["_parts"] = parts
        self._call = parts.methods[""]
        self._arguments = ((copy.deepcopy(dict(schema)),), self._arguments[1])  # for pickle

    @property
    def schema(self) -> dict[str, Any]:
        """A copy of the schema."""
        return copy.deepcopy(self._arguments[0][0])


def infer_schema(records: Sequence[Any] | str | os.PathLike[str]) -> dict[str, Any]:
    """A schema that all records satisfy, in a subset of JSON Schema: a dict to be read, edited or stored.

    records: dicts, or the path of a file of JSON. The order does not matter.
    """
    if isinstance(records, Mapping):
        raise TypeError("infer_schema: one record is given; a list of records is needed")
    if isinstance(records, (str, os.PathLike)):
        schema = _core.json.infer_schema_of_file(os.fsencode(records))
    else:
        schema = _core.json.infer_schema(records)
    return schema


def _without(schema: Mapping[str, Any], fields: Sequence[str]) -> dict[str, Any]:
    """The schema without these fields of its records: the label, and what else the model must not see."""
    if isinstance(fields, str):
        raise TypeError(f"json: ignore is the string {fields!r}; it must be a list of fields")
    changed = copy.deepcopy(dict(schema))
    properties = changed.get("properties", {})
    for field in fields:
        if field not in properties:
            known = ", ".join(properties) or "none"
            raise _core.DataError(f"json: the records have no field {field!r} to ignore; their fields are {known}")
        del properties[field]
    if "required" in changed:
        changed["required"] = [name for name in changed["required"] if name not in fields]
    return changed


def model(
    records: Sequence[Any] | str | os.PathLike[str],
    *,
    hidden: int = 32,
    ignore: Sequence[str] = (),
    max_categories: int = 100,
    max_letters: int = 256,
) -> Model:
    """A Model of the schema of these records: dicts, or the path of a file of JSON. ignore: fields that it must not see,
    such as the label. For a schema of one's own: Model(schema)."""
    schema = _without(infer_schema(records), ignore)
    return Model(schema, hidden=hidden, max_categories=max_categories, max_letters=max_letters)


def stream(path: str | os.PathLike[str]) -> Iterator[Any]:
    """The records of a plain or gzip file one by one: one array of records, or one record after another, for example one
    per line."""
    return iter(_core.json.stream(os.fsencode(path)))


def read(path: str | os.PathLike[str]) -> list[Any]:
    """All records of a file. DataError with file:line:column: invalid JSON."""
    return list(stream(path))
