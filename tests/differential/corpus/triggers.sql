create table t (id int primary key, v text, n int default 0, stamp text);
create table log (k serial, what text);

-- Before row
create function upper_v() returns trigger language plpgsql as $$ begin new.v := upper(new.v); return new; end $$;
create trigger t_upper before insert or update on t for each row execute function upper_v();
insert into t values (1, 'abc', 1);
insert into t values (2, 'def', 2) returning v;
update t set v = 'xyz' where id = 1 returning v;
select * from t order by id;

-- After row
create function note() returns trigger language plpgsql as $$ begin insert into log (what) values (tg_op || ' ' || tg_table_name || ' ' || coalesce(new.id, old.id)); return null; end $$;
create trigger t_note after insert or update or delete on t for each row execute procedure note();
insert into t values (3, 'g', 3), (4, 'h', 4);
update t set n = n + 1 where id in (1, 3);
delete from t where id = 4;
select k, what from log order by k;
delete from log;
update t set n = 1 where false;
select count(*) from log;

-- When
create function mark() returns trigger language plpgsql as $$ begin new.stamp := 'big'; return new; end $$;
create trigger t_mark before insert or update on t for each row when (new.n > 100) execute function mark();
insert into t values (5, 'e', 101) returning stamp;
insert into t values (6, 'f', 100) returning stamp;
update t set n = 200 where id = 6 returning stamp;
create trigger t_changed before update on t for each row when (old.n is distinct from new.n) execute function mark();
update t set n = 1 where id = 1 returning stamp;
update t set v = 'same' where id = 2 returning stamp;
update t set n = 7 where id = 2 returning stamp;

-- Skipping and refusing
create function guard() returns trigger language plpgsql as $$
begin
  if new.n < 0 then
    raise exception 'n must not be negative: %', new.n;
  elsif new.n = 13 then
    return null;
  end if;
  return new;
end $$;
create trigger t_guard before insert or update on t for each row execute function guard();
insert into t values (7, 'neg', -1);
insert into t values (7, 'skip', 13) returning id;
select count(*) from t where id = 7;
update t set n = 13 where id in (1, 2);
update t set n = -5 where id = 1;
insert into t values (8, 'ok', 1), (9, 'skip', 13), (10, 'ok', 2) returning id;
select id, n from t order by id;

-- Delete
create function keep() returns trigger language plpgsql as $$ begin if old.v = 'KEEP' then return null; end if; return old; end $$;
create trigger t_keep before delete on t for each row execute function keep();
insert into t values (11, 'keep', 0), (12, 'go', 0);
delete from t where id in (11, 12) returning id;
select id from t where id > 10;

-- Declarations, queries, perform
create table total (s int);
insert into total values (0);
create function tally() returns trigger language plpgsql as $$
declare
  amount int := 0;
  more int;
begin
  select count(*) into more from t;
  if tg_op = 'DELETE' then amount := -old.n; else amount := new.n - coalesce(old.n, 0); end if;
  update total set s = s + amount + 0 * more;
  perform 1 from total where s is null;
  return null;
end $$;
create trigger t_tally after insert or update or delete on t for each row execute function tally();
insert into t values (20, 'x', 10), (21, 'y', 20);
select s from total;
update t set n = 15 where id = 20;
delete from t where id = 21;
select s from total;

-- Order by name
create table o (id int, trail text default '');
create function add_a() returns trigger language plpgsql as $$ begin new.trail := new.trail || 'a'; return new; end $$;
create function add_b() returns trigger language plpgsql as $$ begin new.trail := new.trail || 'b'; return new; end $$;
create trigger z_first before insert on o for each row execute function add_a();
create trigger a_second before insert on o for each row execute function add_b();
insert into o (id) values (1) returning trail;
alter table o disable trigger a_second;
insert into o (id) values (2) returning trail;
alter table o enable trigger a_second;
drop trigger z_first on o;
insert into o (id) values (3) returning trail;
alter table o disable trigger all;
insert into o (id) values (4) returning trail;

-- Arguments, columns, other events
create function tagged() returns trigger language plpgsql as $$ begin new.trail := tg_argv[0] || tg_nargs || tg_when || tg_level || tg_name; return new; end $$;
create trigger o_tag before update of id on o for each row execute function tagged('hello', 'two');
update o set id = 10 where id = 1 returning trail;
update o set trail = 'kept' where id = 2 returning trail;
create trigger o_tag before insert on o for each row execute function tagged();
create or replace trigger o_tag before update on o for each row execute function add_a();
update o set id = 11 where id = 10 returning right(trail, 1);
create trigger bad before insert on nosuch for each row execute function add_a();
create trigger bad before insert on o for each row execute function nosuch();
create trigger bad before insert on o for each row when (old.id = 1) execute function add_a();
create trigger bad before delete on o for each row when (new.id = 1) execute function add_a();
create trigger bad before insert on o for each row when (nosuch = 1) execute function add_a();
drop trigger nosuch on o;
drop trigger if exists nosuch on o;
drop function add_a();
drop function add_b() cascade;
select add_a();

-- In a transaction
begin;
insert into t values (30, 'tx', 5);
rollback;
select count(*) from t where id = 30;
select s from total;
insert into t values (31, 'z', 1), (31, 'dup', 1);
select s from total;
insert into t values (1, 'conflict', 1) on conflict (id) do update set v = 'merged' returning v;
insert into t values (1, 'conflict', 1) on conflict do nothing;
truncate log;
with i as (insert into t values (40, 'cte', 2) returning v) select v from i;
select what from log order by k;

-- Errors inside
create function boom() returns trigger language plpgsql as $$ begin new.n := 1 / 0; return new; end $$;
create trigger t_boom before insert on t for each row when (new.v = 'boom') execute function boom();
insert into t values (50, 'BOOM', 1);
insert into t values (51, 'boom', 1);
select count(*) from t where id >= 50;
create function nofield() returns trigger language plpgsql as $$ begin new.nosuch := 1; return new; end $$;
create trigger t_nofield before insert on t for each row execute function nofield();
insert into t values (52, 'q', 1);
drop table t;
select note();

-- Of statements
create table st (a int);
create table said (k serial, what text);
create function say() returns trigger language plpgsql as $$ begin insert into said (what) values (tg_when || ' ' || tg_op || ' ' || tg_level); return null; end $$;
create trigger st_before before insert or update or delete on st for each statement execute function say();
create trigger st_after after insert or update or delete on st execute function say();
insert into st values (1), (2), (3);
update st set a = a + 1 where a > 100;
delete from st;
select what from said order by k;
create trigger st_truncate after truncate on st for each statement execute function say();
truncate st;
select what from said order by k desc limit 1;
create trigger bad before truncate on st for each row execute function say();
create view sv as select a from st;
create function into_st() returns trigger language plpgsql as $$ begin insert into st values (new.a * 10); return new; end $$;
create trigger sv_insert instead of insert on sv for each row execute function into_st();
insert into sv values (7);
select a from st;
insert into sv values (8) returning a;
update sv set a = 1;
create trigger bad instead of insert on st for each row execute function into_st();
