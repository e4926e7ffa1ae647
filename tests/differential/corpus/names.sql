-- Case folding and quotes
create table Mixed (Id int, "Id" int, "iD" int);
insert into mixed values (1, 2, 3);
select ID, "Id", "iD", mixed.id, MIXED."Id" from MIXED;
select "ID" from mixed;
select * from "Mixed";
select "mixed"."id" from "mixed";
create table "Robert'); drop table mixed; --" (a int);
insert into "Robert'); drop table mixed; --" values (1);
select a from "Robert'); drop table mixed; --";
select count(*) from mixed;
create table "with ""quotes""" ("a""b" int, "c.d" text, " spaced " int, "tab	in" int, "semi;colon" int, "'single'" int, "--comment" int, "/*c*/" int, "$1" int, "😀" int, "日本" int, "Ünï" int);
insert into "with ""quotes""" values (1, 'x', 2, 3, 4, 5, 6, 7, 8, 9, 10, 11);
select * from "with ""quotes""";
select "a""b", "c.d", " spaced ", "semi;colon", "'single'", "--comment", "/*c*/", "$1", "😀", "日本" from "with ""quotes""";
select q."c.d", q.日本 from "with ""quotes""" q;
select q.ünï from "with ""quotes""" q;
select q."Ünï" from "with ""quotes""" as q;
select * from "with ""quotes""" as "al""ias" where "al""ias"."c.d" = 'x';
create table "select" ("from" int, "where" int, "table" int, "group" int, "order" int, "user" int, "null" int, "true" int);
insert into "select" ("from", "where", "null") values (1, 2, 3);
select "from", "where", "null", "select"."true" from "select" where "from" = 1 order by "order";
select from_ from "select";
create table select (a int);
create table t (from int);
create table "" (a int);
create table t ("" int);
create table 1a (a int);
create table a1_$x (a int, _b int, c$ int);
select a, _b, c$ from a1_$x;
create table été (à int);
insert into ÉTÉ (À) values (1);
insert into été (à) values (1);
select à from été;
create table "t.u" (a int);
select * from t.u;
select * from "t.u";
select "t.u".a from "t.u";
create table keywords (key int, value int, type int, name int, text int, date int, time int, year int, month int, day int, action int, role int, index int, row int, rows int, range int, first int, last int, level int, status int, position int, count int, sum int, max int, set int, show int, begin int, commit int, "end" int, over int, partition int, filter int, values int, window_ int, data int, view int, trigger int, function int, sequence int, temp int, zone int, at int, no int, of int, if int, branch int, merge int, graph int, vector int);
select key, value, type, name, text, date, time, year, month, day, action, role, index, row, rows, range, first, last, level, status, position, count, sum, max, set, show, begin, commit, over, partition, filter, values, data, view, trigger, function, sequence, temp, zone, at, no, of, if, branch, merge, graph, vector from keywords;
select k.key, k.value, k.end from keywords k;
create table bad (user int);
create table bad (end int);
create table bad (all int);
create table bad (limit int);
select 1 as end, 2 as user, 3 as all;
select 1 end;
select t.end from (select 1 as "end") t;

-- Injection-like texts are only texts
create table people (id int, name text);
insert into people values (1, 'O''Brien'), (2, '''; drop table people; --'), (3, '1; select 1'), (4, '$1'), (6, '/* x */'), (7, '-- y'), (8, '%s %d {} ${x}'), (9, E'\\n\n\t'), (10, '" or ""="'), (11, '${jndi:x}'), (12, 'null'), (13, ''), (14, '😀''"`');
insert into people values (5, ''' OR 1=1');
select * from people order by id, name;
select count(*) from people where name = '' or '1' = '2';
select id from people where name = '''; drop table people; --';
select id from people where name like '%--%' order by id;
select id from people where name = '/* x */' /* a comment; with a semicolon */ order by id -- and one more; here
;
select 'a;b' as x, 'c--d' as y, 'e/*f' as z;
select /* nested /* comment */ still */ 1;
select 1 -- comment
+ 1;
select 1 /* unclosed;
 */;
select '1'--
'2';
select 1--1
;
select 1 - -1, 1 --2
- 3;
select $$a;b$$, $q$a$$b$q$, $q$;$q$;
select 'a''''b', '''', '''''''';
select E'a\'b;c', E'\\';
select 'tab	and
newline';
select U&'d\0061t\+000061', U&'d!0061' uescape '!';
select 'a' = E'\x61', E'\u0061', E'\141', E'\q';
select n'national';
select b'101';
select x'1F';
select 'abc' 'def';
select "abc;";
select 1
;
