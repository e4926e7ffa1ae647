-- Reading and writing
select '{"b": 1, "a": 2}'::jsonb, '[1, 2.50, "x", null, true]'::jsonb, '"text"'::jsonb, '1e3'::jsonb, '1.50'::jsonb, 'null'::jsonb, '  [ ]  '::jsonb, '{}'::jsonb;
select '{"a": 1, "a": 2}'::jsonb, '{"aa": 1, "b": 2, "a": 3}'::jsonb, '"\u00e9\n\""'::jsonb, '{"é": "日本"}'::jsonb, '12345678901234567890'::jsonb, '-0'::jsonb, '1.0'::jsonb, '1E+2'::jsonb, '0.10e-2'::jsonb;
select ''::jsonb;
select '{'::jsonb;
select '{a: 1}'::jsonb;
select '[1,]'::jsonb;
select '01'::jsonb;
select '{"a": NaN}'::jsonb;
select 'tru'::jsonb;
select '"\u0000"'::jsonb;
select '"\ud800"'::jsonb;
select '1 2'::jsonb;
select '[1, 2]'::jsonb::text, '{"a": {"b": [1, {}]}}'::jsonb::text, '"a/b\/c"'::jsonb, '"tab\tend"'::jsonb;

-- Access
select '{"a": {"b": 1}}'::jsonb -> 'a', '{"a": {"b": 1}}'::jsonb -> 'a' -> 'b', '{"a": "x"}'::jsonb ->> 'a', '{"a": null}'::jsonb -> 'a', '{"a": null}'::jsonb ->> 'a', '{"a": 1}'::jsonb -> 'z', '{"a": [1, 2]}'::jsonb ->> 'a';
select '[10, 20, 30]'::jsonb -> 0, '[10, 20, 30]'::jsonb -> -1, '[10, 20, 30]'::jsonb -> 5, '[10, 20, 30]'::jsonb ->> 1, '[10]'::jsonb -> 'a', '{"0": 1}'::jsonb -> 0, '5'::jsonb -> 0, '"x"'::jsonb -> 'x', '[1, [2, 3]]'::jsonb -> 1 -> -1;
select '{"a": {"b": [10, 20]}}'::jsonb #> '{a,b,1}', '{"a": {"b": [10, 20]}}'::jsonb #>> '{a,b,-1}', '{"a": 1}'::jsonb #> '{}', '{"a": 1}'::jsonb #> '{x,y}', '[1, [2]]'::jsonb #>> '{1,0}', '{"a": "t"}'::jsonb #>> array['a'], '[1]'::jsonb #> '{x}';
select ('{"a": {"b": 1}}'::jsonb)['a']['b'], ('[1, 2, 3]'::jsonb)[1], ('[1, 2]'::jsonb)[-1], ('{"a": 1}'::jsonb)['x'];
select jsonb_extract_path('{"a": {"b": 1}}', 'a', 'b'), jsonb_extract_path_text('{"a": ["x"]}', 'a', '0');
select jsonb_extract_path('{"a": 1}');
select null::jsonb -> 'a', '{"a": 1}'::jsonb -> null::text, '[1]'::jsonb -> null::int;

