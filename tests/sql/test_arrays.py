"""Functions, operators and subscripts of arrays: what PostgreSQL 18 answers."""

import pytest
from answers import answer, session

from zengram_py.engine import Database
from zengram_py.sql.session import Session

FUNCTIONS = [
    ("array_append(array[1,2],3)", "{1,2,3}"),
    ("array_append(null::int[],3)", "{3}"),
    ("array_append(array[1,2],null)", "{1,2,NULL}"),
    ("array_append('{}'::int[],3)", "{3}"),
    ("array_append(array[[1,2],[3,4]],3)", "22000"),
    ("array_append(array[1,2],1.5)", "{1,2,1.5}"),
    ("array_append(array['a'],'b')", "{a,b}"),
    ("array_prepend(0,array[1,2])", "{0,1,2}"),
    ("array_prepend(null,array[1,2])", "{NULL,1,2}"),
    ("array_prepend(0,null::int[])", "{0}"),
    ("array_prepend(0,array[[1]])", "22000"),
    ("array_cat(array[1],array[2,3])", "{1,2,3}"),
    ("array_cat(array[1],null)", "{1}"),
    ("array_cat(null,array[1])", "{1}"),
    ("array_cat(null::int[],null)", "NULL"),
    ("array_cat(array[[1,2]],array[3,4])", "{{1,2},{3,4}}"),
    ("array_cat(array[1,2],array[[3,4]])", "{{1,2},{3,4}}"),
    ("array_cat(array[[1,2]],array[[3,4]])", "{{1,2},{3,4}}"),
    ("array_cat(array[[1,2]],array[[3]])", "2202E"),
    ("array_cat(array[[1,2]],array[3])", "2202E"),
    ("array_cat(array[[[1]]],array[3])", "2202E"),
    ("array_cat('{}'::int[],array[[3]])", "{{3}}"),
    ("array_cat(array[[3]],'{}')", "{{3}}"),
    ("array_cat('{}'::int[],'{}')", "{}"),
    ("array_cat('{}'::int[],null)", "{}"),
    ("array[1,2] || 3", "{1,2,3}"),
    ("0 || array[1,2]", "{0,1,2}"),
    ("array[1,2] || array[3]", "{1,2,3}"),
    ("array[1,2] || '{3}'", "{1,2,3}"),
    ("array[1,2] || null", "{1,2}"),
    ("null || array[1,2]", "{1,2}"),
    ("array[1,2] || null::int", "{1,2,NULL}"),
    ("array[[1,2]] || array[3,4]", "{{1,2},{3,4}}"),
    ("array[1,2] || array[[3,4]]", "{{1,2},{3,4}}"),
    ("array[[1,2]] || 3", "22000"),
    ("array['a'] || 'b'::text", "{a,b}"),
    ("array['a'] || '{b}'", "{a,b}"),
    ("array[1] || 2.5", "{1,2.5}"),
    ("array[1] || array[2.5]", "{1,2.5}"),
    ("array[1::bigint] || 2", "{1,2}"),
    ("array['{\"a\":1}'::jsonb] || '{\"b\":1}'::jsonb", '{"{\\"a\\": 1}","{\\"b\\": 1}"}'),
    ("array_length(array[1,2,3],1)", "3"),
    ("array_length(array[1,2,3],2)", "NULL"),
    ("array_length(array[1,2,3],0)", "NULL"),
    ("array_length(array[1,2,3],-1)", "NULL"),
    ("array_length(array[[1,2],[3,4],[5,6]],1)", "3"),
    ("array_length(array[[1,2],[3,4],[5,6]],2)", "2"),
    ("array_length('{}'::int[],1)", "NULL"),
    ("array_length(null::int[],1)", "NULL"),
    ("array_length(array[1],null)", "NULL"),
    ("array_upper(array[1,2,3],1)", "3"),
    ("array_lower(array[1,2,3],1)", "1"),
    ("array_lower('{}'::int[],1)", "NULL"),
    ("array_upper('{}'::int[],1)", "NULL"),
    ("array_ndims(array[[1,2],[3,4]])", "2"),
    ("array_ndims('{}'::int[])", "NULL"),
    ("array_dims(array[[1,2],[3,4],[5,6]])", "[1:3][1:2]"),
    ("array_dims(array[1])", "[1:1]"),
    ("array_dims('{}'::int[])", "NULL"),
    ("cardinality(array[[1,2],[3,4]])", "4"),
    ("cardinality('{}'::int[])", "0"),
    ("cardinality(null::int[])", "NULL"),
    ("array_position(array['a','b','c','b'],'b')", "2"),
    ("array_position(array['a','b','c','b'],'b',3)", "4"),
    ("array_position(array['a','b','c','b'],'x')", "NULL"),
    ("array_position(array['a',null],null)", "2"),
    ("array_position(array['a','b'],null)", "NULL"),
    ("array_position(array['a','b'],'a',null)", "22004"),
    ("array_position(null::text[],'a',null)", "NULL"),
    ("array_position(array['a','b'],'a',-3)", "1"),
    ("array_position(array['a','b'],'a',5)", "NULL"),
    ("array_position(array[[1,2]],1)", "0A000"),
    ("array_position('{}'::int[],1)", "NULL"),
    ("array_position(array[1.0,2.0],1.00)", "1"),
    ("array_position(array[1,2],2::bigint)", "2"),
    ("array_positions(array[1,2,1,null],1)", "{1,3}"),
    ("array_positions(array[1,2,1,null],null)", "{4}"),
    ("array_positions(array[1,2],5)", "{}"),
    ("array_positions(null::int[],5)", "NULL"),
    ("array_positions(array[[1]],5)", "0A000"),
    ("array_remove(array[1,2,1],1)", "{2}"),
    ("array_remove(array[1,null],null)", "{1}"),
    ("array_remove(array[1,2],5)", "{1,2}"),
    ("array_remove(array[1],1)", "{}"),
    ("array_remove(array[[1]],1)", "0A000"),
    ("array_remove(null::int[],1)", "NULL"),
    ("array_remove('{}'::int[],1)", "{}"),
    ("array_replace(array[1,2,1],1,9)", "{9,2,9}"),
    ("array_replace(array[1,null],null,9)", "{1,9}"),
    ("array_replace(array[1,2],1,null)", "{NULL,2}"),
    ("array_replace(array[[1,2],[2,1]],1,9)", "{{9,2},{2,9}}"),
    ("array_replace(null::int[],1,9)", "NULL"),
    ("array_fill(7,array[3])", "{7,7,7}"),
    ("array_fill(7,array[2,2])", "{{7,7},{7,7}}"),
    ("array_fill(null::int,array[2])", "{NULL,NULL}"),
    ("array_fill('x'::text,array[2])", "{x,x}"),
    ("array_fill(7,array[0])", "{}"),
    ("array_fill(7,array[2,0])", "{}"),
    ("array_fill(7,'{}'::int[])", "{}"),
    ("array_fill(7,null)", "22004"),
    ("array_fill(7,array[null]::int[])", "22004"),
    ("array_fill(7,array[-1])", "54000"),
    ("array_fill(7,array[[1]])", "2202E"),
    ("array_fill(7,array[1,1,1,1,1,1,1])", "54000"),
    ("array_fill(7,array[2],array[1])", "{7,7}"),
    ("array_fill(7,array[2],array[1,1])", "2202E"),
    ("array_fill(7,array[2],null)", "22004"),
    ("array_fill(7,array[2],array[null]::int[])", "22004"),
    ("array_fill(7,array[100000,100000])", "54000"),
    ("array_to_string(array[1,2,null,3],',')", "1,2,3"),
    ("array_to_string(array[1,2,null,3],',','*')", "1,2,*,3"),
    ("array_to_string(array[1,2,null,3],',',null)", "1,2,3"),
    ("array_to_string(array[1,2],null)", "NULL"),
    ("array_to_string(null::int[],',')", "NULL"),
    ("array_to_string('{}'::int[],',')", ""),
    ("array_to_string(array[[1,2],[3,4]],',')", "1,2,3,4"),
    ("array_to_string(array['a','b c'],'')", "ab c"),
    ("array_to_string(array[true,false],',')", "t,f"),
    ("array_to_string(array[1.50,2],'|')", "1.50|2"),
    ("array_to_string(array[timestamp '2024-01-02 03:04'],'|')", "2024-01-02 03:04:00"),
    ("array_to_string(array['{\"b\":1,\"a\":2}'::jsonb],'|')", '{"a": 2, "b": 1}'),
    ("trim_array(array[1,2,3],2)", "{1}"),
    ("trim_array(array[1,2,3],0)", "{1,2,3}"),
    ("trim_array(array[1,2,3],3)", "{}"),
    ("trim_array(array[1,2,3],4)", "2202E"),
    ("trim_array(array[1,2,3],-1)", "2202E"),
    ("trim_array(array[[1,2],[3,4]],1)", "{{1,2}}"),
    ("trim_array('{}'::int[],0)", "{}"),
    ("trim_array('{}'::int[],1)", "2202E"),
    ("array_reverse(array[1,2,3])", "{3,2,1}"),
    ("array_reverse(array[[1,2],[3,4]])", "{{3,4},{1,2}}"),
    ("array_reverse('{}'::int[])", "{}"),
    ("array_sort(array[3,1,null,2])", "{1,2,3,NULL}"),
    ("array_sort(array[3,1,null,2],true)", "{NULL,3,2,1}"),
    ("array_sort(array[3,1,null,2],true,false)", "{3,2,1,NULL}"),
    ("array_sort(array[3,1,null,2],false,true)", "{NULL,1,2,3}"),
    ("array_sort(array[[3,1],[1,2],[1,1]])", "{{1,1},{1,2},{3,1}}"),
    ("array_sort(array[[3,1],[1,2],[1,1]],true)", "{{3,1},{1,2},{1,1}}"),
    ("array_sort('{}'::int[])", "{}"),
    ("array_sort(array['b','a','ab'])", "{a,ab,b}"),
    ("array_sort(array['NaN'::float8,1,-1])", "{-1,1,NaN}"),
    ("array_sort(array[3,1],null)", "NULL"),
    ("array_sample(array[1,2,3],0)", "{}"),
    ("array_sample(array[1,2,3],4)", "22023"),
    ("array_sample(array[1,2,3],-1)", "22023"),
    ("cardinality(array_sample(array[1,2,3],2))", "2"),
    ("array_sort(array_shuffle(array[3,1,2]))", "{1,2,3}"),
    ("array[1,2,3] @> array[2]", "t"),
    ("array[1,2,3] @> array[2,2]", "t"),
    ("array[1,2,3] @> array[4]", "f"),
    ("array[1,2,3] @> '{}'", "t"),
    ("array[1,null] @> array[null]::int[]", "f"),
    ("array[1,null] @> array[1]", "t"),
    ("array[[1,2],[3,4]] @> array[4]", "t"),
    ("array[2] <@ array[1,2,3]", "t"),
    ("array[2,null] <@ array[1,2,null]", "f"),
    ("'{}'::int[] <@ array[1]", "t"),
    ("array[1,2] && array[2,3]", "t"),
    ("array[1,2] && array[3]", "f"),
    ("array[1,null] && array[null]::int[]", "f"),
    ("'{}'::int[] && array[3]", "f"),
    ("array[[1,2],[3,4]] && array[4,9]", "t"),
    ("array[1.0] @> array[1.00]", "t"),
    ("array['a','b'] @> array['a']", "t"),
    ("array['a','b'] && '{b}'", "t"),
    ("array['{\"a\":1}'::jsonb] @> array['{\"a\":1.0}'::jsonb]", "t"),
    ("array[1,2] @> null", "NULL"),
    ("array[1,2] @> array[2::bigint]", "42883"),
    ("array[1,2] = array[1,2]", "t"),
    ("array[1,2] < array[1,3]", "t"),
    ("array[1,2] < array[1,2,3]", "t"),
    ("array[1,2] = array[1,null]", "f"),
    ("array[1,null] = array[1,null]", "t"),
    ("array[[1,2]] = array[1,2]", "f"),
    ("array[1,2] <> array[2,1]", "t"),
    ("array[1,2] >= array[1]", "t"),
    ("'{}'::int[] < array[1]", "t"),
    ("array[null]::int[] > array[1]", "t"),
    ("* from unnest(array[1,null,3])", "1\nNULL\n3"),
    ("* from unnest(array[[1,2],[3,4]])", "1\n2\n3\n4"),
    ("* from unnest('{}'::int[])", ""),
    ("* from unnest(null::int[])", ""),
    ("* from unnest(array['a','b'])", "a\nb"),
    ("* from generate_subscripts(array[5,6,7],1)", "1\n2\n3"),
    ("* from generate_subscripts(array[5,6,7],1,true)", "3\n2\n1"),
    ("* from generate_subscripts(array[5,6,7],2)", ""),
    ("* from generate_subscripts(array[[5,6,7]],2)", "1\n2\n3"),
    ("* from generate_subscripts('{}'::int[],1)", ""),
    ("* from generate_subscripts(null::int[],1)", ""),
]


