/** SQL through the Node entry: databases, transactions, cursors, values, errors; with the real wheel in the real runtime. */
import assert from "node:assert/strict";
import { setFlagsFromString } from "node:v8";
import { after, describe, it } from "node:test";
import { runInNewContext } from "node:vm";

import { importNode } from "./support/dist.mjs";
import { DIM, embed } from "./support/toy.mjs";

const zengram = await importNode();
const { ClosedError, InvalidArgumentError, SqlError, ZengramMemory, ZetaDb } = zengram;
setFlagsFromString("--expose-gc");
const collect = /** @type {() => void} */ (runInNewContext("gc"));

/** @param {() => unknown} work @param {string} sqlstate @param {RegExp} [message] */
function refuses(work, sqlstate, message = /./) {
  assert.throws(work, (error) => {
    assert.ok(error instanceof SqlError, String(error));
    assert.equal(error.name, "SqlError");
    assert.equal(error.sqlstate, sqlstate);
    assert.match(error.code, /^[A-Z_]+$/);
    assert.match(error.message, message);
    return true;
  });
}

describe("statements", () => {
  const db = ZetaDb.open();
  after(() => db.free());

  it("creates, writes and reads", () => {
    db.execDdl("create table note (id serial primary key, body text not null, rank int default 1)");
    assert.equal(db.execMut("insert into note (body) values ($1), ($2)", ["tea", "coffee"]), 2);
    assert.deepEqual(db.query("select id, body, rank from note order by id"), {
      columns: ["id", "body", "rank"],
      rows: [
        { id: 1, body: "tea", rank: 1 },
        { id: 2, body: "coffee", rank: 1 },
      ],
    });
    assert.equal(db.execMut("update note set rank = rank + 1 where id = $1", [1]), 1);
    assert.deepEqual(db.query("update note set rank = 7 where id = 2 returning id, rank").rows, [{ id: 2, rank: 7 }]);
    assert.deepEqual(db.query("delete from note where false"), { columns: [], rows: [] });
  });

  it("says what each call takes", () => {
    refuses(() => db.execMut("select 1"), "0A000", /INSERT, UPDATE, DELETE and MERGE/);
    refuses(() => db.execMut("insert into note (body) values ('x') returning id"), "0A000");
    refuses(() => db.execDdl("select 1"), "0A000");
    assert.equal(db.query("select count(*) from note").rows[0].count, 2);
  });

  it("carries PostgreSQL's code, place, detail and hint", () => {
    refuses(() => db.query("select nope from note"), "42703", /nope/);
    refuses(() => db.query("select 1/0"), "22012", /division by zero/);
    refuses(() => db.query("selec 1"), "42601");
    refuses(() => db.execMut("insert into note (id, body) values (1, 'again')"), "23505", /note_pkey/);
    try {
      db.query("select 1 +");
      assert.fail();
    } catch (error) {
      assert.ok(error instanceof SqlError);
      assert.equal(typeof error.position, "number");
    }
  });

  it("refuses what is no statement and no parameters", () => {
    for (const sql of [undefined, null, 3, {}]) {
      assert.throws(() => db.query(/** @type {any} */ (sql)), InvalidArgumentError);
    }
    for (const params of [3, "x", { a: 1 }]) {
      assert.throws(() => db.query("select 1", /** @type {any} */ (params)), InvalidArgumentError);
    }
    for (const value of [() => 1, Symbol("x"), undefined, new Map(), new Date(Number.NaN)]) {
      assert.throws(() => db.query("select $1::text", [/** @type {any} */ (value)]), InvalidArgumentError);
    }
    refuses(() => db.query("select $1::int"), "08P01");
  });

  it("tells its schema", () => {
    const { tables } = db.schema();
    assert.deepEqual(tables, [
      {
        name: "note",
        columns: [
          { name: "id", type: "integer", pk: true, nullable: false },
          { name: "body", type: "text", pk: false, nullable: false },
          { name: "rank", type: "integer", pk: false, nullable: true },
        ],
      },
    ]);
  });
});

