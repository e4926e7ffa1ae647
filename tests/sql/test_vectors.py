"""Vectors: what pgvector 0.8 answers."""

import numpy as np
import pytest
from sql_answers import answer, session

from zengram_py.engine import Database
from zengram_py.sql.session import Session

VECTORS = [
    ("'[0.1,0.2,0.3]'::vector <-> '[0.4,0.5,0.6]'", "0.5196152525944904"),
    ("'[1,2]'::vector <-> '[1,2,3]'", "22000"),
    ("'[1,2]'::vector <=> '[0,0]'", "NaN"),
    ("'[0,0]'::vector <#> '[1,2]'", "-0"),
    ("'[1,2]'::vector <+> '[3,5]'", "5"),
    ("'[1e38,2]'::vector + '[3e38,5]'", "22003"),
    ("'[1e-38,2]'::vector * '[3e-38,5]'", "22003"),
    ("'[1e38,2]'::vector * '[3e38,5]'", "22003"),
    ("'[1,2]'::vector * '[3,5,6]'", "22000"),
    ("'[1,2]'::vector || '[3,5,6]'", "[1,2,3,5,6]"),
    ("vector_norm('[0.1,0.2]'::vector)", "0.22360680108197992"),
    (
        "subvector('[1,2,3,4,5]'::vector,2,3), subvector('[1,2,3,4,5]'::vector,0,3), subvector('[1,2,3,4,5]'::vector,-1,3),subvector('[1,2,3,4,5]'::vector,4,10)",
        "[2,3,4]|[1,2]|[1]|[4,5]",
    ),
    ("subvector('[1,2,3,4,5]'::vector,6,3)", "22000"),
    ("subvector('[1,2,3,4,5]'::vector,1,0)", "22000"),
    ("subvector('[1,2,3,4,5]'::vector,1,-1)", "22000"),
    ("subvector('[1,2,3,4,5]'::vector,-5,3)", "22000"),
    ("subvector('[1,2,3,4,5]'::vector,2147483647,3)", "22000"),
    ("subvector('[1,2,3,4,5]'::vector,2,2147483647)", "[2,3,4,5]"),
    (
        "inner_product('[1,2]'::vector,'[3,4]'), cosine_distance('[1,2]'::vector,'[3,4]'), l1_distance('[1,2]'::vector,'[3,4]'), l2_distance('[1,2]'::vector,'[3,4]')",
        "11|0.01613008990009257|4|2.8284271247461903",
    ),
    ("'[1,2]'::vector <-> null", "NULL"),
    ("'[3e38]'::vector <-> '[-3e38]'", "Infinity"),
    ("'[1,2]'::vector = '[1,2,3]'", "f"),
    ("'[1,2]'::vector < '[1,2,3]', '[3]'::vector < '[1,2,3]'", "t|f"),
    ("'[1e-45,1e30]'::vector, '[1e39]'::vector", "22003"),
    (
        "'[1,2]'::vector::real[], array[1,2,3]::vector, array[1.5,2]::vector(2), '{1,2}'::real[]::vector",
        "{1,2}|[1,2,3]|[1.5,2]|[1,2]",
    ),
    ("array[1,2]::vector(3)", "22000"),
    ("array[1,null]::vector", "22004"),
    ("'{}'::real[]::vector", "22000"),
    ("array[array[1,2]]::vector", "22000"),
    ("array['nan'::float8]::vector", "22000"),
    ("array[1e40]::vector", "22003"),
    ("'[1,2,3]'::vector::vector(2)", "22000"),
    ("'[1.5,0.1,100000000,1e-10]'::vector::text, '[1,2]'::vector(2)::varchar", "[1.5,0.1,1e+08,1e-10]|[1,2]"),
    ("'[1,2]'::text::vector", "[1,2]"),
    ("1::int::vector", "42846"),
    ("'[-1,2]'::vector - '[-1,2]'", "[0,0]"),
    ("-('[1,2]'::vector)", "42883"),
    ("'[]'::vector", "22000"),
    ("'[1,]'::vector", "22P02"),
    ("'[1,2'::vector", "22P02"),
    ("' [ 1 , 2 ] '::vector", "[1,2]"),
    ("'[nan]'::vector", "22000"),
    ("'[inf]'::vector", "22000"),
    ("'[1,2,3]'::vector(2)", "22000"),
    ("'[a]'::vector", "22P02"),
    ("'1,2'::vector", "22P02"),
    ("'[1,2]x'::vector", "22P02"),
    ("'[1,,2]'::vector", "22P02"),
]
COLUMNS = [
    ("v <-> '[1,2]' from (values ('[1,2]'::vector), ('[1,2,3]')) t(v)", "22000"),
    ("v <-> '[1,2]' from (values ('[1,2]'::vector), (null), ('[4,6]')) t(v)", "0\nNULL\n5"),
    ("v <-> null from (values ('[1,2]'::vector), (null), ('[4,6]')) t(v)", "NULL\nNULL\nNULL"),
    (
        "v + w, v - w, v * w, v <=> w, v <#> w, v <+> w from (values ('[1,2]'::vector, '[3,4]'::vector), (null, '[1,1]'), ('[4,6]', null)) t(v, w)",
        "[4,6]|[-2,-2]|[3,8]|0.01613008990009257|-11|4\nNULL|NULL|NULL|NULL|NULL|NULL\nNULL|NULL|NULL|NULL|NULL|NULL",
    ),
    (
        "v + '[1,1]', '[1,1]' - v from (values ('[1,2]'::vector), (null), ('[4,6]')) t(v)",
        "[2,3]|[0,-1]\nNULL|NULL\n[5,7]|[-3,-5]",
    ),
    (
        "v || '[9]', subvector(v, 1, 1), vector_dims(v), vector_norm(v), l2_normalize(v) from (values ('[3,4]'::vector), (null), ('[1,2,2]')) t(v)",
        "[3,4,9]|[3]|2|5|[0.6,0.8]\nNULL|NULL|NULL|NULL|NULL\n[1,2,2,9]|[1]|3|3|[0.33333334,0.6666667,0.6666667]",
    ),
    (
        "v <-> w from (values ('[1,2]'::vector, '[3,4]'::vector), ('[1,2,3]', '[1,1,1]')) t(v, w)",
        "2.8284271247461903\n2.23606797749979",
    ),
    ("v <-> w from (values ('[1,2]'::vector, '[3,4]'::vector), ('[1,2,3]', '[1,1]')) t(v, w)", "22000"),
    (
        "v <-> w from (values ('[1,2]'::vector, '[3,4]'::vector), ('[1,2,3]', null), (null, '[1]')) t(v, w)",
        "2.8284271247461903\nNULL\nNULL",
    ),
    (
        "v from (values ('[1,2]'::vector), (null), ('[4,6]'), ('[0,1]')) t(v) order by v <-> '[1,1]' limit 2",
        "[1,2]\n[0,1]",
    ),
    (
        "v, count(*) from (values ('[1,2]'::vector), ('[1,2]'), ('[4,6]')) t(v) group by v order by v",
        "[1,2]|2\n[4,6]|1",
    ),
    (
        "max(v <-> '[0,0]'), avg(v), sum(v) from (values ('[1,2]'::vector), ('[4,6]')) t(v)",
        "7.211102550927978|[2.5,4]|[5,8]",
    ),
    (
        "case when v <-> '[1,2]' < 1 then 'near' else 'far' end from (values ('[1,2]'::vector), ('[4,6]')) t(v)",
        "near\nfar",
    ),
    ("coalesce(v, '[0,0]') from (values ('[1,2]'::vector), (null)) t(v)", "[1,2]\n[0,0]"),
]