SUBSCRIPTS = [
    ("(array[1,2,3])[1]", "1"),
    ("(array[1,2,3])[0]", "NULL"),
    ("(array[1,2,3])[4]", "NULL"),
    ("(array[1,2,3])[-1]", "NULL"),
    ("(array[1,2,3])[null]", "NULL"),
    ("(array[1,2,3])[2:3]", "{2,3}"),
    ("(array[1,2,3])[2:]", "{2,3}"),
    ("(array[1,2,3])[:2]", "{1,2}"),
    ("(array[1,2,3])[:]", "{1,2,3}"),
    ("(array[1,2,3])[0:2]", "{1,2}"),
    ("(array[1,2,3])[3:2]", "{}"),
    ("(array[1,2,3])[5:9]", "{}"),
    ("(array[1,2,3])[null:2]", "NULL"),
    ("(array[1,2,3])[1:null]", "NULL"),
    ("(array[1,2,3])[1][1]", "NULL"),
    ("(array[[1,2],[3,4]])[1][2]", "2"),
    ("(array[[1,2],[3,4]])[1]", "NULL"),
    ("(array[[1,2],[3,4]])[2][:]", "{{1,2},{3,4}}"),
    ("(array[[1,2],[3,4]])[2:2][1]", "{{3}}"),
    ("(array[[1,2],[3,4]])[1:2][2:2]", "{{2},{4}}"),
    ("(array[[1,2],[3,4]])[:][2:2]", "{{2},{4}}"),
    ("(array[[1,2],[3,4]])[1:1]", "{{1,2}}"),
    ("(array[[1,2],[3,4]])[2]", "NULL"),
    ("(array[[1,2],[3,4]])[3][1]", "NULL"),
    ("(array[[1,2],[3,4]])[1][3]", "NULL"),
    ("(array[[1,2],[3,4]])[1:5][0:5]", "{{1,2},{3,4}}"),
    ("(array[[1,2],[3,4]])[1:2][3:4]", "{}"),
    ("((array[1,2,3])[2:3])[1]", "2"),
    ("(array[1,2,3])[2:3][1]", "{}"),
    ("((array[[1,2],[3,4]])[1:1])[1][2]", "2"),
    ("('{}'::int[])[1]", "NULL"),
    ("('{}'::int[])[1:2]", "{}"),
    ("(null::int[])[1]", "NULL"),
    ("(null::int[])[1:2]", "NULL"),
    ("(array[1,2,3])['2']", "2"),
    ("(array[1,2,3])[1.6]", "2"),
    ("(array[1,2,3])[true]", "42804"),
    ("(array[1,2,3])[2::bigint]", "2"),
    ("(1)[1]", "42804"),
    ("('{1,2}')[1]", "42804"),
    ("(array[[[1,2],[3,4]],[[5,6],[7,8]]])[2][1][2]", "6"),
    ("(array[[[1,2],[3,4]],[[5,6],[7,8]]])[2:2][1:1][2:2]", "{{{6}}}"),
    ("(array[[[1,2],[3,4]],[[5,6],[7,8]]])[2:2]", "{{{5,6},{7,8}}}"),
    ("(array['a','b',null])[3]", "NULL"),
    ("(array['a','b',null])[2:3]", "{b,NULL}"),
    ("(array[interval '1 day'])[1]", "1 day"),
    ("(array[int4range(1,2)])[1]", "[1,2)"),
    ("(array[int4range(1,2)])[1][1]", "NULL"),
    ("(array[1,2,3])[1][1][1][1][1][1][1]", "54000"),
    ("(array[1,2,3])[1:2][1:2][1:2][1:2][1:2][1:2][1:2]", "54000"),
]


