"""Full-text search: documents, questions, matching, ranks and headlines by name. What they do is in words/."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import lru_cache
from typing import Any

from ..errors import error
from ..execute.context import Context
from ..text_cache import text_cache
from ..words.dictionaries import CONFIGURATIONS, configuration, dictionary, lexemes
from ..words.documents import (
    MAX_LEXEME_BYTES,
    MAX_POSITION,
    WEIGHT,
    WEIGHTS,
    Document,
    document_at,
    document_of,
    joined,
    read_document,
)
from ..words.headline_options import Options, read_options
from ..words.headlines import headline
from ..words.matching import matches
from ..words.morphology import phrase_question, plain_question, to_question, web_question
from ..words.questions import (
    MAX_DISTANCE,
    Not,
    Question,
    all_of,
    any_of,
    count_nodes,
    indexable,
    normal,
    phrase_of,
    question_text,
    read_question,
    words_of,
)
from ..words.ranking import DEFAULT_WEIGHTS, rank, rank_by_covers
from ..words.rewriting import rewritten
from ..words.tokens import KINDS, tokens_of
from .jsonvalues import dump, fields, parse
from .registry import rows, scalar

Make = Callable[[str, str], Question | None]


def read_tsquery(text: str) -> str:
    """Return the normal form of a question's text."""
    return normal(text)


def tsquery_text(value: str) -> str:
    """Return the text of a question, which it is kept as."""
    return value


def read_tsvector(text: str) -> Document:
    """Return the document that a text describes."""
    return read_document(text)


def _language(context: Context) -> str:
    """Return the configuration that is meant where none is named."""
    return configuration(context.session.settings.get("default_text_search_config"))


@scalar("get_current_ts_config:", context=True)
def _current(context: Context) -> str:
    return _language(context)


# Documents.


@text_cache(256, at=1)
def document(language: str, text: str) -> Document:
    """Return the document of a text."""
    return document_at(lexemes(language, text)[0])


@scalar("to_tsvector: text text")
def _to_tsvector(language: str, text: str) -> Document:
    return document(configuration(language), text)


@scalar("to_tsvector: text", context=True)
def _to_tsvector_by_default(context: Context, text: str) -> Document:
    return document(_language(context), text)


_JSON_KINDS = ("string", "numeric", "boolean", "key")


def _json_document(language: str, stored: str, kinds: frozenset[str]) -> Document:
    """Return the document of the parts of a JSON value, with a gap between two of them."""
    words: list[tuple[str, int]] = []
    position = 0
    for text in _json_texts(parse(stored), kinds):
        found, position = lexemes(language, text, position)
        words += found
        position += bool(found)
    return document_at(words)


def _json_texts(value: Any, kinds: frozenset[str]) -> Iterable[str]:
    if isinstance(value, dict):
        for key, item in fields(value):
            if "key" in kinds:
                yield key
            yield from _json_texts(item, kinds)
    elif isinstance(value, list):
        for item in value:
            yield from _json_texts(item, kinds)
    elif isinstance(value, str):
        if "string" in kinds:
            yield value
    elif isinstance(value, bool):
        if "boolean" in kinds:
            yield "true" if value else "false"
    elif value is not None and "numeric" in kinds:
        yield str(value)


_STRINGS = frozenset(["string"])


@scalar("to_tsvector: text jsonb")
def _json_to_tsvector(language: str, stored: str) -> Document:
    return _json_document(configuration(language), stored, _STRINGS)


@scalar("to_tsvector: jsonb", context=True)
def _json_to_tsvector_by_default(context: Context, stored: str) -> Document:
    return _json_document(_language(context), stored, _STRINGS)


