-- Reading and writing
select '1 day'::interval, '2 days 3 hours'::interval, '1 year 2 months 3 days 4 hours 5 minutes 6.789 seconds'::interval, '-1 day'::interval, '1 day ago'::interval, '1-2'::interval, '1 2:03:04'::interval, 'P1Y2M3DT4H5M6S'::interval, 'PT0.5S'::interval, '3 4:05'::interval;
select '1.5 days'::interval, '1.5 months'::interval, '0.5 years'::interval, '1.25 hours'::interval, '2 weeks'::interval, '1 decade'::interval, '1 century'::interval, '1 millennium'::interval, '100 ms'::interval, '5 us'::interval;
select interval '1' day, interval '2' hour, interval '1:30' hour to minute, interval '10' second, interval '1-6' year to month, interval '5', interval '1.5';
select interval '1 day 25 hours', interval '100 hours', interval '14 months', interval '40 days', interval '1 month -1 day', interval '-1 month +1 day', interval '1 day -00:00:01', interval '-00:30';
select interval '0', interval '0 days', interval '00:00', interval '1 second', interval '0.000001 second', interval '-0.5 second', interval '59.999999 seconds';
select interval '1 y 2 mon 3 w 4 d 5 h 6 m 7 s', interval '1 yr', interval '@ 1 minute', interval '@ 1 minute ago', interval '1 DAY';
select 'infinity'::interval, '-infinity'::interval, 'infinity'::interval > '1000 years';
select ''::interval;
select 'x'::interval;
select '1 fortnight'::interval;
select '1 day 1 day'::interval;
select '200000000 years'::interval;
select 'P1X'::interval;

-- Equality is of thirty-day months and twenty-four-hour days
select interval '1 month' = interval '30 days', interval '1 day' = interval '24 hours', interval '1 year' = interval '360 days', interval '1 year' > interval '365 days', interval '1 month' < interval '31 days';
select count(distinct i) from (values (interval '1 month'), ('30 days'), ('720 hours'), ('31 days')) v(i);
select i from (values (interval '1 month'), ('29 days'), ('31 days'), ('-1 day'), (null), ('1 second')) v(i) order by i;
select max(i), min(i), sum(i), avg(i) from (values (interval '1 month'), ('1 day'), ('01:00')) v(i);

-- Arithmetic
select interval '1 day' + interval '1 hour', interval '1 day' - interval '1 hour', interval '1 month' - interval '1 day', -interval '1 month 2 days 03:00', + interval '1 day';
select interval '1 day' * 2, interval '1 month' * 1.5, 2 * interval '1 hour', interval '1 day' * 0.5, interval '1 month' / 3, interval '1 year' / 5, interval '1 day' / 7, interval '1 hour' / 3, interval '1 day' * -1;
select interval '1 day' / 0;
select interval '1 day' * 1e20::float8;
select interval '1 day' * interval '1 day';
select interval '1 month 15 days' * 0.1, interval '1 day 10:00' * 1.1, interval '10 months' / 4.0, interval '1 year 1 day' / 2;
select justify_days('35 days'), justify_hours('50 hours'), justify_interval('1 month -1 hour'), justify_interval('60 days 30 hours'), justify_days('-35 days'), justify_hours('-50 hours');
select interval '1 day'::text, interval '1 day'::time, interval '-1 hour'::time, interval '1 mon 2 days'::varchar(5);
select interval '1 day' > '23 hours', interval '1 day' between '1 hour' and '2 days', interval '1 day' in ('24 hours');
select isfinite(interval '1 day'), isfinite(interval 'infinity'), interval 'infinity' + '1 day', -interval 'infinity';
select interval 'infinity' - interval 'infinity';
select interval '10.123456 seconds'::interval(2), interval(0) '10.6 seconds', interval '1.999 second'::interval(0);
select timestamp '2024-01-31' + interval '1 month' + interval '1 month', timestamp '2024-01-31' + interval '2 months', timestamp '2024-01-31' + (interval '1 month' + interval '1 day');
select timestamp '2024-03-31 10:00' - interval '1 month 10 hours', date '2024-01-01' - interval '1 second', interval '1 day' + date '2024-01-01', time '10:00' - interval '11 hours', interval '1 hour' + time '23:30';

-- In tables
create table w (id int, i interval);
insert into w values (1, '1 day'), (2, '24:00'), (3, '1 month'), (4, '30 days'), (5, null), (6, '-5 min');
select i, count(*) from w group by i order by i nulls first, 2;
select a.id, b.id from w a join w b on a.i = b.i and a.id < b.id order by 1;
select id from w where i > '1 hour' order by i, id;
select sum(i), avg(i), max(i) from w where id <= 2;
select id, i * id from w order by id;
select distinct on (i) id from w order by i, id;
select i from w where i < '0' order by i;
select id, extract(epoch from i) from w order by id;
update w set i = i + '1 hour' where id = 2;
select id, i, justify_interval(i), i::text || '!' from w order by id;
