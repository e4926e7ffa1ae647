-- tsvector
select 'a fat cat sat on a mat'::tsvector, 'b:2 a:1,3A'::tsvector, '''quoted word'':5 plain'::tsvector, ''::tsvector, 'x:1B,2C,3D'::tsvector, 'a a b'::tsvector;
select to_tsvector('english', 'The quick brown foxes jumped over the lazy dogs'), to_tsvector('english', ''), to_tsvector('english', null), to_tsvector('simple', 'The Foxes'), to_tsvector('english', 'running runs ran runner');
select to_tsvector('english', 'a the of'), to_tsvector('english', 'Hello, World! 123 4.5 foo_bar e-mail x@y.com http://example.com/path'), to_tsvector('simple', 'it''s O''Neil''s');
select to_tsvector('german', 'Die Häuser der Städte'), to_tsvector('french', 'les chevaux mangent'), to_tsvector('spanish', 'los niños corriendo');
select to_tsvector('nosuch', 'x');
select to_tsvector('english', 'well-known state-of-the-art'), to_tsvector('simple', 'ÀÉÎ straße 日本'), to_tsvector('english', 'C++ a/b 50% $5 v1.2.3');
select to_tsvector('english', '{"a": "fat cats", "b": ["dogs", 1, true]}'::jsonb), jsonb_to_tsvector('english', '{"a": "cat", "b": 5}', '["string", "numeric"]'), jsonb_to_tsvector('english', '{"key": "cat"}', '"all"');
select length('a b c'::tsvector), length(to_tsvector('english', 'fat cats and fat dogs')), strip('a:1 b:2,3'::tsvector), tsvector_to_array('b:1 a:2'::tsvector);
select 'a:1 b:2'::tsvector || 'a:1 c:3'::tsvector, 'a'::tsvector || 'b:1'::tsvector, ''::tsvector || 'x'::tsvector;
select 'a b'::tsvector = 'b a'::tsvector, 'a:1'::tsvector = 'a:2'::tsvector, 'a'::tsvector < 'b'::tsvector;
select setweight('a:1 b:2'::tsvector, 'A'), setweight('a:1 b:2'::tsvector, 'B', array['a']), ts_delete('a:1 b:2'::tsvector, 'a'), ts_delete('a:1 b:2 c:3'::tsvector, array['a', 'c']), ts_filter('a:1A b:2B'::tsvector, '{a}'), array_to_tsvector(array['b', 'a']);
select lexeme, positions, weights from unnest('a:1,3B b:2'::tsvector);

-- tsquery
select 'fat & cat'::tsquery, 'fat | cat'::tsquery, '!fat'::tsquery, '(a | b) & !c'::tsquery, 'a <-> b'::tsquery, 'a <2> b'::tsquery, 'cat:*'::tsquery, 'cat:AB'::tsquery, 'a & b | c'::tsquery, '!(a & b)'::tsquery, ''::tsquery, '''two words'''::tsquery;
select 'a &'::tsquery;
select '(a'::tsquery;
select 'a b'::tsquery;
select to_tsquery('english', 'fat & cats'), to_tsquery('english', 'the & cats'), to_tsquery('english', 'The'), to_tsquery('english', '!cats | dog:*'), to_tsquery('english', 'running <-> dogs'), to_tsquery('simple', 'The & Cats'), to_tsquery('english', '''fat cats''');
select to_tsquery('english', 'fat cats');
select to_tsquery('english', '');
select plainto_tsquery('english', 'The Fat Cats'), plainto_tsquery('english', ''), plainto_tsquery('english', 'a & b | c'), plainto_tsquery('english', 'the of'), plainto_tsquery('simple', 'a b');
select phraseto_tsquery('english', 'The Fat Cats'), phraseto_tsquery('english', 'fat and the cats'), phraseto_tsquery('english', 'cat'), phraseto_tsquery('english', '');
select websearch_to_tsquery('english', 'fat cats'), websearch_to_tsquery('english', '"fat cats"'), websearch_to_tsquery('english', 'fat or cats'), websearch_to_tsquery('english', 'fat -cats'), websearch_to_tsquery('english', '"the cat" -dog or bird'), websearch_to_tsquery('english', ''), websearch_to_tsquery('english', '-'), websearch_to_tsquery('english', 'a "unclosed'), websearch_to_tsquery('english', '((('), websearch_to_tsquery('english', 'or or');
select 'a'::tsquery && 'b'::tsquery, 'a'::tsquery || 'b'::tsquery, !! 'a'::tsquery, 'a'::tsquery <-> 'b'::tsquery, numnode('a & !b'::tsquery), querytree('a & !b'::tsquery), 'a & b'::tsquery @> 'a'::tsquery, 'a'::tsquery <@ 'a & b'::tsquery, tsquery_phrase('a', 'b', 3), 'a'::tsquery = 'a'::tsquery;
select ts_rewrite('a & b'::tsquery, 'a'::tsquery, 'c'::tsquery);

-- Matching
select to_tsvector('english', 'fat cats ate rats') @@ to_tsquery('english', 'fat & rat'), to_tsvector('english', 'fat cats') @@ to_tsquery('english', 'dog'), to_tsvector('english', 'fat cats') @@ to_tsquery('english', '!dog'), to_tsvector('english', 'fat cats ate') @@ to_tsquery('english', 'fat <-> cat'), to_tsvector('english', 'fat big cats') @@ to_tsquery('english', 'fat <-> cat'), to_tsvector('english', 'fat big cats') @@ to_tsquery('english', 'fat <2> cat');
select 'a:1 b:2'::tsvector @@ 'a & b'::tsquery, 'a:1 b:2'::tsvector @@ 'b <-> a'::tsquery, 'abc'::tsvector @@ 'ab:*'::tsquery, 'a:1A'::tsvector @@ 'a:A'::tsquery, 'a:1B'::tsvector @@ 'a:A'::tsquery, ''::tsvector @@ 'a'::tsquery, 'a'::tsvector @@ ''::tsquery, 'a:1 c:3'::tsvector @@ '(a <-> b) | c'::tsquery, 'a:1 b:2'::tsvector @@ '!(a <-> b)'::tsquery;
select 'fat cats' @@ 'cat', 'fat cats' @@ to_tsquery('english', 'cat'), to_tsquery('english', 'cat') @@ to_tsvector('english', 'cats'), null::tsvector @@ 'a'::tsquery;
select 'a:1 b:2 c:3'::tsvector @@ 'a <-> b <-> c'::tsquery, 'a:1 b:2 c:3'::tsvector @@ 'a <-> (b <-> c)'::tsquery, 'a:1 b:3'::tsvector @@ 'a <-> !c'::tsquery, 'a:1 b:2'::tsvector @@ '!a <-> b'::tsquery;

-- Ranking
select ts_rank(to_tsvector('english', 'cats and dogs'), to_tsquery('english', 'cat')), ts_rank(to_tsvector('english', 'cat cat cat'), to_tsquery('english', 'cat')), ts_rank(to_tsvector('english', 'cats and dogs'), to_tsquery('english', 'cat & dog')), ts_rank(to_tsvector('english', 'bird'), to_tsquery('english', 'cat')), ts_rank(to_tsvector('english', 'cats and dogs'), to_tsquery('english', 'cat | bird'));
select ts_rank('a:1A b:2D'::tsvector, 'a'::tsquery), ts_rank('a:1A b:2D'::tsvector, 'b'::tsquery), ts_rank('{0.1, 0.2, 0.4, 1.0}', 'a:1A'::tsvector, 'a'::tsquery), ts_rank('a:1 b:2'::tsvector, 'a'::tsquery, 1), ts_rank('a:1 b:2'::tsvector, 'a'::tsquery, 2), ts_rank('a:1 b:2'::tsvector, 'a'::tsquery, 32);
select ts_rank_cd('a:1 b:2'::tsvector, 'a & b'::tsquery), ts_rank_cd('a:1 b:5'::tsvector, 'a & b'::tsquery), ts_rank_cd('a:1'::tsvector, 'b'::tsquery), ts_rank_cd('a:1,3 b:2'::tsvector, 'a & b'::tsquery);

-- Headlines
select ts_headline('english', 'The fat cats ate the rats', to_tsquery('english', 'cat')), ts_headline('english', 'nothing here', to_tsquery('english', 'cat')), ts_headline('english', 'Cat cat CATS', to_tsquery('english', 'cat')), ts_headline('english', '', to_tsquery('english', 'cat'));
select ts_headline('english', 'The fat cats ate the rats', to_tsquery('english', 'cat & rat'), 'StartSel=[, StopSel=]'), ts_headline('english', 'one two three four five six seven eight nine ten cat eleven twelve', to_tsquery('english', 'cat'), 'MaxWords=5, MinWords=2'), ts_headline('english', 'a cat here and a cat there', to_tsquery('english', 'cat'), 'HighlightAll=true');

-- Tables
create table doc (id int primary key, title text, body text, v tsvector);
insert into doc (id, title, body) values (1, 'Cats', 'Cats are small animals that hunt mice'), (2, 'Dogs', 'Dogs hunt with people; a dog is loyal'), (3, 'Both', 'Cats and dogs living together'), (4, null, null), (5, 'Mice', 'Mice fear cats');
update doc set v = setweight(to_tsvector('english', coalesce(title, '')), 'A') || setweight(to_tsvector('english', coalesce(body, '')), 'B');
select id, v from doc order by id;
select id from doc where to_tsvector('english', body) @@ to_tsquery('english', 'cat') order by id;
select id from doc where to_tsvector('english', body) @@ plainto_tsquery('english', 'cats dogs') order by id;
select id from doc where v @@ to_tsquery('english', 'cat:A') order by id;
select id from doc where v @@ websearch_to_tsquery('english', 'hunt -dog') order by id;
select id, ts_rank(v, q) > 0 from doc, to_tsquery('english', 'cat') q where v @@ q order by ts_rank(v, q) desc, id;
create index doc_body on doc using gin (to_tsvector('english', body));
select id from doc where to_tsvector('english', body) @@ to_tsquery('english', 'hunt') order by id;
select id from doc where to_tsvector('english', body) @@ to_tsquery('english', 'hunt & !dog') order by id;
insert into doc (id, body) values (6, 'hunting season');
select id from doc where to_tsvector('english', body) @@ to_tsquery('english', 'hunt') order by id;
delete from doc where id = 1;
select id from doc where to_tsvector('english', body) @@ to_tsquery('english', 'hunt | cat') order by id;
select id from doc where to_tsvector('english', body) @@ phraseto_tsquery('english', 'cats and dogs') order by id;
create index doc_v on doc using gin (v);
select id from doc where v @@ 'dog'::tsquery order by id;
select id from doc where not (v @@ 'dog'::tsquery) order by id;
select count(*) from doc where v is null;
select id, ts_headline('english', body, to_tsquery('english', 'dog')) from doc where id = 3;
select get_current_ts_config();
set default_text_search_config = 'pg_catalog.english';
select to_tsvector('The cats'), to_tsquery('cats'), 'The cats' @@ 'cat';
