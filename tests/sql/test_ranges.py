"""Functions and operators of ranges: what PostgreSQL 18 answers."""

import pytest
from sql_answers import answer, session

RELATIONS = [
    (
        "'[5,9)'::int4range @> '[1,5]', '[5,9)'::int4range <@ '[1,5]', '[5,9)'::int4range && '[1,5]', '[5,9)'::int4range << '[1,5]', '[5,9)'::int4range >> '[1,5]', '[5,9)'::int4range &< '[1,5]', '[5,9)'::int4range &> '[1,5]', '[5,9)'::int4range -|- '[1,5]', '[5,9)'::int4range * '[1,5]', '[5,9)'::int4range = '[1,5]', '[5,9)'::int4range < '[1,5]', '[5,9)'::int4range >= '[1,5]', '[5,9)'::int4range <> '[1,5]'",
        "f|f|t|f|f|f|t|f|[5,6)|f|f|t|t",
    ),
    (
        "'(,4)'::numrange @> '[9,9]', '(,4)'::numrange <@ '[9,9]', '(,4)'::numrange && '[9,9]', '(,4)'::numrange << '[9,9]', '(,4)'::numrange >> '[9,9]', '(,4)'::numrange &< '[9,9]', '(,4)'::numrange &> '[9,9]', '(,4)'::numrange -|- '[9,9]', '(,4)'::numrange * '[9,9]', '(,4)'::numrange = '[9,9]', '(,4)'::numrange < '[9,9]', '(,4)'::numrange >= '[9,9]', '(,4)'::numrange <> '[9,9]'",
        "f|f|f|t|f|t|f|f|empty|f|t|f|t",
    ),
    (
        "'(,)'::int4range @> '[2,3)', '(,)'::int4range <@ '[2,3)', '(,)'::int4range && '[2,3)', '(,)'::int4range << '[2,3)', '(,)'::int4range >> '[2,3)', '(,)'::int4range &< '[2,3)', '(,)'::int4range &> '[2,3)', '(,)'::int4range -|- '[2,3)', '(,)'::int4range * '[2,3)', '(,)'::int4range = '[2,3)', '(,)'::int4range < '[2,3)', '(,)'::int4range >= '[2,3)', '(,)'::int4range <> '[2,3)'",
        "t|f|t|f|f|f|f|f|[2,3)|f|t|f|t",
    ),
    (
        "'(,)'::numrange @> '[9,9]', '(,)'::numrange <@ '[9,9]', '(,)'::numrange && '[9,9]', '(,)'::numrange << '[9,9]', '(,)'::numrange >> '[9,9]', '(,)'::numrange &< '[9,9]', '(,)'::numrange &> '[9,9]', '(,)'::numrange -|- '[9,9]', '(,)'::numrange * '[9,9]', '(,)'::numrange = '[9,9]', '(,)'::numrange < '[9,9]', '(,)'::numrange >= '[9,9]', '(,)'::numrange <> '[9,9]'",
        "t|f|t|f|f|f|f|f|[9,9]|f|t|f|t",
    ),
    (
        "'[3,3]'::numrange @> '(,)', '[3,3]'::numrange <@ '(,)', '[3,3]'::numrange && '(,)', '[3,3]'::numrange << '(,)', '[3,3]'::numrange >> '(,)', '[3,3]'::numrange &< '(,)', '[3,3]'::numrange &> '(,)', '[3,3]'::numrange -|- '(,)', '[3,3]'::numrange * '(,)', '[3,3]'::numrange = '(,)', '[3,3]'::numrange < '(,)', '[3,3]'::numrange >= '(,)', '[3,3]'::numrange <> '(,)'",
        "f|t|t|f|f|t|t|f|[3,3]|f|f|t|t",
    ),
    (
        "'[9,9]'::int4range @> '[0,1)', '[9,9]'::int4range <@ '[0,1)', '[9,9]'::int4range && '[0,1)', '[9,9]'::int4range << '[0,1)', '[9,9]'::int4range >> '[0,1)', '[9,9]'::int4range &< '[0,1)', '[9,9]'::int4range &> '[0,1)', '[9,9]'::int4range -|- '[0,1)', '[9,9]'::int4range * '[0,1)', '[9,9]'::int4range = '[0,1)', '[9,9]'::int4range < '[0,1)', '[9,9]'::int4range >= '[0,1)', '[9,9]'::int4range <> '[0,1)'",
        "f|f|f|f|t|f|t|f|empty|f|f|t|t",
    ),
    (
        "'(1,5)'::numrange @> '[3,3]', '(1,5)'::numrange <@ '[3,3]', '(1,5)'::numrange && '[3,3]', '(1,5)'::numrange << '[3,3]', '(1,5)'::numrange >> '[3,3]', '(1,5)'::numrange &< '[3,3]', '(1,5)'::numrange &> '[3,3]', '(1,5)'::numrange -|- '[3,3]', '(1,5)'::numrange * '[3,3]', '(1,5)'::numrange = '[3,3]', '(1,5)'::numrange < '[3,3]', '(1,5)'::numrange >= '[3,3]', '(1,5)'::numrange <> '[3,3]'",
        "t|f|t|f|f|f|f|f|[3,3]|f|t|f|t",
    ),
    (
        "'(5,9]'::int4range @> '(,)', '(5,9]'::int4range <@ '(,)', '(5,9]'::int4range && '(,)', '(5,9]'::int4range << '(,)', '(5,9]'::int4range >> '(,)', '(5,9]'::int4range &< '(,)', '(5,9]'::int4range &> '(,)', '(5,9]'::int4range -|- '(,)', '(5,9]'::int4range * '(,)', '(5,9]'::int4range = '(,)', '(5,9]'::int4range < '(,)', '(5,9]'::int4range >= '(,)', '(5,9]'::int4range <> '(,)'",
        "f|t|t|f|f|t|t|f|[6,10)|f|f|t|t",
    ),
    (
        "'[9,9]'::numrange @> '(5,9]', '[9,9]'::numrange <@ '(5,9]', '[9,9]'::numrange && '(5,9]', '[9,9]'::numrange << '(5,9]', '[9,9]'::numrange >> '(5,9]', '[9,9]'::numrange &< '(5,9]', '[9,9]'::numrange &> '(5,9]', '[9,9]'::numrange -|- '(5,9]', '[9,9]'::numrange * '(5,9]', '[9,9]'::numrange = '(5,9]', '[9,9]'::numrange < '(5,9]', '[9,9]'::numrange >= '(5,9]', '[9,9]'::numrange <> '(5,9]'",
        "f|t|t|f|f|t|t|f|[9,9]|f|f|t|t",
    ),
    (
        "'[0,1)'::numrange @> '[2,3)', '[0,1)'::numrange <@ '[2,3)', '[0,1)'::numrange && '[2,3)', '[0,1)'::numrange << '[2,3)', '[0,1)'::numrange >> '[2,3)', '[0,1)'::numrange &< '[2,3)', '[0,1)'::numrange &> '[2,3)', '[0,1)'::numrange -|- '[2,3)', '[0,1)'::numrange * '[2,3)', '[0,1)'::numrange = '[2,3)', '[0,1)'::numrange < '[2,3)', '[0,1)'::numrange >= '[2,3)', '[0,1)'::numrange <> '[2,3)'",
        "f|f|f|t|f|t|f|f|empty|f|t|f|t",
    ),
    (
        "'[5,9)'::numrange @> '[4,)', '[5,9)'::numrange <@ '[4,)', '[5,9)'::numrange && '[4,)', '[5,9)'::numrange << '[4,)', '[5,9)'::numrange >> '[4,)', '[5,9)'::numrange &< '[4,)', '[5,9)'::numrange &> '[4,)', '[5,9)'::numrange -|- '[4,)', '[5,9)'::numrange * '[4,)', '[5,9)'::numrange = '[4,)', '[5,9)'::numrange < '[4,)', '[5,9)'::numrange >= '[4,)', '[5,9)'::numrange <> '[4,)'",
        "f|t|t|f|f|t|t|f|[5,9)|f|f|t|t",
    ),
    (
        "'(,4)'::int4range @> '[1,5)', '(,4)'::int4range <@ '[1,5)', '(,4)'::int4range && '[1,5)', '(,4)'::int4range << '[1,5)', '(,4)'::int4range >> '[1,5)', '(,4)'::int4range &< '[1,5)', '(,4)'::int4range &> '[1,5)', '(,4)'::int4range -|- '[1,5)', '(,4)'::int4range * '[1,5)', '(,4)'::int4range = '[1,5)', '(,4)'::int4range < '[1,5)', '(,4)'::int4range >= '[1,5)', '(,4)'::int4range <> '[1,5)'",
        "f|f|t|f|f|t|f|f|[1,4)|f|t|f|t",
    ),
    (
        "'[0,1)'::numrange @> '(,4)', '[0,1)'::numrange <@ '(,4)', '[0,1)'::numrange && '(,4)', '[0,1)'::numrange << '(,4)', '[0,1)'::numrange >> '(,4)', '[0,1)'::numrange &< '(,4)', '[0,1)'::numrange &> '(,4)', '[0,1)'::numrange -|- '(,4)', '[0,1)'::numrange * '(,4)', '[0,1)'::numrange = '(,4)', '[0,1)'::numrange < '(,4)', '[0,1)'::numrange >= '(,4)', '[0,1)'::numrange <> '(,4)'",
        "f|t|t|f|f|t|t|f|[0,1)|f|f|t|t",
    ),
    (
        "'[1,5]'::int4range @> '[3,3]', '[1,5]'::int4range <@ '[3,3]', '[1,5]'::int4range && '[3,3]', '[1,5]'::int4range << '[3,3]', '[1,5]'::int4range >> '[3,3]', '[1,5]'::int4range &< '[3,3]', '[1,5]'::int4range &> '[3,3]', '[1,5]'::int4range -|- '[3,3]', '[1,5]'::int4range * '[3,3]', '[1,5]'::int4range = '[3,3]', '[1,5]'::int4range < '[3,3]', '[1,5]'::int4range >= '[3,3]', '[1,5]'::int4range <> '[3,3]'",
        "t|f|t|f|f|f|f|f|[3,4)|f|t|f|t",
    ),
    (
        "'[3,3]'::numrange @> '[1,5)', '[3,3]'::numrange <@ '[1,5)', '[3,3]'::numrange && '[1,5)', '[3,3]'::numrange << '[1,5)', '[3,3]'::numrange >> '[1,5)', '[3,3]'::numrange &< '[1,5)', '[3,3]'::numrange &> '[1,5)', '[3,3]'::numrange -|- '[1,5)', '[3,3]'::numrange * '[1,5)', '[3,3]'::numrange = '[1,5)', '[3,3]'::numrange < '[1,5)', '[3,3]'::numrange >= '[1,5)', '[3,3]'::numrange <> '[1,5)'",
        "f|t|t|f|f|t|t|f|[3,3]|f|f|t|t",
    ),
    (
        "'[1,5]'::int4range @> '[0,1)', '[1,5]'::int4range <@ '[0,1)', '[1,5]'::int4range && '[0,1)', '[1,5]'::int4range << '[0,1)', '[1,5]'::int4range >> '[0,1)', '[1,5]'::int4range &< '[0,1)', '[1,5]'::int4range &> '[0,1)', '[1,5]'::int4range -|- '[0,1)', '[1,5]'::int4range * '[0,1)', '[1,5]'::int4range = '[0,1)', '[1,5]'::int4range < '[0,1)', '[1,5]'::int4range >= '[0,1)', '[1,5]'::int4range <> '[0,1)'",
        "f|f|f|f|t|f|t|t|empty|f|f|t|t",
    ),
    (
        "'(5,9]'::int4range @> '[1,5)', '(5,9]'::int4range <@ '[1,5)', '(5,9]'::int4range && '[1,5)', '(5,9]'::int4range << '[1,5)', '(5,9]'::int4range >> '[1,5)', '(5,9]'::int4range &< '[1,5)', '(5,9]'::int4range &> '[1,5)', '(5,9]'::int4range -|- '[1,5)', '(5,9]'::int4range * '[1,5)', '(5,9]'::int4range = '[1,5)', '(5,9]'::int4range < '[1,5)', '(5,9]'::int4range >= '[1,5)', '(5,9]'::int4range <> '[1,5)'",
        "f|f|f|f|t|f|t|f|empty|f|f|t|t",
    ),
    (
        "'[9,9]'::int4range @> '(,)', '[9,9]'::int4range <@ '(,)', '[9,9]'::int4range && '(,)', '[9,9]'::int4range << '(,)', '[9,9]'::int4range >> '(,)', '[9,9]'::int4range &< '(,)', '[9,9]'::int4range &> '(,)', '[9,9]'::int4range -|- '(,)', '[9,9]'::int4range * '(,)', '[9,9]'::int4range = '(,)', '[9,9]'::int4range < '(,)', '[9,9]'::int4range >= '(,)', '[9,9]'::int4range <> '(,)'",
        "f|t|t|f|f|t|t|f|[9,10)|f|f|t|t",
    ),
    (
        "'[9,9]'::int4range @> '[1,5]', '[9,9]'::int4range <@ '[1,5]', '[9,9]'::int4range && '[1,5]', '[9,9]'::int4range << '[1,5]', '[9,9]'::int4range >> '[1,5]', '[9,9]'::int4range &< '[1,5]', '[9,9]'::int4range &> '[1,5]', '[9,9]'::int4range -|- '[1,5]', '[9,9]'::int4range * '[1,5]', '[9,9]'::int4range = '[1,5]', '[9,9]'::int4range < '[1,5]', '[9,9]'::int4range >= '[1,5]', '[9,9]'::int4range <> '[1,5]'",
        "f|f|f|f|t|f|t|f|empty|f|f|t|t",
    ),
    (
        "'[1,5)'::numrange @> '(5,9]', '[1,5)'::numrange <@ '(5,9]', '[1,5)'::numrange && '(5,9]', '[1,5)'::numrange << '(5,9]', '[1,5)'::numrange >> '(5,9]', '[1,5)'::numrange &< '(5,9]', '[1,5)'::numrange &> '(5,9]', '[1,5)'::numrange -|- '(5,9]', '[1,5)'::numrange * '(5,9]', '[1,5)'::numrange = '(5,9]', '[1,5)'::numrange < '(5,9]', '[1,5)'::numrange >= '(5,9]', '[1,5)'::numrange <> '(5,9]'",
        "f|f|f|t|f|t|f|f|empty|f|t|f|t",
    ),
    (
        "'[3,3]'::numrange @> 'empty', '[3,3]'::numrange <@ 'empty', '[3,3]'::numrange && 'empty', '[3,3]'::numrange << 'empty', '[3,3]'::numrange >> 'empty', '[3,3]'::numrange &< 'empty', '[3,3]'::numrange &> 'empty', '[3,3]'::numrange -|- 'empty', '[3,3]'::numrange * 'empty', '[3,3]'::numrange = 'empty', '[3,3]'::numrange < 'empty', '[3,3]'::numrange >= 'empty', '[3,3]'::numrange <> 'empty'",
        "t|f|f|f|f|f|f|f|empty|f|f|t|t",
    ),
    (
        "'(5,9]'::numrange @> '(,4)', '(5,9]'::numrange <@ '(,4)', '(5,9]'::numrange && '(,4)', '(5,9]'::numrange << '(,4)', '(5,9]'::numrange >> '(,4)', '(5,9]'::numrange &< '(,4)', '(5,9]'::numrange &> '(,4)', '(5,9]'::numrange -|- '(,4)', '(5,9]'::numrange * '(,4)', '(5,9]'::numrange = '(,4)', '(5,9]'::numrange < '(,4)', '(5,9]'::numrange >= '(,4)', '(5,9]'::numrange <> '(,4)'",
        "f|f|f|f|t|f|t|f|empty|f|f|t|t",
    ),
    (
        "'[1,5)'::int4range @> '(,)', '[1,5)'::int4range <@ '(,)', '[1,5)'::int4range && '(,)', '[1,5)'::int4range << '(,)', '[1,5)'::int4range >> '(,)', '[1,5)'::int4range &< '(,)', '[1,5)'::int4range &> '(,)', '[1,5)'::int4range -|- '(,)', '[1,5)'::int4range * '(,)', '[1,5)'::int4range = '(,)', '[1,5)'::int4range < '(,)', '[1,5)'::int4range >= '(,)', '[1,5)'::int4range <> '(,)'",
        "f|t|t|f|f|t|t|f|[1,5)|f|f|t|t",
    ),
    (
        "'[1,5)'::numrange @> '[3,3]', '[1,5)'::numrange <@ '[3,3]', '[1,5)'::numrange && '[3,3]', '[1,5)'::numrange << '[3,3]', '[1,5)'::numrange >> '[3,3]', '[1,5)'::numrange &< '[3,3]', '[1,5)'::numrange &> '[3,3]', '[1,5)'::numrange -|- '[3,3]', '[1,5)'::numrange * '[3,3]', '[1,5)'::numrange = '[3,3]', '[1,5)'::numrange < '[3,3]', '[1,5)'::numrange >= '[3,3]', '[1,5)'::numrange <> '[3,3]'",
        "t|f|t|f|f|f|f|f|[3,3]|f|t|f|t",
    ),
    (
        "'[9,9]'::numrange @> '[1,5]', '[9,9]'::numrange <@ '[1,5]', '[9,9]'::numrange && '[1,5]', '[9,9]'::numrange << '[1,5]', '[9,9]'::numrange >> '[1,5]', '[9,9]'::numrange &< '[1,5]', '[9,9]'::numrange &> '[1,5]', '[9,9]'::numrange -|- '[1,5]', '[9,9]'::numrange * '[1,5]', '[9,9]'::numrange = '[1,5]', '[9,9]'::numrange < '[1,5]', '[9,9]'::numrange >= '[1,5]', '[9,9]'::numrange <> '[1,5]'",
        "f|f|f|f|t|f|t|f|empty|f|f|t|t",
    ),
    (
        "'[1,5]'::numrange @> '(,)', '[1,5]'::numrange <@ '(,)', '[1,5]'::numrange && '(,)', '[1,5]'::numrange << '(,)', '[1,5]'::numrange >> '(,)', '[1,5]'::numrange &< '(,)', '[1,5]'::numrange &> '(,)', '[1,5]'::numrange -|- '(,)', '[1,5]'::numrange * '(,)', '[1,5]'::numrange = '(,)', '[1,5]'::numrange < '(,)', '[1,5]'::numrange >= '(,)', '[1,5]'::numrange <> '(,)'",
        "f|t|t|f|f|t|t|f|[1,5]|f|f|t|t",
    ),
    (
        "'(1,5)'::int4range @> '[4,)', '(1,5)'::int4range <@ '[4,)', '(1,5)'::int4range && '[4,)', '(1,5)'::int4range << '[4,)', '(1,5)'::int4range >> '[4,)', '(1,5)'::int4range &< '[4,)', '(1,5)'::int4range &> '[4,)', '(1,5)'::int4range -|- '[4,)', '(1,5)'::int4range * '[4,)', '(1,5)'::int4range = '[4,)', '(1,5)'::int4range < '[4,)', '(1,5)'::int4range >= '[4,)', '(1,5)'::int4range <> '[4,)'",
        "f|f|t|f|f|t|f|f|[4,5)|f|t|f|t",
    ),
    (
        "'(,)'::int4range @> '(,4)', '(,)'::int4range <@ '(,4)', '(,)'::int4range && '(,4)', '(,)'::int4range << '(,4)', '(,)'::int4range >> '(,4)', '(,)'::int4range &< '(,4)', '(,)'::int4range &> '(,4)', '(,)'::int4range -|- '(,4)', '(,)'::int4range * '(,4)', '(,)'::int4range = '(,4)', '(,)'::int4range < '(,4)', '(,)'::int4range >= '(,4)', '(,)'::int4range <> '(,4)'",
        "t|f|t|f|f|f|t|f|(,4)|f|f|t|t",
    ),
    (
        "'[4,)'::int4range @> '[5,9)', '[4,)'::int4range <@ '[5,9)', '[4,)'::int4range && '[5,9)', '[4,)'::int4range << '[5,9)', '[4,)'::int4range >> '[5,9)', '[4,)'::int4range &< '[5,9)', '[4,)'::int4range &> '[5,9)', '[4,)'::int4range -|- '[5,9)', '[4,)'::int4range * '[5,9)', '[4,)'::int4range = '[5,9)', '[4,)'::int4range < '[5,9)', '[4,)'::int4range >= '[5,9)', '[4,)'::int4range <> '[5,9)'",
        "t|f|t|f|f|f|f|f|[5,9)|f|t|f|t",
    ),
    (
        "'(,4)'::numrange @> '(,)', '(,4)'::numrange <@ '(,)', '(,4)'::numrange && '(,)', '(,4)'::numrange << '(,)', '(,4)'::numrange >> '(,)', '(,4)'::numrange &< '(,)', '(,4)'::numrange &> '(,)', '(,4)'::numrange -|- '(,)', '(,4)'::numrange * '(,)', '(,4)'::numrange = '(,)', '(,4)'::numrange < '(,)', '(,4)'::numrange >= '(,)', '(,4)'::numrange <> '(,)'",
        "f|t|t|f|f|t|t|f|(,4)|f|t|f|t",
    ),
    (
        "'(1,5)'::int4range @> 'empty', '(1,5)'::int4range <@ 'empty', '(1,5)'::int4range && 'empty', '(1,5)'::int4range << 'empty', '(1,5)'::int4range >> 'empty', '(1,5)'::int4range &< 'empty', '(1,5)'::int4range &> 'empty', '(1,5)'::int4range -|- 'empty', '(1,5)'::int4range * 'empty', '(1,5)'::int4range = 'empty', '(1,5)'::int4range < 'empty', '(1,5)'::int4range >= 'empty', '(1,5)'::int4range <> 'empty'",
        "t|f|f|f|f|f|f|f|empty|f|f|t|t",
    ),
    (
        "'[5,9)'::numrange @> '[1,5)', '[5,9)'::numrange <@ '[1,5)', '[5,9)'::numrange && '[1,5)', '[5,9)'::numrange << '[1,5)', '[5,9)'::numrange >> '[1,5)', '[5,9)'::numrange &< '[1,5)', '[5,9)'::numrange &> '[1,5)', '[5,9)'::numrange -|- '[1,5)', '[5,9)'::numrange * '[1,5)', '[5,9)'::numrange = '[1,5)', '[5,9)'::numrange < '[1,5)', '[5,9)'::numrange >= '[1,5)', '[5,9)'::numrange <> '[1,5)'",
        "f|f|f|f|t|f|t|t|empty|f|f|t|t",
    ),
    (
        "'[0,1)'::numrange @> '[4,)', '[0,1)'::numrange <@ '[4,)', '[0,1)'::numrange && '[4,)', '[0,1)'::numrange << '[4,)', '[0,1)'::numrange >> '[4,)', '[0,1)'::numrange &< '[4,)', '[0,1)'::numrange &> '[4,)', '[0,1)'::numrange -|- '[4,)', '[0,1)'::numrange * '[4,)', '[0,1)'::numrange = '[4,)', '[0,1)'::numrange < '[4,)', '[0,1)'::numrange >= '[4,)', '[0,1)'::numrange <> '[4,)'",
        "f|f|f|t|f|t|f|f|empty|f|t|f|t",
    ),
    (
        "'[2,3)'::numrange @> '(5,9]', '[2,3)'::numrange <@ '(5,9]', '[2,3)'::numrange && '(5,9]', '[2,3)'::numrange << '(5,9]', '[2,3)'::numrange >> '(5,9]', '[2,3)'::numrange &< '(5,9]', '[2,3)'::numrange &> '(5,9]', '[2,3)'::numrange -|- '(5,9]', '[2,3)'::numrange * '(5,9]', '[2,3)'::numrange = '(5,9]', '[2,3)'::numrange < '(5,9]', '[2,3)'::numrange >= '(5,9]', '[2,3)'::numrange <> '(5,9]'",
        "f|f|f|t|f|t|f|f|empty|f|t|f|t",
    ),
    (
        "'[4,)'::numrange @> '[0,1)', '[4,)'::numrange <@ '[0,1)', '[4,)'::numrange && '[0,1)', '[4,)'::numrange << '[0,1)', '[4,)'::numrange >> '[0,1)', '[4,)'::numrange &< '[0,1)', '[4,)'::numrange &> '[0,1)', '[4,)'::numrange -|- '[0,1)', '[4,)'::numrange * '[0,1)', '[4,)'::numrange = '[0,1)', '[4,)'::numrange < '[0,1)', '[4,)'::numrange >= '[0,1)', '[4,)'::numrange <> '[0,1)'",
        "f|f|f|f|t|f|t|f|empty|f|f|t|t",
    ),
    (
        "'[9,9]'::int4range @> '(5,9]', '[9,9]'::int4range <@ '(5,9]', '[9,9]'::int4range && '(5,9]', '[9,9]'::int4range << '(5,9]', '[9,9]'::int4range >> '(5,9]', '[9,9]'::int4range &< '(5,9]', '[9,9]'::int4range &> '(5,9]', '[9,9]'::int4range -|- '(5,9]', '[9,9]'::int4range * '(5,9]', '[9,9]'::int4range = '(5,9]', '[9,9]'::int4range < '(5,9]', '[9,9]'::int4range >= '(5,9]', '[9,9]'::int4range <> '(5,9]'",
        "f|t|t|f|f|t|t|f|[9,10)|f|f|t|t",
    ),
    (
        "'(,)'::int4range @> '[9,9]', '(,)'::int4range <@ '[9,9]', '(,)'::int4range && '[9,9]', '(,)'::int4range << '[9,9]', '(,)'::int4range >> '[9,9]', '(,)'::int4range &< '[9,9]', '(,)'::int4range &> '[9,9]', '(,)'::int4range -|- '[9,9]', '(,)'::int4range * '[9,9]', '(,)'::int4range = '[9,9]', '(,)'::int4range < '[9,9]', '(,)'::int4range >= '[9,9]', '(,)'::int4range <> '[9,9]'",
        "t|f|t|f|f|f|f|f|[9,10)|f|t|f|t",
    ),
    (
        "'(,)'::numrange @> '[1,5]', '(,)'::numrange <@ '[1,5]', '(,)'::numrange && '[1,5]', '(,)'::numrange << '[1,5]', '(,)'::numrange >> '[1,5]', '(,)'::numrange &< '[1,5]', '(,)'::numrange &> '[1,5]', '(,)'::numrange -|- '[1,5]', '(,)'::numrange * '[1,5]', '(,)'::numrange = '[1,5]', '(,)'::numrange < '[1,5]', '(,)'::numrange >= '[1,5]', '(,)'::numrange <> '[1,5]'",
        "t|f|t|f|f|f|f|f|[1,5]|f|t|f|t",
    ),
    (
        "'[5,9)'::int4range @> '[0,1)', '[5,9)'::int4range <@ '[0,1)', '[5,9)'::int4range && '[0,1)', '[5,9)'::int4range << '[0,1)', '[5,9)'::int4range >> '[0,1)', '[5,9)'::int4range &< '[0,1)', '[5,9)'::int4range &> '[0,1)', '[5,9)'::int4range -|- '[0,1)', '[5,9)'::int4range * '[0,1)', '[5,9)'::int4range = '[0,1)', '[5,9)'::int4range < '[0,1)', '[5,9)'::int4range >= '[0,1)', '[5,9)'::int4range <> '[0,1)'",
        "f|f|f|f|t|f|t|f|empty|f|f|t|t",
    ),
    (
        "'(5,9]'::int4range @> '(1,5)', '(5,9]'::int4range <@ '(1,5)', '(5,9]'::int4range && '(1,5)', '(5,9]'::int4range << '(1,5)', '(5,9]'::int4range >> '(1,5)', '(5,9]'::int4range &< '(1,5)', '(5,9]'::int4range &> '(1,5)', '(5,9]'::int4range -|- '(1,5)', '(5,9]'::int4range * '(1,5)', '(5,9]'::int4range = '(1,5)', '(5,9]'::int4range < '(1,5)', '(5,9]'::int4range >= '(1,5)', '(5,9]'::int4range <> '(1,5)'",
        "f|f|f|f|t|f|t|f|empty|f|f|t|t",
    ),
    (
        "'[4,)'::numrange @> '[1,5]', '[4,)'::numrange <@ '[1,5]', '[4,)'::numrange && '[1,5]', '[4,)'::numrange << '[1,5]', '[4,)'::numrange >> '[1,5]', '[4,)'::numrange &< '[1,5]', '[4,)'::numrange &> '[1,5]', '[4,)'::numrange -|- '[1,5]', '[4,)'::numrange * '[1,5]', '[4,)'::numrange = '[1,5]', '[4,)'::numrange < '[1,5]', '[4,)'::numrange >= '[1,5]', '[4,)'::numrange <> '[1,5]'",
        "f|f|t|f|f|f|t|f|[4,5]|f|f|t|t",
    ),
    (
        "'(,)'::int4range @> '[0,1)', '(,)'::int4range <@ '[0,1)', '(,)'::int4range && '[0,1)', '(,)'::int4range << '[0,1)', '(,)'::int4range >> '[0,1)', '(,)'::int4range &< '[0,1)', '(,)'::int4range &> '[0,1)', '(,)'::int4range -|- '[0,1)', '(,)'::int4range * '[0,1)', '(,)'::int4range = '[0,1)', '(,)'::int4range < '[0,1)', '(,)'::int4range >= '[0,1)', '(,)'::int4range <> '[0,1)'",
        "t|f|t|f|f|f|f|f|[0,1)|f|t|f|t",
    ),
    (
        "'(1,5)'::numrange @> 'empty', '(1,5)'::numrange <@ 'empty', '(1,5)'::numrange && 'empty', '(1,5)'::numrange << 'empty', '(1,5)'::numrange >> 'empty', '(1,5)'::numrange &< 'empty', '(1,5)'::numrange &> 'empty', '(1,5)'::numrange -|- 'empty', '(1,5)'::numrange * 'empty', '(1,5)'::numrange = 'empty', '(1,5)'::numrange < 'empty', '(1,5)'::numrange >= 'empty', '(1,5)'::numrange <> 'empty'",
        "t|f|f|f|f|f|f|f|empty|f|f|t|t",
    ),
    (
        "'[0,1)'::int4range @> '[3,3]', '[0,1)'::int4range <@ '[3,3]', '[0,1)'::int4range && '[3,3]', '[0,1)'::int4range << '[3,3]', '[0,1)'::int4range >> '[3,3]', '[0,1)'::int4range &< '[3,3]', '[0,1)'::int4range &> '[3,3]', '[0,1)'::int4range -|- '[3,3]', '[0,1)'::int4range * '[3,3]', '[0,1)'::int4range = '[3,3]', '[0,1)'::int4range < '[3,3]', '[0,1)'::int4range >= '[3,3]', '[0,1)'::int4range <> '[3,3]'",
        "f|f|f|t|f|t|f|f|empty|f|t|f|t",
    ),
    (
        "'[1,5]'::int4range @> '[4,)', '[1,5]'::int4range <@ '[4,)', '[1,5]'::int4range && '[4,)', '[1,5]'::int4range << '[4,)', '[1,5]'::int4range >> '[4,)', '[1,5]'::int4range &< '[4,)', '[1,5]'::int4range &> '[4,)', '[1,5]'::int4range -|- '[4,)', '[1,5]'::int4range * '[4,)', '[1,5]'::int4range = '[4,)', '[1,5]'::int4range < '[4,)', '[1,5]'::int4range >= '[4,)', '[1,5]'::int4range <> '[4,)'",
        "f|f|t|f|f|t|f|f|[4,6)|f|t|f|t",
    ),
    (
        "'[1,5)'::int4range @> '(5,9]', '[1,5)'::int4range <@ '(5,9]', '[1,5)'::int4range && '(5,9]', '[1,5)'::int4range << '(5,9]', '[1,5)'::int4range >> '(5,9]', '[1,5)'::int4range &< '(5,9]', '[1,5)'::int4range &> '(5,9]', '[1,5)'::int4range -|- '(5,9]', '[1,5)'::int4range * '(5,9]', '[1,5)'::int4range = '(5,9]', '[1,5)'::int4range < '(5,9]', '[1,5)'::int4range >= '(5,9]', '[1,5)'::int4range <> '(5,9]'",
        "f|f|f|t|f|t|f|f|empty|f|t|f|t",
    ),
    (
        "'[0,1)'::numrange @> '[5,9)', '[0,1)'::numrange <@ '[5,9)', '[0,1)'::numrange && '[5,9)', '[0,1)'::numrange << '[5,9)', '[0,1)'::numrange >> '[5,9)', '[0,1)'::numrange &< '[5,9)', '[0,1)'::numrange &> '[5,9)', '[0,1)'::numrange -|- '[5,9)', '[0,1)'::numrange * '[5,9)', '[0,1)'::numrange = '[5,9)', '[0,1)'::numrange < '[5,9)', '[0,1)'::numrange >= '[5,9)', '[0,1)'::numrange <> '[5,9)'",
        "f|f|f|t|f|t|f|f|empty|f|t|f|t",
    ),
    (
        "'[9,9]'::int4range @> '[9,9]', '[9,9]'::int4range <@ '[9,9]', '[9,9]'::int4range && '[9,9]', '[9,9]'::int4range << '[9,9]', '[9,9]'::int4range >> '[9,9]', '[9,9]'::int4range &< '[9,9]', '[9,9]'::int4range &> '[9,9]', '[9,9]'::int4range -|- '[9,9]', '[9,9]'::int4range * '[9,9]', '[9,9]'::int4range = '[9,9]', '[9,9]'::int4range < '[9,9]', '[9,9]'::int4range >= '[9,9]', '[9,9]'::int4range <> '[9,9]'",
        "t|t|t|f|f|t|t|f|[9,10)|t|f|t|f",
    ),
    (
        "'[1,5]'::int4range @> '(1,5)', '[1,5]'::int4range <@ '(1,5)', '[1,5]'::int4range && '(1,5)', '[1,5]'::int4range << '(1,5)', '[1,5]'::int4range >> '(1,5)', '[1,5]'::int4range &< '(1,5)', '[1,5]'::int4range &> '(1,5)', '[1,5]'::int4range -|- '(1,5)', '[1,5]'::int4range * '(1,5)', '[1,5]'::int4range = '(1,5)', '[1,5]'::int4range < '(1,5)', '[1,5]'::int4range >= '(1,5)', '[1,5]'::int4range <> '(1,5)'",
        "t|f|t|f|f|f|f|f|[2,5)|f|t|f|t",
    ),
    (
        "'[0,1)'::int4range @> '[5,9)', '[0,1)'::int4range <@ '[5,9)', '[0,1)'::int4range && '[5,9)', '[0,1)'::int4range << '[5,9)', '[0,1)'::int4range >> '[5,9)', '[0,1)'::int4range &< '[5,9)', '[0,1)'::int4range &> '[5,9)', '[0,1)'::int4range -|- '[5,9)', '[0,1)'::int4range * '[5,9)', '[0,1)'::int4range = '[5,9)', '[0,1)'::int4range < '[5,9)', '[0,1)'::int4range >= '[5,9)', '[0,1)'::int4range <> '[5,9)'",
        "f|f|f|t|f|t|f|f|empty|f|t|f|t",
    ),
    (
        "'[9,9]'::numrange @> '(1,5)', '[9,9]'::numrange <@ '(1,5)', '[9,9]'::numrange && '(1,5)', '[9,9]'::numrange << '(1,5)', '[9,9]'::numrange >> '(1,5)', '[9,9]'::numrange &< '(1,5)', '[9,9]'::numrange &> '(1,5)', '[9,9]'::numrange -|- '(1,5)', '[9,9]'::numrange * '(1,5)', '[9,9]'::numrange = '(1,5)', '[9,9]'::numrange < '(1,5)', '[9,9]'::numrange >= '(1,5)', '[9,9]'::numrange <> '(1,5)'",
        "f|f|f|f|t|f|t|f|empty|f|f|t|t",
    ),
    (
        "'[1,5]'::int4range @> '[2,3)', '[1,5]'::int4range <@ '[2,3)', '[1,5]'::int4range && '[2,3)', '[1,5]'::int4range << '[2,3)', '[1,5]'::int4range >> '[2,3)', '[1,5]'::int4range &< '[2,3)', '[1,5]'::int4range &> '[2,3)', '[1,5]'::int4range -|- '[2,3)', '[1,5]'::int4range * '[2,3)', '[1,5]'::int4range = '[2,3)', '[1,5]'::int4range < '[2,3)', '[1,5]'::int4range >= '[2,3)', '[1,5]'::int4range <> '[2,3)'",
        "t|f|t|f|f|f|f|f|[2,3)|f|t|f|t",
    ),
    (
        "'empty'::numrange @> '[1,5]', 'empty'::numrange <@ '[1,5]', 'empty'::numrange && '[1,5]', 'empty'::numrange << '[1,5]', 'empty'::numrange >> '[1,5]', 'empty'::numrange &< '[1,5]', 'empty'::numrange &> '[1,5]', 'empty'::numrange -|- '[1,5]', 'empty'::numrange * '[1,5]', 'empty'::numrange = '[1,5]', 'empty'::numrange < '[1,5]', 'empty'::numrange >= '[1,5]', 'empty'::numrange <> '[1,5]'",
        "f|t|f|f|f|f|f|f|empty|f|t|f|t",
    ),
    (
        "'(,4)'::numrange @> '[1,5]', '(,4)'::numrange <@ '[1,5]', '(,4)'::numrange && '[1,5]', '(,4)'::numrange << '[1,5]', '(,4)'::numrange >> '[1,5]', '(,4)'::numrange &< '[1,5]', '(,4)'::numrange &> '[1,5]', '(,4)'::numrange -|- '[1,5]', '(,4)'::numrange * '[1,5]', '(,4)'::numrange = '[1,5]', '(,4)'::numrange < '[1,5]', '(,4)'::numrange >= '[1,5]', '(,4)'::numrange <> '[1,5]'",
        "f|f|t|f|f|t|f|f|[1,4)|f|t|f|t",
    ),
    (
        "'[1,5)'::numrange @> '[2,3)', '[1,5)'::numrange <@ '[2,3)', '[1,5)'::numrange && '[2,3)', '[1,5)'::numrange << '[2,3)', '[1,5)'::numrange >> '[2,3)', '[1,5)'::numrange &< '[2,3)', '[1,5)'::numrange &> '[2,3)', '[1,5)'::numrange -|- '[2,3)', '[1,5)'::numrange * '[2,3)', '[1,5)'::numrange = '[2,3)', '[1,5)'::numrange < '[2,3)', '[1,5)'::numrange >= '[2,3)', '[1,5)'::numrange <> '[2,3)'",
        "t|f|t|f|f|f|f|f|[2,3)|f|t|f|t",
    ),
    (
        "'[4,)'::numrange @> '[9,9]', '[4,)'::numrange <@ '[9,9]', '[4,)'::numrange && '[9,9]', '[4,)'::numrange << '[9,9]', '[4,)'::numrange >> '[9,9]', '[4,)'::numrange &< '[9,9]', '[4,)'::numrange &> '[9,9]', '[4,)'::numrange -|- '[9,9]', '[4,)'::numrange * '[9,9]', '[4,)'::numrange = '[9,9]', '[4,)'::numrange < '[9,9]', '[4,)'::numrange >= '[9,9]', '[4,)'::numrange <> '[9,9]'",
        "t|f|t|f|f|f|f|f|[9,9]|f|t|f|t",
    ),
    (
        "'[2,3)'::numrange @> '(,)', '[2,3)'::numrange <@ '(,)', '[2,3)'::numrange && '(,)', '[2,3)'::numrange << '(,)', '[2,3)'::numrange >> '(,)', '[2,3)'::numrange &< '(,)', '[2,3)'::numrange &> '(,)', '[2,3)'::numrange -|- '(,)', '[2,3)'::numrange * '(,)', '[2,3)'::numrange = '(,)', '[2,3)'::numrange < '(,)', '[2,3)'::numrange >= '(,)', '[2,3)'::numrange <> '(,)'",
        "f|t|t|f|f|t|t|f|[2,3)|f|f|t|t",
    ),
    (
        "'(,4)'::int4range @> '(5,9]', '(,4)'::int4range <@ '(5,9]', '(,4)'::int4range && '(5,9]', '(,4)'::int4range << '(5,9]', '(,4)'::int4range >> '(5,9]', '(,4)'::int4range &< '(5,9]', '(,4)'::int4range &> '(5,9]', '(,4)'::int4range -|- '(5,9]', '(,4)'::int4range * '(5,9]', '(,4)'::int4range = '(5,9]', '(,4)'::int4range < '(5,9]', '(,4)'::int4range >= '(5,9]', '(,4)'::int4range <> '(5,9]'",
        "f|f|f|t|f|t|f|f|empty|f|t|f|t",
    ),
    (
        "'[3,3]'::int4range @> 'empty', '[3,3]'::int4range <@ 'empty', '[3,3]'::int4range && 'empty', '[3,3]'::int4range << 'empty', '[3,3]'::int4range >> 'empty', '[3,3]'::int4range &< 'empty', '[3,3]'::int4range &> 'empty', '[3,3]'::int4range -|- 'empty', '[3,3]'::int4range * 'empty', '[3,3]'::int4range = 'empty', '[3,3]'::int4range < 'empty', '[3,3]'::int4range >= 'empty', '[3,3]'::int4range <> 'empty'",
        "t|f|f|f|f|f|f|f|empty|f|f|t|t",
    ),
    (
        "'[2,3)'::numrange @> '[0,1)', '[2,3)'::numrange <@ '[0,1)', '[2,3)'::numrange && '[0,1)', '[2,3)'::numrange << '[0,1)', '[2,3)'::numrange >> '[0,1)', '[2,3)'::numrange &< '[0,1)', '[2,3)'::numrange &> '[0,1)', '[2,3)'::numrange -|- '[0,1)', '[2,3)'::numrange * '[0,1)', '[2,3)'::numrange = '[0,1)', '[2,3)'::numrange < '[0,1)', '[2,3)'::numrange >= '[0,1)', '[2,3)'::numrange <> '[0,1)'",
        "f|f|f|f|t|f|t|f|empty|f|f|t|t",
    ),
    (
        "'(5,9]'::numrange @> '[0,1)', '(5,9]'::numrange <@ '[0,1)', '(5,9]'::numrange && '[0,1)', '(5,9]'::numrange << '[0,1)', '(5,9]'::numrange >> '[0,1)', '(5,9]'::numrange &< '[0,1)', '(5,9]'::numrange &> '[0,1)', '(5,9]'::numrange -|- '[0,1)', '(5,9]'::numrange * '[0,1)', '(5,9]'::numrange = '[0,1)', '(5,9]'::numrange < '[0,1)', '(5,9]'::numrange >= '[0,1)', '(5,9]'::numrange <> '[0,1)'",
        "f|f|f|f|t|f|t|f|empty|f|f|t|t",
    ),
    (
        "'(,4)'::int4range @> '[1,5]', '(,4)'::int4range <@ '[1,5]', '(,4)'::int4range && '[1,5]', '(,4)'::int4range << '[1,5]', '(,4)'::int4range >> '[1,5]', '(,4)'::int4range &< '[1,5]', '(,4)'::int4range &> '[1,5]', '(,4)'::int4range -|- '[1,5]', '(,4)'::int4range * '[1,5]', '(,4)'::int4range = '[1,5]', '(,4)'::int4range < '[1,5]', '(,4)'::int4range >= '[1,5]', '(,4)'::int4range <> '[1,5]'",
        "f|f|t|f|f|t|f|f|[1,4)|f|t|f|t",
    ),
    (
        "'[4,)'::numrange @> 'empty', '[4,)'::numrange <@ 'empty', '[4,)'::numrange && 'empty', '[4,)'::numrange << 'empty', '[4,)'::numrange >> 'empty', '[4,)'::numrange &< 'empty', '[4,)'::numrange &> 'empty', '[4,)'::numrange -|- 'empty', '[4,)'::numrange * 'empty', '[4,)'::numrange = 'empty', '[4,)'::numrange < 'empty', '[4,)'::numrange >= 'empty', '[4,)'::numrange <> 'empty'",
        "t|f|f|f|f|f|f|f|empty|f|f|t|t",
    ),
    (
        "'empty'::numrange @> '[1,5)', 'empty'::numrange <@ '[1,5)', 'empty'::numrange && '[1,5)', 'empty'::numrange << '[1,5)', 'empty'::numrange >> '[1,5)', 'empty'::numrange &< '[1,5)', 'empty'::numrange &> '[1,5)', 'empty'::numrange -|- '[1,5)', 'empty'::numrange * '[1,5)', 'empty'::numrange = '[1,5)', 'empty'::numrange < '[1,5)', 'empty'::numrange >= '[1,5)', 'empty'::numrange <> '[1,5)'",
        "f|t|f|f|f|f|f|f|empty|f|t|f|t",
    ),
    (
        "'[1,5]'::numrange @> '(5,9]', '[1,5]'::numrange <@ '(5,9]', '[1,5]'::numrange && '(5,9]', '[1,5]'::numrange << '(5,9]', '[1,5]'::numrange >> '(5,9]', '[1,5]'::numrange &< '(5,9]', '[1,5]'::numrange &> '(5,9]', '[1,5]'::numrange -|- '(5,9]', '[1,5]'::numrange * '(5,9]', '[1,5]'::numrange = '(5,9]', '[1,5]'::numrange < '(5,9]', '[1,5]'::numrange >= '(5,9]', '[1,5]'::numrange <> '(5,9]'",
        "f|f|f|t|f|t|f|t|empty|f|t|f|t",
    ),
    (
        "'(,4)'::numrange @> '(5,9]', '(,4)'::numrange <@ '(5,9]', '(,4)'::numrange && '(5,9]', '(,4)'::numrange << '(5,9]', '(,4)'::numrange >> '(5,9]', '(,4)'::numrange &< '(5,9]', '(,4)'::numrange &> '(5,9]', '(,4)'::numrange -|- '(5,9]', '(,4)'::numrange * '(5,9]', '(,4)'::numrange = '(5,9]', '(,4)'::numrange < '(5,9]', '(,4)'::numrange >= '(5,9]', '(,4)'::numrange <> '(5,9]'",
        "f|f|f|t|f|t|f|f|empty|f|t|f|t",
    ),
    (
        "'(5,9]'::int4range @> '[4,)', '(5,9]'::int4range <@ '[4,)', '(5,9]'::int4range && '[4,)', '(5,9]'::int4range << '[4,)', '(5,9]'::int4range >> '[4,)', '(5,9]'::int4range &< '[4,)', '(5,9]'::int4range &> '[4,)', '(5,9]'::int4range -|- '[4,)', '(5,9]'::int4range * '[4,)', '(5,9]'::int4range = '[4,)', '(5,9]'::int4range < '[4,)', '(5,9]'::int4range >= '[4,)', '(5,9]'::int4range <> '[4,)'",
        "f|t|t|f|f|t|t|f|[6,10)|f|f|t|t",
    ),
    (
        "'[1,5)'::numrange @> '[9,9]', '[1,5)'::numrange <@ '[9,9]', '[1,5)'::numrange && '[9,9]', '[1,5)'::numrange << '[9,9]', '[1,5)'::numrange >> '[9,9]', '[1,5)'::numrange &< '[9,9]', '[1,5)'::numrange &> '[9,9]', '[1,5)'::numrange -|- '[9,9]', '[1,5)'::numrange * '[9,9]', '[1,5)'::numrange = '[9,9]', '[1,5)'::numrange < '[9,9]', '[1,5)'::numrange >= '[9,9]', '[1,5)'::numrange <> '[9,9]'",
        "f|f|f|t|f|t|f|f|empty|f|t|f|t",
    ),
    (
        "'[5,9)'::numrange @> '(5,9]', '[5,9)'::numrange <@ '(5,9]', '[5,9)'::numrange && '(5,9]', '[5,9)'::numrange << '(5,9]', '[5,9)'::numrange >> '(5,9]', '[5,9)'::numrange &< '(5,9]', '[5,9)'::numrange &> '(5,9]', '[5,9)'::numrange -|- '(5,9]', '[5,9)'::numrange * '(5,9]', '[5,9)'::numrange = '(5,9]', '[5,9)'::numrange < '(5,9]', '[5,9)'::numrange >= '(5,9]', '[5,9)'::numrange <> '(5,9]'",
        "f|f|t|f|f|t|f|f|(5,9)|f|t|f|t",
    ),
    (
        "'(,4)'::numrange @> '[2,3)', '(,4)'::numrange <@ '[2,3)', '(,4)'::numrange && '[2,3)', '(,4)'::numrange << '[2,3)', '(,4)'::numrange >> '[2,3)', '(,4)'::numrange &< '[2,3)', '(,4)'::numrange &> '[2,3)', '(,4)'::numrange -|- '[2,3)', '(,4)'::numrange * '[2,3)', '(,4)'::numrange = '[2,3)', '(,4)'::numrange < '[2,3)', '(,4)'::numrange >= '[2,3)', '(,4)'::numrange <> '[2,3)'",
        "t|f|t|f|f|f|f|f|[2,3)|f|t|f|t",
    ),
    (
        "'[0,1)'::int4range @> 'empty', '[0,1)'::int4range <@ 'empty', '[0,1)'::int4range && 'empty', '[0,1)'::int4range << 'empty', '[0,1)'::int4range >> 'empty', '[0,1)'::int4range &< 'empty', '[0,1)'::int4range &> 'empty', '[0,1)'::int4range -|- 'empty', '[0,1)'::int4range * 'empty', '[0,1)'::int4range = 'empty', '[0,1)'::int4range < 'empty', '[0,1)'::int4range >= 'empty', '[0,1)'::int4range <> 'empty'",
        "t|f|f|f|f|f|f|f|empty|f|f|t|t",
    ),
    (
        "'[3,3]'::numrange @> '[9,9]', '[3,3]'::numrange <@ '[9,9]', '[3,3]'::numrange && '[9,9]', '[3,3]'::numrange << '[9,9]', '[3,3]'::numrange >> '[9,9]', '[3,3]'::numrange &< '[9,9]', '[3,3]'::numrange &> '[9,9]', '[3,3]'::numrange -|- '[9,9]', '[3,3]'::numrange * '[9,9]', '[3,3]'::numrange = '[9,9]', '[3,3]'::numrange < '[9,9]', '[3,3]'::numrange >= '[9,9]', '[3,3]'::numrange <> '[9,9]'",
        "f|f|f|t|f|t|f|f|empty|f|t|f|t",
    ),
    (
        "'(5,9]'::numrange @> '[3,3]', '(5,9]'::numrange <@ '[3,3]', '(5,9]'::numrange && '[3,3]', '(5,9]'::numrange << '[3,3]', '(5,9]'::numrange >> '[3,3]', '(5,9]'::numrange &< '[3,3]', '(5,9]'::numrange &> '[3,3]', '(5,9]'::numrange -|- '[3,3]', '(5,9]'::numrange * '[3,3]', '(5,9]'::numrange = '[3,3]', '(5,9]'::numrange < '[3,3]', '(5,9]'::numrange >= '[3,3]', '(5,9]'::numrange <> '[3,3]'",
        "f|f|f|f|t|f|t|f|empty|f|f|t|t",
    ),
    (
        "'[0,1)'::numrange @> '[1,5)', '[0,1)'::numrange <@ '[1,5)', '[0,1)'::numrange && '[1,5)', '[0,1)'::numrange << '[1,5)', '[0,1)'::numrange >> '[1,5)', '[0,1)'::numrange &< '[1,5)', '[0,1)'::numrange &> '[1,5)', '[0,1)'::numrange -|- '[1,5)', '[0,1)'::numrange * '[1,5)', '[0,1)'::numrange = '[1,5)', '[0,1)'::numrange < '[1,5)', '[0,1)'::numrange >= '[1,5)', '[0,1)'::numrange <> '[1,5)'",
        "f|f|f|t|f|t|f|t|empty|f|t|f|t",
    ),
    (
        "'(,4)'::numrange @> '[3,3]', '(,4)'::numrange <@ '[3,3]', '(,4)'::numrange && '[3,3]', '(,4)'::numrange << '[3,3]', '(,4)'::numrange >> '[3,3]', '(,4)'::numrange &< '[3,3]', '(,4)'::numrange &> '[3,3]', '(,4)'::numrange -|- '[3,3]', '(,4)'::numrange * '[3,3]', '(,4)'::numrange = '[3,3]', '(,4)'::numrange < '[3,3]', '(,4)'::numrange >= '[3,3]', '(,4)'::numrange <> '[3,3]'",
        "t|f|t|f|f|f|f|f|[3,3]|f|t|f|t",
    ),
    (
        "'[4,)'::int4range @> '(1,5)', '[4,)'::int4range <@ '(1,5)', '[4,)'::int4range && '(1,5)', '[4,)'::int4range << '(1,5)', '[4,)'::int4range >> '(1,5)', '[4,)'::int4range &< '(1,5)', '[4,)'::int4range &> '(1,5)', '[4,)'::int4range -|- '(1,5)', '[4,)'::int4range * '(1,5)', '[4,)'::int4range = '(1,5)', '[4,)'::int4range < '(1,5)', '[4,)'::int4range >= '(1,5)', '[4,)'::int4range <> '(1,5)'",
        "f|f|t|f|f|f|t|f|[4,5)|f|f|t|t",
    ),
    (
        "'(5,9]'::int4range @> '[5,9)', '(5,9]'::int4range <@ '[5,9)', '(5,9]'::int4range && '[5,9)', '(5,9]'::int4range << '[5,9)', '(5,9]'::int4range >> '[5,9)', '(5,9]'::int4range &< '[5,9)', '(5,9]'::int4range &> '[5,9)', '(5,9]'::int4range -|- '[5,9)', '(5,9]'::int4range * '[5,9)', '(5,9]'::int4range = '[5,9)', '(5,9]'::int4range < '[5,9)', '(5,9]'::int4range >= '[5,9)', '(5,9]'::int4range <> '[5,9)'",
        "f|f|t|f|f|f|t|f|[6,9)|f|f|t|t",
    ),
    (
        "'[3,3]'::int4range @> '[1,5)', '[3,3]'::int4range <@ '[1,5)', '[3,3]'::int4range && '[1,5)', '[3,3]'::int4range << '[1,5)', '[3,3]'::int4range >> '[1,5)', '[3,3]'::int4range &< '[1,5)', '[3,3]'::int4range &> '[1,5)', '[3,3]'::int4range -|- '[1,5)', '[3,3]'::int4range * '[1,5)', '[3,3]'::int4range = '[1,5)', '[3,3]'::int4range < '[1,5)', '[3,3]'::int4range >= '[1,5)', '[3,3]'::int4range <> '[1,5)'",
        "f|t|t|f|f|t|t|f|[3,4)|f|f|t|t",
    ),
    (
        "'[1,5)'::numrange @> '(,)', '[1,5)'::numrange <@ '(,)', '[1,5)'::numrange && '(,)', '[1,5)'::numrange << '(,)', '[1,5)'::numrange >> '(,)', '[1,5)'::numrange &< '(,)', '[1,5)'::numrange &> '(,)', '[1,5)'::numrange -|- '(,)', '[1,5)'::numrange * '(,)', '[1,5)'::numrange = '(,)', '[1,5)'::numrange < '(,)', '[1,5)'::numrange >= '(,)', '[1,5)'::numrange <> '(,)'",
        "f|t|t|f|f|t|t|f|[1,5)|f|f|t|t",
    ),
    (
        "'empty'::int4range @> '[0,1)', 'empty'::int4range <@ '[0,1)', 'empty'::int4range && '[0,1)', 'empty'::int4range << '[0,1)', 'empty'::int4range >> '[0,1)', 'empty'::int4range &< '[0,1)', 'empty'::int4range &> '[0,1)', 'empty'::int4range -|- '[0,1)', 'empty'::int4range * '[0,1)', 'empty'::int4range = '[0,1)', 'empty'::int4range < '[0,1)', 'empty'::int4range >= '[0,1)', 'empty'::int4range <> '[0,1)'",
        "f|t|f|f|f|f|f|f|empty|f|t|f|t",
    ),
    (
        "'(,4)'::int4range @> '[3,3]', '(,4)'::int4range <@ '[3,3]', '(,4)'::int4range && '[3,3]', '(,4)'::int4range << '[3,3]', '(,4)'::int4range >> '[3,3]', '(,4)'::int4range &< '[3,3]', '(,4)'::int4range &> '[3,3]', '(,4)'::int4range -|- '[3,3]', '(,4)'::int4range * '[3,3]', '(,4)'::int4range = '[3,3]', '(,4)'::int4range < '[3,3]', '(,4)'::int4range >= '[3,3]', '(,4)'::int4range <> '[3,3]'",
        "t|f|t|f|f|t|f|f|[3,4)|f|t|f|t",
    ),
    (
        "'(5,9]'::numrange @> '[1,5]', '(5,9]'::numrange <@ '[1,5]', '(5,9]'::numrange && '[1,5]', '(5,9]'::numrange << '[1,5]', '(5,9]'::numrange >> '[1,5]', '(5,9]'::numrange &< '[1,5]', '(5,9]'::numrange &> '[1,5]', '(5,9]'::numrange -|- '[1,5]', '(5,9]'::numrange * '[1,5]', '(5,9]'::numrange = '[1,5]', '(5,9]'::numrange < '[1,5]', '(5,9]'::numrange >= '[1,5]', '(5,9]'::numrange <> '[1,5]'",
        "f|f|f|f|t|f|t|t|empty|f|f|t|t",
    ),
    (
        "'(,4)'::int4range @> '[2,3)', '(,4)'::int4range <@ '[2,3)', '(,4)'::int4range && '[2,3)', '(,4)'::int4range << '[2,3)', '(,4)'::int4range >> '[2,3)', '(,4)'::int4range &< '[2,3)', '(,4)'::int4range &> '[2,3)', '(,4)'::int4range -|- '[2,3)', '(,4)'::int4range * '[2,3)', '(,4)'::int4range = '[2,3)', '(,4)'::int4range < '[2,3)', '(,4)'::int4range >= '[2,3)', '(,4)'::int4range <> '[2,3)'",
        "t|f|t|f|f|f|f|f|[2,3)|f|t|f|t",
    ),
    (
        "'[2,3)'::numrange @> '[3,3]', '[2,3)'::numrange <@ '[3,3]', '[2,3)'::numrange && '[3,3]', '[2,3)'::numrange << '[3,3]', '[2,3)'::numrange >> '[3,3]', '[2,3)'::numrange &< '[3,3]', '[2,3)'::numrange &> '[3,3]', '[2,3)'::numrange -|- '[3,3]', '[2,3)'::numrange * '[3,3]', '[2,3)'::numrange = '[3,3]', '[2,3)'::numrange < '[3,3]', '[2,3)'::numrange >= '[3,3]', '[2,3)'::numrange <> '[3,3]'",
        "f|f|f|t|f|t|f|t|empty|f|t|f|t",
    ),
    (
        "'empty'::numrange @> '[0,1)', 'empty'::numrange <@ '[0,1)', 'empty'::numrange && '[0,1)', 'empty'::numrange << '[0,1)', 'empty'::numrange >> '[0,1)', 'empty'::numrange &< '[0,1)', 'empty'::numrange &> '[0,1)', 'empty'::numrange -|- '[0,1)', 'empty'::numrange * '[0,1)', 'empty'::numrange = '[0,1)', 'empty'::numrange < '[0,1)', 'empty'::numrange >= '[0,1)', 'empty'::numrange <> '[0,1)'",
        "f|t|f|f|f|f|f|f|empty|f|t|f|t",
    ),
    (
        "'[9,9]'::numrange @> '[2,3)', '[9,9]'::numrange <@ '[2,3)', '[9,9]'::numrange && '[2,3)', '[9,9]'::numrange << '[2,3)', '[9,9]'::numrange >> '[2,3)', '[9,9]'::numrange &< '[2,3)', '[9,9]'::numrange &> '[2,3)', '[9,9]'::numrange -|- '[2,3)', '[9,9]'::numrange * '[2,3)', '[9,9]'::numrange = '[2,3)', '[9,9]'::numrange < '[2,3)', '[9,9]'::numrange >= '[2,3)', '[9,9]'::numrange <> '[2,3)'",
        "f|f|f|f|t|f|t|f|empty|f|f|t|t",
    ),
    (
        "'[4,)'::int4range @> '[1,5)', '[4,)'::int4range <@ '[1,5)', '[4,)'::int4range && '[1,5)', '[4,)'::int4range << '[1,5)', '[4,)'::int4range >> '[1,5)', '[4,)'::int4range &< '[1,5)', '[4,)'::int4range &> '[1,5)', '[4,)'::int4range -|- '[1,5)', '[4,)'::int4range * '[1,5)', '[4,)'::int4range = '[1,5)', '[4,)'::int4range < '[1,5)', '[4,)'::int4range >= '[1,5)', '[4,)'::int4range <> '[1,5)'",
        "f|f|t|f|f|f|t|f|[4,5)|f|f|t|t",
    ),
    (
        "'[5,9)'::int4range @> '[2,3)', '[5,9)'::int4range <@ '[2,3)', '[5,9)'::int4range && '[2,3)', '[5,9)'::int4range << '[2,3)', '[5,9)'::int4range >> '[2,3)', '[5,9)'::int4range &< '[2,3)', '[5,9)'::int4range &> '[2,3)', '[5,9)'::int4range -|- '[2,3)', '[5,9)'::int4range * '[2,3)', '[5,9)'::int4range = '[2,3)', '[5,9)'::int4range < '[2,3)', '[5,9)'::int4range >= '[2,3)', '[5,9)'::int4range <> '[2,3)'",
        "f|f|f|f|t|f|t|f|empty|f|f|t|t",
    ),
    (
        "'(,4)'::int4range @> '[4,)', '(,4)'::int4range <@ '[4,)', '(,4)'::int4range && '[4,)', '(,4)'::int4range << '[4,)', '(,4)'::int4range >> '[4,)', '(,4)'::int4range &< '[4,)', '(,4)'::int4range &> '[4,)', '(,4)'::int4range -|- '[4,)', '(,4)'::int4range * '[4,)', '(,4)'::int4range = '[4,)', '(,4)'::int4range < '[4,)', '(,4)'::int4range >= '[4,)', '(,4)'::int4range <> '[4,)'",
        "f|f|f|t|f|t|f|t|empty|f|t|f|t",
    ),
    (
        "'[2,3)'::int4range @> 'empty', '[2,3)'::int4range <@ 'empty', '[2,3)'::int4range && 'empty', '[2,3)'::int4range << 'empty', '[2,3)'::int4range >> 'empty', '[2,3)'::int4range &< 'empty', '[2,3)'::int4range &> 'empty', '[2,3)'::int4range -|- 'empty', '[2,3)'::int4range * 'empty', '[2,3)'::int4range = 'empty', '[2,3)'::int4range < 'empty', '[2,3)'::int4range >= 'empty', '[2,3)'::int4range <> 'empty'",
        "t|f|f|f|f|f|f|f|empty|f|f|t|t",
    ),
    (
        "'(,4)'::int4range @> 'empty', '(,4)'::int4range <@ 'empty', '(,4)'::int4range && 'empty', '(,4)'::int4range << 'empty', '(,4)'::int4range >> 'empty', '(,4)'::int4range &< 'empty', '(,4)'::int4range &> 'empty', '(,4)'::int4range -|- 'empty', '(,4)'::int4range * 'empty', '(,4)'::int4range = 'empty', '(,4)'::int4range < 'empty', '(,4)'::int4range >= 'empty', '(,4)'::int4range <> 'empty'",
        "t|f|f|f|f|f|f|f|empty|f|f|t|t",
    ),
    (
        "'[9,9]'::int4range @> '[5,9)', '[9,9]'::int4range <@ '[5,9)', '[9,9]'::int4range && '[5,9)', '[9,9]'::int4range << '[5,9)', '[9,9]'::int4range >> '[5,9)', '[9,9]'::int4range &< '[5,9)', '[9,9]'::int4range &> '[5,9)', '[9,9]'::int4range -|- '[5,9)', '[9,9]'::int4range * '[5,9)', '[9,9]'::int4range = '[5,9)', '[9,9]'::int4range < '[5,9)', '[9,9]'::int4range >= '[5,9)', '[9,9]'::int4range <> '[5,9)'",
        "f|f|f|f|t|f|t|t|empty|f|f|t|t",
    ),
    (
        "'[4,)'::int4range @> '[2,3)', '[4,)'::int4range <@ '[2,3)', '[4,)'::int4range && '[2,3)', '[4,)'::int4range << '[2,3)', '[4,)'::int4range >> '[2,3)', '[4,)'::int4range &< '[2,3)', '[4,)'::int4range &> '[2,3)', '[4,)'::int4range -|- '[2,3)', '[4,)'::int4range * '[2,3)', '[4,)'::int4range = '[2,3)', '[4,)'::int4range < '[2,3)', '[4,)'::int4range >= '[2,3)', '[4,)'::int4range <> '[2,3)'",
        "f|f|f|f|t|f|t|f|empty|f|f|t|t",
    ),
    (
        "'[5,9)'::numrange @> 'empty', '[5,9)'::numrange <@ 'empty', '[5,9)'::numrange && 'empty', '[5,9)'::numrange << 'empty', '[5,9)'::numrange >> 'empty', '[5,9)'::numrange &< 'empty', '[5,9)'::numrange &> 'empty', '[5,9)'::numrange -|- 'empty', '[5,9)'::numrange * 'empty', '[5,9)'::numrange = 'empty', '[5,9)'::numrange < 'empty', '[5,9)'::numrange >= 'empty', '[5,9)'::numrange <> 'empty'",
        "t|f|f|f|f|f|f|f|empty|f|f|t|t",
    ),
    (
        "'empty'::int4range @> '[3,3]', 'empty'::int4range <@ '[3,3]', 'empty'::int4range && '[3,3]', 'empty'::int4range << '[3,3]', 'empty'::int4range >> '[3,3]', 'empty'::int4range &< '[3,3]', 'empty'::int4range &> '[3,3]', 'empty'::int4range -|- '[3,3]', 'empty'::int4range * '[3,3]', 'empty'::int4range = '[3,3]', 'empty'::int4range < '[3,3]', 'empty'::int4range >= '[3,3]', 'empty'::int4range <> '[3,3]'",
        "f|t|f|f|f|f|f|f|empty|f|t|f|t",
    ),
    (
        "'(,)'::numrange @> '[4,)', '(,)'::numrange <@ '[4,)', '(,)'::numrange && '[4,)', '(,)'::numrange << '[4,)', '(,)'::numrange >> '[4,)', '(,)'::numrange &< '[4,)', '(,)'::numrange &> '[4,)', '(,)'::numrange -|- '[4,)', '(,)'::numrange * '[4,)', '(,)'::numrange = '[4,)', '(,)'::numrange < '[4,)', '(,)'::numrange >= '[4,)', '(,)'::numrange <> '[4,)'",
        "t|f|t|f|f|t|f|f|[4,)|f|t|f|t",
    ),
    (
        "'[5,9)'::int4range @> '(1,5)', '[5,9)'::int4range <@ '(1,5)', '[5,9)'::int4range && '(1,5)', '[5,9)'::int4range << '(1,5)', '[5,9)'::int4range >> '(1,5)', '[5,9)'::int4range &< '(1,5)', '[5,9)'::int4range &> '(1,5)', '[5,9)'::int4range -|- '(1,5)', '[5,9)'::int4range * '(1,5)', '[5,9)'::int4range = '(1,5)', '[5,9)'::int4range < '(1,5)', '[5,9)'::int4range >= '(1,5)', '[5,9)'::int4range <> '(1,5)'",
        "f|f|f|f|t|f|t|t|empty|f|f|t|t",
    ),
    (
        "'[3,3]'::int4range @> '(5,9]', '[3,3]'::int4range <@ '(5,9]', '[3,3]'::int4range && '(5,9]', '[3,3]'::int4range << '(5,9]', '[3,3]'::int4range >> '(5,9]', '[3,3]'::int4range &< '(5,9]', '[3,3]'::int4range &> '(5,9]', '[3,3]'::int4range -|- '(5,9]', '[3,3]'::int4range * '(5,9]', '[3,3]'::int4range = '(5,9]', '[3,3]'::int4range < '(5,9]', '[3,3]'::int4range >= '(5,9]', '[3,3]'::int4range <> '(5,9]'",
        "f|f|f|t|f|t|f|f|empty|f|t|f|t",
    ),
    (
        "'[4,)'::numrange @> '[3,3]', '[4,)'::numrange <@ '[3,3]', '[4,)'::numrange && '[3,3]', '[4,)'::numrange << '[3,3]', '[4,)'::numrange >> '[3,3]', '[4,)'::numrange &< '[3,3]', '[4,)'::numrange &> '[3,3]', '[4,)'::numrange -|- '[3,3]', '[4,)'::numrange * '[3,3]', '[4,)'::numrange = '[3,3]', '[4,)'::numrange < '[3,3]', '[4,)'::numrange >= '[3,3]', '[4,)'::numrange <> '[3,3]'",
        "f|f|f|f|t|f|t|f|empty|f|f|t|t",
    ),
    (
        "'[4,)'::numrange @> '[5,9)', '[4,)'::numrange <@ '[5,9)', '[4,)'::numrange && '[5,9)', '[4,)'::numrange << '[5,9)', '[4,)'::numrange >> '[5,9)', '[4,)'::numrange &< '[5,9)', '[4,)'::numrange &> '[5,9)', '[4,)'::numrange -|- '[5,9)', '[4,)'::numrange * '[5,9)', '[4,)'::numrange = '[5,9)', '[4,)'::numrange < '[5,9)', '[4,)'::numrange >= '[5,9)', '[4,)'::numrange <> '[5,9)'",
        "t|f|t|f|f|f|f|f|[5,9)|f|t|f|t",
    ),
]


