"""Full-text search: what PostgreSQL 18 (PGlite) answers. Documents, questions, matching, ranks, headlines, tokens."""

import pytest
from sql_answers import answer, session

from zengram_py.sql.session import Session

WORDS = [
    (
        "to_tsvector('english','The Fat Rats ate the fat cats'), to_tsvector('simple','The Fat Rats'), to_tsvector('a b')",
        "'ate':4 'cat':7 'fat':2,6 'rat':3|'fat':2 'rats':3 'the':1|'b':2",
    ),
    ("'a:1 b:2A c:3B,4C a:5D'::tsvector", "'a':1,5 'b':2A 'c':3B,4C"),
    ("$$the lexeme '    ' contains spaces$$::tsvector", "'    ' 'contains' 'lexeme' 'spaces' 'the'"),
    ("$$the lexeme 'Joe''s' contains a quote$$::tsvector", "'Joe''s' 'a' 'contains' 'lexeme' 'quote' 'the'"),
    ("'a:1 a:2 b:100000 c:0'::tsvector", "42601"),
    ("'a:1 a:2 b:100000'::tsvector", "'a':1,2 'b':16383"),
    ("'a:'::tsvector", "42601"),
    ("'a:1x'::tsvector", "42601"),
    ("'a:1A1'::tsvector", "'a':1A"),
    ("'a:1AB'::tsvector", "42601"),
    ("'a:1,'::tsvector", "42601"),
    ("'a:1,,2'::tsvector", "42601"),
    ("':1'::tsvector", "':1'"),
    ("'\\a b\\ c'::tsvector", "'a' 'b c'"),
    ("'a\\'::tsvector", "42601"),
    ("'''a'::tsvector", "42601"),
    ("''''''::tsvector", "42601"),
    ("'a''b'::tsvector, '''a''b'::tsvector", "'a''b'|'a' 'b'"),
    ("''::tsvector, '   '::tsvector", "|"),
    ("'a:3,1,2,2B'::tsvector, 'a:2B,2'::tsvector, 'a:1*'::tsvector", "'a':1,2B,3|'a':2B|'a':1A"),
    (
        "'fat & rat'::tsquery, 'fat & (rat | cat)'::tsquery, '!fat'::tsquery, 'fat & !(rat & cat)'::tsquery, 'fat:ab & cat:*'::tsquery, 'super:*A'::tsquery",
        "'fat' & 'rat'|'fat' & ( 'rat' | 'cat' )|!'fat'|'fat' & !( 'rat' & 'cat' )|'fat':AB & 'cat':*|'super':*A",
    ),
    (
        "'(fat)'::tsquery, '((a|b)&c)|d'::tsquery, 'a&b|c&d'::tsquery, 'a|b&c'::tsquery, '!a&b'::tsquery, '!(a|b)'::tsquery, '!!a'::tsquery",
        "'fat'|( 'a' | 'b' ) & 'c' | 'd'|'a' & 'b' | 'c' & 'd'|'a' | 'b' & 'c'|!'a' & 'b'|!( 'a' | 'b' )|!!'a'",
    ),
    (
        "'a <-> b <2> c'::tsquery, 'a <-> (b <-> c)'::tsquery, '(a <-> b) <-> c'::tsquery, 'a <-> (b & c)'::tsquery, 'a<0>b'::tsquery, '!(a <-> b)'::tsquery, '!a <-> b'::tsquery, 'a & b <-> c | d'::tsquery",
        "'a' <-> 'b' <2> 'c'|'a' <-> ( 'b' <-> 'c' )|'a' <-> 'b' <-> 'c'|'a' <-> ( 'b' & 'c' )|'a' <0> 'b'|!( 'a' <-> 'b' )|!'a' <-> 'b'|'a' & 'b' <-> 'c' | 'd'",
    ),
    ("'a <-> b'::tsquery, 'a<16384>b'::tsquery", "'a' <-> 'b'|'a' <16384> 'b'"),
    ("'a<16385>b'::tsquery", "22023"),
    ("'a<-1>b'::tsquery", "42601"),
    ("'a<x>b'::tsquery", "42601"),
    ("'a<b'::tsquery", "42601"),
    ("'a &'::tsquery", "42601"),
    ("'& a'::tsquery", "42601"),
    ("'a b'::tsquery", "42601"),
    ("'a !b'::tsquery", "42601"),
    ("'(a'::tsquery", "42601"),
    ("'a)'::tsquery", "42601"),
    ("'()'::tsquery", "42601"),
    ("''::tsquery, '  '::tsquery", "|"),
    ("':a'::tsquery", "42601"),
    ("'a:'::tsquery, 'a:x'::tsquery", "42601"),
    ("'a:abcd*'::tsquery, 'a:*ba'::tsquery", "'a':*ABCD|'a':*AB"),
    ("'''a b'' & ''c''''d'''::tsquery, 'a\\ b'::tsquery", "'a b' & 'c''d'|'a b'"),
    ("'a&!'::tsquery", "42601"),
    ("'!'::tsquery", "42601"),
    ("'a > b'::tsquery", "42601"),
    ("'*a'::tsquery, 'a*'::tsquery, 'a''b'::tsquery", "'*a'|'a*'|'a''b'"),
    (
        "to_tsquery('english','The & Fat & Rats'), to_tsquery('fat:ab & cats:*'), to_tsquery('supernovae stars')",
        "42601",
    ),
    (
        "to_tsquery('''supernovae stars'' & !crab'), to_tsquery('''the supernovae of the stars'' & !crab'), to_tsquery('the'), to_tsquery('the & a')",
        "'supernova' <-> 'star' & !'crab'|'supernova' <3> 'star' & !'crab'||",
    ),
    (
        "to_tsquery('cat & the'), to_tsquery('cat <-> the <-> dog'), to_tsquery('the <-> dog'), to_tsquery('(the | a) <-> dog'), to_tsquery('cat <-> (the & dog)'), to_tsquery('!the'), to_tsquery('cat <2> the <3> a <4> dog')",
        "'cat'|'cat' <2> 'dog'|'dog'|'dog'|'cat' <-> 'dog'||'cat' <9> 'dog'",
    ),
    (
        "to_tsquery('up-to-date'), to_tsquery('foo-bar:*'), to_tsquery('http://example.com/x'), to_tsquery('e-mail & x'), to_tsquery('''fat cat'' <-> dog'), to_tsquery('dog <-> ''fat cat''')",
        "42601",
    ),
    (
        "plainto_tsquery('The Fat Rats'), plainto_tsquery('The Fat & Rats:C'), plainto_tsquery(''), plainto_tsquery('the'), plainto_tsquery('up-to-date cats')",
        "'fat' & 'rat'|'fat' & 'rat' & 'c'|||'up-to-d' & 'date' & 'cat'",
    ),
    (
        "phraseto_tsquery('The Fat Rats'), phraseto_tsquery('The Cat and Rats'), phraseto_tsquery('The Fat & Rats:C'), phraseto_tsquery('cat of the house the')",
        "'fat' <-> 'rat'|'cat' <2> 'rat'|'fat' <-> 'rat' <-> 'c'|'cat' <3> 'hous'",
    ),
    (
        "websearch_to_tsquery('english','The fat rats'), websearch_to_tsquery('\"supernovae stars\" -crab'), websearch_to_tsquery('\"sad cat\" or \"fat rat\"'), websearch_to_tsquery('signal -\"segmentation fault\"'), websearch_to_tsquery('\"\"\" )( dummy \\\\ query <->')",
        "'fat' & 'rat'|'supernova' <-> 'star' & !'crab'|'sad' <-> 'cat' | 'fat' <-> 'rat'|'signal' & !( 'segment' <-> 'fault' )|'dummi' <-> 'queri'",
    ),
    (
        "websearch_to_tsquery('or cat'), websearch_to_tsquery('cat or'), websearch_to_tsquery('cat or or dog'), websearch_to_tsquery('cat OR dog mouse'), websearch_to_tsquery('cat or-dog'), websearch_to_tsquery('orange or_dog'), websearch_to_tsquery('-'), websearch_to_tsquery('--cat'), websearch_to_tsquery('cat -'), websearch_to_tsquery('a:b c:*'), websearch_to_tsquery('\"cat'), websearch_to_tsquery('cat\"dog\"mouse'), websearch_to_tsquery('the or cat'), websearch_to_tsquery('\"the cat of a dog\" house')",
        "'cat'|'cat'|'cat' | 'dog'|'cat' | 'dog' & 'mous'|'cat' & 'or-dog' <2> 'dog'|'orang' & 'dog'||!!'cat'|'cat'|'b' & 'c'|'cat'|'cat' & 'dog' & 'mous'|'cat'|'cat' <3> 'dog' & 'hous'",
    ),
    (
        "websearch_to_tsquery('cat -the'), websearch_to_tsquery('\"-cat dog\"'), websearch_to_tsquery('it''s'), websearch_to_tsquery('''cat'''), websearch_to_tsquery('cat & dog | mouse !bird'), websearch_to_tsquery('cat or (dog mouse)'), websearch_to_tsquery('cat or'' dog')",
        "'cat'|'cat' <-> 'dog'||'cat'|'cat' & 'dog' & 'mous' & 'bird'|'cat' | 'dog' & 'mous'|'cat' | 'dog'",
    ),
    (
        "numnode(''::tsquery), numnode('a'::tsquery), numnode('a&b'::tsquery), numnode('a & !b | c <-> d'::tsquery), querytree('foo & !bar'::tsquery), querytree('!bar'::tsquery), querytree('a | !b'::tsquery), querytree('a <-> !b <-> c'::tsquery), querytree(''::tsquery), querytree('a & (b | !c) & d'::tsquery)",
        "0|1|3|8|'foo'|T|T|'a' <-> 'c'||'a' & 'd'",
    ),
    (
        "'a & b'::tsquery && 'c'::tsquery, 'a'::tsquery || 'b & c'::tsquery, 'a | b'::tsquery && 'c'::tsquery, !! 'a'::tsquery, !! 'a & b'::tsquery, 'a'::tsquery <-> 'b'::tsquery, 'a | b'::tsquery <-> 'c & d'::tsquery, 'a'::tsquery && ''::tsquery, ''::tsquery || 'b'::tsquery, !!''::tsquery, ''::tsquery <-> 'a'::tsquery",
        "'a' & 'b' & 'c'|'a' | 'b' & 'c'|( 'a' | 'b' ) & 'c'|!'a'|!( 'a' & 'b' )|'a' <-> 'b'|( 'a' | 'b' ) <-> ( 'c' & 'd' )|'a'|'b'||'a'",
    ),
    (
        "tsquery_phrase('fat', 'cat'), tsquery_phrase('fat', 'cat', 10), tsquery_phrase('fat'::tsquery, 'a & b'::tsquery, 3), tsquery_phrase('fat','cat',0)",
        "'fat' <-> 'cat'|'fat' <10> 'cat'|'fat' <3> ( 'a' & 'b' )|'fat' <0> 'cat'",
    ),
    ("tsquery_phrase('fat', 'cat', -1)", "22023"),
    ("tsquery_phrase('fat', 'cat', 20000)", "22023"),
    (
        "'a:1 b:2'::tsvector || 'c:1 d:2 a:3'::tsvector, 'a b'::tsvector || 'c:1'::tsvector, ''::tsvector || 'a:5'::tsvector, 'a:16380'::tsvector || 'b:1 c:2 d:10 e:20'::tsvector, 'a:1A'::tsvector||'a:1B'::tsvector",
        "'a':1,5 'b':2 'c':3 'd':4|'a' 'b' 'c':1|'a':5|'a':16380 'b':16381 'c':16382 'd':16383 'e':16383|'a':1A,2B",
    ),
    (
        "setweight('fat:2,4 cat:3 rat:5B'::tsvector, 'A'), setweight('fat:2,4 cat:3 rat:5,6B'::tsvector, 'A', '{cat,rat}'), setweight('a:1A'::tsvector,'d'), setweight('a'::tsvector,'B')",
        "'cat':3A 'fat':2A,4A 'rat':5A|'cat':3A 'fat':2,4 'rat':5A,6A|'a':1|'a'",
    ),
    ("setweight('a:1'::tsvector, 'x')", "22023"),
    (
        "strip('fat:2,4 cat:3 rat:5A'::tsvector), length('fat:2,4 cat:3 rat:5A'::tsvector), tsvector_to_array('fat:2,4 cat:3 rat:5A'::tsvector), array_to_tsvector('{fat,cat,rat,cat}'::text[])",
        "'cat' 'fat' 'rat'|3|{cat,fat,rat}|'cat' 'fat' 'rat'",
    ),
    ("array_to_tsvector('{a,null}'::text[])", "22004"),
    ("array_to_tsvector(array['a',''])", "2200F"),
    (
        "ts_delete('fat:2,4 cat:3 rat:5A'::tsvector, 'fat'), ts_delete('fat:2,4 cat:3 rat:5A'::tsvector, array['fat','rat']), ts_filter('fat:2,4 cat:3b,7c rat:5A'::tsvector, '{a,b}'), ts_filter('a b:1'::tsvector,'{d}')",
        "'cat':3 'rat':5A|'cat':3|'cat':3B 'rat':5A|'b':1",
    ),
    ("ts_delete('a b'::tsvector, array['a',null])", "'b'"),
    ("ts_filter('a:1'::tsvector, '{x}')", "22023"),
    ("* from unnest('cat:3 fat:2,4A rat'::tsvector)", "cat|{3}|{D}\nfat|{2,4}|{D,A}\nrat|NULL|NULL"),
    (
        "'a b:89'::tsvector @@ 'a'::tsquery, 'a:1'::tsvector @@ '!b'::tsquery, ''::tsvector @@ '!b'::tsquery, ''::tsvector @@ ''::tsquery, 'a'::tsvector @@ ''::tsquery, 'a' @@ 'a'::tsquery, 'cats running'::text @@ 'cat & run'::tsquery, 'cats' @@ 'cat', 'fat cats'::text @@ 'cat fat'::text, 'cat'::tsquery @@ 'cat:1'::tsvector",
        "t|t|t|f|f|f|t|t|t|t",
    ),
    (
        "to_tsvector('fatal error') @@ to_tsquery('fatal <-> error'), to_tsvector('error is not fatal') @@ to_tsquery('fatal <-> error'), to_tsvector('english','the cat sat on the mat') @@ to_tsquery('cat <-> sat'), to_tsvector('the cat sat on the mat') @@ to_tsquery('sat <3> mat'), to_tsvector('the cat sat on the mat') @@ phraseto_tsquery('sat on the mat')",
        "t|f|t|t|t",
    ),
    (
        "'a:1 b:2 c:3'::tsvector @@ 'a <-> b <-> c'::tsquery, 'a:1 b:2 c:3'::tsvector @@ 'a <-> (b <-> c)'::tsquery, 'a:1 b:2 c:3'::tsvector @@ 'a <2> c'::tsquery, 'a:1 b:2'::tsvector @@ 'a <0> b'::tsquery, 'a:1 b:1'::tsvector @@ 'a <0> b'::tsquery, 'a b'::tsvector @@ 'a <-> b'::tsquery, 'a:1 b:2'::tsvector @@ 'a <-> !b'::tsquery, 'a:1 b:3'::tsvector @@ 'a <-> !b'::tsquery, 'a:1 b:2'::tsvector @@ '!a <-> b'::tsquery, 'a:1 b:2 b:5'::tsvector @@ '!a <-> b'::tsquery",
        "t|t|t|f|t|f|f|t|f|t",
    ),
    (
        "'a:1A b:2B'::tsvector @@ 'a:A'::tsquery, 'a:1A b:2B'::tsvector @@ 'a:B'::tsquery, 'a:1A b:2B'::tsvector @@ 'a:A <-> b:B'::tsquery, 'a:1A b:2B'::tsvector @@ 'a:B <-> b:B'::tsquery, 'a b'::tsvector @@ 'a:A'::tsquery, 'ab:1 ac:2 b:3'::tsvector @@ 'a:* <-> b'::tsquery, 'ab:1A ac:2 b:3'::tsvector @@ 'a:*A <-> b'::tsquery, 'abc'::tsvector @@ 'a:*'::tsquery, 'abc'::tsvector @@ 'b:*'::tsquery",
        "t|f|t|f|t|t|f|t|f",
    ),
    (
        'to_tsvector(\'english\', \'{"a": "The fat cats", "b": ["dogs", 1, true, null], "cc": {"d":"x y"}}\'::jsonb), to_tsvector(\'{"a": "aaa in bbb ddd ccc", "b": ["the eee fff ggg"], "c": {"d": "hhh. iii jjj"}}\'::jsonb), jsonb_to_tsvector(\'english\', \'{"a": "The fat cats", "b": [12, true]}\'::jsonb, \'["string","numeric"]\'), jsonb_to_tsvector(\'{"a": "The fat cats", "b": [12, true, 1.50]}\'::jsonb, \'"all"\'), jsonb_to_tsvector(\'simple\',\'{"key1":"x"}\'::jsonb,\'["key"]\')',
        "'cat':3 'dog':5 'fat':2 'x':7 'y':8|'aaa':1 'bbb':3 'ccc':5 'ddd':4 'eee':8 'fff':9 'ggg':10 'hhh':12 'iii':13 'jjj':14|'12':5 'cat':3 'fat':2|'1.50':12 '12':8 'b':6 'cat':4 'fat':3 'true':10|'key1':1",
    ),
    ("jsonb_to_tsvector('english','{}'::jsonb,'[\"x\"]')", "22023"),
    ("to_tsvector('nope','a')", "42704"),
    ("to_tsvector(null::text), to_tsvector('english', null), to_tsquery(null)", "NULL|NULL|NULL"),
    (
        "ts_lexize('english_stem','stars'), ts_lexize('english_stem','a'), ts_lexize('simple','The')",
        "{star}|{}|{the}",
    ),
    ("ts_lexize('foo','a')", "42704"),
]

