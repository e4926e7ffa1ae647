"""A database with two tables for tests of binding."""

import pytest

from zengram_py.engine import (
    BOOLEAN,
    DATE,
    FLOAT64,
    INT32,
    INT64,
    INTERVAL,
    JSON,
    NUMERIC,
    TEXT,
    TIMESTAMP,
    ColumnDef,
    Database,
    array,
    vector,
)
from zengram_py.engine.limited import numeric, varchar
from zengram_py.sql.scope import Catalogue


@pytest.fixture(scope="session")
def database() -> Database:
    database = Database.open()
    with database.begin() as t:
        mood = t.create_enum("mood", ["sad", "ok", "happy"])
        columns = {
            "id": INT32,
            "a": INT32,
            "b": TEXT,
            "n": NUMERIC,
            "f": FLOAT64,
            "d": DATE,
            "ts": TIMESTAMP,
            "j": JSON,
            "arr": array(INT32),
            "m": mood,
            "i8": INT64,
            "bo": BOOLEAN,
            "iv": INTERVAL,
            "vc": varchar(5),
            "n2": numeric(6, 2),
        }
        t.create_table("t", [ColumnDef(name, kind) for name, kind in columns.items()], primary_key=["id"])
        columns = {"id": INT32, "x": TEXT, "t_id": INT32, "a": INT64}
        t.create_table("u", [ColumnDef(name, kind) for name, kind in columns.items()], primary_key=["id"])
        t.create_table("places", [ColumnDef("id", INT32), ColumnDef("v", vector(3))], primary_key=["id"])
        t.create_table("keyed", [ColumnDef("k", INT64, identity="always"), ColumnDef("x", TEXT)])
    return database


@pytest.fixture
def catalogue(database: Database) -> Catalogue:
    return Catalogue(database.begin().reader.catalog)