COMBINED = [
    ("'[0,1)'::numrange - '[4,)'", "[0,1)"),
    ("range_merge('(5,9]'::numrange, '[3,3]')", "[3,9]"),
    ("range_merge('[9,9]'::int4range, '(1,5)')", "[2,10)"),
    ("'[1,5)'::numrange - 'empty'", "[1,5)"),
    ("'(,)'::numrange + '[9,9]'", "(,)"),
    ("range_merge('[2,3)'::int4range, '[2,3)')", "[2,3)"),
    ("'[0,1)'::int4range + '[5,9)'", "22000"),
    ("'[0,1)'::numrange + '(,4)'", "(,4)"),
    ("'(,)'::numrange + '[2,3)'", "(,)"),
    ("'[2,3)'::numrange + '[3,3]'", "[2,3]"),
    ("'[9,9]'::int4range - 'empty'", "[9,10)"),
    ("range_merge('[1,5]'::numrange, '(,)')", "(,)"),
    ("'[0,1)'::int4range - '[4,)'", "[0,1)"),
    ("'(1,5)'::int4range + '[5,9)'", "[2,9)"),
    ("range_merge('[1,5)'::int4range, '(,)')", "(,)"),
    ("'[5,9)'::int4range + 'empty'", "[5,9)"),
    ("'(1,5)'::numrange - '[1,5)'", "empty"),
    ("'[1,5)'::int4range - '[9,9]'", "[1,5)"),
    ("'(1,5)'::int4range - '[1,5]'", "empty"),
    ("'[9,9]'::int4range + '[4,)'", "[4,)"),
    ("'(5,9]'::numrange + '[9,9]'", "(5,9]"),
    ("'(1,5)'::int4range - '(,4)'", "[4,5)"),
    ("'[1,5]'::numrange + '(,)'", "(,)"),
    ("range_merge('[2,3)'::int4range, '(,4)')", "(,4)"),
    ("'(1,5)'::numrange + '[3,3]'", "(1,5)"),
    ("'[2,3)'::int4range - '(5,9]'", "[2,3)"),
    ("'[2,3)'::int4range + '[2,3)'", "[2,3)"),
    ("'[1,5]'::int4range - '[4,)'", "[1,4)"),
    ("'[1,5)'::int4range + 'empty'", "[1,5)"),
    ("'(,)'::int4range - '(,)'", "empty"),
    ("'[1,5)'::int4range + '[1,5]'", "[1,6)"),
    ("'[5,9)'::numrange - '[0,1)'", "[5,9)"),
    ("'[4,)'::numrange + '(5,9]'", "[4,)"),
    ("range_merge('[0,1)'::numrange, '(,4)')", "(,4)"),
    ("'[1,5]'::numrange - '[1,5)'", "[5,5]"),
    ("'[4,)'::int4range - 'empty'", "[4,)"),
    ("'(1,5)'::int4range - '[0,1)'", "[2,5)"),
    ("range_merge('(,)'::numrange, '(1,5)')", "(,)"),
    ("'[0,1)'::int4range + '(1,5)'", "22000"),
    ("'(,)'::numrange + '[1,5]'", "(,)"),
    ("'[5,9)'::numrange + '[1,5]'", "[1,9)"),
    ("range_merge('[9,9]'::int4range, '(,)')", "(,)"),
    ("range_merge('[4,)'::int4range, '[2,3)')", "[2,)"),
    ("'[5,9)'::int4range - '(,)'", "empty"),
    ("'[4,)'::int4range + '[3,3]'", "[3,)"),
    ("'[3,3]'::int4range + '(,4)'", "(,4)"),
    ("range_merge('[2,3)'::int4range, '[1,5)')", "[1,5)"),
    ("'[4,)'::numrange - '[0,1)'", "[4,)"),
    ("range_merge('[4,)'::int4range, 'empty')", "[4,)"),
    ("'[3,3]'::numrange - '[0,1)'", "[3,3]"),
    ("'[0,1)'::int4range + '[9,9]'", "22000"),
    ("'(1,5)'::int4range - 'empty'", "[2,5)"),
    ("'empty'::numrange + '[5,9)'", "[5,9)"),
    ("'(,)'::numrange - '[4,)'", "(,4)"),
    ("range_merge('(,4)'::int4range, '[0,1)')", "(,4)"),
    ("'[1,5)'::numrange - '[3,3]'", "22000"),
    ("'[0,1)'::int4range - 'empty'", "[0,1)"),
    ("range_merge('[9,9]'::int4range, '[1,5)')", "[1,10)"),
    ("'(1,5)'::numrange - '[9,9]'", "(1,5)"),
    ("'[1,5)'::numrange + '[2,3)'", "[1,5)"),
    ("'(,4)'::int4range - '[5,9)'", "(,4)"),
    ("'[9,9]'::numrange - '[0,1)'", "[9,9]"),
    ("range_merge('[1,5]'::numrange, '[0,1)')", "[0,5]"),
    ("range_merge('[5,9)'::numrange, '(,)')", "(,)"),
    ("'(1,5)'::int4range + 'empty'", "[2,5)"),
    ("'[1,5]'::numrange - '[3,3]'", "22000"),
    ("range_merge('(,)'::int4range, '[4,)')", "(,)"),
    ("'[5,9)'::numrange - '[9,9]'", "[5,9)"),
    ("range_merge('[1,5)'::int4range, '[0,1)')", "[0,5)"),
    ("'[9,9]'::numrange - '(,4)'", "[9,9]"),
    ("range_merge('(5,9]'::numrange, '(,)')", "(,)"),
    ("range_merge('[2,3)'::numrange, '[1,5]')", "[1,5]"),
    ("'(,)'::numrange + '[5,9)'", "(,)"),
    ("'(1,5)'::numrange - '[0,1)'", "(1,5)"),
    ("'[1,5)'::numrange + '(1,5)'", "[1,5)"),
    ("'[0,1)'::int4range + '(,4)'", "(,4)"),
    ("'empty'::int4range - '(5,9]'", "empty"),
    ("'[2,3)'::int4range + '(,4)'", "(,4)"),
    ("range_merge('[1,5]'::numrange, '(,4)')", "(,5]"),
    ("'[3,3]'::int4range + '[3,3]'", "[3,4)"),
    ("'[1,5]'::int4range - '[1,5]'", "empty"),
    ("'[2,3)'::int4range + '(5,9]'", "22000"),
    ("'(5,9]'::numrange + '[1,5)'", "22000"),
    ("'(1,5)'::numrange - '(1,5)'", "empty"),
    ("range_merge('(,)'::int4range, '[1,5]')", "(,)"),
    ("'[1,5)'::numrange - '[1,5]'", "empty"),
    ("'[9,9]'::numrange + '[5,9)'", "[5,9]"),
    ("'(,)'::numrange - '[5,9)'", "22000"),
    ("'[1,5]'::int4range - '[0,1)'", "[1,6)"),
    ("'[4,)'::int4range - '[1,5]'", "[6,)"),
    ("range_merge('[1,5)'::int4range, '[1,5)')", "[1,5)"),
    ("range_merge('[2,3)'::numrange, '(1,5)')", "(1,5)"),
    ("'[3,3]'::numrange + '[1,5)'", "[1,5)"),
    ("'(5,9]'::int4range - '[5,9)'", "[9,10)"),
    ("range_merge('[9,9]'::numrange, '[9,9]')", "[9,9]"),
    ("'empty'::numrange + '[2,3)'", "[2,3)"),
    ("range_merge('(1,5)'::numrange, '[3,3]')", "(1,5)"),
    ("'(,)'::int4range + '[9,9]'", "(,)"),
    ("range_merge('[9,9]'::int4range, '[4,)')", "[4,)"),
    ("range_merge('[1,5)'::numrange, '(,)')", "(,)"),
    ("range_merge('(,4)'::int4range, '(1,5)')", "(,5)"),
    ("range_merge('(,)'::int4range, '(5,9]')", "(,)"),
    ("range_merge('(1,5)'::int4range, '[1,5)')", "[1,5)"),
    ("'[0,1)'::numrange - '[5,9)'", "[0,1)"),
    ("'(,4)'::int4range - '[4,)'", "(,4)"),
    ("'[4,)'::int4range + '[4,)'", "[4,)"),
    ("range_merge('[2,3)'::int4range, '(1,5)')", "[2,5)"),
    ("'(,4)'::int4range - 'empty'", "(,4)"),
    ("range_merge('(1,5)'::numrange, '[1,5]')", "[1,5]"),
    ("'[9,9]'::numrange - '(5,9]'", "empty"),
    ("'(1,5)'::numrange + '[5,9)'", "(1,9)"),
    ("range_merge('[2,3)'::int4range, '[0,1)')", "[0,3)"),
    ("'[0,1)'::int4range + '[4,)'", "22000"),
    ("range_merge('(1,5)'::numrange, '[4,)')", "(1,)"),
    ("range_merge('(5,9]'::int4range, '[3,3]')", "[3,10)"),
    ("range_merge('(,4)'::numrange, '[2,3)')", "(,4)"),
    ("range_merge('[3,3]'::int4range, '[1,5)')", "[1,5)"),
    ("'[4,)'::numrange - '[1,5]'", "(5,)"),
    ("'[2,3)'::int4range + '[4,)'", "22000"),
    ("'(5,9]'::numrange - '[1,5)'", "(5,9]"),
]


