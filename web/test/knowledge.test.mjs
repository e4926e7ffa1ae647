/** The life of facts, provenance, batches and a memory over a database, from JavaScript. What the calls do is in agent_loop.test.mjs. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";

import { importNode } from "./support/dist.mjs";
import { throwsError } from "./support/errors.mjs";
import { DIM, embed } from "./support/toy.mjs";

const zengram = await importNode();
const { ZengramMemory, ZetaDb } = zengram;

function openToy() {
  const memory = ZengramMemory.open(DIM);
  memory.setEmbedFn(embed, DIM);
  return memory;
}

/** @param {object} value */
const keys = (value) => Object.keys(value).sort().join(" ");

describe("facts", () => {
  it("come as plain objects with their fields", () => {
    const memory = openToy();
    const one = memory.remember("drink", "Ada drinks tea", "/", { peer: "Ada" });
    const other = memory.remember("drink", "Ada drinks green tea", "/", { peer: "Bob" });
    const [collision] = memory.collisions(one, { threshold: 0.5 });
    assert.equal(collision.id, other);
    assert.equal(keys(collision), "content id sameContent similarity subject");
    assert.deepEqual(memory.collisions(one, { threshold: 1 }), []);
    memory.mergeFacts(one, [other]);
    const [origin] = memory.traceBack(one, { depth: 1 });
    assert.equal(keys(origin), "confidence depth id relation sessionId sourceId sourceType targetId targetType text timeCreated type");
    assert.deepEqual([origin.id, origin.relation, origin.depth], [other, "merged_from", 1]);
    assert.deepEqual(memory.traceForward(other).map((step) => step.id), [one]);
    assert.equal(memory.fact(other)?.supersededBy, one);
    assert.equal(memory.fact("knw_none"), null);
    memory.free();
  });

  it("are found in history by scope and peer, each of which may be left out", () => {
    const memory = openToy();
    memory.remember("drink", "tea", "/a");
    memory.remember("drink", "coffee", "/a");
    memory.remember("Drink", "milk", "/b", { peer: "Ada" });
    const contents = (/** @type {any[]} */ ...args) => memory.history(args[0], args[1], args[2]).map((fact) => fact.content);
    assert.deepEqual(contents("drink"), ["tea", "coffee", "milk"]);
    assert.deepEqual(contents("drink", "/a"), ["tea", "coffee"]);
    assert.deepEqual(contents("drink", null, { peer: "ada" }), ["milk"]);
    assert.deepEqual(contents("drink", undefined, {}), ["tea", "coffee", "milk"]);
    memory.free();
  });

  it("by the hundred, in a restored memory, leave the others whole when they are purged", () => {
    const first = openToy();
    first.batch(() => {
      for (let i = 0; i < 600; i++) first.remember(`subject ${i}`, `what is said of number ${i}`, "/");
    });
    const memory = ZengramMemory.openFromSnapshot(first.exportSnapshot(), DIM);
    first.free();
    const [gone] = memory.history("subject 300");
    assert.ok(gone);
    memory.purge(gone.id);
    while (memory.maintain(100));
    assert.equal(memory.history("subject 300").length, 0);
    for (const i of [0, 299, 301, 599]) assert.equal(memory.history(`subject ${i}`)[0]?.content, `what is said of number ${i}`);
    assert.ok(!new TextDecoder("latin1").decode(memory.exportSnapshot()).includes("number 300"));
    memory.free();
  });

  it("that are purged leave the snapshot with the next maintenance", () => {
    const memory = openToy();
    const secret = memory.remember("secret", "xyzzyplugh", "/");
    memory.remember("drink", "tea", "/");
    memory.purge(secret);
    while (memory.maintain(50));
    assert.ok(!Buffer.from(memory.exportSnapshot()).includes("xyzzyplugh"));
    assert.deepEqual(memory.facts("/").map((fact) => fact.subject), ["drink"]);
    memory.free();
  });
});

