"""SQL: PostgreSQL's language over the engine. Nothing that remembers or recalls imports this folder.

    ZetaDb.query(text, parameters)      zeta.py: the face; session.py: settings, transactions, statements that are ready (ready.py)

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
    prepare.py parameters.py        statements that are bound, and the values for them
    plan/ execute/ functions/       plans, and how they run
    change/ define.py               changes of rows and of definitions
    session.py zeta.py values.py    sessions, the face, results as callers see them
    routines.py triggers.py plpgsql/    functions, triggers and blocks of code
    catalogs/                       information_schema and pg_catalog
"""

from ..engine import register_sql_compiler
from .bind.definitions import BoundDefinition, Change
from .errors import sqlstate_of
from .language import SqlText
from .parameters import bind_parameters
from .parse import parse, parse_expression, parse_one
from .prepare import Prepared, StatementCache, prepare
from .scope import Catalogue, SearchPath
from .zeta import QueryResult, ZetaCursor, ZetaDb, ZetaTxn

register_sql_compiler(SqlText())

__all__ = [
    "BoundDefinition",
    "Catalogue",
    "Change",
    "Prepared",
    "QueryResult",
    "SearchPath",
    "StatementCache",
    "ZetaCursor",
    "ZetaDb",
    "ZetaTxn",
    "bind_parameters",
    "parse",
    "parse_expression",
    "parse_one",
    "prepare",
    "sqlstate_of",
]
