"""The catalogues: what ordinary tools ask when they look round."""

from __future__ import annotations

from typing import Any

import pytest

from zengram_py.engine import Database
from zengram_py.sql.session import Session

SETUP = """
create table parent (id int primary key, code varchar(10) not null default 'x', n numeric(5,2), unique (code), check (n > 0));
create table child (id int generated always as identity, parent_id int references parent on delete cascade, tags text[]);
create view seen as select id, code || '!' as loud from parent;
create type mood as enum ('low', 'high');
create sequence numbers start 5;
create index child_tags on child (parent_id, tags);
create function area(w float8, h float8 default 1) returns float8 immutable strict language sql as 'select w * h';
create function pairs() returns table (a int, b text) language plpgsql as 'begin return; end';
create function touched() returns trigger language plpgsql as 'begin return new; end';
create trigger touch before insert or update on parent for each row when (new.n > 1) execute function touched('x');
insert into parent values (1, 'a', 1), (2, 'b', 2)
"""


@pytest.fixture
def session() -> Session:
    found = Session(Database.open())
    found.run_script(SETUP)
    return found


ANSWERS: dict[str, list[tuple[Any, ...]]] = {
    "select table_name, table_type from information_schema.tables where table_schema = 'public' order by 1": [
        ("child", "BASE TABLE"),
        ("parent", "BASE TABLE"),
        ("seen", "VIEW"),
    ],
    "select column_name, data_type, is_nullable, character_maximum_length, numeric_precision, numeric_scale "
    "from information_schema.columns where table_name = 'parent' order by ordinal_position": [
        ("id", "integer", "NO", None, 32, 0),
        ("code", "character varying", "NO", 10, None, None),
        ("n", "numeric", "YES", None, 5, 2),
    ],
    "select column_name, data_type, is_identity from information_schema.columns where table_name = 'child' order by 1": [
        ("id", "integer", "YES"),
        ("parent_id", "integer", "NO"),
        ("tags", "ARRAY", "NO"),
    ],
    "select column_name, data_type from information_schema.columns where table_name = 'seen' order by ordinal_position": [
        ("id", "integer"),
        ("loud", "text"),
    ],
    "select constraint_type, count(*) from information_schema.table_constraints group by 1 order by 1": [
        ("CHECK", 1),
        ("FOREIGN KEY", 1),
        ("PRIMARY KEY", 1),
        ("UNIQUE", 1),
    ],
    "select k.table_name, k.column_name, u.table_name, r.delete_rule from information_schema.referential_constraints r "
    "join information_schema.key_column_usage k using (constraint_name) "
    "join information_schema.constraint_column_usage u using (constraint_name)": [
        ("child", "parent_id", "parent", "CASCADE")
    ],
    "select sequence_name, start_value from information_schema.sequences where sequence_name = 'numbers'": [
        ("numbers", "5")
    ],
    "select table_name, view_definition from information_schema.views": [
        ("seen", "select id, code || '!' as loud from parent")
    ],
    "select a.attname, t.typname, a.attnotnull from pg_class c join pg_attribute a on a.attrelid = c.oid "
    "join pg_type t on t.oid = a.atttypid join pg_namespace s on s.oid = c.relnamespace "
    "where c.relname = 'parent' and s.nspname = 'public' order by a.attnum": [
        ("id", "int4", True),
        ("code", "varchar", True),
        ("n", "numeric", False),
    ],
    "select enumlabel from pg_enum join pg_type t on t.oid = enumtypid where typname = 'mood' order by enumsortorder": [
        ("low",),
        ("high",),
    ],
    "select indexdef from pg_indexes where indexname = 'child_tags'": [
        ("CREATE INDEX child_tags ON public.child USING btree (parent_id, tags)",)
    ],
    "select relkind, count(*) > 0 from pg_catalog.pg_class group by 1 order by 1": [
        ("S", True),
        ("i", True),
        ("r", True),
        ("v", True),
    ],
    "select proname, proisstrict, proretset, provolatile, pronargs, proargnames, t.typname from pg_proc "
    "left join pg_type t on t.oid = prorettype order by 1": [
        ("area", True, False, "i", 2, ("w", "h"), "float8"),
        ("pairs", False, True, "v", 0, None, "record"),
        ("touched", False, False, "v", 0, None, None),
    ],
    "select c.relname, tgname, proname, tgtype, tgenabled, tgqual from pg_trigger "
    "join pg_class c on c.oid = tgrelid join pg_proc p on p.oid = tgfoid": [
        ("parent", "touch", "touched", 23, "O", "new.n > 1")
    ],
    "select trigger_name, event_manipulation, event_object_table, action_statement, action_timing, action_orientation "
    "from information_schema.triggers order by 2": [
        ("touch", "INSERT", "parent", "EXECUTE FUNCTION touched('x')", "BEFORE", "ROW"),
        ("touch", "UPDATE", "parent", "EXECUTE FUNCTION touched('x')", "BEFORE", "ROW"),
    ],
    "select r.routine_name, r.data_type, r.external_language, p.parameter_name, p.parameter_default from information_schema.routines r "
    "join information_schema.parameters p using (specific_name) order by p.ordinal_position": [
        ("area", "double precision", "SQL", "w", None),
        ("area", "double precision", "SQL", "h", "1"),
    ],
    "select relname, n_live_tup from pg_stat_user_tables order by 1": [("child", 0), ("parent", 2)],
    "select tablename from pg_tables where hastriggers": [("parent",)],
    "select setting from pg_settings where name = 'search_path'": [("public",)],
}


@pytest.mark.parametrize("sql", ANSWERS)
def test_answers(session: Session, sql: str) -> None:
    assert session.run(sql).rows == ANSWERS[sql]


def test_every_table_can_be_read(session: Session) -> None:
    from zengram_py.sql.catalogs import _tables

    for (schema, name), table in _tables().items():
        result = session.run(f"select * from {schema}.{name}")
        assert [o.name for o in result.outputs] == [column for column, _ in table.columns]


def test_they_show_what_the_transaction_sees(session: Session) -> None:
    count = "select count(*) from information_schema.tables where table_schema = 'public'"
    session.run("begin")
    session.run("create table more (a int)")
    assert session.run(count).rows == [(4,)]
    session.run("rollback")
    assert session.run(count).rows == [(3,)]
    session.run("create branch b")
    session.run("drop view seen")
    assert session.run(count).rows == [(2,)]
    session.run("set branch = b")
    assert session.run(count).rows == [(3,)]