MORE = [
    ("make_interval(days => 3, hours => 2)", "3 days 02:00:00"),
    ("make_interval(1, hours => 2)", "1 year 02:00:00"),
    ("(array[1,2,3])[array_length(array[1,2],1)]", "2"),
    ("(string_to_array('a,b,c', ','))[2]", "b"),
    ("(regexp_match('foobar','(o+)(b)'))[2]", "b"),
    ("array_length(string_to_array('a,b,c', ','), 1)", "3"),
    ("array[1,2,3]::text[] || 'x'::text", "{1,2,3,x}"),
    ("array_agg(x) from unnest(array[3,1,2]) x", "{3,1,2}"),
    ("array(select unnest(array[3,1,2]) order by 1)", "{1,2,3}"),
    ("array_to_string(array(select unnest(array[3,1,2]) order by 1), ',')", "1,2,3"),
    ("array[[1,2],[3,4]]::text", "{{1,2},{3,4}}"),
    ("'{{1,2},{3,4}}'::int[] = array[[1,2],[3,4]]", "t"),
    ("array_cat(array[1], array['a'])", "42883"),
    ("array[1,'x']", "22P02"),
    ("array[1,2.5]", "{1,2.5}"),
    ("array[null]", "{NULL}"),
    ("array[null,1]", "{NULL,1}"),
    ("array[]", "42P18"),
    ("array[[]]::int[]", "{}"),
    ("array[array[1],array[2,3]]", "2202E"),
    ("1 = any('{1,2}')", "t"),
    (
        "1 = any(array[1,null]), 3 = any(array[1,null]), 3 <> all(array[1,null]), 3 = all('{}'::int[])",
        "t|NULL|NULL|t",
    ),
    ("array[1,2] @> '{1}'", "t"),
    ("array[1,2] && '{}'", "f"),
    ("cardinality('{}')", "42804"),
    ("unnest('{1,2}'::int[])", "1\n2"),
    ("array_position('{a,b}', 'b')", "2"),
    ("array_append('{a}'::text[], 'b')", "{a,b}"),
    ("array_append(null, 1)", "{1}"),
    ("array_prepend(1, null)", "{1}"),
    ("array_append('{1}', 2)", "{1,2}"),
    ("array_remove('{1,2}'::int[], '1')", "{2}"),
    ("array_replace(array['a','b'], 'a', 'c')", "{c,b}"),
]


