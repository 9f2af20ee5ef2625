-- Forms that analysts write in the editors of these tools.

SELECT DISTINCT ON (status) status, "entity-id", total FROM orders ORDER BY status, total DESC, "entity-id";

SELECT * FROM (SELECT o.*, ROW_NUMBER() OVER (PARTITION BY "person-id" ORDER BY "created-at" DESC) AS rn FROM orders o) t WHERE rn = 1;

SELECT status, ROUND(100.0 * SUM(total) / SUM(SUM(total)) OVER (), 2) AS share FROM orders GROUP BY status ORDER BY share DESC, status;

SELECT p.name, last.total FROM people p LEFT JOIN LATERAL (SELECT total FROM orders o WHERE o."person-id" = p."entity-id" ORDER BY "created-at" DESC LIMIT 1) last ON TRUE ORDER BY p.name;

SELECT category, vendor, SUM(price) AS sum FROM products GROUP BY GROUPING SETS ((category), (vendor), ()) ORDER BY 1 NULLS LAST, 2 NULLS LAST, 3;

SELECT COALESCE(country, '(none)') AS country, COUNT(*) FILTER (WHERE active) AS active, COUNT(*) FILTER (WHERE plan = 'pro' AND age > 30) AS older FROM people GROUP BY 1 ORDER BY 1;

SELECT STRING_AGG(name, ', ' ORDER BY name) AS names FROM people WHERE country IS NOT NULL;

SELECT name, GREATEST(balance, 0) AS least_zero, LEAST(age, 30) AS young, ROUND(balance::numeric, 1) AS rounded FROM people ORDER BY name;

SELECT name FROM people WHERE country IS DISTINCT FROM 'fr' ORDER BY name;

SELECT name FROM people WHERE (country, plan) IN (('fr', 'pro'), ('de', 'pro')) ORDER BY name;

SELECT name FROM people WHERE name ~ '^[a-c]' AND email !~* 'EXAMPLE\.NET$' ORDER BY name;

SELECT name FROM people WHERE name SIMILAR TO '(a|b)%' ORDER BY name;

SELECT name FROM people WHERE age BETWEEN 20 AND 45 OR age IS NULL ORDER BY age DESC, name;

SELECT name, CASE country WHEN 'fr' THEN 'France' WHEN 'de' THEN 'Germany' ELSE 'elsewhere' END AS land FROM people ORDER BY 1;

SELECT COUNT(*) AS pairs FROM people a JOIN people b ON a.country = b.country AND a."entity-id" < b."entity-id";

SELECT status, COUNT(*) AS n FROM orders GROUP BY status HAVING COUNT(*) > (SELECT AVG(n) FROM (SELECT COUNT(*) AS n FROM orders GROUP BY status) x) ORDER BY status;

SELECT p.country, NTILE(2) OVER (ORDER BY SUM(o.total) DESC) AS half, SUM(o.total) AS total FROM orders o JOIN people p ON p."entity-id" = o."person-id" GROUP BY p.country ORDER BY total DESC;

SELECT x.k, x.v FROM (VALUES (1, 'one'), (2, 'two'), (3, NULL)) AS x (k, v) ORDER BY x.k DESC;

SELECT "created-at"::date AS day, COUNT(*) AS n, SUM(COUNT(*)) OVER (ORDER BY "created-at"::date) AS running FROM orders GROUP BY 1 ORDER BY 1;

SELECT DATE_TRUNC('quarter', "created-at")::date AS quarter, COUNT(DISTINCT "person-id") AS people FROM orders GROUP BY 1 ORDER BY 1;

SELECT EXTRACT(isodow FROM "created-at") AS dow, EXTRACT(week FROM "created-at") AS week, EXTRACT(doy FROM "created-at") AS doy FROM orders ORDER BY "entity-id";

SELECT AVG(total) AS mean, STDDEV(total) AS spread, VARIANCE(total) AS var, MIN(total) AS low, MAX(total) AS high FROM orders;

SELECT CORR(quantity, total) AS corr, REGR_SLOPE(total, quantity) AS slope FROM orders;

