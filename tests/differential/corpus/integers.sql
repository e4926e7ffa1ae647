-- Limits and overflow
select 32767::int2, (-32768)::int2, 2147483647::int4, (-2147483648)::int4, 9223372036854775807::int8;
select -9223372036854775808;
select (-9223372036854775808)::int8;
select 32768::int2;
select -32769::int2;
select 2147483648::int4;
select 9223372036854775808::int8;
select 32767::int2 + 1::int2;
select 32767::int2 + 1;
select 2147483647 + 1;
select 2147483647 + 1::int8;
select -2147483648 - 1;
select 2147483647 * 2;
select 9223372036854775807 + 1;
select -9223372036854775807 - 2;
select 9223372036854775807 * 2;
select 4611686018427387904 * -2;
select 4611686018427387904 * 2;
select -(-2147483648)::int4;
select -(-9223372036854775808)::int8;
select -(-32768)::int2;
select abs((-2147483648)::int4);
select abs((-32768)::int2);
select abs((-9223372036854775808)::int8);
select (-2147483648)::int4 / -1;
select (-9223372036854775808)::int8 / -1;
select (-32768)::int2 / (-1)::int2;
select (-2147483648)::int4 % -1;
select (-9223372036854775808)::int8 % -1;

-- Division truncates towards zero
select 7 / 2, -7 / 2, 7 / -2, -7 / -2;
select 7 % 2, -7 % 2, 7 % -2, -7 % -2;
select mod(7, 3), mod(-7, 3), mod(7, -3), mod(0, 5);
select 1 / 0;
select 1 % 0;
select mod(1, 0);
select 0 / 5, 0 % 5, 1 / null, null % 0;
select div(7, 2), div(-7, 2), div(7.5, 2);
select 1::int2 / 2::int8, 1::int8 * 2::int2;

-- Types of results
select pg_typeof(1), pg_typeof(2147483648), pg_typeof(9223372036854775808), pg_typeof(1::int2 + 1::int2);
select pg_typeof(1::int2 + 1), pg_typeof(1 + 1::int8), pg_typeof(1::int2 * 1::int8), pg_typeof(1 + 1.0);
select pg_typeof(2 ^ 3), pg_typeof(-1), pg_typeof(+1::int2), pg_typeof(abs(-1::int2));
select 2 ^ 3, 2 ^ -1, (-2) ^ 3, 0 ^ 0;
select |/ 16, ||/ 27, @ -5, factorial(5);
select factorial(0), factorial(1), factorial(20), factorial(25);
select factorial(-1);

-- Reading texts
select '42'::int, ' 42 '::int, '-42'::int, '+42'::int, '007'::int;
select '0x1F'::int, '0o17'::int, '0b101'::int, '1_000'::int;
select 0x1F, 0o17, 0b101, 1_000_000;
select ''::int;
select 'x'::int;
select '1.5'::int;
select '4 2'::int;
select '1e3'::int;
select '99999999999'::int;
select '-2147483649'::int;
select '1__0'::int;
select 1_000_;
select 0xg;

-- Rounding when a fraction becomes an integer
select 1.5::int, 2.5::int, -1.5::int, -2.5::int, 0.5::int, 1.4999::int;
select 1.5::float8::int, 2.5::float8::int, -1.5::float8::int, -2.5::float8::int, 0.5::float8::int;
select 1e10::int;
select 1e10::float8::int;
select 1e20::float8::int8;
select 'NaN'::float8::int;
select 'NaN'::numeric::int;
select 'infinity'::float8::int8;
select 32767.5::int2;
select 32767.4::int2, -32768.4::int2;

-- Bits
select 5 & 3, 5 | 3, 5 # 3, ~5, 1 << 4, 256 >> 4;
select -1 >> 1, -8 >> 2, 1 << 31, 1 << 32, 1::int8 << 32, 1 << -1;
select 5::int2 & 3::int2, 5::int8 | 3, ~0::int8, ~(-1);
select 1::int8 << 63, 1::int2 << 15;
select bit_and(x), bit_or(x), bit_xor(x) from (values (5), (3), (6), (null)) v(x);
select bit_and(x), bit_or(x), bit_xor(x) from (values (5)) v(x) where false;

-- Comparison across widths
select 1::int2 = 1::int8, 1::int4 < 2::int8, 3::int2 >= 4, 1 = 1.0, 1 < 1.5, 2::int8 > 1.9::float8;
select 9007199254740993 = 9007199254740992::float8, 9007199254740993::numeric = 9007199254740993;
select greatest(1::int2, 2::int8, 3), least(1, 2.5, null), pg_typeof(greatest(1::int2, 2::int8));

-- Functions
select gcd(12, 18), gcd(-12, 18), gcd(0, 5), gcd(0, 0), lcm(4, 6), lcm(-4, 6), lcm(0, 5);
select gcd((-2147483648)::int4, 0);
select lcm(2147483647, 2147483646);
select sign(-3), sign(0), sign(5), pg_typeof(sign(1));
select to_hex(255), to_hex(-1), to_hex(0), to_hex(4294967295), to_hex((-1)::int8);
select to_bin(5), to_oct(8);
select width_bucket(5, 0, 10, 5), width_bucket(-1, 0, 10, 5), width_bucket(10, 0, 10, 5), width_bucket(5, 10, 0, 5);
select width_bucket(5, 0, 10, 0);
select width_bucket(5, array[1, 3, 5, 10]), width_bucket(0, array[1, 3]), width_bucket(9, array[1, 3]);
select 1 + 2 * 3 - 4 / 2 % 3, (1 + 2) * 3, - 2 ^ 2, 2 ^ 3 ^ 2, -2 * -3;
select 1 - - 1, 1 - -1, + - + 1, 5 - 3 - 1, 16 / 4 / 2;
select 10 - 5 % 3 * 2;

-- In tables
create table n (a int2, b int4, c int8);
insert into n values (1, 2, 3), (-32768, -2147483648, -9223372036854775808), (32767, 2147483647, 9223372036854775807), (null, null, null);
select * from n order by a nulls last;
select a + b, b + c, a * 1::int8 from n where a = 1;
select a + a from n where a > 1;
select a + b from n where a < 0;
select b + 1 from n where b > 2;
select sum(a), sum(b), sum(c), pg_typeof(sum(a)), pg_typeof(sum(b)), pg_typeof(sum(c)) from n;
select avg(a), avg(b), avg(c) from n;
select min(a), max(b), min(c), max(c), count(c) from n;
insert into n values (40000, 1, 1);
insert into n values (1, 3000000000, 1);
insert into n values ('12', '13', '14'), (1.5, 2.5, 3.5);
select * from n where b in (13, 2, 3) order by b, a;
insert into n (a) values ('x');
update n set a = a + 1 where a = 32767;
update n set b = b - 1 where b < 0;
select count(*) from n where c = 9223372036854775807;
select sum(c) from n where c > 0;
select a from n where a::text like '3%';
select b / a from n where a is not null order by 1;
select (c / 2)::int8 from n where c > 100;