RANDOM = [
    ("array_position('{\"a,b\",\"NULL\"}'::text[],'b'::text,0)", "NULL"),
    ("array_remove('{}'::date[],'2024-02-29'::date)", "{}"),
    (
        "array_fill('2024-02-29'::date,array[3,2])",
        "{{2024-02-29,2024-02-29},{2024-02-29,2024-02-29},{2024-02-29,2024-02-29}}",
    ),
    ("('{-1,NULL}'::int[])[4], ('{{-1,-2},{-1,1}}'::int[])[0][0]", "NULL|NULL"),
    (
        "array_sort('{NULL,2024-01-01}'::date[],true,false), array_sort('{2024-01-01,NULL}'::date[])",
        "{2024-01-01,NULL}|{2024-01-01,NULL}",
    ),
    ("array_position('{\"a,b\",\"NULL\"}'::text[],'NULL'::text,-1)", "2"),
    ("array_reverse('{}'::float8[])", "{}"),
    ("* from unnest('{0,-1}'::int[]) with ordinality", "0|1\n-1|2"),
    ("'{}'::int4range[] || '{}'::int4range[]", "{}"),
    ('* from generate_subscripts(\'{"NULL","q\\"q",NULL}\'::text[],1)', "1\n2\n3"),
    ("array_cat('{-1,NaN,-1,1}'::numeric[],'{1.0}'::numeric[])", "{-1,NaN,-1,1,1.0}"),
    ("'{{0}}'::int[]::text[]::text, array['{{2}}'::int[],'{{1,2},{2,-1}}'::int[]]", "2202E"),
    (
        '\'{{"(,5)","(,5)","(,5)"},{empty,NULL,"[1,3)"}}\'::int4range[] @> \'{}\'::int4range[], \'{"(,5)","[1,3)"}\'::int4range[] <@ \'{empty}\'::int4range[], \'{empty}\'::int4range[] && \'{"(,5)","[1,3)"}\'::int4range[]',
        "t|f|f",
    ),
    ('trim_array(\'{{""},{"NULL"},{é}}\'::text[],3)', "{}"),
    (
        "'{-2,2,1}'::int[] = '{1,1,NULL,NULL}'::int[], '{2,NULL,1}'::int[] < '{{1,0}}'::int[], '{}'::int[] >= '{1,NULL}'::int[], '{NULL,-1,2,2}'::int[] is distinct from '{{2},{2}}'::int[]",
        "f|f|f|t",
    ),
    (
        "'1.5'::float8 = any('{}'::float8[]), 'Infinity'::float8 = all('{}'::float8[]), '-0'::float8 <> all('{NaN,Infinity}'::float8[])",
        "f|t|t",
    ),
    ("array_replace('{}'::date[],'2024-01-01'::date,'2024-02-29'::date)", "{}"),
    ("* from unnest('{}'::float8[])", ""),
    (
        "array_to_string('{0,NULL,NULL}'::int[],','), array_to_string('{{NULL,-1},{NULL,0}}'::int[],'|','*')",
        "0|*|-1|*|0",
    ),
    ("array_reverse('{}'::numeric[])", "{}"),
    ("('{}'::date[])[3], ('{{2024-01-01,NULL}}'::date[])[0][3]", "NULL|NULL"),
    (
        'greatest(\'{}\'::int4range[],\'{{empty,NULL},{"(,5)","(,5)"},{"(,5)","[1,3)"}}\'::int4range[]), least(\'{{"[1,3)"}}\'::int4range[],\'{"(,5)"}\'::int4range[])',
        '{{empty,NULL},{"(,5)","(,5)"},{"(,5)","[1,3)"}}|{"(,5)"}',
    ),
    ("array_cat('{}'::int[],'{-2,-2,1,NULL}'::int[])", "{-2,-2,1,NULL}"),
    ("* from unnest('{2024-02-29,2024-02-29,2024-01-01}'::date[])", "2024-02-29\n2024-02-29\n2024-01-01"),
    (
        "('{}'::numeric[])[3:3], ('{{NaN}}'::numeric[])[0:][:1], ('{{1,NaN,1.0}}'::numeric[])[0:3][1]",
        "{}|{{NaN}}|{{1}}",
    ),
    ('array_cat(\'{"",NULL,"x y"}\'::text[],\'{a,"x y"}\'::text[])', '{"",NULL,"x y",a,"x y"}'),
    (
        'array_append(\'{1,NULL,null}\'::jsonb[],null::jsonb), array_prepend(null::jsonb,\'{"{\\"a\\":1}","1.0",1}\'::jsonb[])',
        '{1,NULL,NULL,NULL}|{NULL,"{\\"a\\": 1}",1.0,1}',
    ),
    (
        "array_to_string('{{1e20,Infinity}}'::float8[],','), array_to_string('{}'::float8[],'|','*')",
        "1e+20,Infinity|",
    ),
    (
        "array_length('{{2,-2,0}}'::int[],2), array_upper('{0,2}'::int[],1), array_lower('{-2,2}'::int[],2), array_ndims('{}'::int[]), cardinality('{{3,-2,1}}'::int[]), array_dims('{0,3}'::int[])",
        "3|2|NULL|NULL|3|[1:2]",
    ),
    ("trim_array('{}'::int[],1)", "2202E"),
    (
        "array_position('{0,1,NULL}'::int[],'3'::int), array_positions('{-2,1,0}'::int[],'-2'::int)",
        "NULL|{1}",
    ),
    ("array_fill(null::numeric,array[3,1])", "{{NULL},{NULL},{NULL}}"),
    ("array_position('{0}'::int[],'3'::int), array_positions('{}'::int[],'-1'::int)", "NULL|{}"),
    ("array_fill(null::float8,array[3,1])", "{{NULL},{NULL},{NULL}}"),
    (
        '(\'{empty,"(,5)",NULL,NULL}\'::int4range[])[2:4], (\'{{"(,5)"},{"[1,3)"}}\'::int4range[])[1:][:2], (\'{{"[1,3)",empty},{"(,5)","(,5)"},{"(,5)",empty}}\'::int4range[])[0:1][2]',
        '{"(,5)",NULL,NULL}|{{"(,5)"},{"[1,3)"}}|{{"[1,3)",empty}}',
    ),
    (
        "array_to_string('{{\"(,5)\"},{\"[1,3)\"},{\"[1,3)\"}}'::int4range[],','), array_to_string('{empty}'::int4range[],'|','*')",
        "(,5),[1,3),[1,3)|empty",
    ),
    ("array_sort(null::float8[],false,false), array_sort('{-0,NaN}'::float8[])", "NULL|{-0,NaN}"),
    (
        "array_append('{1.0,NULL,NULL,NULL}'::numeric[],null::numeric), array_prepend(null::numeric,'{}'::numeric[])",
        "{1.0,NULL,NULL,NULL,NULL}|{NULL}",
    ),
    ("array_reverse('{{NULL,null}}'::jsonb[])", "{{NULL,NULL}}"),
    ("array_fill('1.0'::jsonb,array[1,1])", "{{1.0}}"),
    (
        "('{NULL,2024-02-29,2024-01-01}'::date[])[0:0], ('{{2024-02-29,2024-02-29},{NULL,2024-01-01},{NULL,2024-01-01}}'::date[])[2:][:3], (null::date[])[0:3][2]",
        "{}|{{NULL,2024-01-01},{NULL,2024-01-01}}|NULL",
    ),
    (
        "'{1,1}'::int[] @> '{{NULL,1,2},{NULL,-2,0}}'::int[], '{2}'::int[] <@ '{2,2}'::int[], '{}'::int[] && '{1,0,3,3}'::int[]",
        "f|t|f",
    ),
    (
        'to_jsonb(\'{{"[1,3)",empty,NULL},{"(,5)","(,5)","[1,3)"}}\'::int4range[]), jsonb_build_array(\'{{empty,empty,"(,5)"}}\'::int4range[],null::int4range)',
        '[["[1,3)", "empty", null], ["(,5)", "(,5)", "[1,3)"]]|[[["empty", "empty", "(,5)"]], null]',
    ),
    ("array_replace('{-0}'::float8[],'1.5'::float8,'NaN'::float8)", "{-0}"),
    (
        "to_jsonb('{3,1,2}'::int[]), jsonb_build_array('{{2},{2},{0}}'::int[],'3'::int)",
        "[3, 1, 2]|[[[2], [2], [0]], 3]",
    ),
    ("* from generate_subscripts('{}'::float8[],1)", ""),
    ("(null::jsonb[])[4], ('{{null},{null}}'::jsonb[])[0][2]", "NULL|NULL"),
    ("array_reverse('{2}'::int[])", "{2}"),
    ("array_replace('{}'::int4range[],'[1,3)'::int4range,'empty'::int4range)", "{}"),
    ("array_append('{-1,-2,2}'::int[],'-2'::int), array_prepend('0'::int,'{}'::int[])", "{-1,-2,2,-2}|{0}"),
    (
        "array[null::jsonb,'[]'::jsonb] || '{null}'::jsonb[], null::jsonb || '{\"1.0\"}'::jsonb[], '{}'::jsonb[] || 'null'::jsonb",
        '{NULL,[],NULL}|{NULL,1.0}|{"null"}',
    ),
    ('\'{null,"[]","1.0","[]"}\'::jsonb[] || \'{}\'::jsonb[]', "{NULL,[],1.0,[]}"),
    (
        "'{0,1,-1,-1}'::int[] = '{2,2,-2,3}'::int[], '{}'::int[] < '{{NULL,-1,2},{-2,1,3},{1,NULL,2}}'::int[], '{3,NULL,2,NULL}'::int[] >= '{-2}'::int[], '{3}'::int[] is distinct from '{}'::int[]",
        "f|t|t|t",
    ),
    ("array_replace('{}'::float8[],'-0'::float8,'1.5'::float8)", "{}"),
    ("array_position('{}'::text[],'é'::text,0)", "NULL"),
    (
        "array['2.50'::numeric,'-1'::numeric] || '{}'::numeric[], '2.50'::numeric || '{-1,1.0,1,NULL}'::numeric[], '{NaN,NULL,1.0,1}'::numeric[] || '1.0'::numeric",
        "{2.50,-1}|{2.50,-1,1.0,1,NULL}|{NaN,NULL,1.0,1,1.0}",
    ),
    ("array_fill('Infinity'::float8,array[1,2])", "{{Infinity,Infinity}}"),
    ("array_fill('-2'::int,array[0,1])", "{}"),
    (
        '\'{"[]","{\\"a\\":1}"}\'::jsonb[] || \'{"{\\"a\\":1}","{\\"a\\":1}","null","[]"}\'::jsonb[]',
        '{[],"{\\"a\\": 1}","{\\"a\\": 1}","{\\"a\\": 1}","null",[]}',
    ),
    ("array_position('{1}'::int[],'0'::int), array_positions('{1,3,0,-2}'::int[],'1'::int)", "NULL|{1}"),
    (
        "array_append('{}'::int4range[],null::int4range), array_prepend('[1,3)'::int4range,'{empty,\"(,5)\"}'::int4range[])",
        '{NULL}|{"[1,3)",empty,"(,5)"}',
    ),
    (
        "to_jsonb('{{a,a},{NULL,\"x y\"}}'::text[]), jsonb_build_array('{{a,\"a,b\"},{\"x y\",a}}'::text[],'é'::text)",
        '[["a", "a"], [null, "x y"]]|[[["a", "a,b"], ["x y", "a"]], "é"]',
    ),
    (
        "'{}'::numeric[] = '{1.0,-1,NULL,-1}'::numeric[], '{2.50,2.50}'::numeric[] < '{2.50}'::numeric[], '{}'::numeric[] >= '{}'::numeric[], '{1,2.50}'::numeric[] is distinct from '{1,NaN,NULL}'::numeric[]",
        "f|f|t|t",
    ),
    (
        "'{}'::int[] = '{{-2,3}}'::int[], '{}'::int[] < '{3,-1,2}'::int[], '{{-1},{0},{1}}'::int[] >= '{}'::int[], '{}'::int[] is distinct from '{3,-2,-2}'::int[]",
        "f|t|t|t",
    ),
    (
        "array_sort('{{\"(,5)\",\"[1,3)\"}}'::int4range[],true,true), array_sort('{}'::int4range[])",
        '{{"(,5)","[1,3)"}}|{}',
    ),
    ("array_to_string(null::float8[],','), array_to_string('{-0,NULL}'::float8[],'|','*')", "NULL|-0|*"),
    ("array_remove('{{NULL,NULL},{\"[1,3)\",empty}}'::int4range[],'empty'::int4range)", "0A000"),
    ("* from generate_subscripts('{2024-02-29,2024-01-01}'::date[],2)", ""),
    (
        "'{{-0},{1e20}}'::float8[]::text[]::text, array[null::float8[],'{{-0,NULL,NULL},{NULL,1e20,NULL}}'::float8[]]",
        "2202E",
    ),
    ("array_cat('{}'::int4range[],'{empty,\"(,5)\",\"[1,3)\"}'::int4range[])", '{empty,"(,5)","[1,3)"}'),
    (
        "to_jsonb('{}'::text[]), jsonb_build_array('{NULL,b,é}'::text[],'a,b'::text)",
        '[]|[[null, "b", "é"], "a,b"]',
    ),
    (
        "array_position('{{NULL},{NULL},{é}}'::text[],'é'::text), array_positions('{\"x y\"}'::text[],''::text)",
        "0A000",
    ),
    (
        '\'{}\'::int4range[]::text[]::text, array[null::int4range[],\'{{empty,empty,empty},{NULL,empty,"(,5)"},{NULL,"(,5)","[1,3)"}}\'::int4range[]]',
        "2202E",
    ),
    (
        "'3'::int = any('{NULL,-2,-2,2}'::int[]), '2'::int = all('{2,2,1,1}'::int[]), '3'::int <> all('{NULL,3,1}'::int[])",
        "NULL|f|f",
    ),
    (
        'to_jsonb(\'{1,"null","{\\"a\\":1}"}\'::jsonb[]), jsonb_build_array(\'{{"1.0","1.0",1},{NULL,"[]","1.0"},{"1.0","{\\"a\\":1}",null}}\'::jsonb[],\'[]\'::jsonb)',
        '[1, null, {"a": 1}]|[[[1.0, 1.0, 1], [null, [], 1.0], [1.0, {"a": 1}, null]], []]',
    ),
    (
        "array_position('{}'::float8[],'Infinity'::float8), array_positions('{1.5,1.5,NULL,Infinity}'::float8[],null::float8)",
        "NULL|{3}",
    ),
    (
        '* from unnest(\'{{empty,"[1,3)"},{"(,5)","(,5)"},{"(,5)",NULL}}\'::int4range[]) with ordinality',
        "empty|1\n[1,3)|2\n(,5)|3\n(,5)|4\n(,5)|5\nNULL|6",
    ),
    (
        "'2024-01-01'::date = any('{2024-02-29,2024-01-01}'::date[]), null::date = all('{{2024-01-01,2024-02-29}}'::date[]), null::date <> all('{2024-01-01,2024-02-29,2024-01-01,2024-01-01}'::date[])",
        "t|NULL|NULL",
    ),
    ("('{-2,0,3,NULL}'::int[])[1], ('{{1,-2,2},{1,-1,2}}'::int[])[1][3]", "-2|2"),
    (
        "'{NULL}'::float8[]::text[]::text, array['{{NaN,1e20}}'::float8[],'{{1e20,-0,NULL},{NULL,1.5,NaN}}'::float8[]]",
        "2202E",
    ),
    (
        "greatest('{}'::date[],'{}'::date[]), least('{NULL}'::date[],'{2024-01-01,2024-02-29}'::date[])",
        "{}|{2024-01-01,2024-02-29}",
    ),
    (
        "'{{1},{NULL},{2}}'::int[] = '{NULL}'::int[], '{}'::int[] < null::int[], '{}'::int[] >= '{-2,NULL}'::int[], '{}'::int[] is distinct from '{}'::int[]",
        "f|NULL|f|f",
    ),
    ("array_fill(null::text,array[2,1])", "{{NULL},{NULL}}"),
    (
        "'1'::int = any('{3,3,NULL,2}'::int[]), '2'::int = all('{}'::int[]), '2'::int <> all('{-1,NULL,-1}'::int[])",
        "NULL|t|NULL",
    ),
    ("array_remove('{2.50}'::numeric[],'1.0'::numeric)", "{2.50}"),
    ("* from unnest('{{-0},{NaN},{1.5}}'::float8[]) with ordinality", "-0|1\nNaN|2\n1.5|3"),
    ("array_replace('{}'::int4range[],'empty'::int4range,'empty'::int4range)", "{}"),
    (
        'to_jsonb(\'{{NULL},{"(,5)"},{empty}}\'::int4range[]), jsonb_build_array(\'{{"(,5)","[1,3)"},{"(,5)","(,5)"}}\'::int4range[],\'empty\'::int4range)',
        '[[null], ["(,5)"], ["empty"]]|[[["(,5)", "[1,3)"], ["(,5)", "(,5)"]], "empty"]',
    ),
    ("array_position('{\"(,5)\"}'::int4range[],'[1,3)'::int4range,2)", "NULL"),
    ('array_remove(\'{"(,5)","[1,3)",NULL,"(,5)"}\'::int4range[],\'(,5)\'::int4range)', '{"[1,3)",NULL}'),
    ("('{{-1,1,-2}}'::int[])[2], ('{{3,1,-1}}'::int[])[0][1]", "NULL|NULL"),
    ('(\'{"(,5)"}\'::int4range[])[2], (\'{{"[1,3)"},{"(,5)"},{"[1,3)"}}\'::int4range[])[1][1]', "NULL|[1,3)"),
    (
        "array_append(null::date[],'2024-02-29'::date), array_prepend('2024-02-29'::date,'{2024-02-29,2024-02-29}'::date[])",
        "{2024-02-29}|{2024-02-29,2024-02-29,2024-02-29}",
    ),
    (
        "('{{NULL,1.0},{2.50,2.50}}'::numeric[])[2:1], ('{{2.50,1,-1},{-1,1,NaN},{NaN,NaN,NULL}}'::numeric[])[1:][:0], ('{{-1,2.50},{1.0,1},{-1,-1}}'::numeric[])[2:3][0]",
        "{}|{}|{}",
    ),
    ("array_fill('1e20'::float8,array[2,2])", "{{1e+20,1e+20},{1e+20,1e+20}}"),
    ("array_cat('{}'::text[],'{}'::text[])", "{}"),
    ("array_to_string(null::int[],','), array_to_string('{{1},{NULL}}'::int[],'|','*')", "NULL|1|*"),
    (
        "greatest('{}'::float8[],'{NaN,-0,-0,Infinity}'::float8[]), least('{}'::float8[],'{1.5,1.5,Infinity,NaN}'::float8[])",
        "{NaN,-0,-0,Infinity}|{}",
    ),
    (
        "('{-1,1,NULL}'::int[])[0:-1], ('{{3,0,1},{-2,0,-2}}'::int[])[1:][:0], ('{{2},{3}}'::int[])[0:1][0]",
        "{}|{}|{}",
    ),
    ("'{}'::jsonb[] || '{null,1}'::jsonb[]", "{NULL,1}"),
    ("array_position('{2024-02-29}'::date[],'2024-02-29'::date,4)", "NULL"),
    ("'{}'::int4range[] || '{empty,\"[1,3)\"}'::int4range[]", '{empty,"[1,3)"}'),
    (
        'array_sort(\'{b,b,"a,b"}\'::text[],false,true), array_sort(\'{"q\\"q",NULL,"NULL",b}\'::text[])',
        '{"a,b",b,b}|{"NULL",b,"q\\"q",NULL}',
    ),
    (
        '(\'{{empty,"(,5)"},{"(,5)","[1,3)"},{"(,5)",empty}}\'::int4range[])[0:2], (\'{{"[1,3)","[1,3)"}}\'::int4range[])[1:][:1], (null::int4range[])[2:3][0]',
        '{{empty,"(,5)"},{"(,5)","[1,3)"}}|{{"[1,3)"}}|NULL',
    ),
    ("array_replace('{}'::numeric[],null::numeric,'-1'::numeric)", "{}"),
    (
        "'-0'::float8 = any('{1e20}'::float8[]), '-0'::float8 = all('{{NaN,-0,1.5}}'::float8[]), null::float8 <> all('{NULL}'::float8[])",
        "f|f|NULL",
    ),
    ('* from generate_subscripts(\'{{"x y",é,"NULL"}}\'::text[],2)', "1\n2\n3"),
    ("array_reverse('{-0}'::float8[])", "{-0}"),
    (
        '(\'{}\'::text[])[0:0], (\'{{"NULL",é,NULL},{"",b,"NULL"},{"x y",b,a}}\'::text[])[1:][:2], (null::text[])[1:2][0]',
        '{}|{{"NULL",é},{"",b},{"x y",b}}|NULL',
    ),
    ("array_fill('[1,3)'::int4range,array[1,2])", '{{"[1,3)","[1,3)"}}'),
    ("array_sort('{0,1,3}'::int[],true,false), array_sort('{NULL,-2,3}'::int[])", "{3,1,0}|{-2,3,NULL}"),
    ("* from unnest('{{null},{\"1.0\"}}'::jsonb[])", "NULL\n1.0"),
    (
        "'{{-0,1.5,1e20},{1e20,1.5,Infinity}}'::float8[] @> '{{1e20,1.5},{NaN,NULL}}'::float8[], '{{-0,1e20,1e20},{NULL,-0,NaN},{1.5,1.5,-0}}'::float8[] <@ '{}'::float8[], '{}'::float8[] && '{}'::float8[]",
        "f|f|f",
    ),
    ('array_position(\'{"1.0","{\\"a\\":1}",1}\'::jsonb[],\'{"a":1}\'::jsonb,3)', "NULL"),
    ("* from unnest('{3}'::int[]) with ordinality", "3|1"),
    ("'{{null},{1}}'::jsonb[] || '{NULL,\"{\\\"a\\\":1}\",NULL}'::jsonb[]", "2202E"),
    (
        "null::int = any('{-2,-1,-2}'::int[]), '0'::int = all('{0,2,-1,-2}'::int[]), '2'::int <> all('{NULL,NULL}'::int[])",
        "NULL|f|NULL",
    ),
    (
        "array_length('{}'::int[],3), array_upper('{1,3}'::int[],1), array_lower('{-2}'::int[],2), array_ndims('{-1,1,2}'::int[]), cardinality('{}'::int[]), array_dims('{}'::int[])",
        "NULL|2|NULL|1|0|NULL",
    ),
    (
        "array_position('{NULL}'::float8[],'1.5'::float8), array_positions('{1.5,-0}'::float8[],'1e20'::float8)",
        "NULL|{}",
    ),
    (
        "array['-2'::int,null::int] || '{{NULL},{2},{2}}'::int[], '0'::int || '{1,1,-1,0}'::int[], '{NULL,-2}'::int[] || '2'::int",
        "2202E",
    ),
    ("trim_array('{{3,3},{-2,-1}}'::int[],0)", "{{3,3},{-2,-1}}"),
    ("array_reverse('{-1}'::int[])", "{-1}"),
    ("* from unnest('{}'::text[]) with ordinality", ""),
    (
        'array_sort(\'{{"[]"}}\'::jsonb[],false,true), array_sort(\'{1,NULL,"{\\"a\\":1}"}\'::jsonb[])',
        '{{[]}}|{1,"{\\"a\\": 1}",NULL}',
    ),
    ("array_remove('{-2,-1,-2}'::int[],'3'::int)", "{-2,-1,-2}"),
    ('array_reverse(\'{{"NULL","q\\"q"},{b,a}}\'::text[])', '{{b,a},{"NULL","q\\"q"}}'),
    (
        "'{NULL,-1,0,-2}'::int[] @> '{NULL}'::int[], '{{0},{2}}'::int[] <@ '{-2,2,3,1}'::int[], '{{-2,3},{0,3},{-1,0}}'::int[] && '{{2},{3}}'::int[]",
        "f|f|t",
    ),
    ('trim_array(\'{NULL,"a,b","q\\"q"}\'::text[],1)', '{NULL,"a,b"}'),
    ("array_fill('empty'::int4range,array[3,1])", "{{empty},{empty},{empty}}"),
    (
        '\'{"1.0"}\'::jsonb[]::text[]::text, array[\'{{null,1,"1.0"},{null,"{\\"a\\":1}","[]"}}\'::jsonb[],\'{{"null"},{"1.0"}}\'::jsonb[]]',
        "2202E",
    ),
    (
        "greatest('{1,\"[]\",NULL,NULL}'::jsonb[],'{\"null\",\"[]\"}'::jsonb[]), least('{{1,1},{NULL,null}}'::jsonb[],'{\"1.0\",NULL}'::jsonb[])",
        "{1,[],NULL,NULL}|{{1,1},{NULL,NULL}}",
    ),
    ("array_cat('{empty}'::int4range[],'{{empty}}'::int4range[])", "{{empty},{empty}}"),
    (
        "array_to_string('{{NaN},{2.50},{1.0}}'::numeric[],','), array_to_string('{1,1}'::numeric[],'|','*')",
        "NaN,2.50,1.0|1|1",
    ),
    ("array_to_string('{}'::text[],','), array_to_string('{\"NULL\"}'::text[],'|','*')", "|NULL"),
    ("array_replace('{}'::jsonb[],'1.0'::jsonb,'[]'::jsonb)", "{}"),
    ("array_position('{2024-02-29,2024-01-01,2024-01-01,2024-01-01}'::date[],'2024-02-29'::date,3)", "NULL"),
    (
        "greatest('{{NULL,1e20}}'::float8[],'{{NaN},{1.5},{NaN}}'::float8[]), least('{NaN,-0,1.5,1.5}'::float8[],'{NULL,1e20}'::float8[])",
        "{{NULL,1e+20}}|{NaN,-0,1.5,1.5}",
    ),
    ("array_fill('3'::int,array[1,1])", "{{3}}"),
    (
        "'{{0},{-2}}'::int[] = '{1,-2,1,-1}'::int[], '{1,1,2}'::int[] < '{{2,-1,-1}}'::int[], '{3,2,-2}'::int[] >= '{}'::int[], '{-2,NULL,2}'::int[] is distinct from '{3,1}'::int[]",
        "f|t|t|t",
    ),
    (
        "array_sort('{{1.5,NaN,1.5},{NULL,NaN,1.5}}'::float8[],true,true), array_sort('{NULL,NULL}'::float8[])",
        "{{NULL,NaN,1.5},{1.5,NaN,1.5}}|{NULL,NULL}",
    ),
    ("array_position('{}'::int[],'3'::int), array_positions('{}'::int[],'2'::int)", "NULL|{}"),
    ("('{NULL,NULL,-1}'::numeric[])[-1], ('{{1.0,NaN}}'::numeric[])[0][3]", "NULL|NULL"),
    ("array_remove('{}'::float8[],null::float8)", "{}"),
    ("trim_array('{-2}'::int[],3)", "2202E"),
    ("* from unnest('{{3},{NULL}}'::int[]) with ordinality", "3|1\nNULL|2"),
    (
        "'{}'::date[]::text[]::text, array['{{2024-01-01,2024-02-29}}'::date[],'{{2024-02-29,2024-02-29},{2024-02-29,2024-01-01},{2024-02-29,2024-02-29}}'::date[]]",
        "2202E",
    ),
    ("array_reverse('{NULL,\"(,5)\"}'::int4range[])", '{"(,5)",NULL}'),
    (
        "array_append('{{1,0,-2},{1,0,1}}'::int[],null::int), array_prepend('-1'::int,'{NULL,2,3,0}'::int[])",
        "22000",
    ),
    ("array_replace('{NULL}'::int4range[],'[1,3)'::int4range,'[1,3)'::int4range)", "{NULL}"),
    ("* from unnest('{}'::jsonb[]) with ordinality", ""),
]


