-- Making and showing
select array[1, 2, 3], array['a', 'b'], array[1, null, 3], array[]::int[], array[[1, 2], [3, 4]], array[1.5, 2], array[true, false], '{1,2,3}'::int[], '{}'::text[];
select '{"a b","c,d","e\"f",NULL,"NULL",""}'::text[], array['a b', 'c,d', 'e"f', null, 'NULL', '', '{x}', 'back\slash', 'null', ' '], array['x y'::varchar], array['2024-01-01'::date], array['1 day'::interval, '1 month'];
select '{{1,2},{3,4}}'::int[], '{{{1}}}'::int[], ' { 1 , 2 } '::int[], '{ a , b c }'::text[], '[2:3]={5,6}'::int[];
select '{1,2'::int[];
select '1,2'::int[];
select '{1,x}'::int[];
select '{{1,2},{3}}'::int[];
select '{1,,2}'::int[];
select '{1}}'::int[];
select array[1, 'x'];
select array[1, 2.5], pg_typeof(array[1, 2.5]), pg_typeof(array['a']), pg_typeof(array[1::int2, 2::int8]), pg_typeof(array[null]), pg_typeof(array[array[1]]);
select array[[1, 2], [3]];
select array[];
select array[1, array[2]];
select array(select x from (values (3), (1), (2)) v(x) order by x), array(select 1 where false), array(select array[x, x] from generate_series(1, 2) x);

-- Subscripts
select (array[10, 20, 30])[1], (array[10, 20, 30])[0], (array[10, 20, 30])[4], (array[10, 20, 30])[-1], (array[10, 20, 30])[null], (array[[1, 2], [3, 4]])[2][1], (array[[1, 2], [3, 4]])[1], (array[[1, 2], [3, 4]])[3][1];
select (array[1, 2, 3, 4])[2:3], (array[1, 2, 3, 4])[:2], (array[1, 2, 3, 4])[3:], (array[1, 2, 3, 4])[:], (array[1, 2, 3])[3:2], (array[1, 2, 3])[0:10], (array[[1, 2], [3, 4], [5, 6]])[2:3][1:1], (array[[1, 2], [3, 4]])[1:2], (array[1, 2, 3])[null:2];
select ('{a,b,c}'::text[])[2], (array(select 5))[1], (string_to_array('x-y-z', '-'))[3], '{1,2}'::int[] [1];
select (1)[1];
select ('[0:2]={7,8,9}'::int[])[0], array_lower('[0:2]={7,8,9}'::int[], 1), array_upper('[0:2]={7,8,9}'::int[], 1);

-- Comparison
select array[1, 2] = array[1, 2], array[1, 2] = array[2, 1], array[1, 2] < array[1, 3], array[1, 2] < array[1, 2, 0], array[2] > array[1, 9], array[1, null] = array[1, null], array[1, null] > array[1, 5], array[]::int[] < array[0], array[1, 2] <> array[1], array[[1, 2]] = array[1, 2], null = array[1];
select a from (values (array[1, 2]), (array[1]), (array[]::int[]), (array[2]), (array[1, null]), (null), (array[1, 3])) v(a) order by a;
select a, count(*) from (values (array[1, 2]), ('{1,2}'), (array[2, 1]), (null)) v(a) group by a order by a;
select array[1] = array['a'];
select array[1, 2] = array[1.0, 2.0];
select array[1, 2] = array[1, 2]::int8[];
select array[1, 2]::int8[] = array[1, 2];
select array[1, 2]::int8[] = array[1, 2]::int8[], array[1, 2]::text[] = array['1', '2'];

-- Operators
select array[1, 2, 3] @> array[2, 1], array[1, 2] @> array[1, 1], array[1] @> array[]::int[], array[1, null] @> array[null]::int[], array[1, 2] <@ array[1, 2, 3], array[1, 2] && array[2, 3], array[1] && array[2], array[1] && array[]::int[], array[null]::int[] && array[null]::int[], array[[1, 2], [3, 4]] @> array[4];
select array[1] || array[2, 3], array[1] || 2, 0 || array[1], array[[1, 2]] || array[3, 4], array[1, 2] || array[[3, 4]], array[1] || null::int[], null::int[] || array[1], array[1] || null::int, array[]::int[] || array[]::int[], array[1] || '{2,3}';
select array['a'] || 'b';
select array['a'] || 'b'::text, array['a']::text[] || array['b', null], 'x'::text || array['a'];
select array[1] || array['a'];
select array[1, 2] || array[[[1]]];
select 1 = any (array[1, 2]), 3 = any (array[1, 2]), 1 <> any (array[1, 2]), 1 = all (array[1, 1]), 1 < all (array[2, 3]), 1 < any (array[0, null]), 1 = any (null::int[]), 5 > some (array[4, 9]), 1 = any ('{1,2}'), 2 = any (array[[1, 2], [3, 4]]);
select 1 = any (1);
select 'a' = any (array[1, 2]);
select 'abc' like any (array['a%', 'b%']);
select 3 between any (array[1]) and 2;

