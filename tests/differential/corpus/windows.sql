create table w (id int, g text, x int, f numeric, d date);
insert into w values (1, 'a', 10, 1.5, '2024-01-01'), (2, 'a', 20, 2.5, '2024-01-02'), (3, 'a', 20, null, '2024-01-04'), (4, 'b', 5, 0, '2024-01-04'), (5, 'b', null, 4, '2024-01-10'), (6, 'b', 15, -1, null), (7, null, 7, 3.25, '2024-02-01');

-- Ranking
select id, row_number() over (order by id) from w order by id;
select id, row_number() over (order by id desc) from w order by id;
select id, row_number() over (partition by g order by id) from w order by id;
select id, x, rank() over (order by x), dense_rank() over (order by x) from w order by id;
select id, rank() over (partition by g order by x desc) from w order by id;
select id, rank() over (order by x nulls first), rank() over (order by x desc nulls last) from w order by id;
select id, percent_rank() over (order by x), cume_dist() over (order by x) from w order by id;
select id, percent_rank() over (partition by g order by x), cume_dist() over (partition by g order by x) from w order by id;
select id, ntile(3) over (order by id), ntile(10) over (order by id), ntile(1) over (order by id) from w order by id;
select ntile(0) over (order by id) from w;
select ntile(null) over (order by id) from w;
select id, rank() over (), row_number() over () is not null from w order by id;
select id, rank() over (order by g, x desc) from w order by id;
select id, dense_rank() over (order by x / 10) from w order by id;

-- Offsets
select id, lag(x) over (order by id), lead(x) over (order by id) from w order by id;
select id, lag(x, 2) over (order by id), lead(x, 2) over (order by id), lag(x, 0) over (order by id) from w order by id;
select id, lag(x, 1, -1) over (order by id), lead(x, 1, 0) over (partition by g order by id) from w order by id;
select id, lag(x, -1) over (order by id), lead(x, -1) over (order by id) from w order by id;
select id, lag(x, null) over (order by id), lag(x, id - 1, 99) over (order by id) from w order by id;
select id, lag(g, 1, 'none') over (order by id), lag(f, 1, 0) over (order by id) from w order by id;
select lag(x, 1, 'z') over (order by id) from w;
select id, first_value(x) over (order by id), last_value(x) over (order by id), nth_value(x, 2) over (order by id) from w order by id;
select id, first_value(x) over (partition by g order by x desc nulls last), last_value(x) over (partition by g order by x rows between unbounded preceding and unbounded following) from w order by id;
select id, nth_value(x, 2) over (order by id rows between unbounded preceding and unbounded following), nth_value(x, 9) over (order by id) from w order by id;
select nth_value(x, 0) over (order by id) from w;
select id, nth_value(x, null) over (order by id) from w order by id;

-- Aggregates over windows
select id, sum(x) over (), count(*) over (), avg(x) over (), min(x) over (), max(x) over () from w order by id;
select id, sum(x) over (order by id), count(x) over (order by id), count(*) over (order by id) from w order by id;
select id, sum(x) over (order by x) from w order by id;
select id, sum(x) over (partition by g), sum(x) over (partition by g order by id) from w order by id;
select id, avg(f) over (order by id), sum(f) over (partition by g order by f) from w order by id;
select id, min(x) over (order by id), max(x) over (order by id), min(g) over (order by id desc), max(d) over (order by id) from w order by id;
select id, count(*) filter (where x > 8) over (order by id), sum(x) filter (where g = 'a') over () from w order by id;
select id, string_agg(g, '-') over (order by id), array_agg(x) over (partition by g order by id) from w order by id;
select id, bool_and(x > 5) over (order by id), bool_or(x is null) over (order by id), jsonb_agg(x) over (order by id) from w order by id;
select id, stddev(x) over (order by id), variance(x) over (partition by g) from w order by id;
select id, sum(sum(x)) over (order by id) from w group by id order by id;
select g, sum(x), sum(sum(x)) over (), rank() over (order by sum(x) desc nulls last) from w group by g order by g;
select g, count(*), row_number() over (order by count(*) desc, g) from w group by g having count(*) > 1 order by g;
select id, sum(distinct x) over () from w;
select id, count(distinct g) over (order by id) from w;

-- Frames: rows
select id, sum(x) over (order by id rows between 1 preceding and 1 following) from w order by id;
select id, sum(x) over (order by id rows 2 preceding), count(*) over (order by id rows between 1 following and 2 following) from w order by id;
select id, sum(id) over (order by id rows between unbounded preceding and 1 preceding), sum(id) over (order by id rows between current row and unbounded following) from w order by id;
select id, count(*) over (order by id rows between 3 preceding and 2 preceding), max(id) over (order by id rows between 2 following and unbounded following) from w order by id;
select id, first_value(id) over (order by id rows between 1 preceding and current row), last_value(id) over (order by id rows between current row and 1 following) from w order by id;
select id, min(x) over (order by id rows between 1 preceding and 1 following), max(x) over (order by id rows between 1 preceding and 1 following) from w order by id;
select id, sum(id) over (order by id rows between 0 preceding and 0 following), count(*) over (rows between unbounded preceding and unbounded following) from w order by id;
select sum(id) over (order by id rows between 1 following and 1 preceding) from w;
select id, count(*) over (order by id rows between 1 preceding and 2 preceding) from w order by id;
select sum(id) over (order by id rows between unbounded following and current row) from w;
select sum(id) over (order by id rows between current row and unbounded preceding) from w;
select sum(id) over (order by id rows -1 preceding) from w;
select sum(id) over (order by id rows null preceding) from w;
select sum(id) over (order by id rows id preceding) from w;
select id, sum(id) over (order by id rows between 1 preceding and 1 following exclude current row) from w order by id;
select id, array_agg(id) over (order by x rows between unbounded preceding and unbounded following exclude ties) from w where x in (20, 5, 10) and id <> 3 order by id;
select id, sum(id) over (order by x rows between unbounded preceding and current row exclude no others) from w where id <> 3 order by id;

