-- SQL functions
create function add(a int, b int) returns int language sql as 'select a + b';
select add(1, 2), add(null, 1);
select add('1', 2);
select add(1);
select add(1, 'x');
create function add(a int, b int) returns int language sql as 'select a - b';
create or replace function add(a int, b int) returns int language sql as 'select a - b';
select add(5, 2);
create function add(a text, b text) returns text language sql as $$ select a || '+' || b $$;
select add('a', 'b'), add(1, 1);
create function sq(int) returns int language sql immutable as 'select $1 * $1';
select sq(7), sq(sq(2)), (select sum(sq(g)) from generate_series(1, 4) g);
create function strict_(a int) returns text language sql strict as $$ select coalesce(a::text, 'was null') $$;
create function loose(a int) returns text language sql as $$ select coalesce(a::text, 'was null') $$;
select strict_(null), loose(null), strict_(1);
create function dflt(a int, b int default 10) returns int language sql as 'select a * b';
select dflt(2), dflt(2, 3), dflt(b => 1, a => 5);
create table items (id int, price numeric);
insert into items values (1, 1.50), (2, 2.25), (3, null);
create function total() returns numeric language sql stable as 'select sum(price) from items';
select total(), total() + 1;
create function price_of(i int) returns numeric language sql as 'select price from items where id = i';
select id, price_of(id) from items order by id;
select price_of(99) is null;
create function evens(n int) returns setof int language sql as 'select g from generate_series(2, n, 2) g';
select * from evens(6);
select x from evens(7) as e(x) order by x desc;
select count(*) from evens(0);
create function bad() returns int language sql as 'select ''x''';
create function bad() returns int language sql as 'select nosuch';
create function bad() returns int language sql as 'selec 1';
create function bad() returns nosuch language sql as 'select 1';
create function bad() returns int language nosuch as 'select 1';
create function put(i int) returns int language sql as 'insert into items values (i, i) returning id';
select put(10);
select count(*) from items where id = 10;
create function two() returns int language sql as 'select 1; select 2';
select two();
create function nothing() returns void language sql as 'delete from items where id = 10';
select nothing();
select count(*) from items where id = 10;
drop function add;
drop function add(int, int);
select add('a', 'b');
select add(1, 2);
drop function nosuch();
drop function if exists nosuch();
drop function sq(int), total();
drop function sq;

-- PL/pgSQL functions
create function grade(n int) returns text language plpgsql as $$
begin
  if n is null then return 'none';
  elsif n > 90 then return 'A';
  elsif n > 50 then return 'B';
  else return 'C';
  end if;
end $$;
select grade(95), grade(60), grade(1), grade(null);
create function fill(n int) returns int language plpgsql as $$
declare
  found_ int;
  label text := 'x' || n;
  r items%rowtype;
begin
  insert into items values (n, n * 2);
  select count(*) into found_ from items;
  return found_;
end $$;
create function fill2(n int) returns int language plpgsql as $$
declare
  found_ int := 5;
  k constant int = 2;
begin
  insert into items values (n, n * k);
  select count(*) into found_ from items;
  return found_;
end;
$$;
select fill2(50);
create function checks(n int) returns int language plpgsql as $$
begin
  if n < 0 then raise exception 'negative: % of %', n, 'x' using errcode = '22023'; end if;
  raise notice 'fine: %', n;
  return n;
end $$;
select checks(5);
select checks(-1);
create function nores(n int) returns int language plpgsql as $$ begin n := n + 1; end $$;
select nores(1);
create function vd() returns void language plpgsql as $$ begin perform 1; end $$;
select vd();
create function strictly(i int) returns numeric language plpgsql as $$ declare p numeric; begin select price into strict p from items where id = i; return p; end $$;
select strictly(1);
select strictly(999);
create function dyn() returns int language plpgsql as $$ declare n int; begin n := (select max(id) from items); return n; end $$;
select dyn();
create function nested(a int) returns int language plpgsql as $$ declare b int := 1; begin declare b int := 10; begin a := a + b; end; return a + b; end $$;
select nested(100);
create function bad_plpgsql() returns int language plpgsql as $$ begin return 1 $$;
create function bad_plpgsql() returns int language plpgsql as $$ begin if true then return 1; end $$;

-- do
do $$ begin insert into items values (70, 7); end $$;
select price from items where id = 70;
do $$ declare n int; begin select count(*) into n from items; if n > 2 then delete from items where id = 70; else raise exception 'few'; end if; end $$;
select count(*) from items where id = 70;
do $$ begin raise exception 'stop'; end $$;
do $$ begin perform 1 / 0; end $$;
do $$ begin insert into items values (71, 1); raise exception 'undo'; end $$;
select count(*) from items where id = 71;
do $$ begin nonsense; end $$;
do 'begin null; end';
do language plpgsql $$ begin null; end $$;
do $$ begin create table made_by_do (a int); insert into made_by_do values (1); end $$;
select a from made_by_do;
do $$ begin raise warning 'w %', 1; raise info 'i'; raise debug 'd'; raise log 'l'; end $$;
do $$ begin raise exception using message = 'm', errcode = 'P0001'; end $$;
do $$ begin raise division_by_zero; end $$;
do $$ begin raise sqlstate '22012'; end $$;
do $$ begin assert 1 = 2, 'no'; end $$;
do $$ begin return; insert into items values (72, 1); end $$;
select count(*) from items where id = 72;