SELECT status, MODE() WITHIN GROUP (ORDER BY quantity) AS usual, PERCENTILE_DISC(0.5) WITHIN GROUP (ORDER BY total) AS mid FROM orders WHERE quantity = 2 GROUP BY status ORDER BY status;

SELECT UPPER(LEFT(name, 1)) || SUBSTRING(name FROM 2) AS proper, LENGTH(name) AS len, REVERSE(name) AS back, LPAD(name, 5, '.') AS padded, SPLIT_PART(email, '@', 2) AS host FROM people ORDER BY name;

SELECT MOD(quantity, 2) AS odd, quantity / 2 AS half, quantity % 4 AS rest, quantity / 2.0 AS exact FROM orders ORDER BY "entity-id";

SELECT FLOOR(total) AS f, CEIL(total) AS c, TRUNC(total) AS t, ROUND(total) AS r, SIGN(total - 50) AS s, ABS(total - 100) AS a, POWER(quantity, 2) AS p, SQRT(quantity) AS q FROM orders ORDER BY "entity-id";

SELECT BOOL_AND(active) AS every, BOOL_OR(active) AS any_active FROM people;

SELECT name FROM people p WHERE EXISTS (SELECT 1 FROM visit v WHERE v."entity-id" = p."entity-id" AND v.value = 'docs') ORDER BY name;

SELECT v.value, p.country, COUNT(*) AS n FROM visit v JOIN people p USING ("entity-id") GROUP BY v.value, p.country ORDER BY 1, 2 NULLS LAST;

SELECT name FROM people WHERE "created-at" < '2022-06-01' AND "created-at" >= CAST('2021-01-01' AS timestamptz) ORDER BY name;

(SELECT name AS what FROM people ORDER BY name LIMIT 2) UNION ALL (SELECT title FROM products ORDER BY title DESC LIMIT 2) ORDER BY what;

SELECT country FROM people EXCEPT SELECT 'fr' ORDER BY 1 NULLS FIRST;

WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 5) SELECT i, i * i AS square FROM n ORDER BY i;

SELECT s.i, COUNT(o."entity-id") AS n FROM generate_series(1, 6) AS s (i) LEFT JOIN orders o ON o.quantity = s.i GROUP BY s.i ORDER BY s.i;

SELECT d::date AS day, COUNT(v."entity-id") AS n FROM generate_series(timestamptz '2023-01-10', timestamptz '2023-01-20', interval '1 day') AS d LEFT JOIN visit v ON v.date::date = d::date GROUP BY 1 ORDER BY 1;

SELECT FIRST_VALUE(name) OVER w AS first, LAST_VALUE(name) OVER w AS last, name FROM people WINDOW w AS (PARTITION BY plan ORDER BY name ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) ORDER BY name;

SELECT AVG(total) OVER (ORDER BY "created-at" ROWS BETWEEN 2 PRECEDING AND CURRENT ROW) AS moving, "entity-id" FROM orders ORDER BY "created-at";

SELECT name, NULLIF(TRIM(country), '') AS land, COALESCE(email, 'none') AS mail FROM people ORDER BY name NULLS FIRST LIMIT 3 OFFSET 1;

SELECT name AS "Name", age AS "Age (years)" FROM people ORDER BY "Name" FETCH FIRST 2 ROWS ONLY;

SELECT Name, AGE FROM People WHERE ACTIVE ORDER BY NAME;

SELECT count(*), count(age), sum(age), avg(age), min(name), max("created-at") FROM people;

SELECT 1 + 1, 'a' || 'b', TRUE, NULL, 1.50, 7 / 2, -7 / 2, 2 ^ 10, 10 % 3;

TABLE products;

SELECT name FROM people WHERE country = ANY (ARRAY['fr', 'it']) ORDER BY name;

SELECT name FROM people WHERE country = ANY ('{fr,de}') ORDER BY name;

SELECT name FROM people WHERE NOT (age = ANY ('{}')) AND (age <> ALL ('{19, NULL}')) IS NULL ORDER BY name;