OTHERS = [
    (
        "lower('empty'::int4range), upper('empty'::int4range), isempty('empty'::int4range), lower_inc('empty'::int4range), upper_inc('empty'::int4range), lower_inf('empty'::int4range), upper_inf('empty'::int4range)",
        "NULL|NULL|t|f|f|f|f",
    ),
    (
        "lower('[1,5)'::int4range), upper('[1,5)'::int4range), isempty('[1,5)'::int4range), lower_inc('[1,5)'::int4range), upper_inc('[1,5)'::int4range), lower_inf('[1,5)'::int4range), upper_inf('[1,5)'::int4range)",
        "1|5|f|t|f|f|f",
    ),
    (
        "lower('[1,5]'::int4range), upper('[1,5]'::int4range), isempty('[1,5]'::int4range), lower_inc('[1,5]'::int4range), upper_inc('[1,5]'::int4range), lower_inf('[1,5]'::int4range), upper_inf('[1,5]'::int4range)",
        "1|6|f|t|f|f|f",
    ),
    (
        "lower('(1,5)'::int4range), upper('(1,5)'::int4range), isempty('(1,5)'::int4range), lower_inc('(1,5)'::int4range), upper_inc('(1,5)'::int4range), lower_inf('(1,5)'::int4range), upper_inf('(1,5)'::int4range)",
        "2|5|f|t|f|f|f",
    ),
    (
        "lower('[5,9)'::int4range), upper('[5,9)'::int4range), isempty('[5,9)'::int4range), lower_inc('[5,9)'::int4range), upper_inc('[5,9)'::int4range), lower_inf('[5,9)'::int4range), upper_inf('[5,9)'::int4range)",
        "5|9|f|t|f|f|f",
    ),
    (
        "lower('(5,9]'::int4range), upper('(5,9]'::int4range), isempty('(5,9]'::int4range), lower_inc('(5,9]'::int4range), upper_inc('(5,9]'::int4range), lower_inf('(5,9]'::int4range), upper_inf('(5,9]'::int4range)",
        "6|10|f|t|f|f|f",
    ),
    (
        "lower('[2,3)'::int4range), upper('[2,3)'::int4range), isempty('[2,3)'::int4range), lower_inc('[2,3)'::int4range), upper_inc('[2,3)'::int4range), lower_inf('[2,3)'::int4range), upper_inf('[2,3)'::int4range)",
        "2|3|f|t|f|f|f",
    ),
    (
        "lower('(,4)'::int4range), upper('(,4)'::int4range), isempty('(,4)'::int4range), lower_inc('(,4)'::int4range), upper_inc('(,4)'::int4range), lower_inf('(,4)'::int4range), upper_inf('(,4)'::int4range)",
        "NULL|4|f|f|f|t|f",
    ),
    (
        "lower('[4,)'::int4range), upper('[4,)'::int4range), isempty('[4,)'::int4range), lower_inc('[4,)'::int4range), upper_inc('[4,)'::int4range), lower_inf('[4,)'::int4range), upper_inf('[4,)'::int4range)",
        "4|NULL|f|t|f|f|t",
    ),
    (
        "lower('(,)'::int4range), upper('(,)'::int4range), isempty('(,)'::int4range), lower_inc('(,)'::int4range), upper_inc('(,)'::int4range), lower_inf('(,)'::int4range), upper_inf('(,)'::int4range)",
        "NULL|NULL|f|f|f|t|t",
    ),
    (
        "lower('[3,3]'::int4range), upper('[3,3]'::int4range), isempty('[3,3]'::int4range), lower_inc('[3,3]'::int4range), upper_inc('[3,3]'::int4range), lower_inf('[3,3]'::int4range), upper_inf('[3,3]'::int4range)",
        "3|4|f|t|f|f|f",
    ),
    (
        "lower('[0,1)'::int4range), upper('[0,1)'::int4range), isempty('[0,1)'::int4range), lower_inc('[0,1)'::int4range), upper_inc('[0,1)'::int4range), lower_inf('[0,1)'::int4range), upper_inf('[0,1)'::int4range)",
        "0|1|f|t|f|f|f",
    ),
    (
        "lower('[9,9]'::int4range), upper('[9,9]'::int4range), isempty('[9,9]'::int4range), lower_inc('[9,9]'::int4range), upper_inc('[9,9]'::int4range), lower_inf('[9,9]'::int4range), upper_inf('[9,9]'::int4range)",
        "9|10|f|t|f|f|f",
    ),
    (
        "lower('empty'::numrange), upper('empty'::numrange), isempty('empty'::numrange), lower_inc('empty'::numrange), upper_inc('empty'::numrange), lower_inf('empty'::numrange), upper_inf('empty'::numrange)",
        "NULL|NULL|t|f|f|f|f",
    ),
    (
        "lower('[1,5)'::numrange), upper('[1,5)'::numrange), isempty('[1,5)'::numrange), lower_inc('[1,5)'::numrange), upper_inc('[1,5)'::numrange), lower_inf('[1,5)'::numrange), upper_inf('[1,5)'::numrange)",
        "1|5|f|t|f|f|f",
    ),
    (
        "lower('[1,5]'::numrange), upper('[1,5]'::numrange), isempty('[1,5]'::numrange), lower_inc('[1,5]'::numrange), upper_inc('[1,5]'::numrange), lower_inf('[1,5]'::numrange), upper_inf('[1,5]'::numrange)",
        "1|5|f|t|t|f|f",
    ),
    (
        "lower('(1,5)'::numrange), upper('(1,5)'::numrange), isempty('(1,5)'::numrange), lower_inc('(1,5)'::numrange), upper_inc('(1,5)'::numrange), lower_inf('(1,5)'::numrange), upper_inf('(1,5)'::numrange)",
        "1|5|f|f|f|f|f",
    ),
    (
        "lower('[5,9)'::numrange), upper('[5,9)'::numrange), isempty('[5,9)'::numrange), lower_inc('[5,9)'::numrange), upper_inc('[5,9)'::numrange), lower_inf('[5,9)'::numrange), upper_inf('[5,9)'::numrange)",
        "5|9|f|t|f|f|f",
    ),
    (
        "lower('(5,9]'::numrange), upper('(5,9]'::numrange), isempty('(5,9]'::numrange), lower_inc('(5,9]'::numrange), upper_inc('(5,9]'::numrange), lower_inf('(5,9]'::numrange), upper_inf('(5,9]'::numrange)",
        "5|9|f|f|t|f|f",
    ),
    (
        "lower('[2,3)'::numrange), upper('[2,3)'::numrange), isempty('[2,3)'::numrange), lower_inc('[2,3)'::numrange), upper_inc('[2,3)'::numrange), lower_inf('[2,3)'::numrange), upper_inf('[2,3)'::numrange)",
        "2|3|f|t|f|f|f",
    ),
    (
        "lower('(,4)'::numrange), upper('(,4)'::numrange), isempty('(,4)'::numrange), lower_inc('(,4)'::numrange), upper_inc('(,4)'::numrange), lower_inf('(,4)'::numrange), upper_inf('(,4)'::numrange)",
        "NULL|4|f|f|f|t|f",
    ),
    (
        "lower('[4,)'::numrange), upper('[4,)'::numrange), isempty('[4,)'::numrange), lower_inc('[4,)'::numrange), upper_inc('[4,)'::numrange), lower_inf('[4,)'::numrange), upper_inf('[4,)'::numrange)",
        "4|NULL|f|t|f|f|t",
    ),
    (
        "lower('(,)'::numrange), upper('(,)'::numrange), isempty('(,)'::numrange), lower_inc('(,)'::numrange), upper_inc('(,)'::numrange), lower_inf('(,)'::numrange), upper_inf('(,)'::numrange)",
        "NULL|NULL|f|f|f|t|t",
    ),
    (
        "lower('[3,3]'::numrange), upper('[3,3]'::numrange), isempty('[3,3]'::numrange), lower_inc('[3,3]'::numrange), upper_inc('[3,3]'::numrange), lower_inf('[3,3]'::numrange), upper_inf('[3,3]'::numrange)",
        "3|3|f|t|t|f|f",
    ),
    (
        "lower('[0,1)'::numrange), upper('[0,1)'::numrange), isempty('[0,1)'::numrange), lower_inc('[0,1)'::numrange), upper_inc('[0,1)'::numrange), lower_inf('[0,1)'::numrange), upper_inf('[0,1)'::numrange)",
        "0|1|f|t|f|f|f",
    ),
    (
        "lower('[9,9]'::numrange), upper('[9,9]'::numrange), isempty('[9,9]'::numrange), lower_inc('[9,9]'::numrange), upper_inc('[9,9]'::numrange), lower_inf('[9,9]'::numrange), upper_inf('[9,9]'::numrange)",
        "9|9|f|t|t|f|f",
    ),
    ("int4range(1,5)", "[1,5)"),
    ("int4range(1,5,'[]')", "[1,6)"),
    ("int4range(1,5,'(]')", "[2,6)"),
    ("int4range(1,5,'()')", "[2,5)"),
    ("int4range(5,1)", "22000"),
    ("int4range(1,1)", "empty"),
    ("int4range(1,1,'[]')", "[1,2)"),
    ("int4range(null,5)", "(,5)"),
    ("int4range(null,5,'[]')", "(,6)"),
    ("int4range(1,null)", "[1,)"),
    ("int4range(1,null,'(]')", "[2,)"),
    ("int4range(null,null)", "(,)"),
    ("int4range(1,5,'x')", "42601"),
    ("int4range(1,5,'[')", "42601"),
    ("int4range(1,5,null)", "22000"),
    ("int4range(1,2147483647,'[]')", "22003"),
    ("int4range(2147483647,null,'()')", "22003"),
    ("int8range(1,9223372036854775807,'[]')", "22003"),
    ("int8range(1,5)", "[1,5)"),
    ("int4range(1,5::bigint)", "42883"),
    ("numrange(1,5)", "[1,5)"),
    ("numrange(1.5,5.50,'[]')", "[1.5,5.50]"),
    ("numrange(1,1)", "empty"),
    ("numrange(1,1,'[]')", "[1,1]"),
    ("numrange(1.0,'NaN')", "[1.0,NaN)"),
    ("numrange('NaN','NaN','[]')", "[NaN,NaN]"),
    ("numrange(1,'Infinity')", "[1,Infinity)"),
    ("daterange('2024-01-01','2024-02-01')", "[2024-01-01,2024-02-01)"),
    ("daterange('2024-01-01','2024-02-01','[]')", "[2024-01-01,2024-02-02)"),
    ("daterange('2024-02-01','2024-01-01')", "22000"),
    ("daterange(null,'2024-01-01')", "(,2024-01-01)"),
    ("tsrange('2024-01-01','2024-02-01')", '["2024-01-01 00:00:00","2024-02-01 00:00:00")'),
    ("tsrange('2024-01-01','2024-02-01 03:04','(]')", '("2024-01-01 00:00:00","2024-02-01 03:04:00"]'),
    ("lower(daterange('2024-01-01','2024-02-01'))", "2024-01-01"),
    ("upper(daterange('2024-01-01','2024-02-01','[]'))", "2024-02-02"),
    ("upper(tsrange('2024-01-01','2024-02-01','[]'))", "2024-02-01 00:00:00"),
    ("daterange('2024-01-01','2024-02-01') @> date '2024-01-15'", "t"),
    ("tsrange('2024-01-01','2024-02-01') @> timestamp '2024-02-01'", "f"),
    ("tsrange('2024-01-01','2024-02-01') -|- tsrange('2024-02-01','2024-03-01')", "t"),
    ("tsrange('2024-01-01','2024-02-01','[]') -|- tsrange('2024-02-01','2024-03-01')", "f"),
    ("daterange('2024-01-01','2024-02-01') * daterange('2024-01-15',null)", "[2024-01-15,2024-02-01)"),
    (
        "daterange('2024-01-01','2024-02-01') + daterange('2024-02-01','2024-03-01')",
        "[2024-01-01,2024-03-01)",
    ),
    ("daterange('2024-01-01','2024-02-01') - daterange('2024-01-15',null)", "[2024-01-01,2024-01-15)"),
    ("int4range(1,5) @> null::int", "NULL"),
    ("int4range(1,5) @> 3::bigint", "42883"),
    ("int4range(1,5) && numrange(1,5)", "42883"),
    ("int4range(1,5) && int8range(1,5)", "42883"),
    ("int4range(1,5) = int4range(1,4,'[]')", "t"),
    ("'[1,5)'::int4range = '(0,5)'", "t"),
    ("'[1,2'::int4range", "22P02"),
    ("'[2,1]'::int4range", "22000"),
    ("'[a,1]'::int4range", "22P02"),
    ("'[1,1)'::int4range", "empty"),
    ("'(1,2)'::int4range", "empty"),
    ("'(1,1]'::numrange", "empty"),
    ("' empty '::int4range", "empty"),
    ("'EMPTY'::int4range", "empty"),
    ("'[ 1 , 5 )'::int4range", "[1,5)"),
    ('\'["1","5")\'::int4range', "[1,5)"),
    ("'[,]'::int4range", "(,)"),
    ("'(,)'::numrange", "(,)"),
    ("'[1.50,2)'::numrange", "[1.50,2)"),
    ("'[2024-01-01,2024-02-01)'::daterange", "[2024-01-01,2024-02-01)"),
    ("'[\"2024-01-01 10:00\",)'::tsrange", '["2024-01-01 10:00:00",)'),
    ("'[1,2147483647]'::int4range", "22003"),
    ("array[int4range(1,2), null, 'empty']", '{"[1,2)",NULL,empty}'),
    ("int4range(1,10) @> int4range(2,3) and int4range(1,10) @> 5", "t"),
    ("lower('ABC'), upper('abc')", "abc|ABC"),
    ("'(,)'::int4range @> 3, 3 <@ '(,)'::int4range", "t|t"),
    ("'empty'::numrange @> 9.0, 9.00 <@ 'empty'::numrange", "f|f"),
    ("'[5,9)'::int4range @> 9, 9 <@ '[5,9)'::int4range", "f|f"),
    ("'(,4)'::numrange @> 5.0, 5.00 <@ '(,4)'::numrange", "f|f"),
    ("'[3,3]'::numrange @> 3.0, 3.00 <@ '[3,3]'::numrange", "t|t"),
    ("'[0,1)'::numrange @> 9.0, 9.00 <@ '[0,1)'::numrange", "f|f"),
    ("'[9,9]'::int4range @> 0, 0 <@ '[9,9]'::int4range", "f|f"),
    ("'[9,9]'::numrange @> 3.0, 3.00 <@ '[9,9]'::numrange", "f|f"),
    ("'[3,3]'::numrange @> 1.0, 1.00 <@ '[3,3]'::numrange", "f|f"),
    ("'(,4)'::numrange @> 0.0, 0.00 <@ '(,4)'::numrange", "t|t"),
    ("'empty'::numrange @> 3.0, 3.00 <@ 'empty'::numrange", "f|f"),
    ("'(5,9]'::int4range @> 9, 9 <@ '(5,9]'::int4range", "t|t"),
    ("'(5,9]'::int4range @> 3, 3 <@ '(5,9]'::int4range", "f|f"),
    ("'[9,9]'::numrange @> 9.0, 9.00 <@ '[9,9]'::numrange", "t|t"),
    ("'[4,)'::numrange @> 0.0, 0.00 <@ '[4,)'::numrange", "f|f"),
    ("'(,)'::int4range @> 1, 1 <@ '(,)'::int4range", "t|t"),
    ("'[5,9)'::int4range @> 3, 3 <@ '[5,9)'::int4range", "f|f"),
    ("'[2,3)'::int4range @> 5, 5 <@ '[2,3)'::int4range", "f|f"),
    ("'(1,5)'::numrange @> 5.0, 5.00 <@ '(1,5)'::numrange", "f|f"),
    ("'(1,5)'::int4range @> 5, 5 <@ '(1,5)'::int4range", "f|f"),
    ("'[5,9)'::numrange @> 3.0, 3.00 <@ '[5,9)'::numrange", "f|f"),
    ("'(,4)'::numrange @> 3.0, 3.00 <@ '(,4)'::numrange", "t|t"),
    ("'[4,)'::int4range @> 1, 1 <@ '[4,)'::int4range", "f|f"),
    ("'[9,9]'::numrange @> 0.0, 0.00 <@ '[9,9]'::numrange", "f|f"),
    ("'[1,5)'::numrange @> 9.0, 9.00 <@ '[1,5)'::numrange", "f|f"),
    ("'[2,3)'::numrange @> 5.0, 5.00 <@ '[2,3)'::numrange", "f|f"),
    ("'(1,5)'::int4range @> 9, 9 <@ '(1,5)'::int4range", "f|f"),
    ("'(,)'::int4range @> 0, 0 <@ '(,)'::int4range", "t|t"),
    ("'[0,1)'::int4range @> 1, 1 <@ '[0,1)'::int4range", "f|f"),
    ("'(5,9]'::numrange @> 9.0, 9.00 <@ '(5,9]'::numrange", "t|t"),
]


