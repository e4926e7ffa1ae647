create table t (id int primary key, g text, n int, f numeric default 1.5);
insert into t values (1, 'a', 10, 1), (2, 'a', 20, 2), (3, 'b', null, 3), (4, null, 40, null), (5, 'b', 50, 5);
create table u (t_id int, v int);
insert into u values (1, 100), (2, 200), (2, 201), (9, 900), (null, 0);

-- Update
update t set n = 11 where id = 1;
update t set n = n + 1;
select id, n from t order by id;
-- unordered
update t set n = n * 2, f = f + n where g = 'a' returning *;
update t set n = id, id = id where id = 3 returning id, n;
update t set (n, f) = (1, 2.5) where id = 4 returning n, f;
update t set (n, f) = row(7, 8.25) where id = 4 returning n, f;
update t set (n, f) = (select v, v / 2.0 from u where t_id = t.id limit 1) where id = 1 returning n, f;
update t set (n, f) = (select 1) where id = 1;
update t set (n, f) = (select v, v from u where t_id = t.id and false) where id = 2 returning n, f;
update t set f = default where id = 5 returning f;
update t set n = null where id = 5 returning n;
update t set n = 1 where false;
update t set n = 1 where id = 99 returning *;
update t set n = 'x' where id = 1;
update t set n = '42' where id = 1 returning n;
update t set n = 2.5 where id = 1 returning n;
update t set nosuch = 1;
update t set n = nosuch;
update nosuch set n = 1;
update t set n = 1, n = 2;
update t set t.n = 1;
update t set n = 1 where nosuch = 2;
update t set n = sum(n);
update t set n = (select max(v) from u) where id = 1 returning n;
update t set n = (select v from u where t_id = 2) where id = 1;
update t set id = 2 where id = 1;
update t set id = id + 10 where id = 1 returning id;
update t set id = id - 10 where id = 11;
update t set id = null where id = 1;
update t as x set n = x.n + 1 where x.id = 1 returning x.n;
update t x set n = t.n where x.id = 1;
update t set n = 5 returning sum(n);
-- unordered
update t set g = upper(g) where g is not null returning id, g;
update t set n = n / 0 where id = 99;
update t set n = n / 0 where id = 1;
update only t set n = 3 where id = 1 returning n;
-- unordered
update t set n = n returning old.n, new.n, old.id;
select count(*) from t;

-- Update from
update t set n = u.v from u where u.t_id = t.id and t.id = 1 returning t.id, t.n, u.v;
-- unordered
update t set n = s.total from (select t_id, sum(v) as total from u group by t_id) s where s.t_id = t.id returning id, n;
update t set n = u.v from u where t.id = 99;
-- unordered
update t set n = b.n from t b where b.id = t.id + 1 and b.n is not null returning t.id, t.n;
update t set n = n from u where u.t_id = t.id;
-- unordered
update t set n = v from u where t_id = id and v < 201 returning id, v;
-- unordered
update t set g = x.k from (values (1, 'one'), (2, 'two')) x(i, k) where x.i = t.id returning t.id, g;
update t set n = a.v + b.v from u a join u b on a.t_id = b.t_id and a.v < b.v where a.t_id = t.id returning t.id, t.n;
-- unordered
update t set n = l.m from u, lateral (select u.v + 1 as m) l where u.t_id = t.id and u.v <> 201 returning t.id, n;
update t set n = t2.n from t t2 where false;
update t set n = u.v from u;
select count(distinct n) from t;
update t set n = 0 from t where t.id = 1;
with s as (select 3 as i, 33 as v) update t set n = s.v from s where s.i = t.id returning t.*;

-- Delete
create table d (id int primary key, k int);
insert into d select g, g % 4 from generate_series(1, 12) g;
delete from d where id = 1;
delete from d where id = 1 returning *;
-- unordered
delete from d where k = 3 returning id;
-- unordered
delete from d where k in (select 2) and id > 5 returning id, k + 1, d.*;
delete from d as x where x.id = 2 returning x.k;
delete from d x where d.id = 4;
delete from d using u where u.t_id = d.id;
delete from d using u where u.t_id = d.id or d.id = 4 returning d.id;
delete from d using d e where d.k = e.k and d.id > e.id;
select id, k from d order by id;
delete from d where nosuch = 1;
delete from nosuch;
delete from d where id in (select max(id) from d) returning id;
delete from d where exists (select 1 from t where t.id = d.id);
delete from d where null;
delete from d where k;
delete d where id = 1;
delete from d returning count(*);
delete from d returning id;
select count(*) from d;
delete from d;
insert into d values (1, 1), (2, 2);
delete from only d where id = 2 returning old.id, old.k, new.id;
with gone as (delete from d returning *) select count(*) from gone;
delete from t using u, (select 2 as two) z where u.t_id = t.id and t.id = two;
delete from t where id = 5 and (select true);
select id from t order by id;

-- A change does not see its own rows
create table s (n int);
insert into s values (1), (2), (3);
insert into s select n + 10 from s;
select n from s order by n;
update s set n = n + (select max(n) from s);
select n from s order by n;
delete from s where n > (select avg(n) from s);
select count(*) from s;
update s set n = (select count(*) from s) returning n;
delete from s where (select count(*) from s) > 1;
select count(*) from s;

-- Truncate
create table tr (id serial, v int);
insert into tr (v) values (1), (2);
truncate tr;
select count(*) from tr;
insert into tr (v) values (3) returning id;
truncate table tr restart identity;
insert into tr (v) values (4) returning id;
truncate tr, s;
select count(*) from tr;
truncate nosuch;
truncate table only tr continue identity;
insert into tr (v) values (5) returning id;
begin;
truncate tr;
select count(*) from tr;
rollback;
select count(*) from tr;