-- Containment and existence
select '{"a": 1, "b": 2}'::jsonb @> '{"a": 1}', '{"a": 1}'::jsonb @> '{"a": 2}', '[1, 2, 3]'::jsonb @> '[3, 1]', '[1, 2]'::jsonb @> '[1, 1]', '[1]'::jsonb @> '1', '1'::jsonb @> '[1]', '{"a": [1, 2]}'::jsonb @> '{"a": [2]}', '{"a": {"b": 1, "c": 2}}'::jsonb @> '{"a": {"c": 2}}', '[[1, 2]]'::jsonb @> '[[1]]', '[[1, 2]]'::jsonb @> '[1]';
select '{}'::jsonb @> '{}', '[]'::jsonb @> '[]', '{"a": 1}'::jsonb @> '{}', '[1]'::jsonb @> '{}', 'null'::jsonb @> 'null', '1.0'::jsonb @> '1', '"a"'::jsonb @> '"a"', '["a"]'::jsonb @> '"a"', '{"a": null}'::jsonb @> '{"a": null}';
select '{"a": 1}'::jsonb <@ '{"a": 1, "b": 2}', '[1]'::jsonb <@ '[1, 2]', '{"a": 1}'::jsonb <@ '[]';
select '{"a": 1, "b": null}'::jsonb ? 'b', '{"a": 1}'::jsonb ? 'z', '["a", "b"]'::jsonb ? 'a', '"a"'::jsonb ? 'a', '[1]'::jsonb ? '1', '{"a": {"b": 1}}'::jsonb ? 'b', jsonb_exists('{"a": 1}', 'a');
select '{"a": 1, "b": 2}'::jsonb ?| array['x', 'b'], '{"a": 1}'::jsonb ?& array['a', 'b'], '["a", "b"]'::jsonb ?& array['a', 'b'], '{"a": 1}'::jsonb ?| array[]::text[], '{"a": 1}'::jsonb ?& array[]::text[], '{"a": 1}'::jsonb ?| array['a', null];

-- Changing
select '{"a": 1}'::jsonb || '{"b": 2}', '{"a": 1}'::jsonb || '{"a": {"x": 1}}', '[1]'::jsonb || '[2, 3]', '[1]'::jsonb || '2', '1'::jsonb || '2', '{"a": 1}'::jsonb || '[1]', '[1]'::jsonb || '{"a": 1}', 'null'::jsonb || '[]', '{}'::jsonb || null;
select '{"a": 1}'::jsonb || '1';
select '{"a": 1, "b": 2}'::jsonb - 'a', '["a", "b", "a"]'::jsonb - 'a', '[1, 2, 3]'::jsonb - 1, '[1, 2, 3]'::jsonb - -1, '[1]'::jsonb - 5, '{"a": 1, "b": 2, "c": 3}'::jsonb - array['a', 'c'], '{"a": 1}'::jsonb - 'z';
select '{"a": 1}'::jsonb - 1;
select '1'::jsonb - 'a';
select '{"a": {"b": 1, "c": 2}}'::jsonb #- '{a,b}', '[1, [2, 3]]'::jsonb #- '{1,0}', '{"a": 1}'::jsonb #- '{x,y}', '[1, 2]'::jsonb #- '{-1}', '{"a": 1}'::jsonb #- '{}';
select '[1]'::jsonb #- '{x}';
select jsonb_set('{"a": 1}', '{a}', '2'), jsonb_set('{"a": 1}', '{b}', '2'), jsonb_set('{"a": 1}', '{b}', '2', false), jsonb_set('{"a": {"b": 1}}', '{a,c}', '[1]'), jsonb_set('[1, 2]', '{0}', '"x"'), jsonb_set('[1, 2]', '{-1}', '9'), jsonb_set('[1, 2]', '{5}', '9'), jsonb_set('[1, 2]', '{-5}', '9'), jsonb_set('{"a": 1}', '{x,y}', '1'), jsonb_set('{}', '{a}', null);
select jsonb_set('[1]', '{x}', '1');
select jsonb_set('1', '{a}', '1');
select jsonb_set_lax('{"a": 1}', '{a}', null), jsonb_set_lax('{"a": 1}', '{a}', null, true, 'delete_key'), jsonb_set_lax('{"a": 1}', '{a}', null, true, 'return_target'), jsonb_set_lax('{"a": 1}', '{a}', '2');
select jsonb_set_lax('{"a": 1}', '{a}', null, true, 'raise_exception');
select jsonb_insert('[1, 2]', '{1}', '9'), jsonb_insert('[1, 2]', '{1}', '9', true), jsonb_insert('{"a": 1}', '{b}', '2'), jsonb_insert('{"a": [1]}', '{a,0}', '0'), jsonb_insert('[1]', '{9}', '2'), jsonb_insert('[1]', '{-1}', '0');
select jsonb_insert('{"a": 1}', '{a}', '2');
select jsonb_strip_nulls('{"a": null, "b": [null, {"c": null}], "d": 1}'), jsonb_strip_nulls('[null, 1]'), jsonb_strip_nulls('{"a": [null]}', true);

