"""The tree of every kind of statement that is accepted."""

import typing

import pytest
from showing import show

from zengram_py.sql import tree
from zengram_py.sql.parse import parse_one

CASES = [
    (
        'select distinct on (a) a, b as "from", c d from t as x (p, q), lateral (select 1) y left join u using (id) natural join w where a > 1 group by rollup (a, b), grouping sets ((a), ()), c having count(*) > 1 window w as (partition by a) order by 1 desc nulls last, 2 limit 10 offset 5',
        "Query(body=Select(targets=[a, b as from, c as d], distinct=[a], sources=[TableRef(parts=[t], alias=Alias(name=x, columns=[p, q])), Join(kind=inner, left=Join(kind=left, left=QueryRef(query=Query(body=Select(targets=[1])), alias=Alias(name=y), lateral=True), right=u, using=[id]), right=w, natural=True)], where=(a > 1), group_by=[GroupItem(kind=rollup, groups=[[a], [b]]), GroupItem(kind=sets, sets=[GroupItem(kind=plain, columns=[a]), GroupItem(kind=plain)]), GroupItem(kind=plain, columns=[c])], having=(Call(parts=[count], star=True) > 1), windows=[[w, Window(partition_by=[a])]]), order_by=[SortKey(value=1, descending=True, nulls_first=False), SortKey(value=2)], limit=10, offset=5)",
    ),
    (
        "with recursive r (n) as (values (1) union all select n + 1 from r where n < 5) select * from r",
        "Query(body=Select(targets=[*], sources=[r]), with_=With(tables=[CommonTable(name=r, columns=[n], statement=Query(body=SetOperation(first=Query(body=Values(rows=[[1]])), rest=[[union, True, Query(body=Select(targets=[(n + 1)], sources=[r], where=(n < 5)))]])))], recursive=True))",
    ),
    (
        "values (1, 2), (3, 4) order by 1",
        "Query(body=Values(rows=[[1, 2], [3, 4]]), order_by=[SortKey(value=1)])",
    ),
    (
        "(select 1) union all (select 2) except select 3 intersect select 4 order by 1",
        "Query(body=SetOperation(first=Query(body=Select(targets=[1])), rest=[[union, True, Query(body=Select(targets=[2]))], [except, False, Query(body=SetOperation(first=Query(body=Select(targets=[3])), rest=[[intersect, False, Query(body=Select(targets=[4]))]]))]]), order_by=[SortKey(value=1)])",
    ),
    (
        "table t",
        "Query(body=Select(targets=[*], sources=[t]))",
    ),
    (
        "select",
        "Query(body=Select(targets=[]))",
    ),
    (
        "select from t",
        "Query(body=Select(targets=[], sources=[t]))",
    ),
    (
        "select * from t as of timestamp 5 x",
        "Query(body=Select(targets=[*], sources=[TableRef(parts=[t], alias=Alias(name=x), as_of=5)]))",
    ),
    (
        "select * from generate_series(1, 3) with ordinality as g (n, i), f(1) as (a int, b text)",
        "Query(body=Select(targets=[*], sources=[FunctionRef(calls=[generate_series(1, 3)], alias=Alias(name=g, columns=[n, i]), ordinality=True), FunctionRef(calls=[f(1)], alias=Alias(name=, columns=[a, b], types=[int4, text]))]))",
    ),
    (
        "select * from graph_table (g match (a is person where a.x = 1)-[e is knows]->{1,3}(b)<-[f]-(c)-(d) where a.id < b.id columns (a.id, b.name as n)) as gt",
        "Query(body=Select(targets=[*], sources=[GraphTable(graph=[g], paths=[[PathElement(variable=a, labels=[person], where=(a.x = 1)), PathElement(variable=e, labels=[knows], direction=right, most=3), PathElement(variable=b), PathElement(variable=f, direction=left), PathElement(variable=c), PathElement(variable=None, direction=any), PathElement(variable=d)]], where=(a.id < b.id), columns=[a.id, b.name as n], alias=Alias(name=gt))]))",
    ),
    (
        "select * from (a join b on a.x = b.x) j, ((select 1) union select 2) k",
        "Query(body=Select(targets=[*], sources=[Join(kind=inner, left=a, right=b, on=(a.x = b.x), alias=Alias(name=j), is_whole=True), QueryRef(query=Query(body=SetOperation(first=Query(body=Select(targets=[1])), rest=[[union, False, Query(body=Select(targets=[2]))]])), alias=Alias(name=k))]))",
    ),
    (
        "insert into t (a, b) values (1, default), ($1, $2) on conflict (a) do update set b = excluded.b where t.b < 1 returning *, a + 1 as c",
        "Insert(table=t, columns=[a, b], source=Query(body=Values(rows=[[1, Default()], [$1, $2]])), conflict=Conflict(target=[a], assignments=[Assignment(columns=[b], value=excluded.b)], where=(t.b < 1)), returning=[*, (a + 1) as c])",
    ),
    (
        "insert into s.t as x default values",
        "Insert(table=TableRef(parts=[s, t], alias=Alias(name=x)), columns=[], source=None)",
    ),
    (
        "with q as (select 1) insert into t select * from q",
        "Insert(table=t, columns=[], source=Query(body=Select(targets=[*], sources=[q])), with_=With(tables=[CommonTable(name=q, columns=[], statement=Query(body=Select(targets=[1])))]))",
    ),
    (
        "update t set a = 1, (b, c) = (select 1, 2) from u where t.id = u.id returning t.*",
        "Update(table=t, assignments=[Assignment(columns=[a], value=1), Assignment(columns=[b, c], value=ScalarQuery(query=Query(body=Select(targets=[1, 2]))))], sources=[u], where=(t.id = u.id), returning=[t.*])",
    ),
    (
        "delete from t using u where t.id = u.id",
        "Delete(table=t, sources=[u], where=(t.id = u.id))",
    ),
    (
        "merge into t using u on t.id = u.id when matched and u.x then update set a = 1 when not matched by source then delete when not matched then insert (a) values (1)",
        "Merge(table=t, source=u, on=(t.id = u.id), whens=[MergeWhen(match=matched, condition=u.x, action=update, assignments=[Assignment(columns=[a], value=1)]), MergeWhen(match=source, condition=None, action=delete), MergeWhen(match=target, condition=None, action=insert, columns=[a], values=[1])])",
    ),
    (
        "create temp table if not exists db.s.t (id bigserial primary key, a int not null default 1 + 2 check (a > 0), v vector(3), unique (a), constraint c foreign key (a) references u (b) on delete cascade deferrable initially deferred, g int generated always as identity (start with 5), l numeric(10,2)[])",
        "CreateTable(name=[db, s, t], columns=[ColumnSpec(name=id, type=bigserial, constraints=[Constraint(kind=primary key, columns=[id])]), ColumnSpec(name=a, type=int4, constraints=[Constraint(kind=not null), Constraint(kind=default, expression=(1 + 2), text=1 + 2), Constraint(kind=check, expression=(a > 0), text=a > 0)]), ColumnSpec(name=v, type=vector(3)), ColumnSpec(name=g, type=int4, constraints=[Constraint(kind=identity, identity=always, options=SequenceOptions(start=5))]), ColumnSpec(name=l, type=numeric(10, 2)[])], constraints=[Constraint(kind=unique, columns=[a]), Constraint(kind=foreign key, name=c, columns=[a], reference=Reference(table=[u], columns=[b], on_delete=cascade), deferred=True, deferrable=True)], temporary=True, if_not_exists=True)",
    ),
    (
        "create table t as select 1 with no data",
        "CreateTableAs(name=[t], columns=[], query=Query(body=Select(targets=[1])), with_data=False)",
    ),
    (
        "alter table t add column a int default 5, drop column if exists b cascade, alter c type text using c::text, alter d set not null, add constraint x check (a > 1)",
        "AlterTable(name=[t], actions=[AddColumn(column=ColumnSpec(name=a, type=int4, constraints=[Constraint(kind=default, expression=5, text=5)])), DropColumn(name=b, if_exists=True, cascade=True), AlterColumn(name=c, action=type, type=text, expression=c::text, text=c::text), AlterColumn(name=d, action=set not null), AddConstraint(constraint=Constraint(kind=check, name=x, expression=(a > 1), text=a > 1))])",
    ),
    (
        "alter table t rename column a to b",
        "AlterTable(name=[t], actions=[RenameColumn(old=a, new=b)])",
    ),
    (
        "create unique index concurrently if not exists i on t using hnsw (v vector_l2_ops) with (m = 16)",
        "CreateIndex(name=i, table=[t], method=hnsw, keys=[IndexKey(expression=v, text=v, operator_class=vector_l2_ops)], unique=True, if_not_exists=True, options=[[m, 16]])",
    ),
    (
        "create index on t using gin (to_tsvector('english', a || b))",
        "CreateIndex(name=None, table=[t], method=gin, keys=[IndexKey(expression=to_tsvector('english', (a || b)), text=to_tsvector('english', a || b))])",
    ),
    (
        "create index on t (lower(a) desc nulls first, (a + b)) where c",
        "CreateIndex(name=None, table=[t], method=btree, keys=[IndexKey(expression=lower(a), text=lower(a), descending=True, nulls_first=True), IndexKey(expression=(a + b), text=(a + b))], where=c, where_text=c)",
    ),
    (
        "create or replace view v (a) as select 1",
        "CreateView(name=[v], columns=[a], query=Query(body=Select(targets=[1])), text=select 1, replace=True)",
    ),
    (
        "create sequence s increment by 2 minvalue 1 no maxvalue start 5 cycle owned by t.a",
        "CreateSequence(name=[s], options=SequenceOptions(start=5, increment=2, least=1, cycle=True, no=[maxvalue], owned_by=[t, a]))",
    ),
    (
        "create type mood as enum ('a', 'b')",
        "CreateEnum(name=[mood], labels=[a, b])",
    ),
    (
        "alter type mood add value if not exists 'c' before 'b'",
        "AlterEnum(name=[mood], label=c, before=b, if_not_exists=True)",
    ),
    (
        "create database d",
        "CreateNamespace(kind=database, name=[d])",
    ),
    (
        "create schema if not exists s",
        "CreateNamespace(kind=schema, name=[s], if_not_exists=True)",
    ),
    (
        "create or replace function f(a int, b text default 'x') returns trigger language plpgsql as $$ begin return new; end $$",
        "CreateFunction(name=[f], arguments=[FunctionArgument(name=a, type=int4), FunctionArgument(name=b, type=text, default='x', text='x')], returns=None, language=plpgsql, body= begin return new; end , replace=True)",
    ),
    (
        "create trigger tr before insert or update of a, b on t for each row when (new.a > 1) execute function f('x', 1)",
        "CreateTrigger(name=tr, table=[t], timing=before, events=[insert, update], function=[f], columns=[a, b], arguments=[x, 1], for_each_row=True, when=(new.a > 1), when_text=new.a > 1)",
    ),
    (
        "create property graph g vertex tables (person key (id) label p properties (id, name as n)) edge tables (knows source key (a) references person (id) destination person no properties)",
        "CreateGraph(name=[g], vertices=[GraphElement(table=[person], alias=person, key=[id], label=p, properties=[[id, id], [name, n]])], edges=[GraphElement(table=[knows], alias=knows, properties=[], source=[[a], person, [id]], destination=[[], person, []])])",
    ),
    (
        "create branch b from main as of timestamp 5",
        "CreateBranch(name=b, parent=main, as_of=5)",
    ),
    (
        "drop branch if exists b",
        "Drop(kind=branch, names=[[b]], if_exists=True)",
    ),
    (
        "merge branch b into main using theirs dry run",
        "MergeBranch(name=b, into=main, strategy=theirs, dry_run=True)",
    ),
    (
        "alter branch b rebase dry run",
        "RebaseBranch(name=b, dry_run=True)",
    ),
    (
        "do $$ begin raise notice 'x'; end $$",
        "Do(body= begin raise notice 'x'; end )",
    ),
    (
        "explain analyze select 1",
        "Explain(statement=Query(body=Select(targets=[1])), analyze=True)",
    ),
    (
        "explain (analyze, format json) select 1",
        "Explain(statement=Query(body=Select(targets=[1])), analyze=True, options=[[analyze, true], [format, json]])",
    ),
    (
        "vacuum t",
        "Maintain(action=vacuum, names=[[t]])",
    ),
    (
        "analyze",
        "Maintain(action=analyze)",
    ),
    (
        "reindex index i",
        "Maintain(action=reindex, names=[[i]], kind=index)",
    ),
    (
        "set search_path to a, b",
        "SetCommand(name=search_path, values=[a, b])",
    ),
    (
        "set local x = 'y'",
        "SetCommand(name=x, values=[y], local=True)",
    ),
    (
        "set time zone 'utc'",
        "SetCommand(name=timezone, values=[utc])",
    ),
    (
        "reset all",
        "SetCommand(name=None, values=None)",
    ),
    (
        "show search_path",
        "Show(name=search_path)",
    ),
    (
        "begin isolation level serializable read only",
        "TransactionCommand(action=begin, isolation=serializable, read_only=True)",
    ),
    (
        "start transaction",
        "TransactionCommand(action=begin)",
    ),
    (
        "commit",
        "TransactionCommand(action=commit)",
    ),
    (
        "rollback to savepoint s",
        "TransactionCommand(action=rollback to, name=s)",
    ),
    (
        "release s",
        "TransactionCommand(action=release, name=s)",
    ),
    (
        "truncate t, u restart identity cascade",
        "Truncate(tables=[[t], [u]], restart_identity=True, cascade=True)",
    ),
    (
        "drop table if exists a, s.b cascade",
        "Drop(kind=table, names=[[a], [s, b]], if_exists=True, cascade=True)",
    ),
    (
        "drop trigger tr on t",
        "Drop(kind=trigger, names=[[tr]], table=[t])",
    ),
    (
        "comment on table t is 'x'",
        "Comment(kind=table, name=[t], text=x)",
    ),
    (
        "select 1 format",
        "Query(body=Select(targets=[1 as format]))",
    ),
    (
        "select * from a join b join c on b.x = c.x on a.x = b.x",
        "Query(body=Select(targets=[*], sources=[Join(kind=inner, left=a, right=Join(kind=inner, left=b, right=c, on=(b.x = c.x)), on=(a.x = b.x))]))",
    ),
    (
        "select a, count(*) from t group by distinct cube (a, (b, c)) having true",
        "Query(body=Select(targets=[a, Call(parts=[count], star=True)], sources=[t], group_by=[GroupItem(kind=cube, groups=[[a], [b, c]])], group_distinct=True, having=true))",
    ),
    (
        "select * from only t, (values (1)) v (x) cross join u",
        "Query(body=Select(targets=[*], sources=[t, Join(kind=cross, left=QueryRef(query=Query(body=Values(rows=[[1]])), alias=Alias(name=v, columns=[x])), right=u)]))",
    ),
    (
        "select * from rows from (f(1), g(2)) with ordinality as r",
        "Query(body=Select(targets=[*], sources=[FunctionRef(calls=[f(1), g(2)], alias=Alias(name=r), ordinality=True)]))",
    ),
    (
        "select * from f(1) as (a int, b text)",
        "Query(body=Select(targets=[*], sources=[FunctionRef(calls=[f(1)], alias=Alias(name=, columns=[a, b], types=[int4, text]))]))",
    ),
    (
        "select 1 order by 1 fetch first 5 rows with ties",
        "Query(body=Select(targets=[1]), order_by=[SortKey(value=1)], limit=5, with_ties=True)",
    ),
    (
        "select 1 offset 2 rows fetch next row only",
        "Query(body=Select(targets=[1]), limit=1, offset=2)",
    ),
    (
        "select * from t for update of t skip locked",
        "Query(body=Select(targets=[*], sources=[t]), locking=[Locking(strength=FOR UPDATE, tables=[t], skips=True)])",
    ),
    (
        "with a as not materialized (select 1), b as (delete from t returning *) update t set x = default from a",
        "Update(table=t, assignments=[Assignment(columns=[x], value=Default())], sources=[a], with_=With(tables=[CommonTable(name=a, columns=[], statement=Query(body=Select(targets=[1])), materialized=False), CommonTable(name=b, columns=[], statement=Delete(table=t, returning=[*]))]))",
    ),
    (
        "insert into t select * from u on conflict on constraint c do nothing",
        "Insert(table=t, columns=[], source=Query(body=Select(targets=[*], sources=[u])), conflict=Conflict(constraint=c))",
    ),
    (
        "insert into t overriding system value values (1)",
        "Insert(table=t, columns=[], source=Query(body=Values(rows=[[1]])), overriding=system)",
    ),
    (
        "insert into t (select 1)",
        "Insert(table=t, columns=[], source=Query(body=Select(targets=[1])))",
    ),
    (
        "merge into t as x using (select 1 as id) as u on x.id = u.id when not matched by target and u.id > 1 then insert default values when matched then do nothing returning x.*",
        "Merge(table=TableRef(parts=[t], alias=Alias(name=x)), source=QueryRef(query=Query(body=Select(targets=[1 as id])), alias=Alias(name=u)), on=(x.id = u.id), whens=[MergeWhen(match=target, condition=(u.id > 1), action=insert), MergeWhen(match=matched, condition=None, action=nothing)], returning=[x.*])",
    ),
    (
        "create table t ()",
        "CreateTable(name=[t], columns=[])",
    ),
    (
        "create table t (like u including all, a int primary key references u on update set null, unique nulls not distinct (a))",
        "CreateTable(name=[t], columns=[ColumnSpec(name=a, type=int4, constraints=[Constraint(kind=primary key, columns=[a]), Constraint(kind=foreign key, columns=[a], reference=Reference(table=[u], on_update=set null))])], constraints=[Constraint(kind=unique, columns=[a], nulls_distinct=False)], like=[Like(table=[u], including=[comments, compression, constraints, defaults, generated, identity, indexes, statistics, storage])])",
    ),
    (
        "create unlogged table if not exists t (a text collate \"C\" constraint k check (a <> '') unique)",
        "CreateTable(name=[t], columns=[ColumnSpec(name=a, type=text, constraints=[Constraint(kind=check, name=k, expression=(a <> ''), text=a <> ''), Constraint(kind=unique, columns=[a])], collation=[C])], if_not_exists=True)",
    ),
    (
        "create temporary table t (a, b) as values (1, 2)",
        "CreateTableAs(name=[t], columns=[a, b], query=Query(body=Values(rows=[[1, 2]])), temporary=True)",
    ),
    (
        "alter table if exists only t alter column a set default 5, alter a drop default, alter a drop not null, alter a add generated by default as identity, alter a drop identity if exists, drop constraint if exists c cascade",
        "AlterTable(name=[t], actions=[AlterColumn(name=a, action=set default, expression=5, text=5), AlterColumn(name=a, action=drop default), AlterColumn(name=a, action=drop not null), AlterColumn(name=a, action=add identity, identity=by default), AlterColumn(name=a, action=drop identity, if_exists=True), DropConstraint(name=c, if_exists=True, cascade=True)], if_exists=True)",
    ),
    (
        "alter table t rename to u",
        "AlterTable(name=[t], actions=[Rename(new=u)])",
    ),
    (
        "alter table t rename constraint a to b",
        "AlterTable(name=[t], actions=[RenameConstraint(old=a, new=b)])",
    ),
    (
        "alter table t disable trigger all, enable trigger x",
        "AlterTable(name=[t], actions=[SetTrigger(name=None, enabled=False), SetTrigger(name=x, enabled=True)])",
    ),
    (
        "alter index if exists i rename to j",
        "RenameObject(kind=index, name=[i], new=j, if_exists=True)",
    ),
    (
        "alter view v rename to w",
        "RenameObject(kind=view, name=[v], new=w)",
    ),
    (
        "alter sequence s restart with 5 owned by none",
        "AlterSequence(name=[s], options=SequenceOptions(restart=5, restarts=True, owned_by=[]))",
    ),
    (
        "alter sequence s rename to r",
        "RenameObject(kind=sequence, name=[s], new=r)",
    ),
    (
        "alter type t rename to u",
        "RenameObject(kind=type, name=[t], new=u)",
    ),
    (
        "alter type t rename value 'a' to 'b'",
        "AlterEnum(name=[t], label=a, renamed=b)",
    ),
    (
        "alter type t add value 'x' after 'y'",
        "AlterEnum(name=[t], label=x, after=y)",
    ),
    (
        "create index i on only s.t using btree (a text_pattern_ops asc nulls last) include (b) nulls not distinct with (fillfactor = 70, x.y = off)",
        "CreateIndex(name=i, table=[s, t], method=btree, keys=[IndexKey(expression=a, text=a, operator_class=text_pattern_ops, nulls_first=False)], include=[b], options=[[fillfactor, 70], [x.y, off]], nulls_distinct=False)",
    ),
    (
        "drop index concurrently if exists i, j",
        "Drop(kind=index, names=[[i], [j]], if_exists=True)",
    ),
    (
        "drop function f(int, text) cascade",
        "Drop(kind=function, names=[[f]], cascade=True, arguments=[int4, text])",
    ),
    (
        "drop property graph g",
        "Drop(kind=property graph, names=[[g]])",
    ),
    (
        "drop database if exists d",
        "Drop(kind=database, names=[[d]], if_exists=True)",
    ),
    (
        "drop schema s, r restrict",
        "Drop(kind=schema, names=[[s], [r]])",
    ),
    (
        "drop type t",
        "Drop(kind=type, names=[[t]])",
    ),
    (
        "drop view v",
        "Drop(kind=view, names=[[v]])",
    ),
    (
        "drop sequence s",
        "Drop(kind=sequence, names=[[s]])",
    ),
    (
        "create temp sequence if not exists s as int cache 5 no cycle",
        "CreateSequence(name=[s], options=SequenceOptions(cycle=False, type=int4), if_not_exists=True, temporary=True)",
    ),
    (
        "create function f() returns setof int language sql immutable strict as 'select 1'",
        "CreateFunction(name=[f], arguments=[], returns=int4, language=sql, body=select 1, returns_set=True, volatility=immutable, strict=True)",
    ),
    (
        "create trigger tr after truncate on t for each statement execute procedure s.f()",
        "CreateTrigger(name=tr, table=[t], timing=after, events=[truncate], function=[s, f])",
    ),
    (
        "create trigger tr instead of delete on v execute function f()",
        "CreateTrigger(name=tr, table=[v], timing=instead of, events=[delete], function=[f])",
    ),
    (
        "select * from graph_table (g match (a)-(b), (c)<-(d)->(e)-[is x | y where 1 = 1]->+(f)-[z]-*(h) columns (a.x)) g",
        "Query(body=Select(targets=[*], sources=[GraphTable(graph=[g], paths=[[PathElement(variable=a), PathElement(variable=None, direction=any), PathElement(variable=b)], [PathElement(variable=c), PathElement(variable=None, direction=left), PathElement(variable=d), PathElement(variable=None, direction=right), PathElement(variable=e), PathElement(variable=None, labels=[x, y], where=(1 = 1), direction=right, most=None), PathElement(variable=f), PathElement(variable=z, direction=any, least=0, most=None), PathElement(variable=h)]], where=None, columns=[a.x], alias=Alias(name=g))]))",
    ),
    (
        "create branch if not exists b",
        "CreateBranch(name=b, if_not_exists=True)",
    ),
    (
        "merge branch b",
        "MergeBranch(name=b)",
    ),
    (
        "alter branch b rebase using ours",
        "RebaseBranch(name=b, strategy=ours)",
    ),
    (
        "end",
        "TransactionCommand(action=commit)",
    ),
    (
        "abort",
        "TransactionCommand(action=rollback)",
    ),
    (
        "rollback work",
        "TransactionCommand(action=rollback)",
    ),
    (
        "savepoint s",
        "TransactionCommand(action=savepoint, name=s)",
    ),
    (
        "rollback to s",
        "TransactionCommand(action=rollback to, name=s)",
    ),
    (
        "release savepoint s",
        "TransactionCommand(action=release, name=s)",
    ),
    (
        "start transaction isolation level repeatable read, read write",
        "TransactionCommand(action=begin, isolation=repeatable read, read_only=False)",
    ),
    (
        "begin transaction read only",
        "TransactionCommand(action=begin, read_only=True)",
    ),
    (
        "set transaction isolation level read committed",
        "TransactionCommand(action=set, isolation=read committed)",
    ),
    (
        "set session a.b to 1, 'x', on",
        "SetCommand(name=a.b, values=[1, x, on])",
    ),
    (
        "set a = default",
        "SetCommand(name=a, values=None)",
    ),
    (
        "set time zone default",
        "SetCommand(name=timezone, values=None)",
    ),
    (
        "reset timezone",
        "SetCommand(name=timezone, values=None)",
    ),
    (
        "show all",
        "Show(name=all)",
    ),
    (
        "show transaction isolation level",
        "Show(name=transaction_isolation)",
    ),
    (
        "do language plpgsql 'begin end'",
        "Do(body=begin end)",
    ),
    (
        "vacuum (verbose, analyze) t (a), s.u",
        "Maintain(action=vacuum, names=[[t], [s, u]])",
    ),
    (
        "vacuum full analyze",
        "Maintain(action=vacuum)",
    ),
    (
        "analyze verbose t",
        "Maintain(action=analyze, names=[[t]])",
    ),
    (
        "reindex table concurrently t",
        "Maintain(action=reindex, names=[[t]])",
    ),
    (
        "explain verbose insert into t values (1)",
        "Explain(statement=Insert(table=t, columns=[], source=Query(body=Values(rows=[[1]]))), options=[[verbose, true]])",
    ),
    (
        "explain (analyze off, costs) (select 1)",
        "Explain(statement=Query(body=Select(targets=[1])), options=[[analyze, off], [costs, true]])",
    ),
    (
        "comment on column t.a is null",
        "Comment(kind=column, name=[t, a], text=None)",
    ),
    (
        "comment on function f(int) is 'x'",
        "Comment(kind=function, name=[f], text=x)",
    ),
    (
        "truncate table only t continue identity",
        "Truncate(tables=[[t]])",
    ),
    (
        "alter view if exists v rename column a to b",
        "AlterView(name=[v], old=a, new=b, if_exists=True)",
    ),
    (
        "alter view v set schema s",
        "MoveObject(kind=view, name=[v], schema=s)",
    ),
    (
        "alter sequence s.x set schema y",
        "MoveObject(kind=sequence, name=[s, x], schema=y)",
    ),
    (
        "alter type mood set schema y",
        "MoveObject(kind=type, name=[mood], schema=y)",
    ),
    (
        "alter table t set schema y",
        "AlterTable(name=[t], actions=[MoveTable(schema=y)])",
    ),
    (
        "alter table t validate constraint c",
        "AlterTable(name=[t], actions=[ValidateConstraint(name=c)])",
    ),
    (
        "alter table t alter a set generated by default set increment by 5 restart with 10 set no maxvalue",
        "AlterTable(name=[t], actions=[AlterColumn(name=a, action=set identity, identity=by default, options=SequenceOptions(increment=5, restart=10, restarts=True, no=[maxvalue]))])",
    ),
    (
        "alter table t alter a restart, alter b set start 5",
        "AlterTable(name=[t], actions=[AlterColumn(name=a, action=set identity, options=SequenceOptions(restarts=True)), AlterColumn(name=b, action=set identity, options=SequenceOptions(start=5))])",
    ),
    (
        "alter table t alter a add generated always as identity (start 5)",
        "AlterTable(name=[t], actions=[AlterColumn(name=a, action=add identity, identity=always, options=SequenceOptions(start=5))])",
    ),
    (
        "alter table t alter a set expression as (b + 1), alter c drop expression if exists",
        "AlterTable(name=[t], actions=[AlterColumn(name=a, action=set expression, expression=(b + 1), text=b + 1), AlterColumn(name=c, action=drop expression, if_exists=True)])",
    ),
    (
        'alter table t alter a type text collate "C" using a::text',
        "AlterTable(name=[t], actions=[AlterColumn(name=a, action=type, type=text, expression=a::text, text=a::text, collation=[C])])",
    ),
    (
        "create table t (a int, b int generated always as (a + 1) stored, c int generated always as (b) virtual, d int generated always as (a))",
        "CreateTable(name=[t], columns=[ColumnSpec(name=a, type=int4), ColumnSpec(name=b, type=int4, constraints=[Constraint(kind=generated, expression=(a + 1), text=a + 1, identity=stored)]), ColumnSpec(name=c, type=int4, constraints=[Constraint(kind=generated, expression=b, text=b, identity=virtual)]), ColumnSpec(name=d, type=int4, constraints=[Constraint(kind=generated, expression=a, text=a, identity=virtual)])])",
    ),
    (
        "create table t (a int, like u including all excluding indexes, b int, like v including defaults)",
        "CreateTable(name=[t], columns=[ColumnSpec(name=a, type=int4), ColumnSpec(name=b, type=int4)], like=[Like(table=[u], including=[comments, compression, constraints, defaults, generated, identity, statistics, storage], place=1), Like(table=[v], including=[defaults], place=2)])",
    ),
    (
        "create table t (a int generated by default as identity (sequence name s start with 5 increment by -1 no minvalue cycle))",
        "CreateTable(name=[t], columns=[ColumnSpec(name=a, type=int4, constraints=[Constraint(kind=identity, identity=by default, options=SequenceOptions(start=5, increment=-1, cycle=True, no=[minvalue], name=[s]))])])",
    ),
    (
        'create index on t (a collate "C" text_ops) where a is not null and b > 1 ',
        "CreateIndex(name=None, table=[t], method=btree, keys=[IndexKey(expression=a, text=a, operator_class=text_ops, collation=[C])], where=((a is not null) and (b > 1)), where_text=a is not null and b > 1)",
    ),
    (
        "select * from t for no key update of t, u nowait for key share",
        "Query(body=Select(targets=[*], sources=[t]), locking=[Locking(strength=FOR NO KEY UPDATE, tables=[t, u]), Locking(strength=FOR KEY SHARE)])",
    ),
    (
        "comment on constraint c on s.t is 'x'",
        "Comment(kind=constraint, name=[s, t, c], text=x)",
    ),
    (
        "comment on trigger g on t is null",
        "Comment(kind=trigger, name=[t, g], text=None)",
    ),
]


@pytest.mark.parametrize(("text", "expected"), CASES, ids=[text for text, _ in CASES])
def test_the_tree_of_a_statement(text: str, expected: str) -> None:
    assert show(parse_one(text)) == expected


def test_every_kind_of_statement_has_a_case() -> None:
    met = {type(parse_one(text)) for text, _ in CASES}
    assert met == set(typing.get_args(tree.Statement))