SESSION = session()


@pytest.mark.parametrize(("expression", "expected"), FUNCTIONS, ids=[e for e, _ in FUNCTIONS])
def test_functions(expression: str, expected: str) -> None:
    assert answer(SESSION, "select " + expression) == expected


@pytest.mark.parametrize(("expression", "expected"), SUBSCRIPTS, ids=[e for e, _ in SUBSCRIPTS])
def test_subscripts(expression: str, expected: str) -> None:
    assert answer(SESSION, "select " + expression) == expected


@pytest.mark.parametrize(("expression", "expected"), MORE, ids=[e for e, _ in MORE])
def test_more(expression: str, expected: str) -> None:
    assert answer(SESSION, "select " + expression) == expected


@pytest.mark.parametrize(("expression", "expected"), RANDOM, ids=[e for e, _ in RANDOM])
def test_random_expressions(expression: str, expected: str) -> None:
    assert answer(SESSION, "select " + expression) == expected


def test_enums() -> None:
    database = Database.open()
    with database.begin() as t:
        t.create_enum("mood", ["sad", "ok", "happy"])
    session = Session(database)
    for expression, expected in (
        ("enum_first(null::mood), enum_last('ok'::mood)", "sad|happy"),
        ("enum_range(null::mood)", "{sad,ok,happy}"),
        ("enum_range('ok'::mood, null), enum_range(null, 'ok'::mood)", "{ok,happy}|{sad,ok}"),
        ("enum_range('happy'::mood, 'sad'::mood)", "{}"),
        ("array['ok','sad']::mood[] @> array['sad'::mood]", "t"),
        ("array_sort(array['happy','sad']::mood[])", "{sad,happy}"),
        ("array_position(array['happy','sad']::mood[], 'sad')", "2"),
        ("to_jsonb('ok'::mood), to_jsonb(array['ok','sad']::mood[])", '"ok"|["ok", "sad"]'),
        ("jsonb_build_object('sad'::mood, 'ok'::mood)", '{"sad": "ok"}'),
        ("array_to_string(array['ok','sad']::mood[], '-')", "ok-sad"),
    ):
        assert answer(session, "select " + expression) == expected, expression


def test_labels_may_change() -> None:
    session = Session(Database.open())
    answer(session, "create type mood as enum ('a', 'c')")
    expression = "array_to_string(array['{0}']::mood[], ','), concat('{0}'::mood), m from "
    expression += """jsonb_to_record('{{"m": "{0}"}}') as x(m mood)"""
    assert answer(session, "select " + expression.format("a")) == "a|a|a"
    answer(session, "alter type mood add value 'b' before 'c'")
    assert answer(session, "select " + expression.format("b")) == "b|b|b"


def test_arrays_begin_at_one() -> None:
    assert answer(SESSION, "select array_fill(7, array[2], array[0])") == "0A000"


def test_shuffling_keeps_the_elements() -> None:
    assert answer(SESSION, "select array_sort(array_shuffle(array[3,1,2,2]))") == "{1,2,2,3}"
    assert answer(SESSION, "select array_sample(array[3,1,2], 2) <@ array[1,2,3]") == "t"