-- Building
select jsonb_build_object('a', 1, 'b', 'x', 'c', null, 'd', array[1, 2], 'e', true, 'f', 1.50, 'g', '{"z": 1}'::jsonb), jsonb_build_object(), jsonb_build_array(1, 'a', null, array['x'], 2.0), jsonb_build_array();
select jsonb_build_object('a');
select jsonb_build_object(null, 1);
select jsonb_build_object(1, 2, true, 3);
select to_jsonb(1), to_jsonb('a'::text), to_jsonb(null::int), to_jsonb(true), to_jsonb(1.50), to_jsonb(array[1, null, 3]), to_jsonb(array[[1], [2]]), to_jsonb(row(1, 'a')), to_jsonb('{"a": 1}'::jsonb), to_jsonb(date '2024-01-02'), to_jsonb(timestamp '2024-01-02 03:04:05.6'), to_jsonb(interval '1 day'), to_jsonb('a"b'::text), to_jsonb('\x01'::bytea);
select to_jsonb('nan'::float8), to_jsonb('inf'::float8), to_jsonb(1e20::float8), to_jsonb(0.1::float4), to_jsonb('nan'::numeric), to_jsonb(1e-7::float8);
select jsonb_object('{a,1,b,2}'), jsonb_object('{{a,1},{b,null}}'), jsonb_object('{a,b}', '{1,2}'), jsonb_object('{}');
select jsonb_object('{a}');
select jsonb_object('{a,b}', '{1}');
select jsonb_object('{null,1}');
select row_to_json(row(1, 'a', null))::jsonb, row_to_json(t)::jsonb from (select 1 as a, 'x' as b) t;
select to_jsonb(t) from (select 1 as a, null as b, array[1, 2] as c, 'é' as d) t;

-- Taking apart
select jsonb_typeof('1'), jsonb_typeof('"a"'), jsonb_typeof('null'), jsonb_typeof('[]'), jsonb_typeof('{}'), jsonb_typeof('true'), jsonb_typeof(null);
select jsonb_array_length('[1, 2, [3]]'), jsonb_array_length('[]');
select jsonb_array_length('{}');
select jsonb_array_length('1');
select * from jsonb_each('{"b": 1, "a": "x", "c": null}');
select * from jsonb_each_text('{"b": 1, "a": "x", "c": null, "d": [1, 2]}');
select * from jsonb_each('[1]');
select jsonb_object_keys('{"b": 1, "aa": 2, "a": 3}');
select jsonb_object_keys('[1]');
select * from jsonb_array_elements('[1, "a", null, {"b": 2}]');
select * from jsonb_array_elements_text('[1, "a", null, {"b": 2}]');
select * from jsonb_array_elements('{"a": 1}');
select value, ordinality from jsonb_array_elements('[3, 1, 2]') with ordinality;
select jsonb_array_elements('[]');
select jsonb_pretty('{"a": [1, {"b": null}], "c": {}}'), jsonb_pretty('[]'), jsonb_pretty('1');
select key, value from jsonb_each('{"a": 1, "b": 2}') where value::int > 1;

-- Casts of scalars
select '1'::jsonb::int, '1.7'::jsonb::int, '1.5'::jsonb::numeric, '1.5'::jsonb::float8, 'true'::jsonb::bool, '12'::jsonb::int8, '1'::jsonb::int2, 'null'::jsonb::int;
select '"1"'::jsonb::int;
select '[1]'::jsonb::int;
select '1'::jsonb::bool;
select '"a"'::jsonb::bool;
select '99999999999'::jsonb::int;
select '"x"'::jsonb::text, '"x"'::jsonb #>> '{}', ('"x"'::jsonb)::varchar, '1'::jsonb::text::int + 1;

