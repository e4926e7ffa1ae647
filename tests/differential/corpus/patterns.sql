-- like
select 'abc' like 'abc', 'abc' like 'a%', 'abc' like '_b_', 'abc' like 'a', 'abc' like '%c', 'abc' like '%', '' like '', '' like '%', '' like '_', 'abc' like 'a_%c';
select 'abc' not like 'a%', 'ABC' like 'a%', 'ABC' ilike 'a%', 'ÀB' ilike 'àb', 'abc' not ilike 'A_C';
select 'a%c' like 'a\%c', 'abc' like 'a\%c', 'a_c' like 'a\_c', 'abc' like 'a\_c', 'a\c' like 'a\\c', 'a\c' like 'a\c';
select 'a%c' like 'a#%c' escape '#', 'abc' like 'a#%c' escape '#', 'a#c' like 'a##c' escape '#', 'a\c' like 'a\c' escape '', 'a%c' like 'a\%c' escape '';
select 'abc' like 'ab\';
select 'abc' like 'a#' escape '#';
select 'abc' like 'abc' escape 'xy';
select 'abc' like null, null like 'a', 'abc' like 'a' escape null;
select 'a
b' like 'a_b', 'a
b' like '%b', '日本' like '__', '日本' like '日_', '😀' like '_';
select 'abc' ~~ 'a%', 'abc' !~~ 'a%', 'ABC' ~~* 'a%', 'abc' !~~* 'A%';
select 'aaa' like '%a%a%a%', 'aaa' like '%a%a%a%a%', 'ab' like '%_%_%', 'a' like '%_%_%';
select 1 like '1';
select '1' like 1::text, 12::text like '1%';
select 'abc' like any (array['x%', 'a%']), 'abc' like all (array['a%', '%c']), 'abc' not like all (array['x', 'y']), 'abc' ilike any (array['X', 'A%']), 'abc' like any (array['x', null]);
select like_escape('a#%', '#'), 'x' like repeat('%', 100) || 'x';
select 'abc'::bytea like 'a%'::bytea, 'abc'::char(5) like 'abc', 'abc'::char(5) like 'abc%';

-- similar to
select 'abc' similar to 'abc', 'abc' similar to 'a', 'abc' similar to '%(b|d)%', 'abc' similar to '(b|c)%', 'abc' similar to 'a[b-c]+', 'aaa' similar to 'a{2,3}', 'aaa' similar to 'a{2}';
select 'a.c' similar to 'a.c', 'abc' similar to 'a.c', 'abc' similar to 'a_c', 'a+c' similar to 'a\+c', 'ac' similar to 'ab?c', 'abbc' similar to 'ab*c', 'abc' not similar to 'x%', 'a%c' similar to 'a#%c' escape '#';
select 'abc' similar to null, '' similar to '', 'a|b' similar to 'a|b', 'a' similar to 'a|b', '^a$' similar to '^a$';

