"""SQLSTATEs: PostgreSQL's codes for what can go wrong, as far as they are used here.

The code's first two characters are its class: 42 a statement that cannot mean anything, 22 a value that does not fit,
23 a constraint, 40 a conflict, 0A not supported, 54 too large. Programs compare codes, never messages.
"""

from __future__ import annotations

from ..errors import (
    CatalogError,
    CheckError,
    ConflictError,
    EngineError,
    ForeignKeyError,
    NotNullError,
    SequenceError,
    SerializationError,
    SqlError,
    TransactionError,
    TypeMismatchError,
    UniqueError,
    ZengramError,
)

CONDITIONS = {
    "08P01": "PROTOCOL_VIOLATION",
    "0A000": "FEATURE_NOT_SUPPORTED",
    "0Z002": "STACKED_DIAGNOSTICS_ACCESSED_WITHOUT_ACTIVE_HANDLER",
    "20000": "CASE_NOT_FOUND",
    "21000": "CARDINALITY_VIOLATION",
    "22000": "DATA_EXCEPTION",
    "22001": "STRING_DATA_RIGHT_TRUNCATION",
    "22003": "NUMERIC_VALUE_OUT_OF_RANGE",
    "22004": "NULL_VALUE_NOT_ALLOWED",
    "22005": "ERROR_IN_ASSIGNMENT",
    "22007": "INVALID_DATETIME_FORMAT",
    "22008": "DATETIME_FIELD_OVERFLOW",
    "22009": "INVALID_TIME_ZONE_DISPLACEMENT_VALUE",
    "2200C": "INVALID_USE_OF_ESCAPE_CHARACTER",
    "2200F": "ZERO_LENGTH_CHARACTER_STRING",
    "2200H": "SEQUENCE_GENERATOR_LIMIT_EXCEEDED",
    "22011": "SUBSTRING_ERROR",
    "22012": "DIVISION_BY_ZERO",
    "22013": "INVALID_PRECEDING_OR_FOLLOWING_SIZE",
    "22014": "INVALID_ARGUMENT_FOR_NTILE_FUNCTION",
    "22015": "INTERVAL_FIELD_OVERFLOW",
    "22016": "INVALID_ARGUMENT_FOR_NTH_VALUE_FUNCTION",
    "22019": "INVALID_ESCAPE_CHARACTER",
    "2201B": "INVALID_REGULAR_EXPRESSION",
    "2201E": "INVALID_ARGUMENT_FOR_LOGARITHM",
    "2201F": "INVALID_ARGUMENT_FOR_POWER_FUNCTION",
    "2201G": "INVALID_ARGUMENT_FOR_WIDTH_BUCKET_FUNCTION",
    "2201W": "INVALID_ROW_COUNT_IN_LIMIT_CLAUSE",
    "2201X": "INVALID_ROW_COUNT_IN_RESULT_OFFSET_CLAUSE",
    "22021": "CHARACTER_NOT_IN_REPERTOIRE",
    "22023": "INVALID_PARAMETER_VALUE",
    "22025": "INVALID_ESCAPE_SEQUENCE",
    "2202E": "ARRAY_SUBSCRIPT_ERROR",
    "22031": "INVALID_ARGUMENT_FOR_SQL_JSON_DATETIME_FUNCTION",
    "22033": "INVALID_SQL_JSON_SUBSCRIPT",
    "22036": "NON_NUMERIC_SQL_JSON_ITEM",
    "22038": "SINGLETON_SQL_JSON_ITEM_REQUIRED",
    "22039": "SQL_JSON_ARRAY_NOT_FOUND",
    "2203A": "SQL_JSON_MEMBER_NOT_FOUND",
    "2203B": "SQL_JSON_NUMBER_NOT_FOUND",
    "2203C": "SQL_JSON_OBJECT_NOT_FOUND",
    "22P02": "INVALID_TEXT_REPRESENTATION",
    "22P05": "UNTRANSLATABLE_CHARACTER",
    "23001": "RESTRICT_VIOLATION",
    "23502": "NOT_NULL_VIOLATION",
    "23503": "FOREIGN_KEY_VIOLATION",
    "23505": "UNIQUE_VIOLATION",
    "23514": "CHECK_VIOLATION",
    "25000": "INVALID_TRANSACTION_STATE",
    "25001": "ACTIVE_SQL_TRANSACTION",
    "25006": "READ_ONLY_SQL_TRANSACTION",
    "25P01": "NO_ACTIVE_SQL_TRANSACTION",
    "25P02": "IN_FAILED_SQL_TRANSACTION",
    "2BP01": "DEPENDENT_OBJECTS_STILL_EXIST",
    "2D000": "INVALID_TRANSACTION_TERMINATION",
    "2F005": "FUNCTION_EXECUTED_NO_RETURN_STATEMENT",
    "34000": "INVALID_CURSOR_NAME",
    "39P01": "TRIGGER_PROTOCOL_VIOLATED",
    "3B001": "INVALID_SAVEPOINT_SPECIFICATION",
    "3D000": "INVALID_CATALOG_NAME",
    "3F000": "INVALID_SCHEMA_NAME",
    "40001": "SERIALIZATION_FAILURE",
    "42601": "SYNTAX_ERROR",
    "42602": "INVALID_NAME",
    "42611": "INVALID_COLUMN_DEFINITION",
    "42622": "NAME_TOO_LONG",
    "42701": "DUPLICATE_COLUMN",
    "42702": "AMBIGUOUS_COLUMN",
    "42703": "UNDEFINED_COLUMN",
    "42704": "UNDEFINED_OBJECT",
    "42710": "DUPLICATE_OBJECT",
    "42712": "DUPLICATE_ALIAS",
    "42723": "DUPLICATE_FUNCTION",
    "42725": "AMBIGUOUS_FUNCTION",
    "42803": "GROUPING_ERROR",
    "42804": "DATATYPE_MISMATCH",
    "42809": "WRONG_OBJECT_TYPE",
    "42830": "INVALID_FOREIGN_KEY",
    "42846": "CANNOT_COERCE",
    "42883": "UNDEFINED_FUNCTION",
    "428C9": "GENERATED_ALWAYS",
    "42939": "RESERVED_NAME",
    "42P01": "UNDEFINED_TABLE",
    "42P02": "UNDEFINED_PARAMETER",
    "42P04": "DUPLICATE_DATABASE",
    "42P06": "DUPLICATE_SCHEMA",
    "42P07": "DUPLICATE_TABLE",
    "42P08": "AMBIGUOUS_PARAMETER",
    "42P09": "AMBIGUOUS_ALIAS",
    "42P10": "INVALID_COLUMN_REFERENCE",
    "42P13": "INVALID_FUNCTION_DEFINITION",
    "42P16": "INVALID_TABLE_DEFINITION",
    "42P17": "INVALID_OBJECT_DEFINITION",
    "42P18": "INDETERMINATE_DATATYPE",
    "42P19": "INVALID_RECURSION",
    "42P20": "WINDOWING_ERROR",
    "42P22": "INDETERMINATE_COLLATION",
    "54000": "PROGRAM_LIMIT_EXCEEDED",
    "54001": "STATEMENT_TOO_COMPLEX",
    "54011": "TOO_MANY_COLUMNS",
    "54023": "TOO_MANY_ARGUMENTS",
    "55000": "OBJECT_NOT_IN_PREREQUISITE_STATE",
    "55006": "OBJECT_IN_USE",
    "55P02": "CANT_CHANGE_RUNTIME_PARAM",
    "57014": "QUERY_CANCELED",
    "P0001": "RAISE_EXCEPTION",
    "P0002": "NO_DATA_FOUND",
    "P0003": "TOO_MANY_ROWS",
    "P0004": "ASSERT_FAILURE",
    "XX000": "INTERNAL_ERROR",
}
"""PostgreSQL's names of the conditions (its documentation, appendix A), by code."""

