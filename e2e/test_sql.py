"""SQL in the page: the calls of ZetaDb, overlapping transactions, branches, cursors, a memory over a database, errors as Errors."""

from __future__ import annotations

from playwright.sync_api import Page


def test_statements_and_values(zengram: Page) -> None:
    found = zengram.evaluate(
        """() => {
            const db = z.ZetaDb.open();
            db.execDdl("create table note (id serial primary key, body text, place vector(2), made timestamp, tags jsonb)");
            const made = new Date(Date.UTC(2024, 0, 2));
            const count = db.execMut("insert into note (body, place, made, tags) values ($1, $2, $3, $4), ('b', '[0,1]', null, null)",
                ["a'; drop table note; --", new Float32Array([1, 0]), made, { a: [1, null] }]);
            const { columns, rows } = db.query("select * from note order by place <-> $1, id", [[1, 0]]);
            const schema = db.schema();
            db.free();
            return { count, columns, rows, schema };
        }"""
    )
    assert found["count"] == 2
    assert found["columns"] == ["id", "body", "place", "made", "tags"]
    assert found["rows"][0] == {
        "id": 1,
        "body": "a'; drop table note; --",
        "place": [1, 0],
        "made": "1704153600000000",
        "tags": {"a": [1, None]},
    }
    assert found["schema"]["tables"][0]["columns"][0] == {
        "name": "id",
        "type": "integer",
        "pk": True,
        "nullable": False,
    }


def test_transactions_overlap(zengram: Page) -> None:
    found = zengram.evaluate(
        """() => {
            const db = z.ZetaDb.open();
            db.execDdl("create table account (id int primary key, balance int check (balance >= 0))");
            db.execMut("insert into account values (1, 100), (2, 100)");
            const sums = [];
            const sum = (on) => on.query("select sum(balance) as s, min(balance) as least from account").rows[0];
            const one = db.begin();
            const other = db.begin();
            one.execMut("update account set balance = balance - 30 where id = 1");
            one.execMut("update account set balance = balance + 30 where id = 2");
            other.execMut("update account set balance = balance - 10 where id = 1");
            sums.push(sum(db), sum(one), sum(other));
            one.commit();
            const late = attempt(() => other.commit());
            const again = attempt(() => other.commit());
            const third = db.begin();
            third.savepoint("s");
            const broken = attempt(() => third.execMut("update account set balance = -1 where id = 1"));
            const stuck = attempt(() => third.query("select 1"));
            third.rollbackToSavepoint("s");
            third.execMut("update account set balance = 0 where id = 1");
            third.rollback();
            sums.push(sum(db));
            for (const held of [one, other, third, db]) held.free();
            return { sums, late, again, broken, stuck };
        }"""
    )
    assert found["sums"] == [
        {"s": 200, "least": 100},
        {"s": 200, "least": 70},
        {"s": 190, "least": 90},
        {"s": 200, "least": 70},
    ]
    assert found["late"]["name"] == "SqlError"
    assert found["late"]["code"] == "SERIALIZATION_FAILURE"
    assert found["again"]["code"] == "NO_ACTIVE_SQL_TRANSACTION"
    assert found["broken"]["code"] == "CHECK_VIOLATION"
    assert found["stuck"]["code"] == "IN_FAILED_SQL_TRANSACTION"


def test_branches_databases_and_snapshots(zengram: Page) -> None:
    found = zengram.evaluate(
        """() => {
            const db = z.ZetaDb.open();
            db.execDdl("create table t (id int primary key, n int)");
            db.execMut("insert into t values (1, 1), (2, 2)");
            db.query("create branch draft");
            db.setBranch("draft");
            db.execMut("update t set n = 10 where id = 1");
            db.execDdl("alter table t add column note text default 'new'");
            const there = db.query("select * from t order by id").rows;
            db.setBranch(null);
            const here = db.query("select * from t order by id").rows;
            db.query("merge branch draft");
            const merged = db.query("select * from t order by id").rows;
            db.query("create database other");
            db.setDatabase("other");
            db.execDdl("create table t (x int)");
            db.setDatabase(null);
            const copy = z.ZetaDb.openFromSnapshot(db.exportSnapshot());
            const after = copy.query("select count(*) as n from t").rows[0].n + copy.query("select count(*) as n from other.public.t").rows[0].n;
            const databases = copy.databases().length;
            db.free();
            copy.free();
            return { there, here, merged, after, databases };
        }"""
    )
    assert found["there"] == [{"id": 1, "n": 10, "note": "new"}, {"id": 2, "n": 2, "note": "new"}]
    assert found["here"] == [{"id": 1, "n": 1}, {"id": 2, "n": 2}]
    assert found["merged"] == found["there"]
    assert (found["after"], found["databases"]) == (2, 2)


def test_cursors_hold_one_state_and_few_rows(zengram: Page) -> None:
    found = zengram.evaluate(
        """() => {
            const db = z.ZetaDb.open();
            db.execDdl("create table t as select g as id, repeat('x', 50) as body from generate_series(1, 20000) g");
            const cursor = db.stream("select id from t where id % 3 = $1", [0]);
            const columns = cursor.columns();
            const first = cursor.next();
            db.execMut("delete from t");
            let count = 1;
            while (cursor.next() !== null) count += 1;
            cursor.free();
            const freed = attempt(() => cursor.next());
            db.free();
            return { columns, first, count, freed };
        }"""
    )
    assert found["columns"] == ["id"]
    assert found["first"] == {"id": 3}
    assert found["count"] == 6666
    assert found["freed"]["code"] == "CLOSED"


def test_a_memory_over_a_database(zengram: Page) -> None:
    found = zengram.evaluate(
        """() => {
            const db = z.ZetaDb.open();
            const memory = z.ZengramMemory.overEngine(db, 4);
            memory.rememberWithVector("drink", "user drinks green tea", "/user", unit(4, 0));
            memory.rememberWithVector("car", "user drives a red Toyota", "/user", unit(4, 1));
            const sql = "select k.subject from knowledge k join embedding e on e.source_id = k.id order by e.vector <=> $1 limit 1";
            const nearest = attempt(() => db.query(sql, [unit(4, 1)]).rows[0].subject);
            const counted = memory.query("select count(*) as n from knowledge where scope = $1", ["/user"]).rows[0].n;
            const refused = attempt(() => memory.query("select 1/0"));
            memory.free();
            const still = db.query("select count(*) as n from knowledge").rows[0].n;
            db.free();
            return { nearest, counted, refused, still };
        }"""
    )
    assert found["nearest"] == {"value": "car"}
    assert (found["counted"], found["still"]) == (2, 2)
    assert found["refused"]["code"] == "DIVISION_BY_ZERO"
    assert found["refused"]["known"] is True