TOKENS = [
    (
        "tokid, token from ts_parse('default','1@x.com 12.x@a.com a.b.c@d.e.fg x@y a+b@c.com <a href=\"x y\">t</a> <!-- c d --> <?xml version=\"1.0\"?> <!DOCTYPE html> <br/> <a b=''c''> < a <x y')",
        '4|1@x.com\n12| \n4|12.x@a.com\n12| \n4|a.b.c@d.e.fg\n12| \n1|x\n12|@\n1|y\n12| \n1|a\n12|+\n4|b@c.com\n12| \n13|<a href="x y">\n1|t\n13|</a>\n12| \n13|<!-- c d -->\n12| \n13|<?xml version="1.0"?>\n12| \n13|<!DOCTYPE html>\n12| \n13|<br/>\n12| \n13|<a b=\'c\'>\n12| \n12|< \n1|a\n12| \n12|<\n1|x\n12| \n1|y',
    ),
    (
        "tokid, token from ts_parse('default','a<b c>d x <-y a << b >> c')",
        "1|a\n13|<b c>\n1|d\n12| \n1|x\n12| \n12|<\n12|-\n1|y\n12| \n1|a\n12| \n12|<\n12|< \n1|b\n12| >> \n1|c",
    ),
    (
        'tokid, token from ts_parse(\'default\',\'<script>var x = 1 < 2;</script> <img src="a.png" alt="x > y"/> <a:b c-d="e"/> </p > <p class=x id=#y>z &nbsp; &#169; &#xA9; & &foo bar;\')',
        '13|<script>\n12|var x = 1 \n12|< 2;\n13|</script>\n12| \n13|<img src="a.png" alt="x > y"/>\n12| \n13|<a:b c-d="e"/>\n12| \n13|</p >\n12| \n13|<p class=x id=#y>\n1|z\n12| \n23|&nbsp;\n12| \n23|&#169;\n12| \n23|&#xA9;\n12| \n12|& \n12|&\n1|foo\n12| \n1|bar\n12|;',
    ),
    (
        "tokid, token from ts_parse('default','example.com:8080/path example.com:80 example.com: localhost:80 ftp://x.y/z mailto:a@b.com http://u:p@h.com/x file:///etc/x C:/a/b https://a.com/?q=[1]&b={2}')",
        "5|example.com:8080/path\n6|example.com:8080\n18|/path\n12| \n6|example.com:80\n12| \n6|example.com\n12|: \n1|localhost\n12|:\n22|80\n12| \n14|ftp://\n19|x.y/z\n12| \n1|mailto\n12|:\n4|a@b.com\n12| \n14|http://\n1|u\n12|:\n4|p@h.com\n19|/x\n12| \n14|file://\n19|/etc/x\n12| \n1|C\n12|:\n19|/a/b\n12| \n14|https://\n5|a.com/?q=[1]&b=\n6|a.com\n18|/?q=[1]&b=\n12|{\n22|2\n12|}",
    ),
    (
        "tokid, token from ts_parse('default', 'v1.2.3 +1.2.3 -7.5e3 a_b __x__ x.py e-mail-1 covid-19 don''t 3D B2B É2 日本語 x<y>z 1/2 10:30 #tag @me $5 50%')",
        "19|v1.2.3\n12| \n12|+\n8|1.2.3\n12| \n7|-7.5e3\n12| \n1|a\n12|_\n1|b\n12| __\n1|x\n12|__ \n6|x.py\n12| \n16|e-mail\n11|e\n12|-\n11|mail\n12|-\n22|1\n12| \n1|covid\n21|-19\n12| \n1|don\n12|'\n1|t\n12| \n3|3D\n12| \n3|B2B\n12| \n3|É2\n12| \n2|日本語\n12| \n1|x\n13|<y>\n1|z\n12| \n19|1/2\n12| \n22|10\n12|:\n22|30\n12| #\n1|tag\n12| @\n1|me\n12| $\n22|5\n12| \n22|50\n12|%",
    ),
]

