-- Statements of psql and of people who know PostgreSQL. A statement after `-- Fails.` must fail with the code of PostgreSQL.

SELECT name FROM people WHERE age BETWEEN SYMMETRIC 45 AND 20 ORDER BY name;

SELECT name FROM people WHERE age NOT BETWEEN SYMMETRIC 45 AND 20 ORDER BY name;

SELECT name FROM people WHERE age BETWEEN ASYMMETRIC 45 AND 20 ORDER BY name;

SELECT name FROM people WHERE name LIKE ANY (ARRAY['a%', 'b%']) ORDER BY name;

SELECT name FROM people WHERE name NOT LIKE ALL (ARRAY['a%', 'b%', country || '%']) ORDER BY name;

SELECT name FROM people WHERE email ILIKE SOME ('{A%,"B%"}') OR name LIKE ANY ('{e%}') ORDER BY name;

SELECT name FROM people WHERE name NOT ILIKE ANY (ARRAY['A%', NULL]) ORDER BY name;

SELECT 'abc' ~ '^A', 'abc' !~* 'x', 'abc' SIMILAR TO '%(b|d)%', ~5, true IS NOT FALSE, 1 IS DISTINCT FROM 2, active IS TRUE FROM people ORDER BY name;

SELECT "created-at" AT TIME ZONE 'UTC' IS NULL, timezone('UTC', "created-at") IS NULL, '{"a":1}'::json ->> 'a' FROM people ORDER BY name;

SELECT $$it's$$ AS a, $tag$a $$ b$tag$ AS b;

-- Errors of functions, casts and groups.
-- Fails.
SELECT sqrt(-balance) FROM people WHERE name = 'ada';

-- Fails.
SELECT ln(0);

-- Fails.
SELECT log(balance - 120.5) FROM people WHERE name = 'ada';

-- Fails.
SELECT asin(age) FROM people WHERE age IS NOT NULL;

-- Fails.
SELECT exp(10000.0::float8);

SELECT sqrt(age), ln(age), log(age), CASE WHEN balance > 0 THEN sqrt(balance) END FROM people ORDER BY name;

SELECT name FROM people WHERE balance > 0 AND sqrt(CASE WHEN balance > 0 THEN balance END) > 5 ORDER BY name;

-- Fails.
SELECT 32768::smallint;

-- Fails.
SELECT (age * 100000000)::int FROM people;

-- Fails.
SELECT CAST('3000000000' AS integer);

SELECT (age * 100000000)::bigint, age::smallint, EXTRACT(year FROM "created-at")::int, (-32768)::int2 FROM people ORDER BY name;

-- Fails.
SELECT count(*), name FROM people;

-- Fails.
SELECT name FROM people HAVING count(*) > 1;

-- Fails.
SELECT sum(name) FROM people;

-- Fails.
SELECT (SELECT age FROM people);

-- Fails.
SELECT age FROM people WHERE sum(age) > 1;

-- Fails.
SELECT max(max(age)) FROM people;

-- Fails.
SELECT name FROM people ORDER BY 2;

-- Fails.
SELECT other.name FROM people;

-- Prepared statements.
PREPARE older (int) AS SELECT name FROM people WHERE age > $1 ORDER BY name;

EXECUTE older(40);

EXECUTE older('30');

-- Fails.
EXECUTE older;

-- Fails.
PREPARE older AS SELECT 1;

PREPARE paired (text, numeric(10, 2)) AS SELECT $1 AS a, $2 + 1 AS b, 'é' AS c;

EXECUTE paired('it''s', -2.5);

EXECUTE paired(NULL, '4');

DEALLOCATE older;

-- Fails.
EXECUTE older(40);

-- Temporary tables with columns.
CREATE TEMPORARY TABLE scratch ("Id" integer, label varchar(3), amount numeric(8, 2), day date, seen timestamptz, ok boolean, ratio double precision) ON COMMIT PRESERVE ROWS;

INSERT INTO scratch VALUES (1, 'abc', 1.5, '2020-01-31', '2020-01-31 10:00:00+00', true, 0.25), (2, 'd', NULL, NULL, NULL, false, -1);

INSERT INTO scratch (label, "Id", amount) SELECT left(name, 2), age, balance FROM people WHERE age > 30;

INSERT INTO scratch ("Id") VALUES (1 + 2), (DEFAULT);

UPDATE scratch SET amount = "Id" * 2, label = DEFAULT WHERE "Id" > 30 AND label <> 'ad';

DELETE FROM scratch WHERE "Id" = 2;

SELECT * FROM scratch ORDER BY "Id" NULLS LAST, label;

SELECT p.name, s.amount FROM scratch s JOIN people p ON p.age = s."Id" ORDER BY p.name;

-- Fails.
INSERT INTO scratch (nothing) VALUES (1);

-- Fails.
INSERT INTO scratch ("Id") VALUES ('x');

-- Fails.
CREATE TEMP TABLE scratch (a int);

TRUNCATE TABLE scratch;

SELECT count(*) FROM scratch;

CREATE TEMP TABLE brief (a int) ON COMMIT DELETE ROWS;

INSERT INTO brief VALUES (1);

SELECT * FROM brief;

CREATE TEMP TABLE gone ON COMMIT DROP AS SELECT 1 AS a;

-- Fails.
SELECT * FROM gone;

BEGIN;

CREATE TEMP TABLE undone (a int);

INSERT INTO scratch ("Id") VALUES (7);

DROP TABLE brief;

ROLLBACK;

-- Fails.
SELECT * FROM undone;

SELECT (SELECT count(*) FROM scratch) AS scratch, (SELECT count(*) FROM brief) AS brief;

DROP TABLE scratch;

-- Modes of transactions.
BEGIN TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY;

SHOW transaction_isolation;

SELECT count(*) FROM people;

SELECT count(*) FROM orders;

-- Fails.
DELETE FROM people;

ROLLBACK;

EXPLAIN (COSTS OFF, VERBOSE) SELECT 1;

EXPLAIN (ANALYZE, TIMING OFF) SELECT count(*) FROM people;