@lru_cache(64)
def _kinds(stored: str) -> frozenset[str]:
    given = parse(stored)
    found: set[str] = set()
    for item in given if isinstance(given, list) else [given]:
        if not isinstance(item, str):
            raise error("22023", "wrong flag type, only arrays and scalars are allowed")
        kind = item.lower()
        if kind not in (*_JSON_KINDS, "all"):
            hint = 'Possible values are: "string", "numeric", "boolean", "key", and "all".'
            raise error("22023", f'wrong flag in flag array: "{item}"', hint=hint)
        found.update(_JSON_KINDS if kind == "all" else [kind])
    return frozenset(found)


@scalar("json_to_tsvector jsonb_to_tsvector: text jsonb jsonb")
def _chosen_json(language: str, stored: str, kinds: str) -> Document:
    return _json_document(configuration(language), stored, _kinds(kinds))


@scalar("json_to_tsvector jsonb_to_tsvector: jsonb jsonb", context=True)
def _chosen_json_by_default(context: Context, stored: str, kinds: str) -> Document:
    return _json_document(_language(context), stored, _kinds(kinds))


@scalar("array_to_tsvector: text[]")
def _array_to_tsvector(words: tuple[str | None, ...]) -> Document:
    return document_of((_checked(word), ()) for word in words)


def _checked(word: str | None) -> str:
    if word is None:
        raise error("22004", "lexeme array may not contain nulls")
    if not word:
        raise error("2200F", "lexeme array may not contain empty strings")
    return word


@scalar("tsvector_to_array: tsvector")
def _tsvector_to_array(value: Document) -> tuple[str, ...]:
    return tuple(lexeme for lexeme, _ in value)


@scalar("||: tsvector tsvector")
def _joined(left: Document, right: Document) -> Document:
    return joined(left, right)


@scalar("strip: tsvector")
def _strip(value: Document) -> Document:
    return tuple((lexeme, ()) for lexeme, _ in value)


@scalar("length: tsvector")
def _length(value: Document) -> int:
    return len(value)


def _weight(letter: str) -> int:
    if letter[:1].upper() in WEIGHTS and letter:
        return WEIGHTS.index(letter[0].upper())
    raise error("22023", f'unrecognized weight: "{letter[:1]}"')


def _weighted(places: tuple[int, ...], weight: int) -> tuple[int, ...]:
    return tuple((place & MAX_POSITION) + weight * WEIGHT for place in places)


@scalar("setweight: tsvector text")
def _setweight(value: Document, letter: str) -> Document:
    weight = _weight(letter)
    return tuple((lexeme, _weighted(places, weight)) for lexeme, places in value)


@scalar("setweight: tsvector text text[]")
def _setweight_of(value: Document, letter: str, words: tuple[str | None, ...]) -> Document:
    weight, chosen = _weight(letter), {_not_null(w) for w in words}
    return tuple(
        (lexeme, _weighted(places, weight) if lexeme in chosen else places) for lexeme, places in value
    )


def _not_null(word: str | None) -> str:
    if word is None:
        raise error("22004", "lexeme array may not contain nulls")
    return word


@scalar("ts_delete: tsvector text")
def _delete(value: Document, word: str) -> Document:
    return tuple(entry for entry in value if entry[0] != word)


@scalar("ts_delete: tsvector text[]")
def _delete_all(value: Document, words: tuple[str | None, ...]) -> Document:
    return tuple(entry for entry in value if entry[0] not in words)


@scalar("ts_filter: tsvector text[]")
def _filter(value: Document, letters: tuple[str | None, ...]) -> Document:
    wanted = set()
    for letter in letters:
        if letter is None:
            raise error("22004", "weight array may not contain nulls")
        wanted.add(_weight(letter))
    kept = ((lexeme, tuple(p for p in places if p >> 14 in wanted)) for lexeme, places in value)
    return tuple(entry for entry in kept if entry[1])


@rows("unnest: tsvector")
def _unnest(value: Document | None) -> Iterable[tuple[Any, ...]]:
    for lexeme, places in value or ():
        if places:
            positions = tuple(p & MAX_POSITION for p in places)
            yield lexeme, positions, tuple(WEIGHTS[p >> 14] for p in places)
        else:
            yield lexeme, None, None


