"""Rewriting of questions: a part of one is replaced by something else.

Operands of ``&`` and ``|`` have no order: ``a & c`` is a part of ``a & b & c``, and what replaces it stands beside ``b``.
"""

from __future__ import annotations

from .questions import AllOf, AnyOf, Not, Phrase, Question, all_of, any_of, parts_of


def rewritten(question: Question, wanted: Question, substitute: Question | None) -> Question | None:
    """Return a question with every part that equals ``wanted`` replaced; a part that vanishes takes its operators with it."""
    if _form(question) == _form(wanted):
        return substitute
    if isinstance(question, (AllOf, AnyOf)):
        return _list(question, wanted, substitute)
    if isinstance(question, Not):
        inner = rewritten(question.operand, wanted, substitute)
        return None if inner is None else Not(inner)
    if isinstance(question, Phrase):
        first = rewritten(question.first, wanted, substitute)
        steps = [(d, rewritten(o, wanted, substitute)) for d, o in question.steps]
        if first is None or any(o is None for _, o in steps):
            kept = [o for o in (first, *[o for _, o in steps]) if o is not None]
            return (
                kept[0]
                if len(kept) == 1
                else None
                if not kept
                else Phrase(kept[0], tuple((1, o) for o in kept[1:]))
            )
        return Phrase(first, tuple((d, o) for d, o in steps if o is not None))
    return question


def _form(question: Question) -> object:
    """Return what is equal for questions that say the same: operands without order and repeats."""
    if isinstance(question, (AllOf, AnyOf)):
        return type(question), frozenset(_form(o) for o in question.operands)
    if isinstance(question, Phrase):
        return Phrase, _form(question.first), tuple((d, _form(o)) for d, o in question.steps)
    if isinstance(question, Not):
        return Not, _form(question.operand)
    return question


def _list(question: AllOf | AnyOf, wanted: Question, substitute: Question | None) -> Question | None:
    join = all_of if isinstance(question, AllOf) else any_of
    kept: list[Question] = []
    replaced = False
    gone: set[object] = set()
    if isinstance(wanted, (AllOf, AnyOf)) and type(wanted) is type(question):
        parts = {_form(o) for o in parts_of(wanted)}
        if parts <= {_form(o) for o in question.operands}:
            gone, replaced = parts, True
    for operand in question.operands:
        if _form(operand) in gone:
            continue
        changed = rewritten(operand, wanted, substitute)
        if changed is not None:
            kept.append(changed)
    if replaced and substitute is not None:
        kept.append(substitute)
    if not kept:
        return None
    made = kept[0]
    for operand in kept[1:]:
        made = join(made, operand)
    return made
