create table t (id int primary key, v text);
insert into t select g, 'v' || g from generate_series(1, 50) g;
analyze;
analyze t;
analyze t (id, v);
vacuum;
vacuum t;
vacuum analyze t;
analyze nosuch;
vacuum nosuch;
reindex table t;
reindex index t_pkey;
reindex table nosuch;
explain select nosuch from t;
explain select * from nosuch;
-- outcome
explain analyze insert into t values (51, 'x');
select count(*) from t where id = 51;
-- outcome
explain insert into t values (52, 'y');
select count(*) from t where id = 52;
-- outcome
explain analyze update t set v = 'changed' where id = 1;
select v from t where id = 1;
-- outcome
explain analyze delete from t where id = 51;
select count(*) from t where id = 51;
-- outcome
explain analyze insert into t values (1, 'dup');
show search_path;
show nosuch;
set search_path to public;
show search_path;
set search_path = "$user", public;
reset search_path;
show search_path;
set timezone to 'UTC';
set time zone 'UTC';
show time zone;
show timezone;
set session timezone = 'UTC';
set nosuch to 1;
set statement_timeout = 0;
reset all;
show server_encoding;
show standard_conforming_strings;
comment on table t is 'x';
comment on column t.v is 'y';
comment on column t.nosuch is 'y';
