create table t (id int, parent int, name text, n int);
insert into t values (1, null, 'root', 5), (2, 1, 'left', 3), (3, 1, 'right', null), (4, 2, 'leaf', 7), (5, 4, 'deep', 1), (6, null, 'other', 2);

-- Plain
with q as (select 1 as x) select * from q;
with q(a, b) as (select 1, 2) select b, a from q;
with q(a) as (select 1, 2) select * from q;
with q(a, b, c) as (select 1, 2) select * from q;
with a as (select 1 as x), b as (select x + 1 as y from a) select * from a, b;
with a as (select 1 as x), a as (select 2 as x) select * from a;
with q as (select id from t where n > 2) select count(*) from q join q q2 using (id);
with q as (select * from t), r as (select * from q where n is not null) select name from r order by n;
with t as (select 42 as id) select id from t;
with q as (select id from t) select id from q where id > (select avg(id) from q) order by id;
with q as materialized (select id from t), r as not materialized (select id from q) select count(*) from r;
with q as (select 1) select * from nosuch;
with q as (select nosuch from t) select 1;
with unused as (select 1 / 0) select 1;
with q as (values (1, 'a'), (2, 'b')) select column2 from q order by column1;
with q as (select 1 union all select 2) select * from q order by 1 desc;
with q as (select name, row_number() over (order by id) as rn from t) select name from q where rn <= 2 order by rn;
with q as (select parent, count(*) as c from t group by parent) select t.name, q.c from t join q on q.parent = t.id order by t.id;
select (with q as (select 5 as x) select x from q), (with q as (select 6 as x) select x from q);
select * from (with q as (select 1 as x) select x + 1 as y from q) s;
with q as (with r as (select 3 as z) select z from r) select * from q;
with q as (select 1 as x) select * from (with q as (select 2 as x) select * from q) s, q;
with q as (select 1 as x) (select x from q union select 9) order by 1;
with q as (select id from t order by id limit 2) select * from q union all select id + 100 from q order by 1;
select id from t where id in (with q as (select 2 as v union select 4) select v from q) order by id;
with a as (select * from b), b as (select 1 as x) select * from a;
with q as (select 1 as x) select q.x, (select x from q) from q where exists (select 1 from q);
with q as (select * from t where id = 1) select q from q;
with q as (select 1 as x) select x from q order by x limit 1 offset 0;

-- Recursive
with recursive r(n) as (select 1 union all select n + 1 from r where n < 5) select n from r order by n;
with recursive r(n) as (values (1) union select (n + 1) % 4 from r) select n from r order by n;
with recursive r as (select 1 as n, 'a' as s union all select n + 1, s || 'a' from r where n < 4) select * from r order by n;
with recursive tree as (select id, name, 0 as depth, name as path from t where parent is null union all select t.id, t.name, depth + 1, path || '/' || t.name from t join tree on t.parent = tree.id) select id, depth, path from tree order by path;
with recursive up as (select id, parent, name from t where id = 5 union all select t.id, t.parent, t.name from t, up where t.id = up.parent) select name from up order by id;
with recursive fib(a, b) as (select 0, 1 union all select b, a + b from fib where b < 100) select a from fib order by a;
with recursive f(n, v) as (select 1, 1::numeric union all select n + 1, v * (n + 1) from f where n < 20) select v from f where n = 20;
with recursive r as (select 1 as x union all select x from r where false) select * from r;
with recursive r(n) as (select 1 union all select n * 2 from r where n < 1000) select count(*), sum(n), max(n) from r;
with recursive g(a, b) as (values (1, 2), (2, 3), (3, 1), (3, 4)), reach(x) as (select 1 union select g.b from g join reach on g.a = reach.x) select x from reach order by x;
with recursive r as (select id, array[id] as path, false as cyc from t where id = 1 union all select t.id, path || t.id, t.id = any (path) from t join r on t.parent = r.id where not cyc) select id, path from r order by id;
with recursive a as (select 1 as x), b as (select x + 1 as y from a) select y from b;
with recursive r(n) as (select 1 union all select n + 1 from r) select n from r limit 3;
with recursive r(d) as (select date '2024-01-30' union all select d + 1 from r where d < '2024-02-02') select d from r order by d;
with recursive r(n) as (select 1 union all (select n + 1 from r where n < 3)) select sum(n) from r;
with recursive s(n) as (select 1 union all select n + 1 from s where n < 3), u(m) as (select n from s union all select m + 10 from u where m < 20) select m from u order by m;
with recursive r(n, total) as (select 1, 1 union all select n + 1, total + n + 1 from r where n < 10) select max(total) from r;
with recursive r(n) as (select 1 union all select 2 union all select n + 10 from r where n < 15) select n from r order by n;
with recursive r as (select id, parent from t where id = 4 union select t.id, t.parent from t join r on r.parent = t.id or t.parent = r.id) select id from r order by id;
with recursive r(n) as (select 1::numeric union all select n / 2 from r where n > 0.1) select n from r order by n desc;
with recursive r(n) as (select 1 union all select n + 1 from r where n < 3) select a.n, b.n from r a join r b on a.n < b.n order by 1, 2;
with recursive r(n) as (select 1 union all select n + 1 from r where (select count(*) from t) > n) select count(*) from r;
select name, (with recursive c as (select t.id as i union all select x.id from t x join c on x.parent = c.i) select count(*) from c) from t order by id;

