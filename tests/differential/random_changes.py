"""Random changes of rows: inserts, updates, deletes, merges, in and out of transactions, on tables with constraints.

A round is one list of statements that go to both sides; after each change the tables are read. The first answer that differs ends the
round, and is shown with the statements that it takes.

What PostgreSQL leaves open is avoided: keys change for one row at a time, a row is never joined with several, and selects that are
inserted have an order.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from answers import Answer, difference, report
from ours import Ours
from postgres import Postgres
from random_expressions import Column, Grammar, Scope

CHANGES = 25
_ACTIONS = ["", " on delete cascade", " on delete set null", " on delete restrict"]
_COLUMNS = [Column("i", "I"), Column("t", "T"), Column("n", "N")]


BROKEN = {"21000", "23502", "23503", "23505", "23514"}
"""What a change of rows may be refused with for breaking a rule."""


@dataclass
class Case:
    """Statements of which the last one differs."""

    seed: int
    round: int
    statements: list[str]
    expected: Answer
    given: Answer

    @property
    def what(self) -> str:
        """In what the last answers differ."""
        if {self.expected.error, self.given.error} <= BROKEN:
            return ""  # a change that breaks several rules may name any of them
        return difference(self.expected, self.given, mark_of(self.statements[-1]))

    def show(self) -> str:
        """Return all that is needed to see it again."""
        title = f"--changes --seed {self.seed} --round {self.round}\n" + ";\n".join(self.statements)
        return report(title, self.expected, self.given, self.what)


def mark_of(statement: str) -> str:
    """Return how the rows of a statement are compared."""
    return "" if statement.startswith("select") else "unordered"


class Changes(Grammar):
    """What makes statements on the tables ``a`` and ``b``, of which ``b`` refers to ``a``."""

    def __init__(self, chance: random.Random) -> None:
        super().__init__(chance)
        self.kinds = "ITN"
        self.is_open = False

    def setup(self) -> list[str]:
        """Return statements that make the tables."""
        unique = self.one(["u int unique", "u int", "u int not null default 0"])
        made = [
            f"create table a (id int primary key, {unique}, i int, t text, n numeric check (n < 50))",
            f"create table b (id int primary key, r int references a{self.one(_ACTIONS)}, i int not null, t text default 'd', n numeric)",
        ]
        indexed = [table for table in "ab" if self.sometimes(0.5)]
        made += [f"create index on {table} ({self.one(['i', 't', 'n', 'i, t'])})" for table in indexed]
        return made

    def statement(self, failed: bool = False) -> str:
        """Return a statement; after one that ``failed`` often the end of the transaction."""
        if failed and self.is_open and self.sometimes(0.8):
            word = self.one(["rollback to s", "rollback", "rollback", "commit"])
            self.is_open = word == "rollback to s"
            return word
        shape = self.chance.random()
        if shape < 0.18:
            return self._transaction()
        if shape < 0.5:
            return self._insert()
        if shape < 0.75:
            return self._update()
        return self._delete() if shape < 0.95 else self._merge()

    def _transaction(self) -> str:
        if not self.is_open:
            self.is_open = True
            return "begin"
        word = self.one(
            [
                "savepoint s",
                "savepoint s",
                "savepoint z",
                "rollback to s",
                "rollback to s",
                "release s",
                "commit",
                "rollback",
            ]
        )
        self.is_open = word not in ("commit", "rollback")
        return word

    def _table(self) -> tuple[str, Scope]:
        table = self.one("ab")
        columns = [Column(f"{table}.{c.name}", c.kind) for c in (*_COLUMNS, Column("id", "I"))]
        columns.append(Column(f"{table}.{'u' if table == 'a' else 'r'}", "I"))
        return table, Scope(columns)

    def _where(self, scope: Scope) -> str:
        if self.sometimes(0.3):
            return f" where {scope.columns[3].name} {self.one(['=', '=', '<', '>='])} {self.chance.randint(1, 14)}"
        return f" where {self.condition(scope, 1).render()}" if self.sometimes(0.85) else ""

    def _returning(self, table: str) -> str:
        return (
            f" returning {self.one([f'{table}.*', f'{table}.id, {table}.i', f'{table}.id + 1, {table}.t'])}"
            * self.sometimes(0.4)
        )

    def _row(self, table: str) -> str:
        """Return the values of a new row; ids and references are few, so that they meet."""
        second = self.one(["null", "null", str(self.chance.randint(1, 14)), str(self.chance.randint(1, 14))])
        values = [
            self.value(c.kind, Scope(), 1).render() if self.sometimes(0.7) else "null" for c in _COLUMNS
        ]
        if table == "b" and self.sometimes(0.8):
            values[0] = str(self.chance.randint(0, 9))
        return f"({self.chance.randint(1, 14)}, {second}, {', '.join(values)})"

    def _insert(self) -> str:
        table, _ = self._table()
        if self.sometimes(0.75):
            rows = ", ".join(self._row(table) for _ in range(self.chance.randint(1, 4)))
            source = f"values {rows}"
        else:
            other = self.one("ab")
            source = f"select id + {self.chance.randint(0, 6)}, null, i, t, n from {other} where id < {self.chance.randint(2, 15)} order by id"
        conflict = ""
        if self.sometimes(0.4):
            change = self.one(
                [
                    "nothing",
                    "update set i = excluded.i",
                    f"update set i = {table}.i + 1, t = excluded.t",
                    f"update set n = 1 where {table}.i > 1",
                ]
            )
            conflict = f" on conflict (id) do {change}"
        return f"insert into {table} {source}{conflict}{self._returning(table)}"

    def _update(self) -> str:
        table, scope = self._table()
        if self.sometimes(0.2):
            key = self.one(["id", "u" if table == "a" else "r"])
            value = self.one(["null", *(str(self.chance.randint(1, 14)) for _ in range(3))])
            return f"update {table} set {key} = {value} where id = {self.chance.randint(1, 14)}{self._returning(table)}"
        changed = self.chance.sample(_COLUMNS, self.chance.randint(1, 2))
        sets = ", ".join(f"{c.name} = {self.value(c.kind, scope, 1).render()}" for c in changed)
        if self.sometimes(0.2):
            other = "b" if table == "a" else "a"
            sets = f"i = {other}.i, t = {other}.t"
            return f"update {table} set {sets} from {other} where {other}.id = {table}.id and {other}.i > 0{self._returning(table)}"
        return f"update {table} set {sets}{self._where(scope)}{self._returning(table)}"

    def _delete(self) -> str:
        table, scope = self._table()
        if self.sometimes(0.2):
            other = "b" if table == "a" else "a"
            return f"delete from {table} using {other} where {other}.id = {table}.id and {other}.i is not null{self._returning(table)}"
        return f"delete from {table}{self._where(scope)}{self._returning(table)}"

    def _merge(self) -> str:
        rows = ", ".join(f"({n}, {self.chance.randint(0, 9)})" for n in self.chance.sample(range(1, 15), 3))
        whens = self.one(["update set i = v.x", "delete", "do nothing", "update set t = 'm', n = v.x"])
        return f"merge into b using (values {rows}) v(k, x) on b.id = v.k when matched and b.i < 7 then {whens} when not matched then insert (id, i) values (v.k, v.x)"


class ChangeRounds:
    """What runs random changes; used as :class:`generate.Rounds` is."""

    def __init__(self, oracle: Postgres, seed: int, lenient: bool = False) -> None:
        self.oracle = oracle
        self.seed = seed
        self.lenient = lenient
        self.outcomes: Counter[str] = Counter()

    def run(self, count: int, first: int = 0) -> Iterator[Case]:
        """Yield the rounds that differ, of about so many changes."""
        for number in range(first, first + -(-count // CHANGES)):
            yield from self.round(number)

    def round(self, number: int) -> Iterator[Case]:
        """Yield the first difference of a round."""
        changes = Changes(random.Random(f"{self.seed}:{number}"))
        ours = Ours()
        statements: list[str] = []
        coming = changes.setup()
        self.oracle.run([])
        for _ in range(CHANGES):
            failed = False
            for text in coming:
                statements.append(text)
                (expected,) = self.oracle.run([text], fresh=False)
                case = Case(self.seed, number, list(statements), expected, ours.answer(text))
                if self.lenient and case.given.error == "0A000":
                    self.outcomes[f"unsupported: {case.given.message}"] += 1
                    return
                self._note(case)
                if case.what:
                    yield self._smaller(case)
                    return
                failed = failed or bool(expected.error)
            coming = [changes.statement(failed), "select * from a order by id", "select * from b order by id"]

    def _note(self, case: Case) -> None:
        text, error = case.statements[-1], case.expected.error
        if not text.startswith("select"):
            self.outcomes[f"error {error}" if error else text.split()[0]] += 1
        if case.what:
            self.outcomes[f"DIFFERS: {case.what}"] += 1

    def _smaller(self, case: Case) -> Case:
        """Return a case without the statements that it does not take."""
        place = len(case.statements) - 2
        while place >= 0:
            less = case.statements[:place] + case.statements[place + 1 :]
            expected, given = self.oracle.run(less)[-1], Ours().run(less)[-1]
            found = Case(case.seed, case.round, less, expected, given)
            if (
                found.what == case.what
                and expected.error == case.expected.error
                and given.error == case.given.error
            ):
                case = found
            place -= 1
        return case
