"""Functions: which there are, over which types, with which result.

``name: arguments > result, arguments > result``; several names may share what follows. ``>>`` gives rows, ``=t`` is an argument that
may be left out, ``*t`` takes any number. A result in parentheses is a row. They are PostgreSQL 18's, as far as the types are here;
what each does is in functions/ or refused when a plan is made.
"""

FUNCTIONS = """
abs: float4 > float4, float8 > float8, int2 > int2, int4 > int4, int8 > int8, numeric > numeric
acos acosd acosh asin asind asinh atan atand atanh cbrt cos cosd cosh cot cotd degrees erf erfc gamma lgamma
    radians sin sind sinh tan tand tanh:
    float8 > float8
age: timestamp > interval, timestamp timestamp > interval
array_append array_remove: anycompatiblearray anycompatible > anycompatiblearray
array_cat: anycompatiblearray anycompatiblearray > anycompatiblearray
array_dims: anyarray > text
array_fill: anyelement int4[] > anyarray, anyelement int4[] int4[] > anyarray
array_length array_lower array_upper: anyarray int4 > int4
array_ndims cardinality: anyarray > int4
array_position: anycompatiblearray anycompatible > int4, anycompatiblearray anycompatible int4 > int4
array_positions: anycompatiblearray anycompatible > int4[]
array_prepend: anycompatible anycompatiblearray > anycompatiblearray
array_replace: anycompatiblearray anycompatible anycompatible > anycompatiblearray
array_reverse array_shuffle: anyarray > anyarray
array_sample trim_array: anyarray int4 > anyarray
array_sort: anyarray > anyarray, anyarray bool > anyarray, anyarray bool bool > anyarray
array_to_json: anyarray > jsonb, anyarray bool > jsonb
array_to_tsvector: text[] > tsvector
array_to_string: anyarray text > text, anyarray text text > text
ascii: text > int4
atan2 atan2d: float8 float8 > float8
bit_count: bytea > int8
bit_length: bytea > int4, text > int4
btrim ltrim rtrim: bytea bytea > bytea, text > text, text text > text
casefold initcap quote_ident unistr: text > text
ceil ceiling exp floor ln log10 sign sqrt: float8 > float8, numeric > numeric
char_length character_length: bpchar > int4, text > int4
chr: int4 > text
clock_timestamp now statement_timestamp transaction_timestamp: > timestamp
concat: *any > text
concat_ws: text *any > text
convert: bytea text text > bytea
convert_from encode: bytea text > text
convert_to decode: text text > bytea
cosine_distance inner_product l1_distance l2_distance: vector vector > float8
crc32 crc32c: bytea > int8
current_catalog current_database current_role current_schema current_user session_user system_user
    timeofday user version:
    > text
current_date: > date
current_setting: text > text, text bool > text
current_time localtime: > time, int4 > time
current_timestamp localtimestamp: > timestamp, int4 > timestamp
currval nextval: text > int8
current_schemas: bool > text[]
date_bin: interval timestamp timestamp > timestamp
date_part: text date > float8, text interval > float8, text time > float8, text timestamp > float8
date_trunc: text interval > interval, text timestamp > timestamp, text timestamp text > timestamp
daterange: date date > daterange, date date text > daterange
div: numeric numeric > numeric
embed: text > vector
enum_first enum_last: anyenum > anyenum
enum_range: anyenum > anyarray, anyenum anyenum > anyarray
extract: text date > numeric, text interval > numeric, text time > numeric, text timestamp > numeric
factorial: int8 > numeric
format: text > text, text *any > text
gcd lcm: int4 int4 > int4, int8 int8 > int8, numeric numeric > numeric
gen_random_uuid uuidv4: > uuid
generate_series:
    int4 int4 >> int4, int4 int4 int4 >> int4, int8 int8 >> int8, int8 int8 int8 >> int8,
    numeric numeric >> numeric, numeric numeric numeric >> numeric,
    timestamp timestamp interval >> timestamp, timestamp timestamp interval text >> timestamp
generate_subscripts: anyarray int4 >> int4, anyarray int4 bool >> int4
get_current_ts_config: > text
get_bit: bytea int8 > int4
get_byte: bytea int4 > int4
has_table_privilege: text text > bool, text text text > bool
int4range: int4 int4 > int4range, int4 int4 text > int4range
int8range: int8 int8 > int8range, int8 int8 text > int8range
is_normalized: text =text > bool
isempty lower_inc lower_inf upper_inc upper_inf: anyrange > bool
isfinite: date > bool, interval > bool, timestamp > bool
json_array_elements jsonb_array_elements: jsonb >> jsonb
json_array_elements_text json_object_keys jsonb_array_elements_text jsonb_object_keys: jsonb >> text
json_array_length jsonb_array_length: jsonb > int4
json_build_array json_build_object jsonb_build_array jsonb_build_object: *any > jsonb, > jsonb
json_each jsonb_each: jsonb >> (key text, value jsonb)
json_each_text jsonb_each_text: jsonb >> (key text, value text)
json_extract_path jsonb_extract_path: jsonb *text > jsonb
json_extract_path_text jsonb_extract_path_text: jsonb *text > text
json_object jsonb_object: text[] > jsonb, text[] text[] > jsonb
json_strip_nulls jsonb_strip_nulls: jsonb =bool > jsonb
json_to_record json_to_recordset jsonb_to_record jsonb_to_recordset: jsonb >> record
json_typeof jsonb_pretty jsonb_typeof: jsonb > text
jsonb_concat: jsonb jsonb > jsonb
jsonb_contained jsonb_contains: jsonb jsonb > bool
jsonb_delete: jsonb int4 > jsonb, jsonb text > jsonb, jsonb text[] > jsonb
jsonb_delete_path: jsonb text[] > jsonb
jsonb_exists: jsonb text > bool
jsonb_exists_all jsonb_exists_any: jsonb text[] > bool
jsonb_insert jsonb_set: jsonb text[] jsonb =bool > jsonb
jsonb_path_exists jsonb_path_exists_tz jsonb_path_match jsonb_path_match_tz: jsonb jsonpath =jsonb =bool > bool
jsonb_path_query jsonb_path_query_tz: jsonb jsonpath =jsonb =bool >> jsonb
jsonb_path_query_array jsonb_path_query_array_tz jsonb_path_query_first jsonb_path_query_first_tz:
    jsonb jsonpath =jsonb =bool > jsonb
jsonb_set_lax: jsonb text[] jsonb =bool =text > jsonb
json_to_tsvector jsonb_to_tsvector: jsonb jsonb > tsvector, text jsonb jsonb > tsvector
justify_days justify_hours justify_interval: interval > interval
l2_normalize: vector > vector
lastval txid_current: > int8
left repeat right: text int4 > text
length: bpchar > int4, bytea > int4, bytea text > int4, text > int4, tsvector > int4
like_escape: bytea bytea > bytea, text text > text
log: float8 > float8, numeric > numeric, numeric numeric > numeric
lower upper: anyrange > anyelement, text > text
lpad rpad: text int4 > text, text int4 text > text
make_date: int4 int4 int4 > date
make_interval: =int4 =int4 =int4 =int4 =int4 =int4 =float8 > interval
make_time: int4 int4 float8 > time
make_timestamp: int4 int4 int4 int4 int4 float8 > timestamp
md5: bytea > text, text > text
min_scale scale: numeric > int4
mod: int2 int2 > int2, int4 int4 > int4, int8 int8 > int8, numeric numeric > numeric
normalize: text =text > text
num_nonnulls num_nulls: *any > int4
numnode: tsquery > int4
numrange: numeric numeric > numrange, numeric numeric text > numrange
octet_length: bpchar > int4, bytea > int4, text > int4
overlaps:
    time interval time interval > bool, time interval time time > bool, time time time interval > bool,
    time time time time > bool, timestamp interval timestamp interval > bool,
    timestamp interval timestamp timestamp > bool, timestamp timestamp timestamp interval > bool,
    timestamp timestamp timestamp timestamp > bool
overlay:
    bytea bytea int4 > bytea, bytea bytea int4 int4 > bytea, text text int4 > text,
    text text int4 int4 > text
parse_ident: text =bool > text[]
pg_backend_pid: > int4
pg_get_serial_sequence: text text > text
pg_is_in_recovery: > bool
pg_size_pretty: int8 > text, numeric > text
pg_sleep: float8 > void
pg_typeof: any > text
phraseto_tsquery plainto_tsquery to_tsquery websearch_to_tsquery: text text > tsquery, text > tsquery
pi: > float8
position: bytea bytea > int4, text text > int4
power: float8 float8 > float8, numeric numeric > numeric
querytree: tsquery > text
quote_literal quote_nullable: anyelement > text, text > text
random: int4 int4 > int4, int8 int8 > int8, numeric numeric > numeric, > float8
random_normal: =float8 =float8 > float8
range_merge: anyrange anyrange > anyrange
regexp_count: text text > int4, text text int4 > int4, text text int4 text > int4
regexp_instr:
    text text > int4, text text int4 > int4, text text int4 int4 > int4,
    text text int4 int4 int4 > int4, text text int4 int4 int4 text > int4,
    text text int4 int4 int4 text int4 > int4
regexp_like: text text > bool, text text text > bool
regexp_match regexp_split_to_array string_to_array: text text > text[], text text text > text[]
regexp_matches: text text >> text[], text text text >> text[]
regexp_replace:
    text text text > text, text text text int4 > text, text text text int4 int4 > text,
    text text text int4 int4 text > text, text text text text > text
regexp_split_to_table: text text >> text, text text text >> text
regexp_substr:
    text text > text, text text int4 > text, text text int4 int4 > text,
    text text int4 int4 text > text, text text int4 int4 text int4 > text
replace translate: text text text > text
reverse: bytea > bytea, text > text
round trunc: float8 > float8, numeric > numeric, numeric int4 > numeric
row_to_json: record > jsonb, record bool > jsonb
set_bit: bytea int8 int4 > bytea
set_byte: bytea int4 int4 > bytea
set_config: text text bool > text
setweight: tsvector text > tsvector, tsvector text text[] > tsvector
setval: text int8 > int8, text int8 bool > int8
setseed: float8 > void
sha224 sha256 sha384 sha512: bytea > bytea
similar_to_escape: text > text, text text > text
split_part: text text int4 > text
starts_with: text text > bool
string_to_table: text text >> text, text text text >> text
strip: tsvector > tsvector
strpos: text text > int4
substr: bytea int4 > bytea, bytea int4 int4 > bytea, text int4 > text, text int4 int4 > text
subvector: vector int4 int4 > vector
substring:
    bytea int4 > bytea, bytea int4 int4 > bytea, text int4 > text, text int4 int4 > text,
    text text > text, text text text > text
timezone: interval timestamp > timestamp, text timestamp > timestamp, timestamp > timestamp
to_char:
    float4 text > text, float8 text > text, int4 text > text, int8 text > text, interval text > text,
    numeric text > text, timestamp text > text
to_date: text text > date
to_bin to_hex to_oct: int4 > text, int8 > text
to_json to_jsonb: anyelement > jsonb
to_number: text text > numeric
to_timestamp: float8 > timestamp, text text > timestamp
to_regclass: text > text
to_tsvector: jsonb > tsvector, text jsonb > tsvector, text text > tsvector, text > tsvector
trim_scale: numeric > numeric
ts_delete: tsvector text > tsvector, tsvector text[] > tsvector
ts_filter: tsvector text[] > tsvector
ts_headline:
    jsonb tsquery > jsonb, jsonb tsquery text > jsonb, text jsonb tsquery > jsonb,
    text jsonb tsquery text > jsonb, text text tsquery > text, text text tsquery text > text,
    text tsquery > text, text tsquery text > text
ts_lexize: text text > text[]
ts_match_vq: tsvector tsquery > bool
ts_parse: text text >> (tokid int4, token text)
ts_rank ts_rank_cd:
    float4[] tsvector tsquery > float4, float4[] tsvector tsquery int4 > float4,
    tsvector tsquery > float4, tsvector tsquery int4 > float4
ts_rewrite: tsquery tsquery tsquery > tsquery
tsquery_phrase: tsquery tsquery > tsquery, tsquery tsquery int4 > tsquery
tsrange: timestamp timestamp > tsrange, timestamp timestamp text > tsrange
tsvector_to_array: tsvector > text[]
unnest: anyarray >> anyelement, tsvector >> (lexeme text, positions int2[], weights text[])
uuid_extract_timestamp: uuid > timestamp
uuid_extract_version: uuid > int2
uuidv7: interval > uuid, > uuid
vector_dims: vector > int4
vector_norm: vector > float8
width_bucket:
    anycompatible anycompatiblearray > int4, float8 float8 float8 int4 > int4,
    numeric numeric numeric int4 > int4
"""
