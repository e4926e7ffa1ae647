-- Steps
select jsonb_path_query_array('{"a": {"b": [1, 2, 3]}}', '$.a.b[*]'), jsonb_path_query_array('{"a": {"b": [1, 2, 3]}}', '$.a.b[0]'), jsonb_path_query_array('[1, 2, 3]', '$[last]'), jsonb_path_query_array('[1, 2, 3]', '$[last - 1]'), jsonb_path_query_array('[1, 2, 3, 4]', '$[1 to 2]'), jsonb_path_query_array('[1, 2, 3, 4]', '$[0, 2 to last]'), jsonb_path_query_array('{"a": 1, "b": 2}', '$.*');
select jsonb_path_query_array('{"a": {"b": 1, "c": {"d": 2}}}', '$.**'), jsonb_path_query_array('{"a": {"b": 1, "c": {"d": 2}}}', '$.**{2}'), jsonb_path_query_array('{"a": {"b": 1}}', '$.**{1 to last}'), jsonb_path_query_array('{"a b": 1}', '$."a b"'), jsonb_path_query_array('{"$x": 1}', '$."$x"');
select jsonb_path_query_first('[5, 6]', '$[*]'), jsonb_path_query_first('[]', '$[*]'), jsonb_path_query_first('{"a": 1}', '$.b'), jsonb_path_query_array('1', '$'), jsonb_path_query_array('[1, [2, 3]]', '$[*][*]'), jsonb_path_query_array('[[1, 2], [3]]', '$[*][0]');
select * from jsonb_path_query('{"a": [1, 2, {"b": 3}]}', '$.a[*]');
select jsonb_path_query('[1, 2, 3]', '$[*] ? (@ > 1)');

-- Lax and strict
select jsonb_path_query_array('{"a": 1}', 'lax $.b'), jsonb_path_query_array('[{"a": 1}, {"a": 2}]', '$.a'), jsonb_path_query_array('1', 'lax $[0]'), jsonb_path_query_array('[1, 2]', 'lax $[5]'), jsonb_path_query_array('{"a": 1}', 'lax $.a[*]');
select jsonb_path_query('{"a": 1}', 'strict $.b');
select jsonb_path_query('[1, 2]', 'strict $[5]');
select jsonb_path_query('[{"a": 1}]', 'strict $.a');
select jsonb_path_query('1', 'strict $[*]');
select jsonb_path_query('1', 'strict $.*');
select jsonb_path_query('{"a": 1}', 'strict $.b', '{}', true);
select jsonb_path_query_array('{"a": 1}', 'strict $.b', silent => true), jsonb_path_exists('{"a": 1}', 'strict $.b'), jsonb_path_exists('{"a": 1}', '$.a');
select '{"a": 1}' @? 'strict $.b', '{"a": 1}'::jsonb @? '$.a', '{"a": 1}'::jsonb @@ '$.a == 1', '{"a": 1}'::jsonb @@ '$.a', '{"a": 1}'::jsonb @@ 'strict $.b == 1';

-- Filters
select jsonb_path_query_array('[1, 2, 3, 4, 5]', '$[*] ? (@ > 2 && @ < 5)'), jsonb_path_query_array('[1, 2, 3]', '$[*] ? (@ == 1 || @ == 3)'), jsonb_path_query_array('[1, 2, 3]', '$[*] ? (!(@ == 2))'), jsonb_path_query_array('[1, "a", null, true]', '$[*] ? (@ == null)'), jsonb_path_query_array('["a", "b"]', '$[*] ? (@ >= "b")'), jsonb_path_query_array('[1, 2, 3]', '$[*] ? (@ <> 2)'), jsonb_path_query_array('[1, 2, 3]', '$[*] ? (@ != 2)');
select jsonb_path_query_array('[{"a": 1, "b": 2}, {"a": 3}]', '$[*] ? (exists (@.b))'), jsonb_path_query_array('[{"a": 1}, {"a": 5}]', '$[*] ? (@.a > 2).a'), jsonb_path_query_array('["abc", "xbz", "q"]', '$[*] ? (@ like_regex "^a")'), jsonb_path_query_array('["ABC", "x"]', '$[*] ? (@ like_regex "abc" flag "i")'), jsonb_path_query_array('["abc", "abd", "x"]', '$[*] ? (@ starts with "ab")'), jsonb_path_query_array('[1, "a"]', '$[*] ? ((@ > 0) is unknown)'), jsonb_path_query_array('[1, "1"]', '$[*] ? (@ == "1")');
select jsonb_path_query_array('[1, 2, 3]', '$[*] ? (@ > $x)', '{"x": 1}'), jsonb_path_query_array('{"a": [1, 2]}', '$.a[*] ? (@ > $min && @ < $max)', '{"min": 0, "max": 2}'), jsonb_path_query('{}', '$x', '{"x": [1]}');
select jsonb_path_query('1', '$ ? (@ > $nosuch)');
select jsonb_path_query_array('[[1, 2], [3, 4]]', '$[*] ? (@[*] > 3)'), jsonb_path_query_array('{"a": [1, 2, 3]}', '$.a ? (@ > 1)'), jsonb_path_query_array('{"a": [1, 2, 3]}', 'strict $.a ? (@ > 1)'), jsonb_path_query_array('{"a": [1, 2, 3]}', 'strict $.a[*] ? (@ > 1)');