describe("values", () => {
  const db = ZetaDb.open();
  after(() => db.free());
  /** @param {string} expression @param {any[]} [params] */
  const value = (expression, params) => db.query(`select ${expression} as v`, params).rows[0].v;

  it("come as the table in docs/sql.md says", () => {
    assert.equal(value("1.10::numeric"), "1.10");
    assert.equal(value("date '1970-01-11'"), 10);
    assert.equal(value("timestamp '1970-01-01 00:00:01'"), "1000000");
    assert.equal(value("time '00:00:01'"), 1_000_000);
    assert.equal(value("interval '1 month 2 days 3 hours'"), "1 months 2 days 10800000000 us");
    assert.equal(value("7::bigint"), 7);
    assert.deepEqual(value("'\\x00ff'::bytea"), [0, 255]);
    assert.equal(value("'A0EEBC99-9C0B-4EF8-BB6D-6BB9BD380A11'::uuid"), "a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11");
    assert.deepEqual(value("array[1,null,3]"), [1, null, 3]);
    assert.deepEqual(value("'[1,2.5]'::vector"), [1, 2.5]);
    assert.deepEqual(value(`'{"a": [1, {"b": null}]}'::jsonb`), { a: [1, { b: null }] });
    assert.equal(value("'NaN'::float8"), "NaN");
    assert.equal(value("'-Infinity'::float8"), "-Infinity");
    assert.equal(value("null::int"), null);
    assert.equal(value("true"), true);
    assert.equal(value("'ü\"\\\u0001'"), 'ü"\\\u0001');
  });

  it("lose no digits: whole numbers that a JavaScript number cannot hold are texts", () => {
    assert.equal(value("9007199254740991"), 9007199254740991);
    assert.equal(value("9007199254740993"), "9007199254740993");
    assert.equal(value("-9223372036854775808"), "-9223372036854775808");
    assert.deepEqual(value("array[1, 9007199254740993]"), [1, "9007199254740993"]);
    assert.equal(value("$1::bigint", [9007199254740993n]), "9007199254740993");
    assert.equal(value("$1::numeric", ["123456789012345678901234567890.5"]), "123456789012345678901234567890.5");
  });

  it("go in as what they are", () => {
    const when = new Date(1_700_000_000_123);
    assert.equal(value("$1::timestamp", [when]), "1700000000123000");
    assert.deepEqual(value("$1::vector", [new Float32Array([1, 2])]), [1, 2]);
    assert.deepEqual(value("$1::vector", [[3, 4]]), [3, 4]);
    assert.deepEqual(value("$1::jsonb", [{ a: [1, "x", null] }]), { a: [1, "x", null] });
    assert.deepEqual(value("$1::bytea", [new Uint8Array([1, 2])]), [1, 2]);
    assert.deepEqual(value("$1::int[]", [[1, 2]]), [1, 2]);
    assert.deepEqual(value("$1::bigint[]", [[1n, 9007199254740993n]]), [1, "9007199254740993"]);
    assert.equal(value("$1::float8", [Number.NaN]), "NaN");
    assert.equal(value("$1::text", ["'; drop table x; --"]), "'; drop table x; --");
    assert.equal(value("$1::text", [null]), null);
    assert.equal(value("$1::boolean", [true]), true);
  });

  it("of columns with one name, give the last", () => {
    assert.deepEqual(db.query("select 1 as a, 2 as a"), { columns: ["a", "a"], rows: [{ a: 2 }] });
  });
});

describe("transactions", () => {
  it("overlap, and the first to commit a change of a row wins", () => {
    const db = ZetaDb.open();
    db.execDdl("create table t (id int primary key, n int)");
    db.execMut("insert into t values (1, 0)");
    const one = db.begin();
    const other = db.begin();
    one.execMut("update t set n = 1 where id = 1");
    other.execMut("update t set n = 2 where id = 1");
    assert.equal(db.query("select n from t").rows[0].n, 0);
    one.commit();
    refuses(() => other.commit(), "40001");
    assert.equal(db.query("select n from t").rows[0].n, 1);
    refuses(() => one.commit(), "25P01");
    refuses(() => other.query("select 1"), "25P01");
    for (const held of [one, other, db]) held.free();
  });

  it("have savepoints, and stop at a failure", () => {
    const db = ZetaDb.open();
    db.execDdl("create table t (id int primary key)");
    const txn = db.begin();
    txn.execMut("insert into t values (1)");
    txn.savepoint("before");
    refuses(() => txn.execMut("insert into t values (1)"), "23505");
    refuses(() => txn.query("select 1"), "25P02");
    txn.rollbackToSavepoint("before");
    txn.execMut("insert into t values (2)");
    txn.releaseSavepoint("before");
    txn.commit();
    assert.deepEqual(
      db.query("select id from t order by id").rows.map((row) => row.id),
      [1, 2],
    );
    db.free();
  });

  it("roll back when they are freed", () => {
    const db = ZetaDb.open();
    db.execDdl("create table t (id int)");
    const txn = db.begin();
    txn.execMut("insert into t values (1)");
    txn.free();
    assert.throws(() => txn.commit(), ClosedError);
    assert.equal(db.query("select count(*) from t").rows[0].count, 0);
    db.free();
  });
});

describe("cursors", () => {
  it("give a row at a time, of one state", () => {
    const db = ZetaDb.open();
    db.execDdl("create table t as select g as id from generate_series(1, 5000) g");
    const cursor = db.stream("select id from t where id % 2 = $1 order by id", [0]);
    assert.deepEqual(cursor.columns(), ["id"]);
    assert.deepEqual(cursor.next(), { id: 2 });
    db.execMut("delete from t");
    let count = 1;
    for (let row = cursor.next(); row !== null; row = cursor.next()) count += 1;
    assert.equal(count, 2500);
    assert.equal(cursor.next(), null);
    cursor.free();
    assert.throws(() => cursor.next(), ClosedError);
    db.free();
  });

  it("go through for … of, which frees them however it ends", () => {
    const db = ZetaDb.open();
    const cursor = db.stream("select g as id, $1::jsonb as j from generate_series(1, 3) g", ['{"a": 1}']);
    assert.deepEqual([...cursor], [1, 2, 3].map((id) => ({ id, j: { a: 1 } })));
    assert.throws(() => cursor.next(), ClosedError);
    const left = db.stream("select 1 as one");
    for (const row of left) {
      assert.deepEqual(row, { one: 1 });
      break;
    }
    assert.throws(() => left.columns(), ClosedError);
    db.free();
  });
});

