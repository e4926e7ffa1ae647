"""Which module implements what; written by build/function_index.py, do not edit.

A line is a module and the names that it registers, two spaces between them; a cast is ``source>target``.
"""

INDEX = """\
arithmetic: #  %  &  *  +  -  /  <<  >>  @  abs  mod  |  ~
arrays: array_append  array_cat  array_dims  array_fill  array_length  array_lower  array_ndims  array_prepend  array_reverse  array_sample  array_shuffle  array_sort  array_to_string  array_upper  cardinality  generate_subscripts  trim_array  unnest  ||
arraysearch: &&  <@  @>  array_position  array_positions  array_remove  array_replace
bytes_: bit_count  bit_length  btrim  get_bit  get_byte  length  ltrim  octet_length  overlay  position  reverse  rtrim  set_bit  set_byte  substr  substring  ||
casts: bool>int4  bytea>int2  bytea>int4  bytea>int8  date>timestamp  float4>float8  float4>int2  float4>int4  float4>int8  float4>numeric  float4[]>vector  float8>float4  float8>int2  float8>int4  float8>int8  float8>numeric  float8[]>vector  int2>bytea  int2>float4  int2>float8  int2>int4  int2>int8  int2>numeric  int4>bool  int4>bytea  int4>float4  int4>float8  int4>int2  int4>int8  int4>numeric  int4[]>vector  int8>bytea  int8>float4  int8>float8  int8>int2  int8>int4  int8>numeric  interval>time  jsonb>bool  jsonb>float4  jsonb>float8  jsonb>int2  jsonb>int4  jsonb>int8  jsonb>numeric  numeric>float4  numeric>float8  numeric>int2  numeric>int4  numeric>int8  numeric[]>vector  time>interval  timestamp>date  timestamp>time  vector>float4[]
clock: clock_timestamp  current_date  current_time  current_timestamp  localtime  localtimestamp  now  statement_timestamp  timeofday  transaction_timestamp
comparison: <  <=  <>  =  >  >=
concatenation: concat  concat_ws  format  variadic concat  variadic concat_ws  variadic format  ||
degrees: acosd  asind  atan2d  atand  cosd  cotd  sind  tand
describing: current_schemas  has_table_privilege  pg_backend_pid  pg_get_serial_sequence  pg_is_in_recovery  pg_size_pretty  to_regclass
encodings: convert  convert_from  convert_to  crc32  crc32c  decode  encode  length  md5  sha224  sha256  sha384  sha512
enums: enum_first  enum_last  enum_range
fields: date_part  extract
floats: *  +  -  /  @  ^  abs  cbrt  power  sqrt  |/  ||/
formatting: to_char  to_date  to_number  to_timestamp
fulltext: !!  &&  <->  <@  @>  @@  array_to_tsvector  get_current_ts_config  json_to_tsvector  jsonb_to_tsvector  length  numnode  phraseto_tsquery  plainto_tsquery  querytree  setweight  strip  to_tsquery  to_tsvector  ts_delete  ts_filter  ts_headline  ts_lexize  ts_match_vq  ts_parse  ts_rank  ts_rank_cd  ts_rewrite  tsquery_phrase  tsvector_to_array  unnest  websearch_to_tsquery  ||
jsonb: #>  #>>  ->  ->>  <@  ?  ?&  ?|  @>  json_array_length  json_extract_path  json_extract_path_text  json_typeof  jsonb_array_length  jsonb_contained  jsonb_contains  jsonb_exists  jsonb_exists_all  jsonb_exists_any  jsonb_extract_path  jsonb_extract_path_text  jsonb_typeof  variadic json_extract_path  variadic json_extract_path_text  variadic jsonb_extract_path  variadic jsonb_extract_path_text
jsonchanges: #-  -  json_strip_nulls  jsonb_concat  jsonb_delete  jsonb_delete_path  jsonb_insert  jsonb_set  jsonb_set_lax  jsonb_strip_nulls  ||
jsonmaking: array_to_json  json_build_array  json_build_object  json_object  jsonb_build_array  jsonb_build_object  jsonb_object  jsonb_pretty  row_to_json  to_json  to_jsonb  variadic json_build_array  variadic json_build_object  variadic jsonb_build_array  variadic jsonb_build_object
jsonpath: @?  @@  jsonb_path_exists  jsonb_path_exists_tz  jsonb_path_match  jsonb_path_match_tz  jsonb_path_query  jsonb_path_query_array  jsonb_path_query_array_tz  jsonb_path_query_first  jsonb_path_query_first_tz  jsonb_path_query_tz
jsonrows: json_array_elements  json_array_elements_text  json_each  json_each_text  json_object_keys  json_to_record  json_to_recordset  jsonb_array_elements  jsonb_array_elements_text  jsonb_each  jsonb_each_text  jsonb_object_keys  jsonb_to_record  jsonb_to_recordset
making: age  isfinite  make_date  make_interval  make_time  make_timestamp  overlaps  to_timestamp
mathematics: acos  acosh  asin  asinh  atan  atan2  atanh  ceil  ceiling  cos  cosh  cot  degrees  erf  erfc  exp  floor  gamma  gcd  lcm  lgamma  ln  log  log10  pi  radians  round  sign  sin  sinh  tan  tanh  trunc  width_bucket
moments: +  -
nulls: num_nonnulls  num_nulls  variadic num_nonnulls  variadic num_nulls
numerics: %  *  +  -  /  @  abs  ceil  ceiling  div  factorial  floor  gcd  lcm  min_scale  mod  round  scale  sign  trim_scale  trunc
patterns: !~  !~*  !~~  !~~*  like_escape  ~  ~*  ~~  ~~*
powers: ^  exp  ln  log  log10  power  sqrt
quoting: parse_ident  quote_ident  quote_literal  quote_nullable  unistr
random_: random  random_normal  setseed
ranges: &&  &<  &>  *  +  -  -|-  <<  <@  >>  @>  daterange  int4range  int8range  isempty  lower  lower_inc  lower_inf  numrange  range_merge  tsrange  upper  upper_inc  upper_inf
regexps: regexp_count  regexp_instr  regexp_like  regexp_match  regexp_matches  regexp_replace  regexp_split_to_array  regexp_split_to_table  regexp_substr  substring
series: generate_series
similar: similar_to_escape
spans: *  +  -  /  justify_days  justify_hours  justify_interval
splitting: string_to_array  string_to_table
strings: ^@  ascii  bit_length  btrim  casefold  char_length  character_length  chr  initcap  is_normalized  left  length  lower  lpad  ltrim  normalize  octet_length  overlay  position  repeat  replace  reverse  right  rpad  rtrim  split_part  starts_with  strpos  substr  substring  to_bin  to_hex  to_oct  translate  upper  ||
system: current_catalog  current_database  current_role  current_schema  current_setting  current_user  currval  embed  lastval  nextval  pg_sleep  pg_typeof  session_user  set_config  setval  system_user  txid_current  user  version
truncation: date_bin  date_trunc
uuids: gen_random_uuid  uuid_extract_timestamp  uuid_extract_version  uuidv4  uuidv7
vectors: *  +  -  <#>  <+>  <->  <=>  cosine_distance  inner_product  l1_distance  l2_distance  l2_normalize  subvector  vector_dims  vector_norm  ||
zones: timezone
"""
