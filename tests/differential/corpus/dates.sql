-- Reading and writing dates
select '2024-02-29'::date, date '2024-01-31', '20240115'::date, 'January 8, 1999'::date, '8 Jan 1999'::date, 'Jan-08-1999'::date, '1999.008'::date, 'J2451187'::date;
select '1/8/1999'::date, '1999-1-8'::date, '0001-01-01'::date, '9999-12-31'::date, '0044-03-15 BC'::date, '5874897-12-31'::date, '4714-11-24 BC'::date;
select 'infinity'::date, '-infinity'::date, 'epoch'::date;
select '2023-02-29'::date;
select '2024-13-01'::date;
select '2024-00-10'::date;
select '2024-04-31'::date;
select '0000-01-01'::date;
select 'hello'::date;
select ''::date;
select '5874898-01-01'::date;
select '2024-02-29'::date + 1, '2024-02-29'::date - 1, 7 + '2024-01-01'::date, '2024-03-01'::date - '2024-02-01'::date, '2024-01-01'::date - '2025-01-01'::date;
select '2024-01-31'::date + interval '1 month', '2024-03-31'::date - interval '1 month', '2024-01-01'::date + time '10:30', '2024-01-01'::date + interval '25 hours';
select '5874897-12-31'::date + 1;
select 'infinity'::date + 1, 'infinity'::date = 'infinity', '-infinity'::date < '2024-01-01', isfinite('infinity'::date), isfinite('2024-01-01'::date);
select 'infinity'::date - '2024-01-01'::date;
select '2024-01-01'::date = '2024-01-01'::timestamp, '2024-01-01'::date < '2024-01-01 00:00:01'::timestamp, '2024-01-01'::date::timestamp, '2024-01-01 23:59:59'::timestamp::date;
select '2024-01-01'::date + 1.5;
select '2024-01-01'::date * 2;
select '2024-01-01'::date + '2024-01-01'::date;
select pg_typeof('2024-01-01'::date + 1), pg_typeof('2024-01-01'::date - '2024-01-01'::date), pg_typeof('2024-01-01'::date + interval '1 day'), pg_typeof('2024-01-01'::date + time '1:00');

-- Timestamps
select '2024-01-01 12:34:56'::timestamp, '2024-01-01T12:34:56'::timestamp, '2024-01-01 12:34'::timestamp, '2024-01-01'::timestamp, '2024-01-01 12:34:56.789'::timestamp, '2024-01-01 12:34:56.1234567'::timestamp, '2024-01-01 24:00:00'::timestamp;
select '2024-01-01 12:34 PM'::timestamp, '2024-01-01 12:34 AM'::timestamp, '2024-01-01 1:02:03 pm'::timestamp, 'Jan 1 2024 13:00'::timestamp, '2024-01-01 23:59:60'::timestamp;
select 'infinity'::timestamp, '-infinity'::timestamp, 'epoch'::timestamp, '0001-01-01 00:00:00 BC'::timestamp, '294276-12-31 23:59:59.999999'::timestamp;
select '2024-01-01 25:00'::timestamp;
select '2024-01-01 12:60'::timestamp;
select '2024-01-01 12:34:61'::timestamp;
select '294277-01-01'::timestamp;
select 'now and then'::timestamp;
select '2024-01-31 10:00'::timestamp + interval '1 month', '2024-01-31 10:00'::timestamp - interval '1 month 1 day', '2024-03-10 12:00'::timestamp - '2024-03-09 10:30'::timestamp, '2024-03-10'::timestamp - '2024-03-09 10:30'::timestamp;
select '2024-12-31 23:59:59.999999'::timestamp + interval '1 microsecond', '2024-02-29'::timestamp + interval '1 year', '2024-02-29'::timestamp + interval '4 years', '2024-03-31'::timestamp + interval '-1 month';
select 'infinity'::timestamp + interval '1 day', 'infinity'::timestamp > '2024-01-01', '-infinity'::timestamp = '-infinity';
select '2024-01-01 10:00'::timestamp = '2024-01-01 10:00:00.000000', '2024-01-01'::timestamp < '2024-01-01 00:00:00.000001', '2024-01-01'::timestamp between '2023-12-31' and '2024-01-02';
select timestamp '2024-01-01 10:00' at time zone 'UTC' at time zone 'UTC';
select (timestamp '2024-01-01', interval '2 days') overlaps (timestamp '2024-01-02', timestamp '2024-01-05'), (date '2024-01-01', date '2024-01-02') overlaps (date '2024-01-02', date '2024-01-03'), (date '2024-01-01', date '2024-01-01') overlaps (date '2024-01-01', date '2024-01-02');
select timestamp '2024-01-01 10:20:30.456789'::time, timestamp '2024-01-01 10:20:30'::text, timestamp(2) '2024-01-01 10:20:30.456789', timestamp(0) '2024-01-01 10:20:30.5', '2024-01-01 10:20:30.456789'::timestamp(3);

