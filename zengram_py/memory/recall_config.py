"""The knobs of recall, kept per scope in the table ``retrieval_config``.

A scope without a row has the defaults below, and so has every column that a row does not set. What a call itself asks for
(a limit, a floor) comes before both.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields, replace
from typing import Any

from ..engine import Transaction
from ..errors import InvalidArgumentError
from .quantities import check_count, check_number

PRESETS = ("hybrid", "classical", "rrf")
TABLE = "retrieval_config"


@dataclass(frozen=True)
class RecallConfig:
    """How recall ranks (fusion.py has the formulas, spread.py what the last five weigh).

    Attributes
    ----------
    vector_weight, text_weight, recency_weight, importance_weight : float
        Weights of the parts of a score, 0 or more.
    mmr_lambda : float
        Of ``mmr=True``: 1 is by score alone, 0 by unlikeness to what is listed already.
    decay_half_life_days : float
        Days in which recency halves, more than 0.
    limit_default : int
        Facts returned at most.
    score_threshold : float
        Least relevance of an answer that shares no name with the question, 0 to 1.
    preset : str
        ``"hybrid"``, ``"classical"`` or ``"rrf"``.
    spread_turns, spread_session, spread_sources, spread_entities : float
        What a fact takes of the relevance of answers that it is linked to: in the turns before and after its own, the best
        of its session, those that it was made from or that were made from it, those that share a rare name.
    spread_peer : float
        What is added where the question names the fact's peer.
    """

    vector_weight: float = 0.4
    text_weight: float = 0.3
    recency_weight: float = 0.15
    importance_weight: float = 0.15
    mmr_lambda: float = 0.7
    decay_half_life_days: float = 30.0
    limit_default: int = 20
    score_threshold: float = 0.15
    preset: str = "hybrid"
    spread_turns: float = 0.3
    spread_session: float = 0.3
    spread_sources: float = 0.3
    spread_entities: float = 0.1
    spread_peer: float = 0.2

    def changed(self, settings: Mapping[str, Any]) -> RecallConfig:
        """Return this with other settings, or raise :class:`~zengram_py.errors.InvalidArgumentError`."""
        known = [field.name for field in fields(self)]
        checked: dict[str, Any] = {}
        for name, value in settings.items():
            if name not in known:
                raise InvalidArgumentError(
                    f"there is no setting {name!r} of recall; there are {', '.join(known)}"
                )
            checked[name] = _checked(name, value)
        config = replace(self, **checked)
        if config.vector_weight + config.text_weight <= 0:
            raise InvalidArgumentError(
                "vector_weight and text_weight must not both be 0: nothing would rank the answers"
            )
        return config


DEFAULTS = RecallConfig()


def _checked(name: str, value: Any) -> Any:
    if name == "limit_default":
        return check_count(name, value)
    if name == "preset":
        if value not in PRESETS:
            raise InvalidArgumentError(f"preset must be one of {', '.join(PRESETS)}, not {value!r}")
        return value
    if name == "decay_half_life_days":
        return check_number(name, value, least=1e-9)
    most = 1.0 if name in ("mmr_lambda", "score_threshold") else 1000.0
    return check_number(name, value, most=most)


def read_config(transaction: Transaction, scope: str) -> RecallConfig:
    """Return the settings of a scope.

    Raises
    ------
    InvalidArgumentError
        If its row holds something that is no setting: SQL may have written it.
    """
    row = transaction.get(TABLE, scope)
    if row is None:
        return DEFAULTS
    return DEFAULTS.changed({n: v for n, v in row.items() if n != "scope" and v is not None})


def write_config(transaction: Transaction, scope: str, settings: Mapping[str, Any]) -> RecallConfig:
    """Change some settings of a scope; return all that it has now."""
    config = read_config(transaction, scope).changed(settings)
    if transaction.get(TABLE, scope) is None:
        transaction.insert(TABLE, {"scope": scope, **asdict(config)})
    else:
        transaction.update(TABLE, scope, asdict(config))
    return config
