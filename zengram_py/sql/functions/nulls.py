"""Counting nulls among arguments."""

from __future__ import annotations

from typing import Any

from ..signatures import Signature
from .registry import Implementation, by_type


@by_type("num_nulls num_nonnulls: any*")
def _count(signature: Signature) -> Implementation:
    wanted = signature.name == "num_nulls"

    def run(*values: Any) -> int:
        return sum((value is None) is wanted for value in values)

    return Implementation("nullable", run)


@by_type("variadic num_nulls num_nonnulls: anyarray")
def _count_in_array(signature: Signature) -> Implementation:
    wanted = signature.name == "variadic num_nulls"

    def run(array: tuple[Any, ...]) -> int:
        return sum(count(item, wanted) for item in array)

    def count(item: Any, wanted: bool) -> int:
        if type(item) is tuple:
            return sum(count(part, wanted) for part in item)
        return (item is None) is wanted

    return Implementation("scalar", run)
