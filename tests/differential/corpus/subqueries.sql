create table a (id int, x int, s text);
create table b (id int, a_id int, y int);
insert into a values (1, 10, 'p'), (2, 20, 'q'), (3, null, null), (4, 10, 'r');
insert into b values (1, 1, 5), (2, 1, 15), (3, 2, null), (4, null, 10), (5, 9, 20);

-- Scalar
select (select 1), (select null), (select 'x' where false), (select max(x) from a), (select count(*) from b where false);
select id, (select max(y) from b where b.a_id = a.id) from a order by id;
select id, (select count(*) from b where b.a_id = a.id) as n from a order by n desc, id;
select id from a where x = (select min(x) from a) order by id;
select id from a where x > (select avg(x) from a) order by id;
select id, (select y from b where b.id = a.id) from a order by id;
select (select y from b);
select (select 1, 2);
select id, (select y from b where b.a_id = a.id) from a order by id;
select (select x from a where id = 99) is null;
select 1 + (select 2) * (select 3), -(select 5), (select 1) || 'x', (select 1) between (select 0) and (select 2);
select (select (select (select 42)));
select (select a.x) from a order by 1;
select id, (select (select a.x + b.y from b where b.id = 1) + a.id) from a order by id;
select coalesce((select y from b where id = 99), -1), case when (select true) then 'y' end;
select (select array_agg(id order by id) from a), (select string_agg(s, ',' order by s) from a), (select row(1, 'x'));

-- In
select id from a where id in (select a_id from b) order by id;
select id from a where id not in (select a_id from b) order by id;
select id from a where id not in (select a_id from b where a_id is not null) order by id;
select id from a where x in (select y from b) order by id;
select id from a where x not in (select y from b where y < 20) order by id;
select id from a where null in (select 1) or id = 1 order by id;
select 1 in (select 1), 1 in (select null::int), 1 in (select 1 where false), null in (select 1), null in (select 1 where false), 1 not in (select 1 where false), null not in (select 1 where false);
select id from a where (id, x) in (select a_id, y from b union select 2, 20) order by id;
select id from a where (id, x) not in (select 1, 10) order by id;
select id from a where (id, x) in ((1, 10), (2, null), (4, 10)) order by id;
select id from a where id in (select id from a where x in (select y from b where b.a_id is null)) order by id;
select id from a where x in (select y + 5 from b where b.a_id = a.id) order by id;
select id from a where id in (select a_id from b group by a_id having count(*) > 1);
select id from a where id in (select a_id from b order by y desc nulls last limit 3) order by id;
select 1 in (select 1, 2);
select (1, 2) in (select 1);
select 1 in (select 'a');
select id in (select a_id from b) from a order by id;
select id not in (select a_id from b) from a order by id;
select count(*) from a where s in (select chr(112 + g) from generate_series(0, 5) g);

-- Exists
select id from a where exists (select 1 from b where b.a_id = a.id) order by id;
select id from a where not exists (select 1 from b where b.a_id = a.id) order by id;
select id from a where exists (select from b where b.a_id = a.id and b.y > a.x) order by id;
select exists (select 1 from a where false), not exists (select * from a), exists (select 1 / 0 from a);
select id, exists (select 1 from b where b.y = a.x) from a order by id;
select id from a where exists (select 1 from b where b.a_id = a.id or b.y = a.x) order by id;
select id from a where exists (select 1 from b where b.a_id = a.id) = (x = 10) order by id;
select id from a where exists (select 1 from b x where x.a_id = a.id and exists (select 1 from b z where z.a_id = x.a_id and z.id <> x.id)) order by id;
select id from a where exists (select max(y) from b where false) order by id;
select id from a where exists (select 1 from b where b.a_id = a.id limit 0) order by id;
select id from a where exists (select 1 from b where a_id = a.id offset 1) order by id;
select count(*) from a where exists (select 1 from b where b.y > a.x - 10 and b.a_id is not null);

-- Any and all
select id from a where x > any (select y from b where y is not null) order by id;
select id from a where x > all (select y from b where y < 10) order by id;
select id from a where x >= all (select x from a where x is not null) order by id;
select id from a where x <> all (select y from b) order by id;
select id from a where x = any (select y from b) order by id;
select 1 > all (select 1 where false), 1 > any (select 1 where false), null > all (select 1 where false), 1 < all (select x from a), 1 < any (select x from a), 100 < any (select x from a), 10 = some (select x from a);
select id from a where (id, x) = any (select a_id, y + 5 from b) order by id;
select id from a where (id, x) > all (select 1, 5) order by id;
select id from a where x < any (select y from b where b.a_id <> a.id) order by id;
select id from a where x not in (select 20) and s <> all (select 'p') order by id;
select 1 = any (select 'a');
select 1 = any (select 1, 2);