-- Arithmetic and methods
select jsonb_path_query('5', '$ + 2'), jsonb_path_query('5', '$ - 2'), jsonb_path_query('5', '$ * 2'), jsonb_path_query('5', '$ / 2'), jsonb_path_query('5', '$ % 2'), jsonb_path_query('5', '-$'), jsonb_path_query('{"a": 2, "b": 3}', '$.a * $.b + 1'), jsonb_path_query_array('[1, 2]', '-$[*]'), jsonb_path_query('1', '1 + 2 * 3'), jsonb_path_query('1', '(1 + 2) * 3');
select jsonb_path_query('5', '$ / 0');
select jsonb_path_query('"a"', '$ + 1');
select jsonb_path_query('[1, 2]', '$[*] + 1');
select jsonb_path_query_array('[1, "a", null, true, [], {}]', '$[*].type()'), jsonb_path_query('[1, 2, 3]', '$.size()'), jsonb_path_query('1', '$.size()'), jsonb_path_query('"1.5"', '$.double()'), jsonb_path_query('1.7', '$.ceiling()'), jsonb_path_query('1.7', '$.floor()'), jsonb_path_query('-1.7', '$.abs()'), jsonb_path_query_array('{"a": 1, "b": 2}', '$.keyvalue().key'), jsonb_path_query('"12"', '$.integer()'), jsonb_path_query('"true"', '$.boolean()'), jsonb_path_query('12', '$.string()'), jsonb_path_query('"1.50"', '$.number()'), jsonb_path_query('"123.456"', '$.decimal(5, 1)'), jsonb_path_query('"99"', '$.bigint()');
select jsonb_path_query('"x"', '$.double()');
select jsonb_path_query('"x"', '$.integer()');
select jsonb_path_query('1', 'strict $.keyvalue()');
select jsonb_path_query('1', 'strict $.size()');
select jsonb_path_query('"2024-01-15"', '$.datetime()'), jsonb_path_query('"2024-01-15"', '$.date()'), jsonb_path_query('"10:20:30"', '$.time()'), jsonb_path_query('"2024-01-15 10:20:30"', '$.timestamp()'), jsonb_path_query('"15.01.2024"', '$.datetime("DD.MM.YYYY")'), jsonb_path_query_array('["2024-01-15", "2024-02-01"]', '$[*].datetime() ? (@ < "2024-01-20".datetime())');
select jsonb_path_query('"x"', '$.datetime()');

-- Predicates
select jsonb_path_match('{"a": 1}', '$.a == 1'), jsonb_path_match('{"a": 1}', '$.a > 5'), jsonb_path_match('{"a": "x"}', '$.a > 5'), jsonb_path_match('{"a": [1, 9]}', 'exists($.a[*] ? (@ > 5))'), jsonb_path_exists('[1, 2]', '$[*] ? (@ > 1)'), jsonb_path_exists('[1, 2]', '$[*] ? (@ > 5)'), jsonb_path_query('[1, 2]', '$[*] > 1'), jsonb_path_query('[1, 2]', '$[0] == 1 && $[1] == 2');
select jsonb_path_match('{"a": 1}', '$.a');
select jsonb_path_match('{"a": 1}', '$.a', '{}', true);

-- As a type
select '$.a[*] ? (@ > 1)'::jsonpath, 'strict $'::jsonpath, 'lax $.a'::jsonpath, '$.a.b[0 to 2]'::jsonpath, '$.size()'::jsonpath, '$."a b"'::jsonpath, '$.* ? (@.x == "y" && !(@.z < 1))'::jsonpath, '1 + 2'::jsonpath, '$[last]'::jsonpath, '$.**{2 to last}'::jsonpath, '$ ? (@ like_regex "a" flag "i")'::jsonpath, '-$.a'::jsonpath;
select ''::jsonpath;
select '$.'::jsonpath;
select '$['::jsonpath;
select '@'::jsonpath;
select '$ ? (@ > )'::jsonpath;
select 'last'::jsonpath;
select '$.nosuch()'::jsonpath;
select '$ ? (@ like_regex "(")'::jsonpath;

-- Tables
create table p (id int, j jsonb);
insert into p values (1, '{"items": [{"sku": "a", "n": 2}, {"sku": "b", "n": 5}], "total": 7}'), (2, '{"items": [], "total": 0}'), (3, '{"total": "none"}'), (4, null);
select id from p where j @? '$.items[*] ? (@.n > 3)' order by id;
select id from p where j @@ '$.total > 1' order by id;
select id, jsonb_path_query_array(j, '$.items[*].sku') from p order by id;
select id, x from p, jsonb_path_query(j, '$.items[*].n') x order by id, x;
select id, jsonb_path_query_first(j, '$.total') from p order by id;
select id, jsonb_path_exists(j, '$.items[*]') from p order by id;
select sum(x::int) from p, jsonb_path_query(j, '$.items[*].n') x;
select id, jsonb_path_query_array(j, '$.items.size()') from p order by id;
select id, jsonb_path_query_array(j, '$.items[*] ? (@.n == $n).sku', jsonb_build_object('n', id + 1)) from p order by id;