-- Times
select '10:20:30'::time, '10:20'::time, '102030'::time, '10:20:30.5'::time, '12:00 am'::time, '11:59 PM'::time, '24:00'::time, '00:00'::time, '10:20:30.4567891'::time;
select '25:00'::time;
select '10:60'::time;
select 'x'::time;
select '10:00'::time + interval '2 hours', '23:00'::time + interval '2 hours', '01:00'::time - interval '2 hours', '10:00'::time - '08:30'::time, '10:00'::time + interval '1 day';
select '10:00'::time < '11:00', '24:00'::time > '23:59', '10:00'::time = '10:00:00.0', '10:00'::time::interval, interval '25 hours'::time, '10:20:30.567'::time(1), time(0) '10:20:30.6';
select '10:00'::time + '11:00'::time;
select '10:00'::time * 2;

-- extract and date_part
select extract(year from date '2024-02-29'), extract(month from date '2024-02-29'), extract(day from date '2024-02-29'), extract(dow from date '2024-02-29'), extract(isodow from date '2024-03-03'), extract(doy from date '2024-02-29'), extract(week from date '2024-12-30'), extract(isoyear from date '2024-12-30'), extract(quarter from date '2024-05-01');
select extract(century from date '2000-12-31'), extract(century from date '2001-01-01'), extract(decade from date '1999-01-01'), extract(millennium from date '2001-01-01'), extract(epoch from date '1970-01-02'), extract(julian from date '2024-01-01'), extract(year from date '0044-03-15 BC'), extract(century from date '0001-01-01 BC');
select extract(hour from timestamp '2024-01-01 10:20:30.5'), extract(minute from timestamp '2024-01-01 10:20:30.5'), extract(second from timestamp '2024-01-01 10:20:30.5'), extract(milliseconds from timestamp '2024-01-01 10:20:30.5'), extract(microseconds from timestamp '2024-01-01 10:20:30.5'), extract(epoch from timestamp '2024-01-01 10:20:30.5'), extract(julian from timestamp '2024-01-01 12:00');
select extract(hour from time '10:20:30.25'), extract(second from time '10:20:30.25'), extract(epoch from time '10:20:30.25'), extract(milliseconds from time '10:20:30.25');
select extract(year from interval '2 years 3 months'), extract(month from interval '2 years 15 months'), extract(day from interval '40 days'), extract(hour from interval '30:20:10'), extract(second from interval '10.5 seconds'), extract(epoch from interval '1 year 1 month 1 day 1 second'), extract(quarter from interval '7 months'), extract(week from interval '15 days');
select date_part('year', date '2024-02-29'), date_part('second', timestamp '2024-01-01 10:20:30.5'), date_part('epoch', interval '1 day'), date_part('hour', time '10:00'), pg_typeof(date_part('year', date '2024-01-01')), pg_typeof(extract(year from date '2024-01-01'));
select extract(hour from date '2024-01-01');
select extract(nosuch from date '2024-01-01');
select extract(dow from time '10:00');
select extract(year from 'infinity'::date), extract(month from 'infinity'::date), extract(epoch from '-infinity'::timestamp);
select extract(timezone from timestamp '2024-01-01');

-- date_trunc and date_bin
select date_trunc('year', timestamp '2024-05-17 10:20:30.5'), date_trunc('quarter', timestamp '2024-05-17'), date_trunc('month', timestamp '2024-05-17'), date_trunc('week', timestamp '2024-05-17'), date_trunc('day', timestamp '2024-05-17 10:20'), date_trunc('hour', timestamp '2024-05-17 10:20'), date_trunc('minute', timestamp '2024-05-17 10:20:30'), date_trunc('second', timestamp '2024-05-17 10:20:30.5'), date_trunc('milliseconds', timestamp '2024-05-17 10:20:30.5678');
select date_trunc('decade', timestamp '2024-05-17'), date_trunc('century', timestamp '2024-05-17'), date_trunc('millennium', timestamp '2024-05-17'), date_trunc('hour', interval '2 days 10:20:30'), date_trunc('month', interval '1 year 2 months 20 days'), date_trunc('day', 'infinity'::timestamp);
select date_trunc('nosuch', timestamp '2024-05-17');
select date_trunc('timezone', timestamp '2024-05-17');
select date_bin('15 minutes', timestamp '2024-01-01 10:22:30', timestamp '2024-01-01'), date_bin('1 day', timestamp '2023-12-31 23:00', timestamp '2024-01-01 06:00'), date_bin('2 hours', timestamp '2024-01-01 10:22', timestamp '2024-01-01 01:00');
select date_bin('1 month', timestamp '2024-01-01', timestamp '2024-01-01');
select date_bin('0 days', timestamp '2024-01-01', timestamp '2024-01-01');

-- age and making
select age(timestamp '2024-03-01', timestamp '2024-02-01'), age(timestamp '2024-03-31', timestamp '2024-02-29'), age(timestamp '2001-04-10', timestamp '1957-06-13'), age(timestamp '2024-01-01', timestamp '2024-03-01 10:00'), age(timestamp '2024-01-31', timestamp '2023-12-31');
select make_date(2024, 2, 29), make_date(-44, 3, 15), make_time(10, 20, 30.5), make_timestamp(2024, 1, 2, 3, 4, 5.6), make_interval(1, 2, 3, 4, 5, 6, 7.5), make_interval(days => 10), make_interval(hours => 5, mins => 90), make_interval();
select make_date(2023, 2, 29);
select make_date(0, 1, 1);
select make_time(24, 1, 0);
select make_timestamp(2024, 13, 1, 0, 0, 0);
select to_timestamp(0) at time zone 'UTC', to_timestamp(1700000000.123456) at time zone 'UTC';