-- Rows
select (1, 2) = (1, 2), (1, 2) < (1, 3), (1, null) = (1, 2), (1, null) = (2, null), (1, 2) < (2, null), (2, null) > (1, 5), (1, 2) <> (1, null), (1, 2) <> (2, null);
select row(1, 2) = row(1, 2), row(1, 'a') < row(1, 'b'), (1, 2) is null, row(null, null) is null, row(null, 1) is null, row(null, 1) is not null, (1, 2) is not null, row() is null;
select (1, 2) is distinct from (1, null), (1, null) is not distinct from (1, null), (select row(1, 2)) = row(1, 2), row(1, 2) in (row(1, 2), row(3, 4)), (1, 2) between (1, 1) and (1, 3);
select (1, 2) = (1, 2, 3);
select (id, x) = (select a_id, y + 5 from b where b.id = 1) from a order by id;
select (1, 2) = (select 1);
select (1, 2) = (select a_id, y from b);
select row(1, 'x', null, 1.50, true), row(a.*), row(a.id, a.s) from a order by id;
select a from a order by a desc;
select (a).x, (a).s from a where id = 1;
select (a).nosuch from a;
select a.x from a where a = row(1, 10, 'p');
select a.x from a where a = row(1, 10, 'p'::text);
select a.x from a where a > row(1, 10, 'p'::text) order by a.id;
select a, b from a left join b on a.id = b.a_id order by a.id, b.id;
select a is null, a is not null from a order by id;
select (b).y from (select b from b where id < 3) s order by 1;

-- In from
select * from (select id, x * 2 as d from a) t where d > 20 order by id;
select t.id, t.n from (select a_id as id, count(*) as n from b group by a_id) t order by t.id nulls last;
select max(n) from (select count(*) as n from b group by a_id) t;
select * from (select * from (select * from a) u) v order by id limit 1;
select * from (values (1, 'x'), (2, 'y')) v order by 1;
select * from (select id from a limit 2) t(q), (select 5 as w) z order by q;
select * from (select 1);
select x.* from (select 1 as p, 2 as q) x;
select sub.id from (select id from a where x = 10 order by id desc limit 1) sub;
select * from (select a.id, b.y from a left join b on b.a_id = a.id) t where y is null order by id;
select count(*) from (select distinct x from a) t;
select * from (select id, sum(x) over (order by id) as s from a) t where s > 10 order by id;
select * from (table a) t order by id;
select * from (select 1 union select 2) t(v) order by v desc;
select a.id from a where a.id = (select max(b.a_id) from b where b.a_id in (select id from a a2 where a2.x >= a.x)) order by 1;

-- In other places
select x, count(*) from a group by x having count(*) > (select 1) order by x;
select id from a order by (select y from b where b.id = a.id) nulls first, id;
select id from a order by id limit (select 2) offset (select 1);
select x, sum((select count(*) from b where b.a_id = a.id)) from a group by x order by x;
select count(*) filter (where exists (select 1 from b where b.a_id = a.id)) from a;
select (select sum(a.x) from b) from a order by 1;
select (select count(*) from b where b.y > max(a.x)) from a;
select (select max(y) from b where b.id = max(a.id)) from a;
select x, (select max(y) from b where b.id = a.x / 10) from a group by x order by x;
select x, (select s) from a group by x;
select case when id in (select a_id from b) then 'has' else 'none' end, count(*) from a group by 1 order by 1;
select id from a where (case when exists (select 1 from b where b.a_id = a.id) then x else 0 end) = 0 order by id;
select array(select y from b where b.a_id = a.id order by y) from a order by id;
select id, array_length(array(select b.id from b where b.y >= a.x), 1) from a order by id;
update a set x = (select max(y) from b where b.a_id = a.id) where id = 1 returning x;
update a set x = (select y from b where b.a_id = a.id) where id = 1;
delete from b where y = (select max(y) from b) returning id;
insert into a select max(id) + 1, (select count(*) from b), 'new' from a returning *;
insert into a values ((select max(id) + 1 from a), 1, (select s from a where id = 2)) returning *;
select nosuch from (select id from a) t;
select id from (select id from a) t where x = 1;
select (select id from b where b.nosuch = 1) from a;
select t.id from (select id from a) t where t.id in (select t.id from b where b.id = 1) order by 1;
select id from a where (select x) = 10 order by id;
select count(*) from a where id in (select a_id from b) or id in (select y from b) or x is null;
select id from a where not (id in (select a_id from b) and x > 5) order by id;