MORE = [
    ("int4range(1,5) @> '3'", "22P02"),
    ("'[1,5)'::int4range @> 3", "t"),
    ("3 <@ '[1,5)'::int4range", "t"),
    ("'[1,5)' && int4range(3,7)", "t"),
    ("int4range('[1,5)')", "[1,5)"),
    ("int4range(1, 5) * '[3,9]'", "[3,5)"),
    ("lower('[1,5)'::int4range) + 1", "2"),
    ("upper(int4range(1,5,'[]'))", "6"),
    ("isempty('empty'::int4range)", "t"),
    ("range_merge('[1,2)'::int4range, '[5,6)')", "[1,6)"),
    ("int4range(1,5)::text", "[1,5)"),
    ("'[1,5)'::text::int4range", "[1,5)"),
    ("int4range(1,5) = '[1,4]'", "t"),
    (
        "int4range(1,5) < int4range(1,6), int4range(1,5) < int4range(2,3), 'empty'::int4range < int4range(1,2)",
        "t|t|t",
    ),
    ("max(r) from (values (int4range(1,5)), (int4range(2,3))) t(r)", "42883"),
    ("numrange(1.0,2.0) = numrange(1.00,2.0)", "t"),
    ("numrange(1,2) @> 1.5, numrange(1,2) @> 2", "42883"),
    (
        "tsrange('2024-01-01','2024-01-02') * tsrange('2024-01-01 12:00',null)",
        '["2024-01-01 12:00:00","2024-01-02 00:00:00")',
    ),
]


SESSION = session()


@pytest.mark.parametrize(("expression", "expected"), RELATIONS, ids=[e for e, _ in RELATIONS])
def test_how_ranges_lie(expression: str, expected: str) -> None:
    assert answer(SESSION, "select " + expression) == expected


@pytest.mark.parametrize(("expression", "expected"), COMBINED, ids=[e for e, _ in COMBINED])
def test_ranges_of_ranges(expression: str, expected: str) -> None:
    assert answer(SESSION, "select " + expression) == expected


@pytest.mark.parametrize(("expression", "expected"), OTHERS, ids=[e for e, _ in OTHERS])
def test_others(expression: str, expected: str) -> None:
    assert answer(SESSION, "select " + expression) == expected


@pytest.mark.parametrize(("expression", "expected"), MORE, ids=[e for e, _ in MORE])
def test_more(expression: str, expected: str) -> None:
    assert answer(SESSION, "select " + expression) == expected