-- Frames: range
select id, sum(x) over (order by x range between 5 preceding and current row) from w order by id;
select id, count(*) over (order by x range between 5 preceding and 5 following) from w order by id;
select id, count(*) over (order by x desc range between 5 preceding and 5 following) from w order by id;
select id, count(*) over (order by x nulls first range between 5 preceding and current row) from w order by id;
select id, sum(id) over (order by f range between 1.5 preceding and 1.5 following) from w order by id;
select id, count(*) over (order by d range between interval '2 days' preceding and current row) from w order by id;
select id, sum(id) over (order by x range between current row and unbounded following), sum(id) over (order by x range unbounded preceding) from w order by id;
select id, sum(id) over (order by x range between unbounded preceding and 1 preceding), count(*) over (order by x range between 1 following and 10 following) from w order by id;
select id, count(*) over (order by x range between 1 preceding and 1 following exclude group), count(*) over (order by x range between unbounded preceding and unbounded following exclude ties), count(*) over (order by x range between unbounded preceding and unbounded following exclude current row) from w order by id;
select sum(x) over (order by x, id range between 1 preceding and current row) from w;
select sum(x) over (order by g range between 1 preceding and current row) from w;
select sum(x) over (order by x range between -1 preceding and current row) from w;
select sum(x) over (range between 1 preceding and current row) from w;
select id, last_value(id) over (order by x) from w where id not in (2, 3) order by id;

-- Frames: groups
select id, sum(id) over (order by x groups between 1 preceding and current row) from w order by id;
select id, count(*) over (order by x groups between current row and 1 following), array_length(array_agg(id) over (order by x groups between 1 preceding and 1 following exclude group), 1) from w order by id;
select id, sum(id) over (order by x desc nulls last groups between unbounded preceding and 1 preceding) from w order by id;
select sum(id) over (groups 1 preceding) from w;

-- Named windows
select id, sum(x) over v, count(*) over v from w window v as (partition by g order by id) order by id;
select id, sum(x) over (v order by id), max(x) over v from w window v as (partition by g) order by id;
select id, sum(id) over (v rows 1 preceding) from w window v as (order by id) order by id;
select id, rank() over u from w window v as (partition by g), u as (v order by x) order by id;
select id, sum(x) over nosuch from w;
select id, sum(x) over (v partition by g) from w window v as (order by id);
select id, sum(x) over (v order by x) from w window v as (order by id);
select id, sum(x) over (v) from w window v as (order by id rows 1 preceding);
select 1 from w window v as (order by id), v as (order by g);

-- Where windows may stand
select id from w where row_number() over (order by id) = 1;
select g from w group by g having rank() over (order by g) = 1;
select id from w order by row_number() over (order by id desc);
select id, rank() over (order by id) + 1 as r from w order by r desc limit 2;
select distinct count(*) over (partition by g) from w order by 1;
select id, sum(row_number() over (order by id)) from w group by id;
select row_number() over (order by row_number() over (order by id)) from w;
select row_number() from w;
select sum(x) over (order by 1), sum(x) over (order by id + 0) from w order by id limit 2;
select id, case when row_number() over (order by id) % 2 = 0 then 'even' else 'odd' end from w order by id;
select * from (select id, row_number() over (partition by g order by x desc nulls last) as rn from w) t where rn = 1 order by id;
select id, x - lag(x) over (order by id) as diff, x::numeric / sum(x) over () as share from w order by id;
select id, sum(count(*)) over (order by id), first_value(max(x)) over (order by id) from w group by id order by id;
select g, id, row_number() over (order by g nulls first, id desc) from w order by 3;
select id, lower(g) over (order by id) from w;
select rank(x) over (order by id) from w;
select count(*) over (partition by g, x % 2), count(*) over (partition by x % 2) from w order by id;
select id, percentile_cont(0.5) within group (order by x) over () from w;
select id, row_number() over (partition by true order by id), sum(1) over (partition by null order by id) from w order by id;
select x, count(*) over (order by x nulls first) from w order by x nulls first;
-- unordered
select sum(n) over (order by n) from generate_series(1, 5) n;
select id, sum(x) over (order by id) from w where false;
select count(*) over () from w where id > 3 limit 2;
select g, x, row_number() over (partition by g order by x) from w where g = 'a' and id <> 3 union all select 'z', 0, 0 order by 1, 2;
select id, (select sum(x) over () from w i where i.id = w.id) from w order by id;
select sum(x) over (partition by g order by id), g from w order by g nulls first, id;
select id, max(id) over (order by d range between interval '1 month' preceding and interval '1 day' preceding) from w order by id;