-- to_char, to_date, to_timestamp
select to_char(timestamp '2024-02-09 14:05:06.789', 'YYYY-MM-DD HH24:MI:SS.MS'), to_char(timestamp '2024-02-09 14:05:06.789', 'DD/MM/YY HH12:MI AM'), to_char(timestamp '2024-02-09', 'Day, DD Month YYYY'), to_char(timestamp '2024-02-09', 'FMDay, FMDD FMMonth'), to_char(timestamp '2024-02-09', 'Dy DD Mon YY'), to_char(timestamp '2024-02-09', 'DAY MON dy mon');
select to_char(timestamp '2024-02-09 01:02:03', 'J Q WW IW IYYY ID D DDD CC'), to_char(timestamp '2024-02-09 01:02:03.000456', 'US MS SSSS FF3 FF6'), to_char(timestamp '2024-02-09 13:00', 'HH HH12 am a.m. PM'), to_char(timestamp '2024-02-01', 'DDth FMDDth Y,YYY RM rm'), to_char(timestamp '2024-02-01', '"Year:" YYYY \"x\"'), to_char(timestamp '0044-03-15 BC', 'YYYY BC');
select to_char(date '2024-02-09', 'YYYYMMDD'), to_char(interval '15:02:12', 'HH24:MI:SS'), to_char(interval '40 days 30:00', 'DD HH24'), to_char('infinity'::timestamp, 'YYYY');
select to_date('2024-02-09', 'YYYY-MM-DD'), to_date('09 Feb 2024', 'DD Mon YYYY'), to_date('20240209', 'YYYYMMDD'), to_date('24-2-9', 'YY-MM-DD'), to_date('2024 40', 'YYYY DDD'), to_date('February 9, 2024', 'Month DD, YYYY'), to_date('2024-W06-5', 'IYYY-"W"IW-ID');
select to_date('2024-13-01', 'YYYY-MM-DD');
select to_date('x', 'YYYY');
select to_date('2024-02-30', 'YYYY-MM-DD');
select to_timestamp('2024-02-09 14:05:06', 'YYYY-MM-DD HH24:MI:SS') at time zone 'UTC', to_timestamp('09/02/2024 02:05 PM', 'DD/MM/YYYY HH12:MI AM') at time zone 'UTC', to_timestamp('2024-02-09 1.25', 'YYYY-MM-DD SS.MS') at time zone 'UTC';
select to_timestamp('14 PM', 'HH12 AM');

-- In tables
create table ev (id int primary key, d date, t time, ts timestamp, i interval);
insert into ev values (1, '2024-01-15', '10:00', '2024-01-15 10:00', '1 day'), (2, '2024-02-29', '23:59:59.5', '2024-02-29 23:59:59.5', '1 month -1 day'), (3, null, null, null, null), (4, '1969-07-20', '00:00', '1969-07-20 20:17', '-02:00'), (5, 'infinity', '24:00', '-infinity', '1 year');
select * from ev order by id;
select id from ev where d > '2024-01-01' order by id;
select id, d + i, ts + i, t + i from ev where id in (1, 2, 4) order by id;
select min(d), max(d), min(ts), max(ts), min(t), max(t), count(d) from ev where id < 5;
select min(ts), max(d) from ev;
select date_trunc('month', ts) as m, count(*) from ev where id < 5 group by 1 order by 1 nulls last;
select extract(year from d) as y, count(*) from ev where id <> 5 group by y order by y nulls first;
select id, ts - d from ev where id in (1, 2, 4) order by id;
select id from ev where ts between '2024-01-01' and '2024-12-31' order by id;
select avg(ts - timestamp '2024-01-01') from ev where id in (1, 2);
select sum(t - time '00:00') from ev where id in (1, 4);
select id, to_char(ts, 'YYYY/MM/DD') from ev where id < 5 order by id;
select id, d::timestamp::date = d, ts::date from ev where id in (1, 4) order by id;
select d from ev order by d desc nulls last;
select distinct extract(dow from d) from ev where id in (1, 2, 4) order by 1;
update ev set d = d + 1, ts = ts - i where id = 1;
select d, ts from ev where id = 1;
insert into ev values (6, '2024-02-30');
insert into ev values (6, 'tomorrow-ish');
insert into ev (id, ts) values (6, '2024-02-09 10:00:00+02');
select ts from ev where id = 6;
select d from generate_series(timestamp '2024-01-30', timestamp '2024-02-02', interval '1 day') d;
select d::date from generate_series(date '2024-01-31', date '2024-05-31', interval '1 month') d;
select now() = current_timestamp, now() = transaction_timestamp(), current_date = now()::date, now() - now();
-- shape
select current_date, localtime, localtimestamp;