QUESTIONS = [
    (
        "websearch_to_tsquery('english','fox '), plainto_tsquery('english','fox '), phraseto_tsquery('english','fox '), to_tsvector('english','fox ')",
        "'fox'|'fox'|'fox'|'fox':1",
    ),
    ("to_tsquery('english','fox ')", "'fox'"),
    ("'fox '::tsquery", "'fox'"),
    ("'fox '::tsvector", "'fox'"),
    (
        "websearch_to_tsquery('english',' \"'), plainto_tsquery('english',' \"'), phraseto_tsquery('english',' \"'), to_tsvector('english',' \"')",
        "|||",
    ),
    ("to_tsquery('english',' \"')", ""),
    ("' \"'::tsquery", "'\"'"),
    ("' \"'::tsvector", "'\"'"),
    (
        "websearch_to_tsquery('english','<-> fox running dogs or ('), plainto_tsquery('english','<-> fox running dogs or ('), phraseto_tsquery('english','<-> fox running dogs or ('), to_tsvector('english','<-> fox running dogs or (')",
        "'fox' & 'run' & 'dog'|'fox' & 'run' & 'dog'|'fox' <-> 'run' <-> 'dog'|'dog':3 'fox':1 'run':2",
    ),
    ("to_tsquery('english','<-> fox running dogs or (')", "42601"),
    ("'<-> fox running dogs or ('::tsquery", "42601"),
    ("'<-> fox running dogs or ('::tsvector", "'(' '<->' 'dogs' 'fox' 'or' 'running'"),
    (
        "websearch_to_tsquery('english',') '), plainto_tsquery('english',') '), phraseto_tsquery('english',') '), to_tsvector('english',') ')",
        "|||",
    ),
    ("to_tsquery('english',') ')", "42601"),
    ("') '::tsquery", "42601"),
    ("') '::tsvector", "')'"),
    (
        "websearch_to_tsquery('english','x_yrunning dogs  a | '), plainto_tsquery('english','x_yrunning dogs  a | '), phraseto_tsquery('english','x_yrunning dogs  a | '), to_tsvector('english','x_yrunning dogs  a | ')",
        "'x' <-> 'yrun' & 'dog'|'x' & 'yrun' & 'dog'|'x' <-> 'yrun' <-> 'dog'|'dog':3 'x':1 'yrun':2",
    ),
    ("to_tsquery('english','x_yrunning dogs  a | ')", "42601"),
    ("'x_yrunning dogs  a | '::tsquery", "42601"),
    ("'x_yrunning dogs  a | '::tsvector", "'a' 'dogs' 'x_yrunning' '|'"),
    (
        "websearch_to_tsquery('english','x_y running dogs a\\:'), plainto_tsquery('english','x_y running dogs a\\:'), phraseto_tsquery('english','x_y running dogs a\\:'), to_tsvector('english','x_y running dogs a\\:')",
        "'x' <-> 'y' & 'run' & 'dog'|'x' & 'y' & 'run' & 'dog'|'x' <-> 'y' <-> 'run' <-> 'dog'|'dog':4 'run':3 'x':1 'y':2",
    ),
    ("to_tsquery('english','x_y running dogs a\\:')", "42601"),
    ("'x_y running dogs a\\:'::tsquery", "42601"),
    ("'x_y running dogs a\\:'::tsvector", "'a:' 'dogs' 'running' 'x_y'"),
    (
        "websearch_to_tsquery('english','( its   e-mail  \"'), plainto_tsquery('english','( its   e-mail  \"'), phraseto_tsquery('english','( its   e-mail  \"'), to_tsvector('english','( its   e-mail  \"')",
        "'e-mail' <-> 'e' <-> 'mail'|'e-mail' & 'e' & 'mail'|'e-mail' <-> 'e' <-> 'mail'|'e':3 'e-mail':2 'mail':4",
    ),
    ("to_tsquery('english','( its   e-mail  \"')", "42601"),
    ("'( its   e-mail  \"'::tsquery", "42601"),
    ("'( its   e-mail  \"'::tsvector", "'\"' '(' 'e-mail' 'its'"),
    (
        "websearch_to_tsquery('english','*its -)  42* '), plainto_tsquery('english','*its -)  42* '), phraseto_tsquery('english','*its -)  42* '), to_tsvector('english','*its -)  42* ')",
        "!'42'|'42'|'42'|'42':2",
    ),
    ("to_tsquery('english','*its -)  42* ')", "42601"),
    ("'*its -)  42* '::tsquery", "42601"),
    ("'*its -)  42* '::tsvector", "'*its' '-)' '42*'"),
    (
        "websearch_to_tsquery('english',':'), plainto_tsquery('english',':'), phraseto_tsquery('english',':'), to_tsvector('english',':')",
        "|||",
    ),
    ("to_tsquery('english',':')", "42601"),
    ("':'::tsquery", "42601"),
    ("':'::tsvector", "':'"),
    (
        "websearch_to_tsquery('english','|OR: its'), plainto_tsquery('english','|OR: its'), phraseto_tsquery('english','|OR: its'), to_tsvector('english','|OR: its')",
        "|||",
    ),
    ("to_tsquery('english','|OR: its')", "42601"),
    ("'|OR: its'::tsquery", "42601"),
    ("'|OR: its'::tsvector", "42601"),
    (
        "websearch_to_tsquery('english','ORa:a OR 42 fox '), plainto_tsquery('english','ORa:a OR 42 fox '), phraseto_tsquery('english','ORa:a OR 42 fox '), to_tsvector('english','ORa:a OR 42 fox ')",
        "'ora' | '42' & 'fox'|'ora' & '42' & 'fox'|'ora' <3> '42' <-> 'fox'|'42':4 'fox':5 'ora':1",
    ),
    ("to_tsquery('english','ORa:a OR 42 fox ')", "42601"),
    ("'ORa:a OR 42 fox '::tsquery", "42601"),
    ("'ORa:a OR 42 fox '::tsvector", "42601"),
    (
        "websearch_to_tsquery('english','its or\"'), plainto_tsquery('english','its or\"'), phraseto_tsquery('english','its or\"'), to_tsvector('english','its or\"')",
        "|||",
    ),
    ("to_tsquery('english','its or\"')", "42601"),
    ("'its or\"'::tsquery", "42601"),
    ("'its or\"'::tsvector", "'its' 'or\"'"),
    (
        "websearch_to_tsquery('english','*  OR:<-> '), plainto_tsquery('english','*  OR:<-> '), phraseto_tsquery('english','*  OR:<-> '), to_tsvector('english','*  OR:<-> ')",
        "|||",
    ),
    ("to_tsquery('english','*  OR:<-> ')", "42601"),
    ("'*  OR:<-> '::tsquery", "42601"),
    ("'*  OR:<-> '::tsvector", "42601"),
    (
        "websearch_to_tsquery('english','OR running dogs e-mail ax_y '), plainto_tsquery('english','OR running dogs e-mail ax_y '), phraseto_tsquery('english','OR running dogs e-mail ax_y '), to_tsvector('english','OR running dogs e-mail ax_y ')",
        "'run' & 'dog' & 'e-mail' <-> 'e' <-> 'mail' & 'ax' <-> 'y'|'run' & 'dog' & 'e-mail' & 'e' & 'mail' & 'ax' & 'y'|'run' <-> 'dog' <-> 'e-mail' <-> 'e' <-> 'mail' <-> 'ax' <-> 'y'|'ax':7 'dog':3 'e':5 'e-mail':4 'mail':6 'run':2 'y':8",
    ),
    ("to_tsquery('english','OR running dogs e-mail ax_y ')", "42601"),
    ("'OR running dogs e-mail ax_y '::tsquery", "42601"),
    ("'OR running dogs e-mail ax_y '::tsvector", "'OR' 'ax_y' 'dogs' 'e-mail' 'running'"),
]

