create table dept (id int primary key, name text, boss int);
create table emp (id int primary key, name text, dept_id int, pay int);
create table task (emp_id int, title text, hours numeric);
insert into dept values (1, 'sales', 10), (2, 'tech', 20), (3, 'empty', null), (4, null, 99);
insert into emp values (10, 'Ann', 1, 100), (11, 'Bob', 1, 80), (20, 'Cid', 2, 120), (21, 'Dee', 2, null), (30, 'Eve', null, 50), (31, 'Fay', 9, 60);
insert into task values (10, 'call', 1.5), (10, 'mail', 2), (20, 'code', 8), (21, null, 0.5), (null, 'lost', 3), (77, 'gone', 1);

-- Inner
select e.name, d.name from emp e join dept d on e.dept_id = d.id order by e.id;
select e.name, d.name from emp e inner join dept d on d.id = e.dept_id and d.name = 'tech' order by e.id;
select e.name, d.name from emp e, dept d where e.dept_id = d.id order by e.id;
select e.name, d.name from emp e join dept d on e.dept_id < d.id order by e.id, d.id;
select e.name, d.name from emp e join dept d on true where e.pay > 90 order by e.id, d.id;
select e.name, d.name from emp e join dept d on false;
select e.name, d.name from emp e join dept d on null;
select a.name, b.name from emp a join emp b on a.dept_id = b.dept_id and a.id < b.id order by a.id, b.id;
select e.name, d.name, t.title from emp e join dept d on e.dept_id = d.id join task t on t.emp_id = e.id order by e.id, t.title nulls last;
select count(*) from emp e join dept d on e.dept_id = d.id or e.id = d.boss;
select e.name from emp e join dept d on e.id = d.boss where d.name like '%s%' order by 1;
select e.name, d.name from emp e join dept d on e.dept_id = d.id and e.pay between 90 and 130 order by 1;
select e.name, t.title from emp e join task t on e.id = t.emp_id and t.hours > 1 order by e.id, t.title;
select e.id, d.id from emp e join dept d on e.dept_id::text = d.id::text order by 1;
select e.id from emp e join dept d on e.dept_id = d.id + 1 order by 1;

-- Outer
select e.name, d.name from emp e left join dept d on e.dept_id = d.id order by e.id;
select e.name, d.name from emp e right join dept d on e.dept_id = d.id order by d.id, e.id;
select e.name, d.id from emp e full join dept d on e.dept_id = d.id order by e.id nulls last, d.id;
select e.name, d.name from emp e left outer join dept d on e.dept_id = d.id and d.name = 'sales' order by e.id;
select e.name, d.name from emp e left join dept d on e.dept_id = d.id and e.pay > 90 order by e.id;
select e.name, d.name from emp e left join dept d on e.dept_id = d.id where d.name = 'sales' order by e.id;
select e.name, d.name from emp e left join dept d on e.dept_id = d.id where d.id is null order by e.id;
select e.name, d.name from emp e left join dept d on false order by e.id;
select e.name, d.name from emp e left join dept d on true order by e.id, d.id;
select e.name, d.id from emp e full join dept d on e.dept_id = d.id and d.id > 1 order by e.id nulls last, d.id;
select e.name, d.id from emp e full join dept d on e.dept_id = d.id where e.id is null or d.id is null order by e.id nulls last, d.id;
select e.name, d.id from emp e full join dept d on e.dept_id > d.id;
select e.name, d.id from emp e full join dept d on true order by e.id, d.id limit 5;
select e.name, d.name, t.title from emp e left join dept d on e.dept_id = d.id left join task t on t.emp_id = e.id order by e.id, t.title nulls last;
select d.name, e.name, t.title from dept d left join (emp e join task t on t.emp_id = e.id) on e.dept_id = d.id order by d.id, e.id, t.title nulls last;
select d.id, count(e.id), sum(e.pay) from dept d left join emp e on e.dept_id = d.id group by d.id order by d.id;
select t.title, e.name, d.name from task t left join emp e on e.id = t.emp_id left join dept d on d.id = e.dept_id order by t.title nulls last;
select t.title, e.name from emp e right join task t on e.id = t.emp_id right join dept d on d.boss = e.id order by d.id, t.title nulls last;
select e.id, d.id, t.hours from emp e full join dept d on e.dept_id = d.id full join task t on t.emp_id = e.id order by e.id nulls last, d.id nulls last, t.hours;
select coalesce(d.name, '?') as n, count(*) from emp e left join dept d on d.id = e.dept_id group by 1 order by 1;
select e.name from emp e left join task t on t.emp_id = e.id where t.emp_id is null order by 1;

-- Cross
select count(*) from emp cross join dept;
select a.x, b.y from (values (1), (2)) a(x) cross join (values ('p'), ('q')) b(y) order by 1, 2;
select count(*) from emp, dept, task;
select count(*) from emp a, emp b, emp c where a.id < b.id and b.id < c.id;
select a.x, b.y from (values (1)) a(x) cross join (select 2 where false) b(y);