# Questions.

_MAKERS: dict[str, Make] = {
    "to_tsquery": to_question,
    "plainto_tsquery": plain_question,
    "phraseto_tsquery": phrase_question,
    "websearch_to_tsquery": web_question,
}


def _register_maker(name: str, make: Make) -> None:
    @text_cache(256, at=1)
    def made(language: str, text: str) -> str:
        return _text(make(language, text))

    @scalar(f"{name}: text text")
    def _made(language: str, text: str) -> str:
        return made(configuration(language), text)

    @scalar(f"{name}: text", context=True)
    def _made_by_default(context: Context, text: str) -> str:
        return made(_language(context), text)


for _name, _make in _MAKERS.items():
    _register_maker(_name, _make)


def _text(question: Question | None) -> str:
    return "" if question is None else question_text(question)


@scalar("&&: tsquery tsquery")
def _both(left: str, right: str) -> str:
    return _combined(left, right, all_of)


@scalar("||: tsquery tsquery")
def _either(left: str, right: str) -> str:
    return _combined(left, right, any_of)


@scalar("<-> tsquery_phrase: tsquery tsquery")
def _followed(left: str, right: str) -> str:
    return _combined(left, right, lambda a, b: phrase_of(a, 1, b))


@scalar("tsquery_phrase: tsquery tsquery int4")
def _followed_at(left: str, right: str, distance: int) -> str:
    if not 0 <= distance <= MAX_DISTANCE:
        message = "distance in phrase operator must be an integer value between zero and 16384 inclusive"
        raise error("22023", message)
    return _combined(left, right, lambda a, b: phrase_of(a, distance, b))


def _combined(left: str, right: str, join: Callable[[Question, Question], Question]) -> str:
    one, other = read_question(left), read_question(right)
    if one is None or other is None:
        return left or right
    return question_text(join(one, other))


@scalar("!!: tsquery")
def _negated(value: str) -> str:
    found = read_question(value)
    return "" if found is None else question_text(Not(found))


def _lexemes_of(value: str) -> set[str]:
    return {word.lexeme for word in words_of(read_question(value))}


@scalar("@>: tsquery tsquery")
def _contains(left: str, right: str) -> bool:
    return _lexemes_of(left) >= _lexemes_of(right)


@scalar("<@: tsquery tsquery")
def _contained(left: str, right: str) -> bool:
    return _lexemes_of(left) <= _lexemes_of(right)


@scalar("numnode: tsquery")
def _numnode(value: str) -> int:
    return count_nodes(read_question(value))


@scalar("querytree: tsquery")
def _querytree(value: str) -> str:
    found = read_question(value)
    if found is None:
        return ""
    kept = indexable(found)
    return "T" if kept is None else question_text(kept)


@scalar("ts_rewrite: tsquery tsquery tsquery")
def _rewrite(value: str, target: str, substitute: str) -> str:
    found, wanted = read_question(value), read_question(target)
    if found is None or wanted is None:
        return value
    return _text(rewritten(found, wanted, read_question(substitute)))


# Matching.


@scalar("@@ ts_match_vq: tsvector tsquery")
def _matches(value: Document, question: str) -> bool:
    return matches(read_question(question), value)


@scalar("@@: tsquery tsvector")
def _matched(question: str, value: Document) -> bool:
    return matches(read_question(question), value)


@scalar("@@: text tsquery", context=True)
def _text_matches(context: Context, text: str, question: str) -> bool:
    return matches(read_question(question), document(_language(context), text))


@scalar("@@: text text", context=True)
def _texts_match(context: Context, text: str, asked: str) -> bool:
    language = _language(context)
    return matches(plain_question(language, asked), document(language, text))


# Ranks.