RANKS = [
    (
        "'!(!(b) <-> c:A)'::tsquery, 'a:12A,1C,3C'::tsvector @@ '!(!(b) <-> c:A)'::tsquery, numnode('!(!(b) <-> c:A)'::tsquery), querytree('!(!(b) <-> c:A)'::tsquery), ts_rank('a:12A,1C,3C'::tsvector,'!(!(b) <-> c:A)'::tsquery,2), ts_rank_cd('a:12A,1C,3C'::tsvector,'!(!(b) <-> c:A)'::tsquery,2), ts_rank('{0.3,0.2,0.5,0.9}'::real[], 'a:12A,1C,3C'::tsvector,'!(!(b) <-> c:A)'::tsquery), ts_rank_cd('{0.3,0.2,0.5,0.9}'::real[], 'a:12A,1C,3C'::tsvector,'!(!(b) <-> c:A)'::tsquery), '!(!(b) <-> c:A)'::tsquery && 'x <-> y'::tsquery, '!(!(b) <-> c:A)'::tsquery <-> '!(!(b) <-> c:A)'::tsquery",
        "!( !'b' <-> 'c':A )|t|5|T|0|0|0|0|!( !'b' <-> 'c':A ) & 'x' <-> 'y'|!( !'b' <-> 'c':A ) <-> !( !'b' <-> 'c':A )",
    ),
    (
        "'!((d) <-> (ab)) <0> ((a:A) <2> (b))'::tsquery, 'ca:6,4,4'::tsvector @@ '!((d) <-> (ab)) <0> ((a:A) <2> (b))'::tsquery, numnode('!((d) <-> (ab)) <0> ((a:A) <2> (b))'::tsquery), querytree('!((d) <-> (ab)) <0> ((a:A) <2> (b))'::tsquery), ts_rank('ca:6,4,4'::tsvector,'!((d) <-> (ab)) <0> ((a:A) <2> (b))'::tsquery,33), ts_rank_cd('ca:6,4,4'::tsvector,'!((d) <-> (ab)) <0> ((a:A) <2> (b))'::tsquery,33), ts_rank('{0.3,0.2,0.5,0.9}'::real[], 'ca:6,4,4'::tsvector,'!((d) <-> (ab)) <0> ((a:A) <2> (b))'::tsquery), ts_rank_cd('{0.3,0.2,0.5,0.9}'::real[], 'ca:6,4,4'::tsvector,'!((d) <-> (ab)) <0> ((a:A) <2> (b))'::tsquery), '!((d) <-> (ab)) <0> ((a:A) <2> (b))'::tsquery && 'x <-> y'::tsquery, '!((d) <-> (ab)) <0> ((a:A) <2> (b))'::tsquery <-> '!((d) <-> (ab)) <0> ((a:A) <2> (b))'::tsquery",
        "!( 'd' <-> 'ab' ) <0> ( 'a':A <2> 'b' )|f|8|'a':A <2> 'b'|6.3092975e-21|0|1e-20|0|!( 'd' <-> 'ab' ) <0> ( 'a':A <2> 'b' ) & 'x' <-> 'y'|!( 'd' <-> 'ab' ) <0> ( 'a':A <2> 'b' ) <-> ( !( 'd' <-> 'ab' ) <0> ( 'a':A <2> 'b' ) )",
    ),
    (
        "'(b) <0> (((ab) <-> (a:BC)) <2> ((d) <2> (b:*)))'::tsquery, 'c:1,2A a:2,4A ab:7,2,4A,8 abc:2'::tsvector @@ '(b) <0> (((ab) <-> (a:BC)) <2> ((d) <2> (b:*)))'::tsquery, numnode('(b) <0> (((ab) <-> (a:BC)) <2> ((d) <2> (b:*)))'::tsquery), querytree('(b) <0> (((ab) <-> (a:BC)) <2> ((d) <2> (b:*)))'::tsquery), ts_rank('c:1,2A a:2,4A ab:7,2,4A,8 abc:2'::tsvector,'(b) <0> (((ab) <-> (a:BC)) <2> ((d) <2> (b:*)))'::tsquery,5), ts_rank_cd('c:1,2A a:2,4A ab:7,2,4A,8 abc:2'::tsvector,'(b) <0> (((ab) <-> (a:BC)) <2> ((d) <2> (b:*)))'::tsquery,5), ts_rank('{0.3,0.2,0.5,0.9}'::real[], 'c:1,2A a:2,4A ab:7,2,4A,8 abc:2'::tsvector,'(b) <0> (((ab) <-> (a:BC)) <2> ((d) <2> (b:*)))'::tsquery), ts_rank_cd('{0.3,0.2,0.5,0.9}'::real[], 'c:1,2A a:2,4A ab:7,2,4A,8 abc:2'::tsvector,'(b) <0> (((ab) <-> (a:BC)) <2> ((d) <2> (b:*)))'::tsquery), '(b) <0> (((ab) <-> (a:BC)) <2> ((d) <2> (b:*)))'::tsquery && 'x <-> y'::tsquery, '(b) <0> (((ab) <-> (a:BC)) <2> ((d) <2> (b:*)))'::tsquery <-> '(b) <0> (((ab) <-> (a:BC)) <2> ((d) <2> (b:*)))'::tsquery",
        "'b' <0> ( 'ab' <-> 'a':BC <2> ( 'd' <2> 'b':* ) )|f|9|'b' <0> ( 'ab' <-> 'a':BC <2> ( 'd' <2> 'b':* ) )|0.2436724|0|0.96788955|0|'b' <0> ( 'ab' <-> 'a':BC <2> ( 'd' <2> 'b':* ) ) & 'x' <-> 'y'|'b' <0> ( 'ab' <-> 'a':BC <2> ( 'd' <2> 'b':* ) ) <-> ( 'b' <0> ( 'ab' <-> 'a':BC <2> ( 'd' <2> 'b':* ) ) )",
    ),
    (
        "'(b) <3> ((c) | (a:*A)) <3> (b & d) & (b)'::tsquery, 'c:7,8B ca:11C,2A'::tsvector @@ '(b) <3> ((c) | (a:*A)) <3> (b & d) & (b)'::tsquery, numnode('(b) <3> ((c) | (a:*A)) <3> (b & d) & (b)'::tsquery), querytree('(b) <3> ((c) | (a:*A)) <3> (b & d) & (b)'::tsquery), ts_rank('c:7,8B ca:11C,2A'::tsvector,'(b) <3> ((c) | (a:*A)) <3> (b & d) & (b)'::tsquery,8), ts_rank_cd('c:7,8B ca:11C,2A'::tsvector,'(b) <3> ((c) | (a:*A)) <3> (b & d) & (b)'::tsquery,8), ts_rank('{0.3,0.2,0.5,0.9}'::real[], 'c:7,8B ca:11C,2A'::tsvector,'(b) <3> ((c) | (a:*A)) <3> (b & d) & (b)'::tsquery), ts_rank_cd('{0.3,0.2,0.5,0.9}'::real[], 'c:7,8B ca:11C,2A'::tsvector,'(b) <3> ((c) | (a:*A)) <3> (b & d) & (b)'::tsquery), '(b) <3> ((c) | (a:*A)) <3> (b & d) & (b)'::tsquery && 'x <-> y'::tsquery, '(b) <3> ((c) | (a:*A)) <3> (b & d) & (b)'::tsquery <-> '(b) <3> ((c) | (a:*A)) <3> (b & d) & (b)'::tsquery",
        "'b' <3> ( 'c' | 'a':*A ) <3> ( 'b' & 'd' ) & 'b'|f|11|'b' <3> ( 'c' | 'a':*A ) <3> ( 'b' & 'd' ) & 'b'|5e-21|0|1e-20|0|'b' <3> ( 'c' | 'a':*A ) <3> ( 'b' & 'd' ) & 'b' & 'x' <-> 'y'|( 'b' <3> ( 'c' | 'a':*A ) <3> ( 'b' & 'd' ) & 'b' ) <-> ( 'b' <3> ( 'c' | 'a':*A ) <3> ( 'b' & 'd' ) & 'b' )",
    ),
    (
        "'!(!(c:BC)) <2> (!(ab:A))'::tsquery, 'abc:12C,9,3 d:10,1B,8B ab:11,9,10,10 b:8A,9,9B,1 c:3'::tsvector @@ '!(!(c:BC)) <2> (!(ab:A))'::tsquery, numnode('!(!(c:BC)) <2> (!(ab:A))'::tsquery), querytree('!(!(c:BC)) <2> (!(ab:A))'::tsquery), ts_rank('abc:12C,9,3 d:10,1B,8B ab:11,9,10,10 b:8A,9,9B,1 c:3'::tsvector,'!(!(c:BC)) <2> (!(ab:A))'::tsquery,2), ts_rank_cd('abc:12C,9,3 d:10,1B,8B ab:11,9,10,10 b:8A,9,9B,1 c:3'::tsvector,'!(!(c:BC)) <2> (!(ab:A))'::tsquery,2), ts_rank('{0.3,0.2,0.5,0.9}'::real[], 'abc:12C,9,3 d:10,1B,8B ab:11,9,10,10 b:8A,9,9B,1 c:3'::tsvector,'!(!(c:BC)) <2> (!(ab:A))'::tsquery), ts_rank_cd('{0.3,0.2,0.5,0.9}'::real[], 'abc:12C,9,3 d:10,1B,8B ab:11,9,10,10 b:8A,9,9B,1 c:3'::tsvector,'!(!(c:BC)) <2> (!(ab:A))'::tsquery), '!(!(c:BC)) <2> (!(ab:A))'::tsquery && 'x <-> y'::tsquery, '!(!(c:BC)) <2> (!(ab:A))'::tsquery <-> '!(!(c:BC)) <2> (!(ab:A))'::tsquery",
        "!!'c':BC <2> !'ab':A|f|6|T|0.01610945|0|0.5369041|0|!!'c':BC <2> !'ab':A & 'x' <-> 'y'|!!'c':BC <2> !'ab':A <-> ( !!'c':BC <2> !'ab':A )",
    ),
    (
        "'(c) <0> (c) <2> (c:BC) <3> (a) & d:*A'::tsquery, 'c:9,8B,7C ca:5B,3A,8A a:10B,6C,11,2'::tsvector @@ '(c) <0> (c) <2> (c:BC) <3> (a) & d:*A'::tsquery, numnode('(c) <0> (c) <2> (c:BC) <3> (a) & d:*A'::tsquery), querytree('(c) <0> (c) <2> (c:BC) <3> (a) & d:*A'::tsquery), ts_rank('c:9,8B,7C ca:5B,3A,8A a:10B,6C,11,2'::tsvector,'(c) <0> (c) <2> (c:BC) <3> (a) & d:*A'::tsquery,4), ts_rank_cd('c:9,8B,7C ca:5B,3A,8A a:10B,6C,11,2'::tsvector,'(c) <0> (c) <2> (c:BC) <3> (a) & d:*A'::tsquery,4), ts_rank('{0.3,0.2,0.5,0.9}'::real[], 'c:9,8B,7C ca:5B,3A,8A a:10B,6C,11,2'::tsvector,'(c) <0> (c) <2> (c:BC) <3> (a) & d:*A'::tsquery), ts_rank_cd('{0.3,0.2,0.5,0.9}'::real[], 'c:9,8B,7C ca:5B,3A,8A a:10B,6C,11,2'::tsvector,'(c) <0> (c) <2> (c:BC) <3> (a) & d:*A'::tsquery), '(c) <0> (c) <2> (c:BC) <3> (a) & d:*A'::tsquery && 'x <-> y'::tsquery, '(c) <0> (c) <2> (c:BC) <3> (a) & d:*A'::tsquery <-> '(c) <0> (c) <2> (c:BC) <3> (a) & d:*A'::tsquery",
        "'c' <0> 'c' <2> 'c':BC <3> 'a' & 'd':*A|f|9|'c' <0> 'c' <2> 'c':BC <3> 'a' & 'd':*A|0.9264082|0|0.9877272|0|'c' <0> 'c' <2> 'c':BC <3> 'a' & 'd':*A & 'x' <-> 'y'|( 'c' <0> 'c' <2> 'c':BC <3> 'a' & 'd':*A ) <-> ( 'c' <0> 'c' <2> 'c':BC <3> 'a' & 'd':*A )",
    ),
    (
        "'!(!b:BC) <2> ab:*'::tsquery, 'ca:6B,7A,6,4B a:9'::tsvector @@ '!(!b:BC) <2> ab:*'::tsquery, numnode('!(!b:BC) <2> ab:*'::tsquery), querytree('!(!b:BC) <2> ab:*'::tsquery), ts_rank('ca:6B,7A,6,4B a:9'::tsvector,'!(!b:BC) <2> ab:*'::tsquery,4), ts_rank_cd('ca:6B,7A,6,4B a:9'::tsvector,'!(!b:BC) <2> ab:*'::tsquery,4), ts_rank('{0.3,0.2,0.5,0.9}'::real[], 'ca:6B,7A,6,4B a:9'::tsvector,'!(!b:BC) <2> ab:*'::tsquery), ts_rank_cd('{0.3,0.2,0.5,0.9}'::real[], 'ca:6B,7A,6,4B a:9'::tsvector,'!(!b:BC) <2> ab:*'::tsquery), '!(!b:BC) <2> ab:*'::tsquery && 'x <-> y'::tsquery, '!(!b:BC) <2> ab:*'::tsquery <-> '!(!b:BC) <2> ab:*'::tsquery",
        "!!'b':BC <2> 'ab':*|f|5|'ab':*|1e-20|0|1e-20|0|!!'b':BC <2> 'ab':* & 'x' <-> 'y'|!!'b':BC <2> 'ab':* <-> ( !!'b':BC <2> 'ab':* )",
    ),
    (
        "'!((ab:*) & (b:A)) | ((d) <-> (c))'::tsquery, 'b:10B,11,3'::tsvector @@ '!((ab:*) & (b:A)) | ((d) <-> (c))'::tsquery, numnode('!((ab:*) & (b:A)) | ((d) <-> (c))'::tsquery), querytree('!((ab:*) & (b:A)) | ((d) <-> (c))'::tsquery), ts_rank('b:10B,11,3'::tsvector,'!((ab:*) & (b:A)) | ((d) <-> (c))'::tsquery,2), ts_rank_cd('b:10B,11,3'::tsvector,'!((ab:*) & (b:A)) | ((d) <-> (c))'::tsquery,2), ts_rank('{0.3,0.2,0.5,0.9}'::real[], 'b:10B,11,3'::tsvector,'!((ab:*) & (b:A)) | ((d) <-> (c))'::tsquery), ts_rank_cd('{0.3,0.2,0.5,0.9}'::real[], 'b:10B,11,3'::tsvector,'!((ab:*) & (b:A)) | ((d) <-> (c))'::tsquery), '!((ab:*) & (b:A)) | ((d) <-> (c))'::tsquery && 'x <-> y'::tsquery, '!((ab:*) & (b:A)) | ((d) <-> (c))'::tsquery <-> '!((ab:*) & (b:A)) | ((d) <-> (c))'::tsquery",
        "!( 'ab':* & 'b':A ) | 'd' <-> 'c'|t|8|T|0.025893189|0|0.12665148|0|( !( 'ab':* & 'b':A ) | 'd' <-> 'c' ) & 'x' <-> 'y'|( !( 'ab':* & 'b':A ) | 'd' <-> 'c' ) <-> ( !( 'ab':* & 'b':A ) | 'd' <-> 'c' )",
    ),
    (
        "'c <-> c <-> ab:A | !(c:*A) <-> ab & c'::tsquery, 'abc:8B,4C,9,11 b a:6 c:8,10 ca:8,4C,3'::tsvector @@ 'c <-> c <-> ab:A | !(c:*A) <-> ab & c'::tsquery, numnode('c <-> c <-> ab:A | !(c:*A) <-> ab & c'::tsquery), querytree('c <-> c <-> ab:A | !(c:*A) <-> ab & c'::tsquery), ts_rank('abc:8B,4C,9,11 b a:6 c:8,10 ca:8,4C,3'::tsvector,'c <-> c <-> ab:A | !(c:*A) <-> ab & c'::tsquery,2), ts_rank_cd('abc:8B,4C,9,11 b a:6 c:8,10 ca:8,4C,3'::tsvector,'c <-> c <-> ab:A | !(c:*A) <-> ab & c'::tsquery,2), ts_rank('{0.3,0.2,0.5,0.9}'::real[], 'abc:8B,4C,9,11 b a:6 c:8,10 ca:8,4C,3'::tsvector,'c <-> c <-> ab:A | !(c:*A) <-> ab & c'::tsquery), ts_rank_cd('{0.3,0.2,0.5,0.9}'::real[], 'abc:8B,4C,9,11 b a:6 c:8,10 ca:8,4C,3'::tsvector,'c <-> c <-> ab:A | !(c:*A) <-> ab & c'::tsquery), 'c <-> c <-> ab:A | !(c:*A) <-> ab & c'::tsquery && 'x <-> y'::tsquery, 'c <-> c <-> ab:A | !(c:*A) <-> ab & c'::tsquery <-> 'c <-> c <-> ab:A | !(c:*A) <-> ab & c'::tsquery",
        "'c' <-> 'c' <-> 'ab':A | !'c':*A <-> 'ab' & 'c'|f|12|'c' <-> 'c' <-> 'ab':A | 'ab' & 'c'|0.003454131|0|0.11398633|0|( 'c' <-> 'c' <-> 'ab':A | !'c':*A <-> 'ab' & 'c' ) & 'x' <-> 'y'|( 'c' <-> 'c' <-> 'ab':A | !'c':*A <-> 'ab' & 'c' ) <-> ( 'c' <-> 'c' <-> 'ab':A | !'c':*A <-> 'ab' & 'c' )",
    ),
    (
        "'b'::tsquery, 'b:8,4,1,8 a ca:5 c:11B,8A,6C,3'::tsvector @@ 'b'::tsquery, numnode('b'::tsquery), querytree('b'::tsquery), ts_rank('b:8,4,1,8 a ca:5 c:11B,8A,6C,3'::tsvector,'b'::tsquery,2), ts_rank_cd('b:8,4,1,8 a ca:5 c:11B,8A,6C,3'::tsvector,'b'::tsquery,2), ts_rank('{0.3,0.2,0.5,0.9}'::real[], 'b:8,4,1,8 a ca:5 c:11B,8A,6C,3'::tsvector,'b'::tsquery), ts_rank_cd('{0.3,0.2,0.5,0.9}'::real[], 'b:8,4,1,8 a ca:5 c:11B,8A,6C,3'::tsvector,'b'::tsquery), 'b'::tsquery && 'x <-> y'::tsquery, 'b'::tsquery <-> 'b'::tsquery",
        "'b'|t|1|'b'|0.00919396|0.033333335|0.24823691|0.90000004|'b' & 'x' <-> 'y'|'b' <-> 'b'",
    ),
    (
        "'((b <-> ab:BC) | (c:* & d:*A)) <2> (b)'::tsquery, ''::tsvector @@ '((b <-> ab:BC) | (c:* & d:*A)) <2> (b)'::tsquery, numnode('((b <-> ab:BC) | (c:* & d:*A)) <2> (b)'::tsquery), querytree('((b <-> ab:BC) | (c:* & d:*A)) <2> (b)'::tsquery), ts_rank(''::tsvector,'((b <-> ab:BC) | (c:* & d:*A)) <2> (b)'::tsquery,16), ts_rank_cd(''::tsvector,'((b <-> ab:BC) | (c:* & d:*A)) <2> (b)'::tsquery,16), ts_rank('{0.3,0.2,0.5,0.9}'::real[], ''::tsvector,'((b <-> ab:BC) | (c:* & d:*A)) <2> (b)'::tsquery), ts_rank_cd('{0.3,0.2,0.5,0.9}'::real[], ''::tsvector,'((b <-> ab:BC) | (c:* & d:*A)) <2> (b)'::tsquery), '((b <-> ab:BC) | (c:* & d:*A)) <2> (b)'::tsquery && 'x <-> y'::tsquery, '((b <-> ab:BC) | (c:* & d:*A)) <2> (b)'::tsquery <-> '((b <-> ab:BC) | (c:* & d:*A)) <2> (b)'::tsquery",
        "( 'b' <-> 'ab':BC | 'c':* & 'd':*A ) <2> 'b'|f|9|( 'b' <-> 'ab':BC | 'c':* & 'd':*A ) <2> 'b'|0|0|0|0|( 'b' <-> 'ab':BC | 'c':* & 'd':*A ) <2> 'b' & 'x' <-> 'y'|( 'b' <-> 'ab':BC | 'c':* & 'd':*A ) <2> 'b' <-> ( ( 'b' <-> 'ab':BC | 'c':* & 'd':*A ) <2> 'b' )",
    ),
    (
        "'(!(d:A <3> ab)) | ((c) <0> (d) <-> ab:*A | b:BC)'::tsquery, 'abc:4,11A,4 ab:12B,3,1'::tsvector @@ '(!(d:A <3> ab)) | ((c) <0> (d) <-> ab:*A | b:BC)'::tsquery, numnode('(!(d:A <3> ab)) | ((c) <0> (d) <-> ab:*A | b:BC)'::tsquery), querytree('(!(d:A <3> ab)) | ((c) <0> (d) <-> ab:*A | b:BC)'::tsquery), ts_rank('abc:4,11A,4 ab:12B,3,1'::tsvector,'(!(d:A <3> ab)) | ((c) <0> (d) <-> ab:*A | b:BC)'::tsquery,4), ts_rank_cd('abc:4,11A,4 ab:12B,3,1'::tsvector,'(!(d:A <3> ab)) | ((c) <0> (d) <-> ab:*A | b:BC)'::tsquery,4), ts_rank('{0.3,0.2,0.5,0.9}'::real[], 'abc:4,11A,4 ab:12B,3,1'::tsvector,'(!(d:A <3> ab)) | ((c) <0> (d) <-> ab:*A | b:BC)'::tsquery), ts_rank_cd('{0.3,0.2,0.5,0.9}'::real[], 'abc:4,11A,4 ab:12B,3,1'::tsvector,'(!(d:A <3> ab)) | ((c) <0> (d) <-> ab:*A | b:BC)'::tsquery), '(!(d:A <3> ab)) | ((c) <0> (d) <-> ab:*A | b:BC)'::tsquery && 'x <-> y'::tsquery, '(!(d:A <3> ab)) | ((c) <0> (d) <-> ab:*A | b:BC)'::tsquery <-> '(!(d:A <3> ab)) | ((c) <0> (d) <-> ab:*A | b:BC)'::tsquery",
        "!( 'd':A <3> 'ab' ) | 'c' <0> 'd' <-> 'ab':*A | 'b':BC|t|12|T|0.24697039|0.65|0.3153622|2|( !( 'd':A <3> 'ab' ) | 'c' <0> 'd' <-> 'ab':*A | 'b':BC ) & 'x' <-> 'y'|( !( 'd':A <3> 'ab' ) | 'c' <0> 'd' <-> 'ab':*A | 'b':BC ) <-> ( !( 'd':A <3> 'ab' ) | 'c' <0> 'd' <-> 'ab':*A | 'b':BC )",
    ),
    (
        "'a:A'::tsquery, 'ca:3,3B,6C,10C c:7A,5B,12 ab:12 a:7,6A'::tsvector @@ 'a:A'::tsquery, numnode('a:A'::tsquery), querytree('a:A'::tsquery), ts_rank('ca:3,3B,6C,10C c:7A,5B,12 ab:12 a:7,6A'::tsvector,'a:A'::tsquery,0), ts_rank_cd('ca:3,3B,6C,10C c:7A,5B,12 ab:12 a:7,6A'::tsvector,'a:A'::tsquery,0), ts_rank('{0.3,0.2,0.5,0.9}'::real[], 'ca:3,3B,6C,10C c:7A,5B,12 ab:12 a:7,6A'::tsvector,'a:A'::tsquery), ts_rank_cd('{0.3,0.2,0.5,0.9}'::real[], 'ca:3,3B,6C,10C c:7A,5B,12 ab:12 a:7,6A'::tsvector,'a:A'::tsquery), 'a:A'::tsquery && 'x <-> y'::tsquery, 'a:A'::tsquery <-> 'a:A'::tsquery",
        "'a':A|t|1|'a':A|0.6231253|1|0.5927289|0.9|'a':A & 'x' <-> 'y'|'a':A <-> 'a':A",
    ),
    (
        "'ab'::tsquery, 'd:2,9,6 ca:8A,11,5,9B b:6B,2'::tsvector @@ 'ab'::tsquery, numnode('ab'::tsquery), querytree('ab'::tsquery), ts_rank('d:2,9,6 ca:8A,11,5,9B b:6B,2'::tsvector,'ab'::tsquery,4), ts_rank_cd('d:2,9,6 ca:8A,11,5,9B b:6B,2'::tsvector,'ab'::tsquery,4), ts_rank('{0.3,0.2,0.5,0.9}'::real[], 'd:2,9,6 ca:8A,11,5,9B b:6B,2'::tsvector,'ab'::tsquery), ts_rank_cd('{0.3,0.2,0.5,0.9}'::real[], 'd:2,9,6 ca:8A,11,5,9B b:6B,2'::tsvector,'ab'::tsquery), 'ab'::tsquery && 'x <-> y'::tsquery, 'ab'::tsquery <-> 'ab'::tsquery",
        "'ab'|f|1|'ab'|0|0|0|0|'ab' & 'x' <-> 'y'|'ab' <-> 'ab'",
    ),
    (
        "'(a:*A) <0> (d) & !!b'::tsquery, 'abc:10 ca b:7,7C d:12'::tsvector @@ '(a:*A) <0> (d) & !!b'::tsquery, numnode('(a:*A) <0> (d) & !!b'::tsquery), querytree('(a:*A) <0> (d) & !!b'::tsquery), ts_rank('abc:10 ca b:7,7C d:12'::tsvector,'(a:*A) <0> (d) & !!b'::tsquery,32), ts_rank_cd('abc:10 ca b:7,7C d:12'::tsvector,'(a:*A) <0> (d) & !!b'::tsquery,32), ts_rank('{0.3,0.2,0.5,0.9}'::real[], 'abc:10 ca b:7,7C d:12'::tsvector,'(a:*A) <0> (d) & !!b'::tsquery), ts_rank_cd('{0.3,0.2,0.5,0.9}'::real[], 'abc:10 ca b:7,7C d:12'::tsvector,'(a:*A) <0> (d) & !!b'::tsquery), '(a:*A) <0> (d) & !!b'::tsquery && 'x <-> y'::tsquery, '(a:*A) <0> (d) & !!b'::tsquery <-> '(a:*A) <0> (d) & !!b'::tsquery",
        "'a':*A <0> 'd' & !!'b'|f|7|'a':*A <0> 'd'|0.24425991|0|0.5837395|0|'a':*A <0> 'd' & !!'b' & 'x' <-> 'y'|( 'a':*A <0> 'd' & !!'b' ) <-> ( 'a':*A <0> 'd' & !!'b' )",
    ),
    (
        "'b:A <2> (ab) <-> (ab) & d'::tsquery, ''::tsvector @@ 'b:A <2> (ab) <-> (ab) & d'::tsquery, numnode('b:A <2> (ab) <-> (ab) & d'::tsquery), querytree('b:A <2> (ab) <-> (ab) & d'::tsquery), ts_rank(''::tsvector,'b:A <2> (ab) <-> (ab) & d'::tsquery,8), ts_rank_cd(''::tsvector,'b:A <2> (ab) <-> (ab) & d'::tsquery,8), ts_rank('{0.3,0.2,0.5,0.9}'::real[], ''::tsvector,'b:A <2> (ab) <-> (ab) & d'::tsquery), ts_rank_cd('{0.3,0.2,0.5,0.9}'::real[], ''::tsvector,'b:A <2> (ab) <-> (ab) & d'::tsquery), 'b:A <2> (ab) <-> (ab) & d'::tsquery && 'x <-> y'::tsquery, 'b:A <2> (ab) <-> (ab) & d'::tsquery <-> 'b:A <2> (ab) <-> (ab) & d'::tsquery",
        "'b':A <2> 'ab' <-> 'ab' & 'd'|f|7|'b':A <2> 'ab' <-> 'ab' & 'd'|0|0|0|0|'b':A <2> 'ab' <-> 'ab' & 'd' & 'x' <-> 'y'|( 'b':A <2> 'ab' <-> 'ab' & 'd' ) <-> ( 'b':A <2> 'ab' <-> 'ab' & 'd' )",
    ),
    (
        "'((a:BC <3> b) <3> ((a:A) <0> (a:*A))) <3> (!b:BC <2> !c:A)'::tsquery, 'abc:11,11C,12A c'::tsvector @@ '((a:BC <3> b) <3> ((a:A) <0> (a:*A))) <3> (!b:BC <2> !c:A)'::tsquery, numnode('((a:BC <3> b) <3> ((a:A) <0> (a:*A))) <3> (!b:BC <2> !c:A)'::tsquery), querytree('((a:BC <3> b) <3> ((a:A) <0> (a:*A))) <3> (!b:BC <2> !c:A)'::tsquery), ts_rank('abc:11,11C,12A c'::tsvector,'((a:BC <3> b) <3> ((a:A) <0> (a:*A))) <3> (!b:BC <2> !c:A)'::tsquery,4), ts_rank_cd('abc:11,11C,12A c'::tsvector,'((a:BC <3> b) <3> ((a:A) <0> (a:*A))) <3> (!b:BC <2> !c:A)'::tsquery,4), ts_rank('{0.3,0.2,0.5,0.9}'::real[], 'abc:11,11C,12A c'::tsvector,'((a:BC <3> b) <3> ((a:A) <0> (a:*A))) <3> (!b:BC <2> !c:A)'::tsquery), ts_rank_cd('{0.3,0.2,0.5,0.9}'::real[], 'abc:11,11C,12A c'::tsvector,'((a:BC <3> b) <3> ((a:A) <0> (a:*A))) <3> (!b:BC <2> !c:A)'::tsquery), '((a:BC <3> b) <3> ((a:A) <0> (a:*A))) <3> (!b:BC <2> !c:A)'::tsquery && 'x <-> y'::tsquery, '((a:BC <3> b) <3> ((a:A) <0> (a:*A))) <3> (!b:BC <2> !c:A)'::tsquery <-> '((a:BC <3> b) <3> ((a:A) <0> (a:*A))) <3> (!b:BC <2> !c:A)'::tsquery",
        "'a':BC <3> 'b' <3> ( 'a':A <0> 'a':*A ) <3> ( !'b':BC <2> !'c':A )|f|13|'a':BC <3> 'b' <3> ( 'a':A <0> 'a':*A )|4.440892e-16|0|7.771561e-16|0|'a':BC <3> 'b' <3> ( 'a':A <0> 'a':*A ) <3> ( !'b':BC <2> !'c':A ) & 'x' <-> 'y'|'a':BC <3> 'b' <3> ( 'a':A <0> 'a':*A ) <3> ( !'b':BC <2> !'c':A ) <-> ( 'a':BC <3> 'b' <3> ( 'a':A <0> 'a':*A ) <3> ( !'b':BC <2> !'c':A ) )",
    ),
    (
        "'!c'::tsquery, ''::tsvector @@ '!c'::tsquery, numnode('!c'::tsquery), querytree('!c'::tsquery), ts_rank(''::tsvector,'!c'::tsquery,16), ts_rank_cd(''::tsvector,'!c'::tsquery,16), ts_rank('{0.3,0.2,0.5,0.9}'::real[], ''::tsvector,'!c'::tsquery), ts_rank_cd('{0.3,0.2,0.5,0.9}'::real[], ''::tsvector,'!c'::tsquery), '!c'::tsquery && 'x <-> y'::tsquery, '!c'::tsquery <-> '!c'::tsquery",
        "!'c'|t|2|T|0|0|0|0|!'c' & 'x' <-> 'y'|!'c' <-> !'c'",
    ),
    (
        "'(((a) <2> (ab:*A)) <0> (ab:A)) <3> (!ab)'::tsquery, 'a:6 ca'::tsvector @@ '(((a) <2> (ab:*A)) <0> (ab:A)) <3> (!ab)'::tsquery, numnode('(((a) <2> (ab:*A)) <0> (ab:A)) <3> (!ab)'::tsquery), querytree('(((a) <2> (ab:*A)) <0> (ab:A)) <3> (!ab)'::tsquery), ts_rank('a:6 ca'::tsvector,'(((a) <2> (ab:*A)) <0> (ab:A)) <3> (!ab)'::tsquery,1), ts_rank_cd('a:6 ca'::tsvector,'(((a) <2> (ab:*A)) <0> (ab:A)) <3> (!ab)'::tsquery,1), ts_rank('{0.3,0.2,0.5,0.9}'::real[], 'a:6 ca'::tsvector,'(((a) <2> (ab:*A)) <0> (ab:A)) <3> (!ab)'::tsquery), ts_rank_cd('{0.3,0.2,0.5,0.9}'::real[], 'a:6 ca'::tsvector,'(((a) <2> (ab:*A)) <0> (ab:A)) <3> (!ab)'::tsquery), '(((a) <2> (ab:*A)) <0> (ab:A)) <3> (!ab)'::tsquery && 'x <-> y'::tsquery, '(((a) <2> (ab:*A)) <0> (ab:A)) <3> (!ab)'::tsquery <-> '(((a) <2> (ab:*A)) <0> (ab:A)) <3> (!ab)'::tsquery",
        "'a' <2> 'ab':*A <0> 'ab':A <3> !'ab'|f|8|'a' <2> 'ab':*A <0> 'ab':A|6.3092975e-21|0|1e-20|0|'a' <2> 'ab':*A <0> 'ab':A <3> !'ab' & 'x' <-> 'y'|'a' <2> 'ab':*A <0> 'ab':A <3> !'ab' <-> ( 'a' <2> 'ab':*A <0> 'ab':A <3> !'ab' )",
    ),
    (
        "'(!(!d:A)) <2> (a)'::tsquery, 'abc:7,10 ab:2A,2C,10 ca:5,6 d:4,8,11A b:11,11,4B'::tsvector @@ '(!(!d:A)) <2> (a)'::tsquery, numnode('(!(!d:A)) <2> (a)'::tsquery), querytree('(!(!d:A)) <2> (a)'::tsquery), ts_rank('abc:7,10 ab:2A,2C,10 ca:5,6 d:4,8,11A b:11,11,4B'::tsvector,'(!(!d:A)) <2> (a)'::tsquery,5), ts_rank_cd('abc:7,10 ab:2A,2C,10 ca:5,6 d:4,8,11A b:11,11,4B'::tsvector,'(!(!d:A)) <2> (a)'::tsquery,5), ts_rank('{0.3,0.2,0.5,0.9}'::real[], 'abc:7,10 ab:2A,2C,10 ca:5,6 d:4,8,11A b:11,11,4B'::tsvector,'(!(!d:A)) <2> (a)'::tsquery), ts_rank_cd('{0.3,0.2,0.5,0.9}'::real[], 'abc:7,10 ab:2A,2C,10 ca:5,6 d:4,8,11A b:11,11,4B'::tsvector,'(!(!d:A)) <2> (a)'::tsquery), '(!(!d:A)) <2> (a)'::tsquery && 'x <-> y'::tsquery, '(!(!d:A)) <2> (a)'::tsquery <-> '(!(!d:A)) <2> (a)'::tsquery",
        "!!'d':A <2> 'a'|f|5|'a'|2.7894293e-21|0|1e-20|0|!!'d':A <2> 'a' & 'x' <-> 'y'|!!'d':A <2> 'a' <-> ( !!'d':A <2> 'a' )",
    ),
    (
        "'(d:*) & (d <0> c:BC <2> ab)'::tsquery, 'c ca:1C,8A'::tsvector @@ '(d:*) & (d <0> c:BC <2> ab)'::tsquery, numnode('(d:*) & (d <0> c:BC <2> ab)'::tsquery), querytree('(d:*) & (d <0> c:BC <2> ab)'::tsquery), ts_rank('c ca:1C,8A'::tsvector,'(d:*) & (d <0> c:BC <2> ab)'::tsquery,2), ts_rank_cd('c ca:1C,8A'::tsvector,'(d:*) & (d <0> c:BC <2> ab)'::tsquery,2), ts_rank('{0.3,0.2,0.5,0.9}'::real[], 'c ca:1C,8A'::tsvector,'(d:*) & (d <0> c:BC <2> ab)'::tsquery), ts_rank_cd('{0.3,0.2,0.5,0.9}'::real[], 'c ca:1C,8A'::tsvector,'(d:*) & (d <0> c:BC <2> ab)'::tsquery), '(d:*) & (d <0> c:BC <2> ab)'::tsquery && 'x <-> y'::tsquery, '(d:*) & (d <0> c:BC <2> ab)'::tsquery <-> '(d:*) & (d <0> c:BC <2> ab)'::tsquery",
        "'d':* & 'd' <0> 'c':BC <2> 'ab'|f|7|'d':* & 'd' <0> 'c':BC <2> 'ab'|3.3333333e-21|0|1e-20|0|'d':* & 'd' <0> 'c':BC <2> 'ab' & 'x' <-> 'y'|( 'd':* & 'd' <0> 'c':BC <2> 'ab' ) <-> ( 'd':* & 'd' <0> 'c':BC <2> 'ab' )",
    ),
    (
        "'ab'::tsquery, 'd:8,5C,11 ab:9 abc:11,5,4B a:8C'::tsvector @@ 'ab'::tsquery, numnode('ab'::tsquery), querytree('ab'::tsquery), ts_rank('d:8,5C,11 ab:9 abc:11,5,4B a:8C'::tsvector,'ab'::tsquery,33), ts_rank_cd('d:8,5C,11 ab:9 abc:11,5,4B a:8C'::tsvector,'ab'::tsquery,33), ts_rank('{0.3,0.2,0.5,0.9}'::real[], 'd:8,5C,11 ab:9 abc:11,5,4B a:8C'::tsvector,'ab'::tsquery), ts_rank_cd('{0.3,0.2,0.5,0.9}'::real[], 'd:8,5C,11 ab:9 abc:11,5,4B a:8C'::tsvector,'ab'::tsquery), 'ab'::tsquery && 'x <-> y'::tsquery, 'ab'::tsquery <-> 'ab'::tsquery",
        "'ab'|t|1|'ab'|0.018817093|0.043530792|0.18237814|0.3|'ab' & 'x' <-> 'y'|'ab' <-> 'ab'",
    ),
    (
        "'c'::tsquery, 'abc ab'::tsvector @@ 'c'::tsquery, numnode('c'::tsquery), querytree('c'::tsquery), ts_rank('abc ab'::tsvector,'c'::tsquery,8), ts_rank_cd('abc ab'::tsvector,'c'::tsquery,8), ts_rank('{0.3,0.2,0.5,0.9}'::real[], 'abc ab'::tsvector,'c'::tsquery), ts_rank_cd('{0.3,0.2,0.5,0.9}'::real[], 'abc ab'::tsvector,'c'::tsquery), 'c'::tsquery && 'x <-> y'::tsquery, 'c'::tsquery <-> 'c'::tsquery",
        "'c'|f|1|'c'|0|0|0|0|'c' & 'x' <-> 'y'|'c' <-> 'c'",
    ),
    (
        "'a & ((d) <0> (a)) & (c & d:*)'::tsquery, 'ca:7C,12 abc:2,5A,2 b:7 c'::tsvector @@ 'a & ((d) <0> (a)) & (c & d:*)'::tsquery, numnode('a & ((d) <0> (a)) & (c & d:*)'::tsquery), querytree('a & ((d) <0> (a)) & (c & d:*)'::tsquery), ts_rank('ca:7C,12 abc:2,5A,2 b:7 c'::tsvector,'a & ((d) <0> (a)) & (c & d:*)'::tsquery,8), ts_rank_cd('ca:7C,12 abc:2,5A,2 b:7 c'::tsvector,'a & ((d) <0> (a)) & (c & d:*)'::tsquery,8), ts_rank('{0.3,0.2,0.5,0.9}'::real[], 'ca:7C,12 abc:2,5A,2 b:7 c'::tsvector,'a & ((d) <0> (a)) & (c & d:*)'::tsquery), ts_rank_cd('{0.3,0.2,0.5,0.9}'::real[], 'ca:7C,12 abc:2,5A,2 b:7 c'::tsvector,'a & ((d) <0> (a)) & (c & d:*)'::tsquery), 'a & ((d) <0> (a)) & (c & d:*)'::tsquery && 'x <-> y'::tsquery, 'a & ((d) <0> (a)) & (c & d:*)'::tsquery <-> 'a & ((d) <0> (a)) & (c & d:*)'::tsquery",
        "'a' & 'd' <0> 'a' & 'c' & 'd':*|f|9|'a' & 'd' <0> 'a' & 'c' & 'd':*|2.5e-21|0|1e-20|0|'a' & 'd' <0> 'a' & 'c' & 'd':* & 'x' <-> 'y'|( 'a' & 'd' <0> 'a' & 'c' & 'd':* ) <-> ( 'a' & 'd' <0> 'a' & 'c' & 'd':* )",
    ),
    (
        "'((ab <0> d:*) <-> (d)) <2> (ab)'::tsquery, 'a:10A,1B,3A,7B b:8C,10 abc:6,2 ab:2A,6A,4C ca:7,8B'::tsvector @@ '((ab <0> d:*) <-> (d)) <2> (ab)'::tsquery, numnode('((ab <0> d:*) <-> (d)) <2> (ab)'::tsquery), querytree('((ab <0> d:*) <-> (d)) <2> (ab)'::tsquery), ts_rank('a:10A,1B,3A,7B b:8C,10 abc:6,2 ab:2A,6A,4C ca:7,8B'::tsvector,'((ab <0> d:*) <-> (d)) <2> (ab)'::tsquery,5), ts_rank_cd('a:10A,1B,3A,7B b:8C,10 abc:6,2 ab:2A,6A,4C ca:7,8B'::tsvector,'((ab <0> d:*) <-> (d)) <2> (ab)'::tsquery,5), ts_rank('{0.3,0.2,0.5,0.9}'::real[], 'a:10A,1B,3A,7B b:8C,10 abc:6,2 ab:2A,6A,4C ca:7,8B'::tsvector,'((ab <0> d:*) <-> (d)) <2> (ab)'::tsquery), ts_rank_cd('{0.3,0.2,0.5,0.9}'::real[], 'a:10A,1B,3A,7B b:8C,10 abc:6,2 ab:2A,6A,4C ca:7,8B'::tsvector,'((ab <0> d:*) <-> (d)) <2> (ab)'::tsquery), '((ab <0> d:*) <-> (d)) <2> (ab)'::tsquery && 'x <-> y'::tsquery, '((ab <0> d:*) <-> (d)) <2> (ab)'::tsquery <-> '((ab <0> d:*) <-> (d)) <2> (ab)'::tsquery",
        "'ab' <0> 'd':* <-> 'd' <2> 'ab'|f|7|'ab' <0> 'd':* <-> 'd' <2> 'ab'|2.6264953e-21|0|1e-20|0|'ab' <0> 'd':* <-> 'd' <2> 'ab' & 'x' <-> 'y'|'ab' <0> 'd':* <-> 'd' <2> 'ab' <-> ( 'ab' <0> 'd':* <-> 'd' <2> 'ab' )",
    ),
    (
        "'a <-> (d) & (c & a)'::tsquery, 'abc:3C,7,11,8C b:11,3A,8,10 ca:6C,9C'::tsvector @@ 'a <-> (d) & (c & a)'::tsquery, numnode('a <-> (d) & (c & a)'::tsquery), querytree('a <-> (d) & (c & a)'::tsquery), ts_rank('abc:3C,7,11,8C b:11,3A,8,10 ca:6C,9C'::tsvector,'a <-> (d) & (c & a)'::tsquery,2), ts_rank_cd('abc:3C,7,11,8C b:11,3A,8,10 ca:6C,9C'::tsvector,'a <-> (d) & (c & a)'::tsquery,2), ts_rank('{0.3,0.2,0.5,0.9}'::real[], 'abc:3C,7,11,8C b:11,3A,8,10 ca:6C,9C'::tsvector,'a <-> (d) & (c & a)'::tsquery), ts_rank_cd('{0.3,0.2,0.5,0.9}'::real[], 'abc:3C,7,11,8C b:11,3A,8,10 ca:6C,9C'::tsvector,'a <-> (d) & (c & a)'::tsquery), 'a <-> (d) & (c & a)'::tsquery && 'x <-> y'::tsquery, 'a <-> (d) & (c & a)'::tsquery <-> 'a <-> (d) & (c & a)'::tsquery",
        "'a' <-> 'd' & 'c' & 'a'|f|7|'a' <-> 'd' & 'c' & 'a'|1e-21|0|1e-20|0|'a' <-> 'd' & 'c' & 'a' & 'x' <-> 'y'|( 'a' <-> 'd' & 'c' & 'a' ) <-> ( 'a' <-> 'd' & 'c' & 'a' )",
    ),
    (
        "'(c) & (!(c <3> d))'::tsquery, 'abc:4,10A d a:4C ca:3,8A'::tsvector @@ '(c) & (!(c <3> d))'::tsquery, numnode('(c) & (!(c <3> d))'::tsquery), querytree('(c) & (!(c <3> d))'::tsquery), ts_rank('abc:4,10A d a:4C ca:3,8A'::tsvector,'(c) & (!(c <3> d))'::tsquery,2), ts_rank_cd('abc:4,10A d a:4C ca:3,8A'::tsvector,'(c) & (!(c <3> d))'::tsquery,2), ts_rank('{0.3,0.2,0.5,0.9}'::real[], 'abc:4,10A d a:4C ca:3,8A'::tsvector,'(c) & (!(c <3> d))'::tsquery), ts_rank_cd('{0.3,0.2,0.5,0.9}'::real[], 'abc:4,10A d a:4C ca:3,8A'::tsvector,'(c) & (!(c <3> d))'::tsquery), '(c) & (!(c <3> d))'::tsquery && 'x <-> y'::tsquery, '(c) & (!(c <3> d))'::tsquery <-> '(c) & (!(c <3> d))'::tsquery",
        "'c' & !( 'c' <3> 'd' )|f|6|'c'|1.6666666e-21|0|1e-20|0|'c' & !( 'c' <3> 'd' ) & 'x' <-> 'y'|( 'c' & !( 'c' <3> 'd' ) ) <-> ( 'c' & !( 'c' <3> 'd' ) )",
    ),
    (
        "'a'::tsquery, ''::tsvector @@ 'a'::tsquery, numnode('a'::tsquery), querytree('a'::tsquery), ts_rank(''::tsvector,'a'::tsquery,3), ts_rank_cd(''::tsvector,'a'::tsquery,3), ts_rank('{0.3,0.2,0.5,0.9}'::real[], ''::tsvector,'a'::tsquery), ts_rank_cd('{0.3,0.2,0.5,0.9}'::real[], ''::tsvector,'a'::tsquery), 'a'::tsquery && 'x <-> y'::tsquery, 'a'::tsquery <-> 'a'::tsquery",
        "'a'|f|1|'a'|0|0|0|0|'a' & 'x' <-> 'y'|'a' <-> 'a'",
    ),
    (
        "'(b) | (b) | a:A <3> d:A'::tsquery, 'c:10,4C,2 abc:3B,1C ab:1A,3 b'::tsvector @@ '(b) | (b) | a:A <3> d:A'::tsquery, numnode('(b) | (b) | a:A <3> d:A'::tsquery), querytree('(b) | (b) | a:A <3> d:A'::tsquery), ts_rank('c:10,4C,2 abc:3B,1C ab:1A,3 b'::tsvector,'(b) | (b) | a:A <3> d:A'::tsquery,3), ts_rank_cd('c:10,4C,2 abc:3B,1C ab:1A,3 b'::tsvector,'(b) | (b) | a:A <3> d:A'::tsquery,3), ts_rank('{0.3,0.2,0.5,0.9}'::real[], 'c:10,4C,2 abc:3B,1C ab:1A,3 b'::tsvector,'(b) | (b) | a:A <3> d:A'::tsquery), ts_rank_cd('{0.3,0.2,0.5,0.9}'::real[], 'c:10,4C,2 abc:3B,1C ab:1A,3 b'::tsvector,'(b) | (b) | a:A <3> d:A'::tsquery), '(b) | (b) | a:A <3> d:A'::tsquery && 'x <-> y'::tsquery, '(b) | (b) | a:A <3> d:A'::tsquery <-> '(b) | (b) | a:A <3> d:A'::tsquery",
        "'b' | 'b' | 'a':A <3> 'd':A|t|7|'b' | 'b' | 'a':A <3> 'd':A|0.00079908187|0|0.060792714|0|( 'b' | 'b' | 'a':A <3> 'd':A ) & 'x' <-> 'y'|( 'b' | 'b' | 'a':A <3> 'd':A ) <-> ( 'b' | 'b' | 'a':A <3> 'd':A )",
    ),
    (
        "'ab & c:*A <-> c:*A'::tsquery, 'abc:9,5 ab:8,8B,4,11A'::tsvector @@ 'ab & c:*A <-> c:*A'::tsquery, numnode('ab & c:*A <-> c:*A'::tsquery), querytree('ab & c:*A <-> c:*A'::tsquery), ts_rank('abc:9,5 ab:8,8B,4,11A'::tsvector,'ab & c:*A <-> c:*A'::tsquery,5), ts_rank_cd('abc:9,5 ab:8,8B,4,11A'::tsvector,'ab & c:*A <-> c:*A'::tsquery,5), ts_rank('{0.3,0.2,0.5,0.9}'::real[], 'abc:9,5 ab:8,8B,4,11A'::tsvector,'ab & c:*A <-> c:*A'::tsquery), ts_rank_cd('{0.3,0.2,0.5,0.9}'::real[], 'abc:9,5 ab:8,8B,4,11A'::tsvector,'ab & c:*A <-> c:*A'::tsquery), 'ab & c:*A <-> c:*A'::tsquery && 'x <-> y'::tsquery, 'ab & c:*A <-> c:*A'::tsquery <-> 'ab & c:*A <-> c:*A'::tsquery",
        "'ab' & 'c':*A <-> 'c':*A|f|5|'ab' & 'c':*A <-> 'c':*A|3.868528e-21|0|1e-20|0|'ab' & 'c':*A <-> 'c':*A & 'x' <-> 'y'|( 'ab' & 'c':*A <-> 'c':*A ) <-> ( 'ab' & 'c':*A <-> 'c':*A )",
    ),
    (
        "'b:A'::tsquery, 'b:4 a:9C'::tsvector @@ 'b:A'::tsquery, numnode('b:A'::tsquery), querytree('b:A'::tsquery), ts_rank('b:4 a:9C'::tsvector,'b:A'::tsquery,5), ts_rank_cd('b:4 a:9C'::tsvector,'b:A'::tsquery,5), ts_rank('{0.3,0.2,0.5,0.9}'::real[], 'b:4 a:9C'::tsvector,'b:A'::tsquery), ts_rank_cd('{0.3,0.2,0.5,0.9}'::real[], 'b:4 a:9C'::tsvector,'b:A'::tsquery), 'b:A'::tsquery && 'x <-> y'::tsquery, 'b:A'::tsquery <-> 'b:A'::tsquery",
        "'b':A|f|1|'b':A|0.03835593|0|0.18237814|0|'b':A & 'x' <-> 'y'|'b':A <-> 'b':A",
    ),
    (
        "'a <0> c'::tsquery, 'ab:6B,1 abc:7A,12,7A,3B'::tsvector @@ 'a <0> c'::tsquery, numnode('a <0> c'::tsquery), querytree('a <0> c'::tsquery), ts_rank('ab:6B,1 abc:7A,12,7A,3B'::tsvector,'a <0> c'::tsquery,4), ts_rank_cd('ab:6B,1 abc:7A,12,7A,3B'::tsvector,'a <0> c'::tsquery,4), ts_rank('{0.3,0.2,0.5,0.9}'::real[], 'ab:6B,1 abc:7A,12,7A,3B'::tsvector,'a <0> c'::tsquery), ts_rank_cd('{0.3,0.2,0.5,0.9}'::real[], 'ab:6B,1 abc:7A,12,7A,3B'::tsvector,'a <0> c'::tsquery), 'a <0> c'::tsquery && 'x <-> y'::tsquery, 'a <0> c'::tsquery <-> 'a <0> c'::tsquery",
        "'a' <0> 'c'|f|3|'a' <0> 'c'|1e-20|0|1e-20|0|'a' <0> 'c' & 'x' <-> 'y'|'a' <0> 'c' <-> ( 'a' <0> 'c' )",
    ),
    (
        "'(c) <-> ((a:*) <0> (ab) <2> a)'::tsquery, 'abc:8B,2C,11B'::tsvector @@ '(c) <-> ((a:*) <0> (ab) <2> a)'::tsquery, numnode('(c) <-> ((a:*) <0> (ab) <2> a)'::tsquery), querytree('(c) <-> ((a:*) <0> (ab) <2> a)'::tsquery), ts_rank('abc:8B,2C,11B'::tsvector,'(c) <-> ((a:*) <0> (ab) <2> a)'::tsquery,2), ts_rank_cd('abc:8B,2C,11B'::tsvector,'(c) <-> ((a:*) <0> (ab) <2> a)'::tsquery,2), ts_rank('{0.3,0.2,0.5,0.9}'::real[], 'abc:8B,2C,11B'::tsvector,'(c) <-> ((a:*) <0> (ab) <2> a)'::tsquery), ts_rank_cd('{0.3,0.2,0.5,0.9}'::real[], 'abc:8B,2C,11B'::tsvector,'(c) <-> ((a:*) <0> (ab) <2> a)'::tsquery), '(c) <-> ((a:*) <0> (ab) <2> a)'::tsquery && 'x <-> y'::tsquery, '(c) <-> ((a:*) <0> (ab) <2> a)'::tsquery <-> '(c) <-> ((a:*) <0> (ab) <2> a)'::tsquery",
        "'c' <-> ( 'a':* <0> 'ab' <2> 'a' )|f|7|'c' <-> ( 'a':* <0> 'ab' <2> 'a' )|3.3333333e-21|0|1e-20|0|'c' <-> ( 'a':* <0> 'ab' <2> 'a' ) & 'x' <-> 'y'|'c' <-> ( 'a':* <0> 'ab' <2> 'a' ) <-> ( 'c' <-> ( 'a':* <0> 'ab' <2> 'a' ) )",
    ),
    (
        "'!d:* | c & b'::tsquery, 'd:6B a:4 abc:9C b:12,11 ab:12,6A,6,3C'::tsvector @@ '!d:* | c & b'::tsquery, numnode('!d:* | c & b'::tsquery), querytree('!d:* | c & b'::tsquery), ts_rank('d:6B a:4 abc:9C b:12,11 ab:12,6A,6,3C'::tsvector,'!d:* | c & b'::tsquery,8), ts_rank_cd('d:6B a:4 abc:9C b:12,11 ab:12,6A,6,3C'::tsvector,'!d:* | c & b'::tsquery,8), ts_rank('{0.3,0.2,0.5,0.9}'::real[], 'd:6B a:4 abc:9C b:12,11 ab:12,6A,6,3C'::tsvector,'!d:* | c & b'::tsquery), ts_rank_cd('{0.3,0.2,0.5,0.9}'::real[], 'd:6B a:4 abc:9C b:12,11 ab:12,6A,6,3C'::tsvector,'!d:* | c & b'::tsquery), '!d:* | c & b'::tsquery && 'x <-> y'::tsquery, '!d:* | c & b'::tsquery <-> '!d:* | c & b'::tsquery",
        "!'d':* | 'c' & 'b'|f|6|T|0.02127745|0|0.17731208|0|( !'d':* | 'c' & 'b' ) & 'x' <-> 'y'|( !'d':* | 'c' & 'b' ) <-> ( !'d':* | 'c' & 'b' )",
    ),
    (
        "'a'::tsquery, 'a ab c:9C,1C d:2A,10A,1,9A abc:9,3B'::tsvector @@ 'a'::tsquery, numnode('a'::tsquery), querytree('a'::tsquery), ts_rank('a ab c:9C,1C d:2A,10A,1,9A abc:9,3B'::tsvector,'a'::tsquery,4), ts_rank_cd('a ab c:9C,1C d:2A,10A,1,9A abc:9,3B'::tsvector,'a'::tsquery,4), ts_rank('{0.3,0.2,0.5,0.9}'::real[], 'a ab c:9C,1C d:2A,10A,1,9A abc:9,3B'::tsvector,'a'::tsquery), ts_rank_cd('{0.3,0.2,0.5,0.9}'::real[], 'a ab c:9C,1C d:2A,10A,1,9A abc:9,3B'::tsvector,'a'::tsquery), 'a'::tsquery && 'x <-> y'::tsquery, 'a'::tsquery <-> 'a'::tsquery",
        "'a'|t|1|'a'|0.06079271|0|0.18237814|0|'a' & 'x' <-> 'y'|'a' <-> 'a'",
    ),
    (
        "'c:BC'::tsquery, ''::tsvector @@ 'c:BC'::tsquery, numnode('c:BC'::tsquery), querytree('c:BC'::tsquery), ts_rank(''::tsvector,'c:BC'::tsquery,33), ts_rank_cd(''::tsvector,'c:BC'::tsquery,33), ts_rank('{0.3,0.2,0.5,0.9}'::real[], ''::tsvector,'c:BC'::tsquery), ts_rank_cd('{0.3,0.2,0.5,0.9}'::real[], ''::tsvector,'c:BC'::tsquery), 'c:BC'::tsquery && 'x <-> y'::tsquery, 'c:BC'::tsquery <-> 'c:BC'::tsquery",
        "'c':BC|f|1|'c':BC|0|0|0|0|'c':BC & 'x' <-> 'y'|'c':BC <-> 'c':BC",
    ),
    (
        "'!(((d) & (a:A)) <0> ((b:*A) | (c:*A)))'::tsquery, 'b:7A,3B,2 ca:10A,4C abc:2C,1A,11C,8 ab:7,8,5 a:3,7B'::tsvector @@ '!(((d) & (a:A)) <0> ((b:*A) | (c:*A)))'::tsquery, numnode('!(((d) & (a:A)) <0> ((b:*A) | (c:*A)))'::tsquery), querytree('!(((d) & (a:A)) <0> ((b:*A) | (c:*A)))'::tsquery), ts_rank('b:7A,3B,2 ca:10A,4C abc:2C,1A,11C,8 ab:7,8,5 a:3,7B'::tsvector,'!(((d) & (a:A)) <0> ((b:*A) | (c:*A)))'::tsquery,5), ts_rank_cd('b:7A,3B,2 ca:10A,4C abc:2C,1A,11C,8 ab:7,8,5 a:3,7B'::tsvector,'!(((d) & (a:A)) <0> ((b:*A) | (c:*A)))'::tsquery,5), ts_rank('{0.3,0.2,0.5,0.9}'::real[], 'b:7A,3B,2 ca:10A,4C abc:2C,1A,11C,8 ab:7,8,5 a:3,7B'::tsvector,'!(((d) & (a:A)) <0> ((b:*A) | (c:*A)))'::tsquery), ts_rank_cd('{0.3,0.2,0.5,0.9}'::real[], 'b:7A,3B,2 ca:10A,4C abc:2C,1A,11C,8 ab:7,8,5 a:3,7B'::tsvector,'!(((d) & (a:A)) <0> ((b:*A) | (c:*A)))'::tsquery), '!(((d) & (a:A)) <0> ((b:*A) | (c:*A)))'::tsquery && 'x <-> y'::tsquery, '!(((d) & (a:A)) <0> ((b:*A) | (c:*A)))'::tsquery <-> '!(((d) & (a:A)) <0> ((b:*A) | (c:*A)))'::tsquery",
        "!( ( 'd' & 'a':A ) <0> ( 'b':*A | 'c':*A ) )|t|8|T|0.112812765|0.12308979|0.4901412|1.8|!( ( 'd' & 'a':A ) <0> ( 'b':*A | 'c':*A ) ) & 'x' <-> 'y'|!( ( 'd' & 'a':A ) <0> ( 'b':*A | 'c':*A ) ) <-> !( ( 'd' & 'a':A ) <0> ( 'b':*A | 'c':*A ) )",
    ),
    (
        "'c'::tsquery, 'ca b:8A,4B,7C,10 d:1,6C,4'::tsvector @@ 'c'::tsquery, numnode('c'::tsquery), querytree('c'::tsquery), ts_rank('ca b:8A,4B,7C,10 d:1,6C,4'::tsvector,'c'::tsquery,1), ts_rank_cd('ca b:8A,4B,7C,10 d:1,6C,4'::tsvector,'c'::tsquery,1), ts_rank('{0.3,0.2,0.5,0.9}'::real[], 'ca b:8A,4B,7C,10 d:1,6C,4'::tsvector,'c'::tsquery), ts_rank_cd('{0.3,0.2,0.5,0.9}'::real[], 'ca b:8A,4B,7C,10 d:1,6C,4'::tsvector,'c'::tsquery), 'c'::tsquery && 'x <-> y'::tsquery, 'c'::tsquery <-> 'c'::tsquery",
        "'c'|f|1|'c'|0|0|0|0|'c' & 'x' <-> 'y'|'c' <-> 'c'",
    ),
    (
        "'a <-> b'::tsquery, 'c:12B,12B ca'::tsvector @@ 'a <-> b'::tsquery, numnode('a <-> b'::tsquery), querytree('a <-> b'::tsquery), ts_rank('c:12B,12B ca'::tsvector,'a <-> b'::tsquery,3), ts_rank_cd('c:12B,12B ca'::tsvector,'a <-> b'::tsquery,3), ts_rank('{0.3,0.2,0.5,0.9}'::real[], 'c:12B,12B ca'::tsvector,'a <-> b'::tsquery), ts_rank_cd('{0.3,0.2,0.5,0.9}'::real[], 'c:12B,12B ca'::tsvector,'a <-> b'::tsquery), 'a <-> b'::tsquery && 'x <-> y'::tsquery, 'a <-> b'::tsquery <-> 'a <-> b'::tsquery",
        "'a' <-> 'b'|f|3|'a' <-> 'b'|3.1546488e-21|0|1e-20|0|'a' <-> 'b' & 'x' <-> 'y'|'a' <-> 'b' <-> ( 'a' <-> 'b' )",
    ),
    (
        "'((d) <-> (ab:A)) <-> (!c:A) & d:*'::tsquery, 'abc:1B,7,8A,2A'::tsvector @@ '((d) <-> (ab:A)) <-> (!c:A) & d:*'::tsquery, numnode('((d) <-> (ab:A)) <-> (!c:A) & d:*'::tsquery), querytree('((d) <-> (ab:A)) <-> (!c:A) & d:*'::tsquery), ts_rank('abc:1B,7,8A,2A'::tsvector,'((d) <-> (ab:A)) <-> (!c:A) & d:*'::tsquery,3), ts_rank_cd('abc:1B,7,8A,2A'::tsvector,'((d) <-> (ab:A)) <-> (!c:A) & d:*'::tsquery,3), ts_rank('{0.3,0.2,0.5,0.9}'::real[], 'abc:1B,7,8A,2A'::tsvector,'((d) <-> (ab:A)) <-> (!c:A) & d:*'::tsquery), ts_rank_cd('{0.3,0.2,0.5,0.9}'::real[], 'abc:1B,7,8A,2A'::tsvector,'((d) <-> (ab:A)) <-> (!c:A) & d:*'::tsquery), '((d) <-> (ab:A)) <-> (!c:A) & d:*'::tsquery && 'x <-> y'::tsquery, '((d) <-> (ab:A)) <-> (!c:A) & d:*'::tsquery <-> '((d) <-> (ab:A)) <-> (!c:A) & d:*'::tsquery",
        "'d' <-> 'ab':A <-> !'c':A & 'd':*|f|8|'d' <-> 'ab':A & 'd':*|1.0766914e-21|0|1e-20|0|'d' <-> 'ab':A <-> !'c':A & 'd':* & 'x' <-> 'y'|( 'd' <-> 'ab':A <-> !'c':A & 'd':* ) <-> ( 'd' <-> 'ab':A <-> !'c':A & 'd':* )",
    ),
]