describe("branches, databases, snapshots", () => {
  it("fork, diverge and merge", () => {
    const db = ZetaDb.open();
    db.execDdl("create table t (id int primary key, n int)");
    db.execMut("insert into t values (1, 1), (2, 2)");
    db.execDdl("create branch draft");
    db.setBranch("draft");
    assert.equal(db.branch(), "draft");
    db.execMut("update t set n = 10 where id = 1");
    db.setBranch(null);
    assert.equal(db.query("select n from t where id = 1").rows[0].n, 1);
    db.query("merge branch draft");
    assert.equal(db.query("select n from t where id = 1").rows[0].n, 10);
    refuses(() => db.setBranch("nowhere"), "42704");
    db.free();
  });

  it("keep several databases apart", () => {
    const db = ZetaDb.open();
    const first = db.database();
    db.execDdl("create database other");
    assert.deepEqual(db.databases().sort(), [first, "other"].sort());
    db.setDatabase("other");
    db.execDdl("create table t (id int)");
    db.setDatabase(null);
    refuses(() => db.query("select * from t"), "42P01");
    assert.deepEqual(db.query("select * from other.public.t").rows, []);
    db.free();
  });

  it("travel as bytes", () => {
    const db = ZetaDb.open();
    db.execDdl("create table t (id int primary key, v vector(2), j jsonb)");
    db.execMut("insert into t values (1, $1, $2)", [[1, 2], { a: 1 }]);
    const bytes = db.exportSnapshot();
    db.free();
    const again = ZetaDb.openFromSnapshot(bytes);
    assert.deepEqual(again.query("select * from t").rows, [{ id: 1, v: [1, 2], j: { a: 1 } }]);
    again.free();
    assert.throws(() => again.query("select 1"), ClosedError);
  });
});

describe("embeddings and memories", () => {
  it("embed(text) calls the page's function", () => {
    const db = ZetaDb.open();
    db.setEmbedFn(embed, DIM);
    db.execDdl(`create table t (id int primary key, body text, v vector(${DIM}))`);
    db.execMut("insert into t values (1, 'green tea', embed('green tea')), (2, 'a red car', embed('a red car'))");
    const { rows } = db.query("select body from t order by v <=> embed($1) limit 1", ["tea"]);
    assert.equal(rows[0].body, "green tea");
    db.free();
  });

  it("a memory lies over the engine of a database, attached twice and over a snapshot", () => {
    const db = ZetaDb.open();
    db.execDdl("create table mine (id int)");
    const memory = ZengramMemory.overEngine(db, DIM);
    memory.setEmbedFn(embed, DIM);
    memory.remember("drink", "user drinks green tea", "/user");
    assert.equal(db.query("select content from knowledge").rows[0].content, "user drinks green tea");
    const twice = ZengramMemory.overEngine(db, DIM);
    twice.setEmbedFn(embed, DIM);
    assert.equal(twice.recall("tea", "/user")[0].subject, "drink");
    const again = ZetaDb.openFromSnapshot(db.exportSnapshot());
    const restored = ZengramMemory.overEngine(again, DIM);
    assert.equal(restored.query("select count(*) from knowledge").rows[0].count, 1);
    assert.equal(again.query("select count(*) from mine").rows[0].count, 0);
    memory.free();
    assert.equal(db.query("select count(*) from knowledge").rows[0].count, 1);
    for (const held of [twice, restored, again, db]) held.free();
  });

  it("a memory answers SQL", () => {
    const memory = ZengramMemory.open(DIM);
    memory.setEmbedFn(embed, DIM);
    memory.remember("drink", "user drinks green tea", "/user");
    memory.remember("car", "user drives a red Toyota", "/user");
    const { columns, rows } = memory.query(
      "select subject, confidence from knowledge where scope = $1 order by subject",
      ["/user"],
    );
    assert.deepEqual(columns, ["subject", "confidence"]);
    assert.deepEqual(
      rows.map((row) => row.subject),
      ["car", "drink"],
    );
    assert.deepEqual(memory.query("update knowledge set importance = 0.9 where subject = 'drink'"), { columns: [], rows: [] });
    assert.equal(memory.facts("/user").find((fact) => fact.subject === "drink")?.importance, 0.9);
    refuses(() => memory.query("select * from nothing"), "42P01");
    memory.free();
  });
});

it("forgotten objects are let go", async () => {
  const db = ZetaDb.open();
  db.execDdl("create table t (id int primary key)");
  (() => {
    const txn = db.begin();
    txn.execMut("insert into t values (1)");
    db.stream("select 1");
  })();
  await new Promise((resolve) => setTimeout(resolve, 0));
  collect();
  await new Promise((resolve) => setTimeout(resolve, 20));
  db.execMut("insert into t values (1)");
  assert.equal(db.query("select count(*) from t").rows[0].count, 1);
  db.free();
});