_OF_ENGINE: tuple[tuple[type[ZengramError], str], ...] = (
    (UniqueError, "23505"),
    (ForeignKeyError, "23503"),
    (CheckError, "23514"),
    (NotNullError, "23502"),
    (SerializationError, "40001"),
    (ConflictError, "40001"),
    (SequenceError, "2200H"),
    (TransactionError, "25000"),
    (TypeMismatchError, "22000"),
    (CatalogError, "42704"),
    (EngineError, "XX000"),
)


def error(
    sqlstate: str, message: str, at: int | None = None, *, detail: str = "", hint: str = ""
) -> SqlError:
    """Return the error of a condition.

    Parameters
    ----------
    sqlstate : str
        A code of :data:`CONDITIONS`.
    message : str
        What is wrong, in PostgreSQL's words where it has some.
    at : int, optional
        Where in the text, counted from 0; the error counts from 1.
    detail, hint : str
        More.
    """
    position = None if at is None else at + 1
    return SqlError(
        message,
        sqlstate=sqlstate,
        code=CONDITIONS[sqlstate],
        position=position,
        detail=detail,
        hint=hint,
    )


def unsupported(what: str, at: int | None = None) -> SqlError:
    """Return the error for what PostgreSQL has and this database has not."""
    return error("0A000", f"{what} is not supported", at)


def sqlstate_of(failure: ZengramError) -> str:
    """Return the code of any error that a statement may end with."""
    if isinstance(failure, SqlError):
        return failure.sqlstate
    return next((code for kind, code in _OF_ENGINE if isinstance(failure, kind)), "XX000")