-- Using and natural
create table l (id int, a text, k int);
create table r (id int, b text, k int);
insert into l values (1, 'l1', 5), (2, 'l2', 6), (3, 'l3', null), (null, 'l4', 7);
insert into r values (1, 'r1', 5), (2, 'r2', 9), (4, 'r4', null), (null, 'r5', 7);
select * from l join r using (id) order by id;
select * from l left join r using (id) order by id, a;
select * from l right join r using (id) order by id, b;
select * from l full join r using (id) order by id, a, b;
select * from l join r using (id, k) order by id;
select * from l natural join r order by id;
select * from l natural left join r order by id;
select * from l natural full join r order by id, k, a, b;
select id, l.id, r.id from l full join r using (id) order by 1, 2, 3, l.a;
select k, count(*) from l full join r using (k) group by k order by k;
select * from l join r using (id) join r r2 using (id) order by id;
select j.id, j.a, j.b from (l join r using (id)) as j order by 1;
select * from l join r using (id) as u where u.id = 1;
select u.id, l.a from l join r using (id) as u order by 1;
select * from l cross join (select 1 as z) s natural join r order by 1, 2;
select id from l join r on l.id = r.id;
select * from l join r using (nosuch);
select * from l join r using (a);
select l.* , r.b from l join r using (id) order by l.id;
select r.* from l left join r using (id) order by l.a;
select * from (select 1 as a) x natural join (select 2 as b) y;
select * from (select 1 as a, 2 as a) x natural join (select 1 as a) y;

-- Lateral
select d.name, top.name from dept d, lateral (select e.name from emp e where e.dept_id = d.id order by e.pay desc nulls last limit 1) top order by d.id;
select d.name, top.name from dept d left join lateral (select e.name from emp e where e.dept_id = d.id order by e.pay desc nulls last limit 1) top on true order by d.id;
select d.id, s.n, s.total from dept d cross join lateral (select count(*) as n, sum(pay) as total from emp e where e.dept_id = d.id) s order by d.id;
select x, y from generate_series(1, 3) x, lateral generate_series(1, x) y order by 1, 2;
select x, y from generate_series(1, 3) x left join lateral (select generate_series(3, x) as y) s on y > 2 order by 1, 2;
select a.x, b.y, c.z from (values (1), (2)) a(x), lateral (select a.x * 10) b(y), lateral (select a.x + b.y) c(z) order by 1;
select d.id from dept d, (select * from emp e where e.dept_id = d.id) s;
select d.id, s.x from dept d right join lateral (select d.id as x) s on true;
select e.id, u.w from emp e, lateral unnest(string_to_array(e.name, null)) u(w) where e.id = 10 order by 2;
select d.id, s.c from dept d left join lateral (select e.id as c from emp e where e.dept_id = d.id and e.pay > 90) s on s.c > 10 order by d.id, s.c;

-- Names
select name from emp join dept on dept_id = dept.id;
select emp.name, dept.name from emp join dept on dept_id = dept.id order by emp.id limit 2;
select e.* from emp e join dept d on e.dept_id = d.id where d.id = 1 order by e.id;
select * from emp e join dept d on e.dept_id = d.id where d.id = 1 order by e.id;
select emp.id from emp e;
select x.id from emp e;
select * from emp, emp;
select * from emp a join emp a on true;
select e.nosuch from emp e;
select e from emp e where id = 10;
select d.* from emp e;
select e.id as i, i from emp e;
select t1.x from (select 1) t1(x) join (select 1) t2(x) on t1.x = t2.x;
select x from (select 1) t1(x) join (select 1) t2(x) on t1.x = t2.x;
select a, b from (select 1, 2) t(a) order by 1;
select a, column2 from (values (1, 2)) t(a);
select t.a from (values (1, 2)) t(a, b, c);
select public.emp.id from public.emp where public.emp.id = 10;
select emp.id from public.emp where emp.id = 10;

-- Join conditions over other types and nulls
select a.x from (values (1.0), (2.5)) a(x) join (values (1), (2)) b(y) on a.x = b.y;
select a.x, b.y from (values ('a'), (null)) a(x) join (values ('a'), (null)) b(y) on a.x = b.y;
select a.x, b.y from (values ('a'), (null)) a(x) join (values ('a'), (null)) b(y) on a.x is not distinct from b.y order by 1;
select count(*) from (values (1), (1), (2)) a(x) join (values (1), (1), (3)) b(x) using (x);
select a.d, b.t from (values (date '2024-01-01')) a(d) join (values (timestamp '2024-01-01 00:00')) b(t) on a.d = b.t;
select count(*) from (values ('nan'::float8), (1)) a(x) join (values ('nan'::float8), (2)) b(y) on x = y;
select a.x, b.y from (values (array[1, 2])) a(x) join (values (array[1, 2])) b(y) on x = y;
select a.x from (values (1, 'a'), (2, 'b')) a(x, y) join (values (1, 'a'), (2, 'c')) b(p, q) on (x, y) = (p, q);
select count(*) from emp a left join emp b on a.pay = b.pay and a.id <> b.id;
select a.id, b.id from emp a left join emp b on a.pay + 20 = b.pay order by a.id, b.id;
select count(*) from generate_series(1, 100) a(x) join generate_series(50, 150) b(y) on a.x = b.y;
select count(*) from generate_series(1, 50) a(x) join generate_series(1, 50) b(y) on x < y and x % 10 = y % 10;
select max(x * y) from generate_series(1, 40) x, generate_series(1, 40) y where x * y < 1000;
select count(*) from generate_series(1, 30) a full join generate_series(20, 60) b on a = b;
select e.name, d.name from (emp e cross join dept d) where e.id = 10 and d.id = 2;
select e.name from ((emp e join dept d on e.dept_id = d.id)) where d.id = 2 order by 1;
select e.n, d.name from emp as e (i, n) join dept as d (i) on e.i = d.boss order by 1;
select e.name from emp as e (i, n);
select e.i, e.dept_id from emp as e (i, n) where e.n = 'Ann';