def _weights(given: tuple[Any, ...]) -> list[float]:
    if given and isinstance(given[0], tuple):
        raise error("2202E", "array of weight must be one-dimensional")
    if len(given) < 4:
        raise error("2202E", "array of weight is too short")
    found = []
    for weight, default in zip(given, DEFAULT_WEIGHTS, strict=False):
        if weight is None:
            raise error("22004", "array of weight must not contain nulls")
        found.append(float(weight) if weight >= 0 else default)
    if max(found) > 1:
        raise error("22023", "weight out of range")
    return found


def _register_rank(name: str, measure: Callable[[Any, Document, Question | None, int], float]) -> None:
    @scalar(f"{name}: float4[] tsvector tsquery int4")
    def _full(weights: tuple[Any, ...], value: Document, question: str, method: int) -> float:
        return measure(_weights(weights), value, read_question(question), method)

    @scalar(f"{name}: float4[] tsvector tsquery")
    def _weighted_rank(weights: tuple[Any, ...], value: Document, question: str) -> float:
        return measure(_weights(weights), value, read_question(question), 0)

    @scalar(f"{name}: tsvector tsquery int4")
    def _normalised(value: Document, question: str, method: int) -> float:
        return measure(DEFAULT_WEIGHTS, value, read_question(question), method)

    @scalar(f"{name}: tsvector tsquery")
    def _plain(value: Document, question: str) -> float:
        return measure(DEFAULT_WEIGHTS, value, read_question(question), 0)


_register_rank("ts_rank", rank)
_register_rank("ts_rank_cd", rank_by_covers)


# Headlines.

_options = lru_cache(64)(read_options)


def _headline(language: str, text: str, question: str, options: Options) -> str:
    return headline(language, text, read_question(question), options)


def _json_headline(language: str, stored: str, question: str, options: Options) -> str:
    asked = read_question(question)

    def changed(value: Any) -> Any:
        if isinstance(value, dict):
            return {key: changed(item) for key, item in value.items()}
        if isinstance(value, list):
            return [changed(item) for item in value]
        return headline(language, value, asked, options) if isinstance(value, str) else value

    return dump(changed(parse(stored)))


def _register_headline(source: str, make: Callable[[str, str, str, Options], str]) -> None:
    @scalar(f"ts_headline: text {source} tsquery text")
    def _full(language: str, value: str, question: str, options: str) -> str:
        return make(configuration(language), value, question, _options(options))

    @scalar(f"ts_headline: text {source} tsquery")
    def _plain(language: str, value: str, question: str) -> str:
        return make(configuration(language), value, question, _options(""))

    @scalar(f"ts_headline: {source} tsquery text", context=True)
    def _with_options(context: Context, value: str, question: str, options: str) -> str:
        return make(_language(context), value, question, _options(options))

    @scalar(f"ts_headline: {source} tsquery", context=True)
    def _by_default(context: Context, value: str, question: str) -> str:
        return make(_language(context), value, question, _options(""))


_register_headline("text", _headline)
_register_headline("jsonb", _json_headline)


# How texts are read.


@scalar("ts_lexize: text text")
def _lexize(name: str, word: str) -> tuple[str, ...] | None:
    bare = name.strip().removeprefix("pg_catalog.").lower()
    language = bare.removesuffix("_stem")
    if language not in CONFIGURATIONS or (bare == language) != (language == "simple"):
        raise error("42704", f'text search dictionary "{name}" does not exist')
    if len(word.encode()) > MAX_LEXEME_BYTES:
        return None
    found = dictionary(language)(word)
    return () if found is None else (found,)


@rows("ts_parse: text text")
def _parse(parser: str | None, text: str | None) -> Iterable[tuple[Any, ...]]:
    if parser is None or text is None:
        return
    if parser.strip().removeprefix("pg_catalog.") != "default":
        raise error("42704", f'text search parser "{parser}" does not exist')
    for kind, token in tokens_of(text):
        yield KINDS.index(kind) + 1, token


__all__ = ["read_tsquery", "read_tsvector", "tsquery_text"]
