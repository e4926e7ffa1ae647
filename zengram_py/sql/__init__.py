"""SQL: PostgreSQL's language over the engine. Nothing that remembers or recalls imports this folder.

    text ──lexer──▶ tokens ──grammar/──▶ tree/ ──bind/──▶ bound/          prepare.py goes the whole way, and remembers it
                                         what it says     what it means

Read in this order:

    errors.py                       SQLSTATEs
    lexer.py grammar/ tree/         text to trees
    parse.py                        the way in: splits statements, guards the depth
    types.py casts.py               types and which becomes which
    signatures/ resolve.py          operators and functions, and how one is chosen
    literals.py moments.py          texts of values
    scope.py bound/ bind/           names and types: trees to bound trees
    prepare.py parameters.py        statements that are ready, and the values for them
"""

from ..engine import register_sql_compiler
from .bind.definitions import BoundDefinition, Change
from .errors import sqlstate_of
from .language import SqlText
from .parameters import bind_parameters
from .parse import parse, parse_expression, parse_one
from .prepare import Prepared, StatementCache, prepare
from .scope import Catalogue, SearchPath

register_sql_compiler(SqlText())

__all__ = [
    "BoundDefinition",
    "Catalogue",
    "Change",
    "Prepared",
    "SearchPath",
    "StatementCache",
    "bind_parameters",
    "parse",
    "parse_expression",
    "parse_one",
    "prepare",
    "sqlstate_of",
]