-- Functions
select array_append(array[1], 2), array_append(null::int[], 1), array_prepend(0, array[1]), array_cat(array[1], array[2]), array_remove(array[1, 2, 1, null], 1), array_remove(array[1, null], null), array_replace(array[1, 2, 1], 1, 9), array_replace(array[1, null], null, 0);
select array_length(array[1, 2, 3], 1), array_length(array[[1, 2], [3, 4]], 2), array_length(array[]::int[], 1), array_length(array[1], 2), array_length(array[1], 0), cardinality(array[[1, 2], [3, 4]]), cardinality(array[]::int[]), array_ndims(array[[1]]), array_ndims(array[]::int[]), array_dims(array[[1, 2], [3, 4]]), array_dims(array[]::int[]), array_lower(array[1], 1), array_upper(array[1, 2], 1);
select array_position(array['a', 'b', 'a'], 'a'), array_position(array['a', 'b', 'a'], 'a', 2), array_position(array[1, null], null), array_position(array[1], 5), array_positions(array['a', 'b', 'a'], 'a'), array_positions(array[1], 5), array_positions(array[null, null]::int[], null);
select array_position(array[[1, 2]], 1);
select array_fill(7, array[3]), array_fill(0, array[2, 2]), array_fill('x'::text, array[2], array[5]), array_fill(null::int, array[1]), array_fill(1, array[0]);
select array_to_string(array[1, null, 3], ','), array_to_string(array[1, null, 3], ',', '?'), array_to_string(array[[1, 2], [3, 4]], ';'), string_to_array('1,2,3', ',')::int[];
select trim_array(array[1, 2, 3], 1), trim_array(array[1, 2], 0), trim_array(array[[1], [2]], 1);
select trim_array(array[1], 2);
select array_reverse(array[1, 2, 3]), array_reverse(array[]::int[]), array_sort(array[3, 1, null, 2]), array_sort(array[3, 1, null, 2], true), array_sort(array['b', 'a']), array_sort(array[[2, 1], [1, 2]]);
select unnest(array[3, 1, 2]), unnest(array['a', 'b']);
select * from unnest(array[1, 2], array['a', 'b', 'c']) as u(n, t);
select * from unnest(array[[1, 2], [3, 4]]);
select n, i from unnest(array['x', 'y', null]) with ordinality as u(n, i);
select generate_subscripts(array[5, 6, 7], 1), generate_subscripts(array[[1, 2], [3, 4]], 2);
select array_shuffle(array[1]) = array[1], array_length(array_sample(array[1, 2, 3], 2), 1), width_bucket(3, array[1, 2, 4]);
select array_agg(x order by x desc), array_agg(distinct x order by x), array_agg(x) filter (where x > 5) from (values (2), (1), (null), (2)) v(x);
select array_agg(a order by a) from (values (array[1, 2]), (array[3, 4])) v(a);
select array_agg(a) from (values (array[1, 2]), (array[3])) v(a);
select array_agg(x) from (values (1)) v(x) where false;
select array[1, 2]::text[], array['1', '2']::int[], array[1.5, 2.5]::int[], array[1, 2]::text, '{1,2}'::text::int[], array[1, 0]::bool[];
select array['x']::int[];
select row(1, array[2, 3]), array[row(1, 2), row(3, 4)], array[1]::varchar(3)[], array['abc']::varchar(2)[];

-- Tables
create table a (id int, xs int[], ts text[] default '{}', grid int[][]);
insert into a (id, xs) values (1, '{1,2,3}'), (2, array[4, null]), (3, null), (4, '{}');
insert into a values (5, '{7}', array['p q', null], '{{1,2},{3,4}}'), (6, '{1,2}', '{a,b}', null);
select * from a order by id;
select id, xs[1], xs[2:], array_length(xs, 1), grid[2][1] from a order by id;
select id from a where 2 = any (xs) order by id;
select id from a where xs @> '{1}' order by id;
select id from a where xs && array[4, 7] order by id;
select id from a where xs = '{}' order by id;
select id from a where 'b' = any (ts);
select id from a where not (3 = any (xs)) order by id;
select id, x from a, unnest(xs) x order by id, x;
select id, x from a left join lateral unnest(xs) x on true order by id, x;
select id, x, o from a cross join lateral unnest(ts) with ordinality u(x, o) order by id, o;
update a set xs = array_append(xs, 9) where id = 1 returning xs;
update a set xs = xs || '{8}' where id = 3 returning xs;
update a set ts = array_remove(ts, 'a') where id = 6 returning ts;
update a set xs[1] = 100 where id = 1;
select xs from a order by xs nulls first, id;
select xs, count(*) from a group by xs order by count(*) desc, xs limit 2;
select max(xs), min(xs) from a;
insert into a (id, xs) values (7, '{1,x}');
insert into a (id, xs) values (7, 'abc');
select id, array(select x * 2 from unnest(xs) x order by x) from a order by id;
select array(select id from a order by id desc);
select sum(x), count(*) from a, unnest(a.xs) as x;
select array_agg(id order by id) from a where ts = '{}';
select distinct array_length(xs, 1) from a order by 1 nulls last;
select id, array_to_string(ts, '/', '-') from a where ts <> '{}' order by id;
