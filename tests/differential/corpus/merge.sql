create table t (id int primary key, v text, n int default 0);
create table s (id int, v text, act text);
insert into t values (1, 'one', 1), (2, 'two', 2), (3, 'three', 3);
insert into s values (1, 'ONE', 'u'), (2, 'TWO', 'd'), (4, 'FOUR', 'i'), (5, null, 'x');
merge into t using s on t.id = s.id when matched then update set v = s.v when not matched then insert values (s.id, s.v);
select * from t order by id;
merge into t using s on t.id = s.id when matched and s.act = 'd' then delete when matched and s.act = 'u' then update set n = t.n + 10 when not matched and s.act = 'i' then insert (id, v) values (s.id, s.v);
select * from t order by id;
merge into t using s on t.id = s.id when matched and s.act = 'x' then do nothing when matched then update set n = -1;
select * from t order by id;
-- unordered
merge into t using (values (1, 'v1'), (10, 'v10')) x(i, w) on t.id = x.i when matched then update set v = w when not matched then insert (id, v, n) values (i, w, default) returning t.id, t.v, t.n;
-- unordered
merge into t using s on t.id = s.id when not matched by source then delete returning t.id;
select * from t order by id;
merge into t using s on t.id = s.id when not matched by target then insert (id, v) values (s.id, s.act) when not matched by source then update set n = 99 when matched then do nothing;
select * from t order by id;
merge into t as x using s as y on x.id = y.id and y.act = 'u' when matched then update set n = x.n * 2, v = y.v || '!' returning x.*, y.act;
-- unordered
merge into t using s on t.id = s.id when matched then delete returning merge_action(), t.id;
select count(*) from t;
insert into t values (1, 'a', 1), (2, 'b', 2);
merge into t using (select 1 as id union all select 1) x on t.id = x.id when matched then update set n = 5;
merge into t using (select 7 as id union all select 7) x on t.id = x.id when not matched then insert (id) values (x.id);
merge into t using s on t.id = s.id when matched then insert (id) values (1);
merge into t using s on t.id = s.id when not matched then update set n = 1;
merge into t using s on t.id = s.id when matched then update set nosuch = 1;
merge into t using s on t.id = s.id when not matched then insert (id) values (t.id);
merge into t using s on t.nosuch = s.id when matched then delete;
merge into nosuch using s on true when matched then delete;
merge into t using nosuch on true when matched then delete;
merge into t using s on t.id = s.id;
merge into t using t on true when matched then delete;
merge into t using s on t.id = s.id when matched then delete when matched then update set n = 1;
merge into t using s on t.id = s.id when not matched then insert default values;
merge into t using s on t.id = s.id when not matched then do nothing;
merge into t using s on false when not matched and s.id > 4 then insert values (s.id + 100, 'f', 1) returning *;
with q as (select 2 as id, 'with' as v) merge into t using q on t.id = q.id when matched then update set v = q.v returning t.*;
-- unordered
merge into t using s on t.id = s.id when matched then update set (v, n) = (s.v, 42) returning t.id, t.v, t.n;
merge into t using s on t.id = s.id when matched then update set n = default returning n;
-- unordered
merge into t using s on t.id = s.id when matched then update set id = s.id + 50 returning t.id;
select * from t order by id;
merge into t using (select null::int as id) x on t.id = x.id when not matched then insert (id, v) values (0, 'null never matches') returning *;
merge into t using (select 1 as id where false) x on t.id = x.id when matched then delete;
merge into t a using t b on a.id = b.id + 1 when matched then delete;
-- unordered
merge into t using generate_series(1, 3) g on t.id = g when matched then update set n = g when not matched then insert (id, n) values (g, -g) returning merge_action(), id, n;
create table c (id int primary key check (id < 100), v int not null);
merge into c using (values (1, 1), (2, null)) x(i, v) on c.id = x.i when not matched then insert values (i, x.v);
select count(*) from c;
merge into c using (values (500)) x(i) on c.id = x.i when not matched then insert values (i, 1);
merge into c using (values (1), (2)) x(i) on c.id = x.i when not matched then insert values (i, i * 10);
select * from c order by id;
merge into c using (values (1), (2)) x(i) on c.id = x.i when matched and v > 15 then delete when matched then update set v = v + 1;
select * from c;
merge into c using c d on c.id = d.id when matched then update set v = (select max(v) + 1 from c) returning c.v;