SELECT name FROM people WHERE NOT (country = ANY (ARRAY['fr', 'it'])) ORDER BY name;

SELECT name FROM people WHERE country <> ALL (ARRAY['fr', 'it']) ORDER BY name;

SELECT name FROM people WHERE age BETWEEN SYMMETRIC 45 AND 20 ORDER BY name;

SELECT name FROM people WHERE name LIKE ANY (ARRAY['a%', 'b%']) ORDER BY name;

SELECT active IS TRUE AS yes, (age > 30) IS NOT TRUE AS young, age IS NULL AS unknown FROM people ORDER BY name;

SELECT CAST("created-at" AS date) - CAST("birth-date" AS date) AS days FROM people ORDER BY name;

SELECT "entity-id" FROM orders WHERE "created-at" > now() - interval '100 years' AND "created-at"::date <= current_date ORDER BY 1 LIMIT 3;

SELECT name FROM people ORDER BY lower(name) COLLATE "C" DESC LIMIT 2;

SELECT o.status, p.* FROM orders o JOIN products p ON p."entity-id" = o."product-id" WHERE o."entity-id" = 'o3';

SELECT sum(total) FILTER (WHERE status = 'paid') / NULLIF(sum(total), 0) AS ratio, count(DISTINCT "person-id") * 1.0 / count(*) AS per_order FROM orders;

SELECT TO_CHAR("created-at", 'YYYY-MM') AS month, COUNT(*) AS n FROM orders GROUP BY 1 ORDER BY 1;

SELECT EXTRACT(EPOCH FROM (MAX("created-at") - MIN("created-at"))) AS seconds FROM orders;

SELECT name, EXTRACT(YEAR FROM AGE(DATE '2024-01-01', "birth-date")) AS years FROM people WHERE "birth-date" IS NOT NULL ORDER BY name;

CREATE TEMPORARY TABLE "#Tableau_1_Connect" ("COL" INTEGER) ON COMMIT PRESERVE ROWS;

CREATE TEMP TABLE paid AS SELECT "entity-id" AS id, total FROM orders WHERE status = 'paid';

DROP TABLE "#Tableau_1_Connect";

DROP TABLE paid;

SELECT name FROM people, unnest(ARRAY['fr', 'de']) AS u (land) WHERE country = land ORDER BY name;

-- Arithmetic of decimals as people write it in notebooks.
SELECT status, avg(quantity) AS mean, avg(total) AS mean_total, sum(total) / sum(quantity) AS per_piece, sum(tax) / sum(subtotal) * 100 AS tax_rate FROM orders GROUP BY status ORDER BY status;

SELECT "entity-id", total / 7 AS week, total % 7 AS rest, round(total / 7, 3) AS rounded, trunc(total, 1) AS cut, (total * 1.08)::numeric(12, 3)::text AS gross FROM orders ORDER BY "entity-id";

SELECT avg(x * x) - avg(x) * avg(x) AS variance, sqrt(avg(x * x) - avg(x) * avg(x)) AS deviation FROM (SELECT total AS x FROM orders) t;

SELECT corr(total, quantity) AS r, regr_slope(total, quantity) AS slope, count(*) FILTER (WHERE total > (SELECT avg(total) FROM orders)) AS above FROM orders;

WITH monthly AS (SELECT date_trunc('month', "created-at") AS m, sum(total) AS s FROM orders GROUP BY 1)
SELECT m, s, avg(s) OVER w AS mean, s - avg(s) OVER w AS difference, s / sum(s) OVER () AS share FROM monthly WINDOW w AS (ORDER BY m ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING) ORDER BY m;

-- Times of day.
SELECT "entity-id", "created-at"::time AS at, extract(hour FROM "created-at"::time) AS hour FROM orders WHERE "created-at"::time BETWEEN TIME '05:00' AND '12:30'::time ORDER BY 1;

SELECT CASE WHEN CAST("created-at" AS time) < time '08:00:00' THEN 'early' ELSE 'late' END AS part, count(*) AS n, min("created-at"::time) AS first FROM orders GROUP BY 1 ORDER BY 1;
