-- Reading and canonical forms
select '[1,5)'::int4range, '[1,5]'::int4range, '(1,5)'::int4range, '(1,5]'::int4range, '[1,1]'::int4range, '[1,1)'::int4range, '(1,2)'::int4range, 'empty'::int4range, '[,5)'::int4range, '[1,)'::int4range, '(,)'::int4range;
select '[1.5,2.5]'::numrange, '(1.5,2.5)'::numrange, '[1.0,1.0]'::numrange, '[1,1)'::numrange, '[2024-01-01,2024-01-31]'::daterange, '(2024-01-01,)'::daterange, '[2024-01-01 10:00,2024-01-01 12:00)'::tsrange, '[1,9223372036854775806]'::int8range, ' [ 1 , 5 ) '::int4range;
select '[-infinity,infinity]'::daterange, '["2024-01-01 10:00","2024-01-02"]'::tsrange, '[infinity,)'::tsrange;
select '[5,1]'::int4range;
select '[1,5'::int4range;
select '1,5'::int4range;
select '[a,b]'::int4range;
select '[1,2,3]'::int4range;
select ''::int4range;
select '[1,2147483647]'::int4range;
select '[1,99999999999)'::int4range;
select int4range(1, 5), int4range(1, 5, '[]'), int4range(1, 5, '()'), int4range(null, 5), int4range(1, null), int4range(null, null), int4range(3, 3), numrange(1.5, 2.5), daterange('2024-01-01', '2024-02-01'), tsrange('2024-01-01', '2024-02-01', '[]'), int8range(1, 2);
select int4range(5, 1);
select int4range(1, 5, 'x');
select int4range(1, 5, null);

-- Operators
select int4range(1, 10) @> 5, int4range(1, 10) @> 10, int4range(1, 10) @> int4range(2, 5), 5 <@ int4range(1, 10), int4range(2, 3) <@ int4range(1, 10), int4range(1, 10) @> 'empty'::int4range, 'empty'::int4range <@ 'empty'::int4range, int4range(1, null) @> 1000;
select int4range(1, 5) && int4range(4, 8), int4range(1, 5) && int4range(5, 8), int4range(1, 5) && 'empty'::int4range, int4range(null, 5) && int4range(3, null), numrange(1, 2, '[]') && numrange(2, 3);
select int4range(1, 3) << int4range(5, 8), int4range(5, 8) >> int4range(1, 3), int4range(1, 5) << int4range(5, 8), int4range(1, 5) &< int4range(3, 8), int4range(3, 8) &> int4range(1, 5), int4range(1, 5) -|- int4range(5, 8), int4range(1, 4) -|- int4range(5, 8), 'empty'::int4range << int4range(1, 2);
select int4range(1, 5) + int4range(4, 8), int4range(1, 5) + int4range(5, 8), int4range(1, 5) * int4range(4, 8), int4range(1, 5) * int4range(6, 8), int4range(1, 10) - int4range(5, 20), int4range(1, 10) - int4range(-5, 3), int4range(1, 10) - int4range(1, 10), int4range(1, 5) - int4range(7, 8);
select int4range(1, 3) + int4range(5, 8);
select int4range(1, 10) - int4range(3, 5);
select int4range(1, 5) = '[1,4]', int4range(1, 5) <> int4range(1, 6), int4range(1, 5) < int4range(2, 3), int4range(1, 5) < int4range(1, 6), 'empty'::int4range < int4range(1, 2), int4range(null, 1) < int4range(0, 1), int4range(1, null) > int4range(1, 100), numrange(1, 2, '[)') < numrange(1, 2, '[]'), numrange(1, 2, '[]') < numrange(1, 2, '(]');
select numrange(1.0, 2.0) = numrange(1.00, 2.0), numrange(1.0, 5) @> 1.00, '[1,2)'::numrange * '[1.5,3)'::numrange, range_merge(int4range(1, 3), int4range(7, 9)), range_merge('empty'::int4range, int4range(1, 2));
select int4range(1, 5) && int8range(1, 5);
select int4range(1, 5) @> 'x';
select daterange('2024-01-01', '2024-01-31', '[]') @> date '2024-01-31', daterange('2024-01-01', null) @> date '2030-01-01', tsrange('2024-01-01', '2024-01-02') @> timestamp '2024-01-01 23:59', daterange('2024-01-01', '2024-01-03') && daterange('2024-01-02', '2024-01-05'), '2024-01-01'::date <@ '[2024-01-01,2024-01-02)'::daterange;

-- Functions
select lower(int4range(1, 5)), upper(int4range(1, 5)), lower('empty'::int4range), upper(int4range(1, null)), isempty(int4range(1, 1)), isempty(int4range(1, 2)), lower_inc(int4range(1, 5)), upper_inc(int4range(1, 5)), upper_inc(numrange(1, 5, '[]')), lower_inf(int4range(null, 5)), upper_inf(int4range(1, 5)), lower_inf('(,)'::numrange), lower_inc('empty'::int4range);
select lower(daterange('2024-01-01', '2024-01-31', '(]')), upper(daterange('2024-01-01', '2024-01-31', '[]')), upper(tsrange('2024-01-01', '2024-01-02')) - lower(tsrange('2024-01-01', '2024-01-02')), upper(int4range(1, 9)) - lower(int4range(1, 9));
select pg_typeof(int4range(1, 2)), pg_typeof(lower(daterange('2024-01-01', null))), int4range(1, 5)::text, '[1,3)'::text::int4range, upper_inf('[2024-01-01,infinity)'::daterange);

-- Tables
create table r (id int, i int4range, n numrange, d daterange);
insert into r values (1, '[1,5]', '[1.5,2]', '[2024-01-01,2024-01-31]'), (2, '[5,10)', '(,0)', '[2024-01-15,2024-02-15)'), (3, 'empty', 'empty', 'empty'), (4, null, null, null), (5, '(,3]', '[1.50,2.0]', '[2024-03-01,)');
select * from r order by id;
select id from r where i @> 5 order by id;
select id from r where i && '[2,4]' order by id;
select id from r where d @> date '2024-01-20' order by id;
select a.id, b.id from r a join r b on a.i && b.i and a.id < b.id order by 1, 2;
select i from r order by i nulls first;
select n, count(*) from r group by n order by n;
select id, lower(i), upper(i), upper(i) - lower(i) from r order by id;
select id from r where isempty(i) is not true order by id;
select id, i * '[2,6)' from r order by id;
select count(distinct n), count(i) from r;
update r set i = i + '[6,8)' where id = 1 returning i;
update r set i = int4range(lower(i), upper(i), '[]') where id = 2 returning i;
insert into r (id, i) values (6, '[9,1]');
insert into r (id, d) values (7, '[2024-02-30,)');
select max(upper(i)), min(lower(d)) from r;
select id from r where i = 'empty' or d = 'empty' order by id;
select distinct lower_inc(n) from r order by 1;
select id from r where n @> 1.75 order by id;
select i from r where i < '[5,6)' order by i;