@pytest.fixture(scope="module")
def at() -> Session:
    return session()


@pytest.mark.parametrize(("expressions", "expected"), [*VECTORS, *COLUMNS])
def test_pgvector_answers_the_same(at: Session, expressions: str, expected: str) -> None:
    assert answer(at, "select " + expressions) == expected


@pytest.fixture(scope="module")
def many() -> tuple[Session, np.ndarray]:
    made = np.random.default_rng(5).normal(size=(700, 400)).astype(np.float32)
    database = Database.open()
    opened = Session(database)
    opened.run("create table places (id int primary key, v vector(400), w vector(400))")
    with database.begin() as t:
        for i in range(len(made)):
            row = {"id": i, "v": made[i] if i % 7 else None, "w": made[i - 1]}
            t.insert(("zengram", "public", "places"), row)
    return opened, made


@pytest.mark.parametrize(
    ("operator", "measure"),
    [
        ("<->", lambda a, b: np.sqrt(((a - b) ** 2).sum())),
        ("<#>", lambda a, b: -(a @ b)),
        ("<=>", lambda a, b: 1 - a @ b / np.sqrt((a @ a) * (b @ b))),
        ("<+>", lambda a, b: np.abs(a - b).sum()),
    ],
)
def test_columns_are_measured_in_blocks(many: tuple[Session, np.ndarray], operator: str, measure) -> None:
    opened, made = many
    asked = made[3].tolist()
    rows = opened.run(f"select id, v {operator} $1, v {operator} w from places order by id", [asked]).rows
    assert len(rows) == len(made)
    for i, constant, beside in rows:
        if i % 7 == 0:
            assert constant is None
            assert beside is None
            continue
        wide = made[i].astype(np.float64)
        assert constant == pytest.approx(measure(wide, made[3].astype(np.float64)), rel=1e-4, abs=1e-4)
        assert beside == pytest.approx(measure(wide, made[i - 1].astype(np.float64)), rel=1e-4, abs=1e-4)


def test_a_vector_is_at_no_distance_from_itself(many: tuple[Session, np.ndarray]) -> None:
    opened, made = many
    found = opened.run("select v <-> $1 from places where id = 5", [made[5].tolist()]).rows
    assert found == [(0.0,)]