HEADLINES = [
    (
        "ts_headline('english','engines important PostgreSQL important dogs search café a wow! PostgreSQL databases a (yes) v1.2.3 </b> the text quick <b> an important </b> http://a.com/b?c=d an relational-database engines dogs over a full its café',to_tsquery('english','database'),'MaxWords=10, MinWords=5')",
        "<b>databases</b> a (yes) v1.2.3   the text",
    ),
    (
        "ts_headline('english','its jumps lazy part relational-database over lazy to runs over its lazy text running (yes) a dogs e-mail &amp; fox 42 be, not; &amp; PostgreSQL of to café 42 searching http://a.com/b?c=d the brown fox <b> (yes) brown e-mail state-of-the-art dogs full </b> to high-tech <b> fox \"quoted\" café high-tech \"quoted\" lazy databases engine &amp; over quick <b> e-mail 3.14 to the fox café databases quick high-tech the PostgreSQL over v1.2.3 runs dogs http://a.com/b?c=d café lazy searching',to_tsquery('english','database'),'MaxWords=10, MinWords=5')",
        "<b>database</b> over lazy to runs",
    ),
    (
        "ts_headline('english','v1.2.3 </b> http://a.com/b?c=d to not; 3.14 <b> </b> text not; lazy café wow! 3.14 search its text search runs important quick be, <b> jumps brown quick databases the over',to_tsquery('english','(database & (e-mail <2> high-tech))'),'MaxFragments=1')",
        "v1.2.3   http://a.com/b?c=d to not; 3.14     text not; lazy café wow! 3.14 search its",
    ),
    (
        "ts_headline('english','me@x.com -7 café \"quoted\" &amp; 42 </b> its 42 full http://a.com/b?c=d a v1.2.3 engine over text -7 lazy databases searching me@x.com high-tech fox part be, wow! a not; -7 be, fox &amp; quick be, dogs',to_tsquery('english','((engine <-> full) <2> part)'),'StartSel=<<, StopSel=>>, ShortWord=0')",
        'me@x.com -7 café "quoted" &amp; 42   its 42 <<full>> http://a.com/b?c=d a v1.2.3 <<engine>>',
    ),
    (
        "ts_headline('english','wow! the fox running databases <b> 42 its jumps state-of-the-art the dogs brown http://a.com/b?c=d searching brown (yes) full not; full (yes) an its v1.2.3 over jumps brown a http://a.com/b?c=d </b> jumps an café part its to engines engines café of important <b> to state-of-the-art to http://a.com/b?c=d v1.2.3 a important 42 high-tech lazy part wow! \"quoted\" \"quoted\" engine \"quoted\" v1.2.3 relational-database relational-database \"quoted\" state-of-the-art important </b> </b> e-mail \"quoted\" part full e-mail of is e-mail v1.2.3 databases full &amp; running search engine <b>',to_tsquery('english','search'),'MaxFragments=1')",
        "running databases   42 its jumps state-of-the-art the dogs brown http://a.com/b?c=d <b>searching</b> brown (yes) full not; full (yes) an its v1.2.3 over jumps brown a http://a.com/b?c=d   jumps an café",
    ),
    (
        "ts_headline('english','42 lazy -7 running its e-mail café <b> http://a.com/b?c=d is http://a.com/b?c=d http://a.com/b?c=d a state-of-the-art wow! full quick not; engine search running </b> running -7 to quick to jumps http://a.com/b?c=d relational-database me@x.com v1.2.3 text not; dogs e-mail e-mail databases dogs running high-tech databases is fox <b> to search relational-database e-mail over v1.2.3 full searching an relational-database state-of-the-art high-tech quick café be, lazy </b> (yes) state-of-the-art of important (yes) be, brown café lazy wow! state-of-the-art quick over quick fox e-mail <b> runs text 42 its jumps important </b> me@x.com &amp;',to_tsquery('english','high-tech'),'')",
        "<b>high</b>-<b>tech</b> databases is fox   to search relational-database e-mail over v1.2.3 full searching",
    ),
    (
        "ts_headline('english','(yes) running v1.2.3 café PostgreSQL dogs its café running http://a.com/b?c=d 3.14 be, runs lazy me@x.com is dogs (yes) <b> of search </b> engines full relational-database café me@x.com engines of quick brown quick a PostgreSQL not; quick state-of-the-art over part -7 state-of-the-art of not; <b> PostgreSQL engine',to_tsquery('english','high-tech'),'MaxWords=10, MinWords=5')",
        "(yes) running v1.2.3 café PostgreSQL",
    ),
    (
        "ts_headline('english','is quick me@x.com <b> full a',to_tsquery('english','!run'),'MinWords=1,MaxWords=4')",
        "is",
    ),
    (
        "ts_headline('english','dogs high-tech me@x.com &amp; full the is search text running of 3.14 full relational-database an \"quoted\" the a v1.2.3 café -7 an v1.2.3 brown quick state-of-the-art \"quoted\" http://a.com/b?c=d part 42 searching dogs engine lazy relational-database engine part',to_tsquery('english','(!run <2> e-mail)'),'')",
        "dogs high-tech me@x.com &amp; full the is search text <b>running</b> of 3.14 full relational",
    ),
    (
        "ts_headline('english','engine 3.14 dogs running text wow! searching PostgreSQL -7 &amp; databases <b> over relational-database not; &amp; of',to_tsquery('english','(!jump & fox)'),'HighlightAll=true')",
        "engine 3.14 dogs running text wow! searching PostgreSQL -7 &amp; databases <b> over relational-database not; &amp; of",
    ),
    (
        "ts_headline('english','engine running high-tech searching jumps its jumps jumps the 3.14 text 42 search databases &amp; of runs quick 3.14 runs 3.14',to_tsquery('english','!part'),'')",
        "engine running high-tech searching jumps its jumps jumps the 3.14 text 42 search databases",
    ),
    (
        "ts_headline('english','jumps quick search state-of-the-art engines -7 search engine quick engine high-tech \"quoted\" text e-mail over important (yes) quick <b> </b> café dogs high-tech relational-database http://a.com/b?c=d v1.2.3 fox to http://a.com/b?c=d engine PostgreSQL v1.2.3 \"quoted\" a is be, of the 42 <b>',to_tsquery('english','e-mail'),'MinWords=1,MaxWords=4')",
        "<b>e</b>-<b>mail</b>",
    ),
    (
        "ts_headline('english','</b> search the PostgreSQL 42 me@x.com runs -7 </b> relational-database 42 &amp; be, quick 3.14 -7 -7 to state-of-the-art state-of-the-art important the not; fox lazy over café search important relational-database relational-database text of runs a an relational-database searching a me@x.com e-mail not; fox is 3.14 searching state-of-the-art http://a.com/b?c=d',to_tsquery('english','(mail & (full <2> mail))'),'HighlightAll=true')",
        "</b> search the PostgreSQL 42 me@x.com runs -7 </b> relational-database 42 &amp; be, quick 3.14 -7 -7 to state-of-the-art state-of-the-art important the not; fox lazy over café search important relational-database relational-database text of runs a an relational-database searching a me@x.com e-<b>mail</b> not; fox is 3.14 searching state-of-the-art http://a.com/b?c=d",
    ),
    (
        "ts_headline('english','(yes) PostgreSQL http://a.com/b?c=d quick \"quoted\" fox v1.2.3 wow! high-tech <b> café &amp; <b> café dogs brown to engine is café text quick fox lazy',to_tsquery('english','((search <-> search) <2> (database | text))'),'MaxFragments=3,FragmentDelimiter=\" || \",MaxWords=12,MinWords=4')",
        "(yes) PostgreSQL http://a.com",
    ),
]


@pytest.fixture(scope="module")
def at() -> Session:
    return session()


@pytest.mark.parametrize(("expressions", "expected"), [*WORDS, *TOKENS, *QUESTIONS, *RANKS, *HEADLINES])
def test_postgresql_answers_the_same(at: Session, expressions: str, expected: str) -> None:
    assert answer(at, "select " + expressions) == expected