-- Recursive errors
with recursive r as (select n from r union all select 1) select * from r;
with recursive r(n) as (select 1 union all select count(*)::int from r) select * from r;
with recursive r(n) as (select 1 union all select n from r a, r b) select * from r;
with recursive r(n) as (select 1 union all select t.id from t left join r on true) select * from r;
with recursive r(n) as (select 1 except select n from r) select * from r;
with recursive r(n) as (select 1 union all select n + 0.5 from r where n < 2) select * from r;
with recursive r(n) as (select 'a' union all select n || 'b' from r where length(n) < 3) select * from r order by 1;
with recursive r(n) as (select 'a'::varchar(1) union all select n || 'b' from r where length(n) < 3) select * from r;
with recursive r(n) as (select 1 union all select n + 1 from r where n in (select n from r)) select * from r;
with recursive r(n) as (select 1 union all select n, 2 from r) select * from r;
with r(n) as (select 1 union all select n + 1 from r) select * from r;
with recursive a as (select 1 as x union all select x from b), b as (select x from a) select * from a;
with recursive r(n) as (select 1 union all select n + 1 from r where n < 3 order by 1) select * from r;
with recursive r(n) as (select n from r) select * from r;

-- Changes in with
with gone as (delete from t where id = 6 returning *) select name from gone;
select count(*) from t;
with made as (insert into t values (7, 1, 'made', 0) returning id, name) select * from made;
with made as (insert into t values (8, 1, 'unseen', 0) returning id) select count(*) from t where id = 8;
select count(*) from t where id = 8;
with changed as (update t set n = coalesce(n, 0) + 1 where id <= 3 returning id, n) select sum(n), count(*) from changed;
-- unordered
with moved as (delete from t where id >= 7 returning *) insert into t select id + 10, parent, name, n from moved returning id;
select id, name from t where id > 10 order by id;
with q as (select max(id) as m from t) insert into t select m + 1, null, 'next', null from q returning *;
with q as (select 1 as i) update t set name = upper(name) from q where t.id = q.i returning name;
with q as (select id from t where id > 10) delete from t using q where t.id = q.id;
select id from t order by id;
with d as (delete from t where id = 5), i as (insert into t values (50, null, 'i', 1)) select count(*) from t;
select id from t order by id;
with d as (delete from t where id = 50) select * from d;
insert into t with q as (select 60 as id) select id, null, 'w', 1 from q returning id, name;
-- unordered
with recursive down as (select id from t where id = 1 union all select t.id from t join down on t.parent = down.id) delete from t where id in (select id from down) returning id;
select count(*) from t;
select (with d as (delete from t returning 1) select count(*) from d);
select * from (with d as (delete from t returning 1) select * from d) s;