describe("bad arguments", () => {
  const nothing = "nothing";
  /** @type {[(memory: any, fact: string) => unknown, string, string, RegExp][]} */
  const CALLS = [
    [(m) => m.fact(), "InvalidArgumentError", "INVALID_ARGUMENT", /id .*undefined/],
    [(m) => m.fact(5), "InvalidArgumentError", "INVALID_ARGUMENT", /id .*number|id .*5/],
    [(m) => m.fact(" "), "InvalidArgumentError", "INVALID_ARGUMENT", /blank/],
    [(m) => m.confirm(null), "InvalidArgumentError", "INVALID_ARGUMENT", /id .*null/],
    [(m) => m.confirm(nothing), "NotFoundError", "NOT_FOUND", /nothing/],
    [(m) => m.contradict(nothing), "NotFoundError", "NOT_FOUND", /nothing/],
    [(m) => m.forget(nothing), "NotFoundError", "NOT_FOUND", /nothing/],
    [(m) => m.purge(nothing), "NotFoundError", "NOT_FOUND", /nothing/],
    [(m) => m.collisions(nothing), "NotFoundError", "NOT_FOUND", /nothing/],
    [(m, fact) => m.collisions(fact, { threshold: 2 }), "InvalidArgumentError", "INVALID_ARGUMENT", /threshold/],
    [(m, fact) => m.collisions(fact, { treshold: 0.5 }), "InvalidArgumentError", "INVALID_ARGUMENT", /treshold/],
    [(m, fact) => m.mergeFacts(fact, [nothing]), "NotFoundError", "NOT_FOUND", /nothing/],
    [(m, fact) => m.mergeFacts(fact, fact), "InvalidArgumentError", "INVALID_ARGUMENT", /itself/],
    [(m, fact) => m.mergeFacts(fact, [1]), "InvalidArgumentError", "INVALID_ARGUMENT", /duplicateIds/],
    [(m, fact) => m.mergeFacts(fact), "InvalidArgumentError", "INVALID_ARGUMENT", /duplicateIds/],
    [(m) => m.decay(0), "InvalidArgumentError", "INVALID_ARGUMENT", /halfLifeDays/],
    [(m) => m.decay("30"), "InvalidArgumentError", "INVALID_ARGUMENT", /halfLifeDays/],
    [(m) => m.decay(NaN), "InvalidArgumentError", "INVALID_ARGUMENT", /halfLifeDays .*NaN/],
    [(m) => m.factsAboutPeer("Ada", -1), "InvalidArgumentError", "INVALID_ARGUMENT", /limit/],
    [(m) => m.factsAboutPeer("Ada", 5, { private: true }), "InvalidArgumentError", "INVALID_ARGUMENT", /private/],
    [(m) => m.factsAboutPeer("Ada", 5, new Map()), "InvalidArgumentError", "INVALID_ARGUMENT", /plain object/],
    [(m) => m.history("s", 5), "InvalidArgumentError", "INVALID_ARGUMENT", /scope/],
    [(m) => m.traceBack(nothing), "NotFoundError", "NOT_FOUND", /nothing/],
    [(m, fact) => m.traceForward(fact, { depth: 1.5 }), "InvalidArgumentError", "INVALID_ARGUMENT", /depth/],
    [(m) => m.contradictions("/", { since: Date.now() }), "InvalidArgumentError", "INVALID_ARGUMENT", /milliseconds/],
    [(m) => m.ensureProject(["/project/x"]), "InvalidArgumentError", "INVALID_ARGUMENT", /scope .*array/],
    [(m) => m.remember("s", "c", "/", { sessionId: nothing }), "NotFoundError", "NOT_FOUND", /createSession/],
    [(m) => m.remember("s", "c", "/", { sourceIds: [nothing] }), "NotFoundError", "NOT_FOUND", /nothing/],
    [(m) => m.batch(), "InvalidArgumentError", "INVALID_ARGUMENT", /function/],
    [(m) => m.batch({}), "InvalidArgumentError", "INVALID_ARGUMENT", /function/],
  ];

  it("are refused with the error that fits, and change nothing", () => {
    const memory = openToy();
    const fact = memory.remember("kept", "kept", "/");
    const before = memory.facts("/");
    for (const [call, name, code, message] of CALLS) throwsError(zengram, () => call(memory, fact), name, code, message);
    assert.deepEqual(memory.facts("/"), before);
    memory.forget(fact);
    throwsError(zengram, () => memory.confirm(fact), "StateError", "INVALID_STATE", /forgotten/);
    memory.free();
    for (const [call] of CALLS) throwsError(zengram, () => call(memory, fact), "ClosedError", "CLOSED");
  });
});