-- Order and equality
select j from (values ('1'::jsonb), ('"a"'), ('null'), ('[]'), ('[1]'), ('{}'), ('{"a": 1}'), ('true'), ('false'), ('[1, 2]'), ('[0, 0, 0]'), ('2'), ('"B"'), (null)) v(j) order by j;
select '{"a": 1, "b": 2}'::jsonb = '{"b": 2, "a": 1}', '1.0'::jsonb = '1', '[1, 2]'::jsonb = '[2, 1]', '1'::jsonb <> '"1"', '{"a": 1}'::jsonb < '{"a": 2}', '{"a": 1}'::jsonb < '{"b": 0}', '[1]'::jsonb < '[0, 0]', '"a"'::jsonb < '"b"', 'null'::jsonb = 'null';
select j, count(*) from (values ('1'::jsonb), ('1.0'), ('{"a": 1}'), ('{ "a" : 1 }'), (null)) v(j) group by j order by j;
select count(distinct j) from (values ('[1,2]'::jsonb), ('[1, 2]'), ('[1, 2.0]'), ('null'), (null)) v(j);

-- Tables
create table d (id int primary key, j jsonb);
insert into d values (1, '{"name": "Ann", "age": 30, "tags": ["x", "y"], "addr": {"city": "Rome"}}'), (2, '{"name": "Bob", "age": 25.5, "tags": []}'), (3, '{"name": null}'), (4, null), (5, '[1, 2]'), (6, '"s"');
select * from d order by id;
select id, j ->> 'name', (j ->> 'age')::numeric + 1 from d where jsonb_typeof(j) = 'object' order by id;
select id from d where j @> '{"tags": ["x"]}' order by id;
select id from d where j ? 'age' order by id;
select id from d where j -> 'addr' ->> 'city' = 'Rome';
select id from d where (j -> 'name') is null order by id;
select id from d where j -> 'name' = 'null' order by id;
select d.id, e.key from d, jsonb_each(d.j) e where jsonb_typeof(d.j) = 'object' order by 1, 2;
select d.id, t from d cross join lateral jsonb_array_elements_text(d.j -> 'tags') t order by 1, 2;
select d.id, t from d left join lateral jsonb_array_elements_text(d.j -> 'tags') t on true order by 1, 2;
update d set j = jsonb_set(j, '{age}', '31') where id = 1;
update d set j = j || '{"new": true}' where id = 2 returning j;
update d set j = j - 'tags' where id = 1 returning j -> 'tags';
update d set j['age'] = '5' where id = 2;
select jsonb_agg(id order by id desc), jsonb_object_agg(id, j ->> 'name' order by id) from d where id < 4;
select jsonb_agg(j order by id) from d;
select jsonb_agg(id) from d where false;
select jsonb_object_agg(k, v) from (values ('a', 1), ('b', null), ('a', 3)) t(k, v);
select jsonb_object_agg(k, v) from (values (null, 1)) t(k, v);
select json_agg(id order by id)::jsonb, json_object_agg(id, id order by id)::jsonb, json_build_object('a', 1)::jsonb, json_build_array(1, 2)::jsonb from d where id < 3;
select j, count(*) from (select j -> 'name' as j from d) s group by j order by j;
select min(id), j is null from d group by 2 order by 2;
insert into d values (7, '{bad');
insert into d values (7, 'true'), (8, '0.10');
select id, j::text, length(j::text) from d where id >= 7 order by id;
select id, jsonb_path_query_array(j, '$.tags[*]') from d where id in (1, 2, 5) order by id;
select distinct jsonb_typeof(j) from d order by 1;
select id from d order by j desc nulls last, id;