-- Regular expressions
select 'abc' ~ 'b', 'abc' ~ '^b', 'abc' ~ 'c$', 'abc' ~ '^abc$', 'abc' ~ '', 'ABC' ~ 'b', 'ABC' ~* 'b', 'abc' !~ 'x', 'ABC' !~* 'B';
select 'abc' ~ 'a.c', 'a1c' ~ 'a\dc', 'a c' ~ 'a\sc', 'a_c' ~ '\w{3}', 'abc' ~ '[[:alpha:]]+$', 'abc' ~ '[^a-c]', 'ab12' ~ '[[:digit:]]{2}', 'aXb' ~ '[[:upper:]]';
select 'foo' ~ '(f|g)oo', 'foofoo' ~ '^(foo)\1$', 'foobar' ~ 'foo(?=bar)', 'foobar' ~ 'foo(?!bar)', 'foobar' ~ '(?<=foo)bar', 'foobar' ~ '(?<!foo)bar', 'foo' ~ 'fo+?', 'foo' ~ 'o{2,}';
select 'a word here' ~ '\mword\M', 'awordhere' ~ '\mword\M', 'word' ~ '\yword\y', 'a' ~ '\Aa\Z';
select 'a
b' ~ 'a.b', 'a
b' ~ '^b', 'a
b' ~ '(?n)^b', 'ABC' ~ '(?i)abc', 'a b' ~ '(?x)a \s b';
select 'abc' ~ '(';
select 'abc' ~ '[a';
select 'abc' ~ '*a';
select 'abc' ~ 'a{2,1}';
select 'abc' ~ '\';
select null ~ 'a', 'a' ~ null;
select 'é' ~ '\w', '日' ~ '^.$', 'É' ~* 'é', '😀' ~ '^.$';
select regexp_replace('foobar', 'o', 'x'), regexp_replace('foobar', 'o', 'x', 'g'), regexp_replace('foobar', 'O', 'x', 'gi'), regexp_replace('foobar', '(o)(b)', '\2\1'), regexp_replace('foobar', 'o', '[\&]', 'g'), regexp_replace('foobar', 'z', 'x'), regexp_replace('a.b', '\.', '\\');
select regexp_replace('foobar', 'o', 'x', 3), regexp_replace('foobar', 'o', 'x', 1, 2), regexp_replace('foobar', 'o', 'x', 1, 0);
select regexp_replace('abc', '', '-', 'g'), regexp_replace('', 'a', 'b'), regexp_replace(null, 'a', 'b'), regexp_replace('aaa', 'a*', 'X', 'g');
select regexp_replace('abc', 'b', 'x', 'q');
select regexp_match('foobar', 'o(.)(.)'), regexp_match('foobar', 'o+'), regexp_match('foobar', 'z'), regexp_match('FOO', 'o', 'i'), regexp_match('ab', '(a)|(x)');
select regexp_match('foo', 'o', 'g');
select regexp_matches('foobar', 'o', 'g');
select m from regexp_matches('a1b22c', '([a-z])(\d+)', 'g') m;
select count(*) from regexp_matches('abc', 'x', 'g');
select regexp_split_to_array('a1b22c', '\d+'), regexp_split_to_array('abc', ''), regexp_split_to_array('', ','), regexp_split_to_array('a,b', 'x'), regexp_split_to_array('aXbxc', 'x', 'i');
select * from regexp_split_to_table('a b  c', '\s+') t;
select regexp_count('banana', 'a'), regexp_count('banana', 'an', 3), regexp_count('BANANA', 'a', 1, 'i'), regexp_count('', 'a');
select regexp_instr('banana', 'a'), regexp_instr('banana', 'a', 3), regexp_instr('banana', 'a', 1, 2), regexp_instr('banana', 'n(a)', 1, 1, 1), regexp_instr('banana', 'n(a)', 1, 1, 0, '', 1), regexp_instr('banana', 'x');
select regexp_substr('banana', 'an.'), regexp_substr('banana', 'a', 3), regexp_substr('banana', 'a.', 1, 2), regexp_substr('banana', 'n(a)', 1, 1, '', 1), regexp_substr('banana', 'x');
select regexp_like('abc', 'B'), regexp_like('abc', 'B', 'i'), regexp_like('abc', '^b'), regexp_like('abc', '');
select regexp_count('abc', 'a', 0);
select regexp_instr('abc', 'a', 1, 0);
select substring('abc123' from '[0-9]+'), substring('abc' from '(b)(c)'), substring('key=value' from '=(.*)');
select 'foo.bar' ~ 'foo\.bar', 'fooxbar' ~ 'foo\.bar', 'a-b' ~ '[a\-]b', 'x]' ~ '[]x]+', '^' ~ '[\^]', 'ab' ~ '(?:a)(b)';

-- Greedy and lazy, longest alternatives
select substring('xyyyz' from 'y+'), substring('xyyyz' from 'y+?'), substring('foobar' from 'foo|foobar'), substring('XY1234Z' from 'Y*([0-9]{1,3})'), substring('XY1234Z' from 'Y*?([0-9]{1,3})');
select regexp_match('abc01234xyz', '(.*)(\d+)(.*)'), regexp_match('abc01234xyz', '(.*?)(\d+)(.*)'), regexp_match('abc01234xyz', '(?:(.*?)(\d+)(.*)){1,1}');

-- In tables
create table p (id int, x text);
insert into p values (1, 'apple'), (2, 'Apricot'), (3, 'banana'), (4, '50%'), (5, 'a_b'), (6, null), (7, ''), (8, 'line
break');
select id from p where x like 'a%' order by id;
select id from p where x ilike 'AP%' order by id;
select id from p where x like '%\%%' order by id;
select id from p where x like '%#_%' escape '#' order by id;
select id from p where x not like '%a%' order by id;
select id from p where x ~ '^[aA]p' order by id;
select id from p where x ~* 'AN' order by id;
select id from p where x !~ 'a' order by id;
select id from p where x similar to '(apple|banana)' order by id;
select id, x like '%' || left(x, 1) from p order by id;
select a.id, b.id from p a join p b on a.x like '%' || b.x || '%' where a.id <> b.id and b.x <> '' order by 1, 2;
select id, regexp_replace(x, '[aeiou]', '*', 'g') from p order by id;
select id from p where x like any (array['b%', '5%']) order by id;
select id from p where (x like 'a%') is not true order by id;
select id, regexp_count(x, 'a') from p where regexp_like(x, 'a') order by id;