describe("a batch", () => {
  it("stores all, and returns what its function returns", () => {
    const memory = openToy();
    const found = memory.batch(() => {
      const a = memory.remember("a", "one", "/");
      const b = memory.remember("b", "two", "/", { sourceIds: [a] });
      assert.equal(memory.fact(b)?.content, "two");
      assert.deepEqual(memory.facts("/"), []);
      return { a, b };
    });
    assert.deepEqual(memory.facts("/").map((fact) => fact.id).sort(), [found.a, found.b].sort());
    assert.equal(memory.batch(() => undefined), undefined);
    memory.free();
  });

  it("stores nothing when its function throws, and throws the same", () => {
    const memory = openToy();
    for (const thrown of [new RangeError("no"), "text", undefined, null, 0]) {
      let caught;
      let threw = false;
      try {
        memory.batch(() => {
          memory.remember("a", "one", "/");
          throw thrown;
        });
      } catch (error) {
        threw = true;
        caught = error;
      }
      assert.ok(threw);
      assert.equal(caught, thrown);
    }
    assert.deepEqual(memory.facts("/"), []);
    memory.remember("a", "one", "/"); // it goes on
    memory.free();
  });

  it("refuses a Promise and another thenable, and stores nothing", async () => {
    const memory = openToy();
    /** @type {(() => any)[]} */
    const functions = [
      async () => memory.remember("a", "one", "/"),
      async () => {
        memory.remember("a", "one", "/");
        throw new Error("also rejects");
      },
      () => (memory.remember("a", "one", "/"), { then: () => {} }),
    ];
    for (const work of functions) throwsError(zengram, () => memory.batch(work), "InvalidArgumentError", "INVALID_ARGUMENT", /Promise/);
    const silent = () => Object.defineProperty({}, "then", { get: () => assert.fail("not readable") });
    assert.throws(() => memory.batch(silent), /not readable/);
    await new Promise((resolve) => setTimeout(resolve, 10));
    assert.deepEqual(memory.facts("/"), []);
    memory.free();
  });

  it("that went on after a failed call stores nothing", () => {
    const memory = openToy();
    const work = () => {
      memory.remember("a", "one", "/");
      throwsError(zengram, () => memory.confirm("knw_none"), "NotFoundError", "NOT_FOUND");
      throwsError(zengram, () => memory.remember("b", "two", "/"), "TransactionError", "TRANSACTION_STATE");
    };
    throwsError(zengram, () => memory.batch(work), "TransactionError", "TRANSACTION_STATE", /failed/);
    assert.deepEqual(memory.facts("/"), []);
    memory.free();
  });

  it("goes on when arguments were refused before anything was done", () => {
    const memory = openToy();
    const id = memory.batch(() => {
      const kept = memory.remember("a", "one", "/");
      throwsError(zengram, () => memory.confirm(/** @type {any} */ (5)), "InvalidArgumentError", "INVALID_ARGUMENT");
      return kept;
    });
    assert.equal(memory.fact(id)?.content, "one");
    memory.free();
  });

  it("holds no other batch, no decay and no purge", () => {
    const memory = openToy();
    const fact = memory.remember("a", "one", "/");
    memory.batch(() => {
      throwsError(zengram, () => memory.batch(() => 1), "TransactionError", "TRANSACTION_STATE", /nest/);
      throwsError(zengram, () => memory.decay(1), "TransactionError", "TRANSACTION_STATE", /batch/);
      throwsError(zengram, () => memory.purge(fact), "TransactionError", "TRANSACTION_STATE", /batch/);
      memory.confirm(fact);
    });
    assert.equal(memory.fact(fact)?.timesConfirmed, 1);
    memory.free();
  });

  it("ends with its memory", () => {
    const db = ZetaDb.open();
    const memory = ZengramMemory.overEngine(db, 2);
    const work = () => {
      memory.rememberWithVector("a", "one", "/", [1, 0]);
      memory.free();
    };
    throwsError(zengram, () => memory.batch(work), "ClosedError", "CLOSED");
    const again = ZengramMemory.overEngine(db, 2);
    assert.deepEqual(again.facts("/"), []);
    const leaves = () => {
      again.free();
      throw new RangeError("left");
    };
    assert.throws(() => again.batch(leaves), RangeError);
    db.free();
  });

  it("keeps the cause of a failed embedding function", () => {
    const memory = openToy();
    memory.setEmbedFn(() => {
      throw new RangeError("no such word");
    }, DIM);
    const error = throwsError(zengram, () => memory.batch(() => memory.remember("a", "b", "/")), "EmbedderError", "EMBEDDER_FAILED");
    assert.ok(error.cause instanceof RangeError);
    memory.free();
  });

  it("that another write met is told so", () => {
    const db = ZetaDb.open();
    const memory = ZengramMemory.overEngine(db, 2);
    const fact = memory.rememberWithVector("a", "one", "/", [1, 0]);
    const work = () => {
      memory.confirm(fact);
      db.execMut("update knowledge set importance = 0 where id = $1", [fact]);
    };
    throwsError(zengram, () => memory.batch(work), "ConflictError", "CONFLICT");
    assert.equal(memory.fact(fact)?.importance, 0);
    memory.free();
    db.free();
  });
});

describe("a memory over a database", () => {
  it("is refused where a table of that name is, and changes nothing", () => {
    const db = ZetaDb.open();
    db.execDdl("create table knowledge (id serial primary key)");
    throwsError(zengram, () => ZengramMemory.overEngine(db, 3), "MigrationError", "MIGRATION_CLASH", /knowledge/);
    assert.deepEqual(db.schema().tables.map((table) => table.name), ["knowledge"]);
    db.free();
  });

  it("says which constraint of the caller's own a call would break", () => {
    const db = ZetaDb.open();
    const memory = ZengramMemory.overEngine(db, 2);
    db.execDdl("alter table knowledge add constraint short check (length(content) < 10)");
    const call = () => memory.rememberWithVector("s", "a long content", "/", [1, 0]);
    throwsError(zengram, call, "ConstraintError", "CHECK", /short/);
    assert.deepEqual(memory.facts("/"), []);
    memory.free();
    db.free();
  });
});
