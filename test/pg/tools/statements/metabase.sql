-- Metabase writes questions of its query builder with every name qualified and quoted, and wraps native questions.

-- Sample of a table.
SELECT "public"."orders"."entity-id" AS "entity-id", "public"."orders"."person-id" AS "person-id",
  "public"."orders"."product-id" AS "product-id", "public"."orders"."subtotal" AS "subtotal", "public"."orders"."tax" AS "tax",
  "public"."orders"."discount" AS "discount", "public"."orders"."created-at" AS "created-at", "public"."orders"."quantity" AS "quantity"
FROM "public"."orders" LIMIT 1048575;

-- Fingerprints of fields.
SELECT SUBSTRING("public"."people"."name", 1, 1234) AS "substring1", SUBSTRING("public"."people"."country", 1, 1234) AS "substring2"
FROM "public"."people" ORDER BY "public"."people"."entity-id" ASC LIMIT 10000;

-- Distinct values of a field.
SELECT "source"."country" AS "country" FROM (SELECT "public"."people"."country" AS "country" FROM "public"."people"
  GROUP BY "public"."people"."country" ORDER BY "public"."people"."country" ASC) AS "source" LIMIT 1000;

SELECT COUNT(*) AS "count" FROM "public"."orders";

SELECT COUNT(*) AS "count", SUM("public"."orders"."subtotal") AS "sum", AVG("public"."orders"."quantity") AS "avg",
  COUNT(DISTINCT "public"."orders"."person-id") AS "count_2" FROM "public"."orders"
WHERE "public"."orders"."status" = 'paid';

SELECT CAST("public"."orders"."created-at" AS date) AS "created-at", COUNT(*) AS "count" FROM "public"."orders"
GROUP BY CAST("public"."orders"."created-at" AS date) ORDER BY CAST("public"."orders"."created-at" AS date) ASC;

SELECT DATE_TRUNC('month', "public"."orders"."created-at") AS "created-at", SUM("public"."orders"."subtotal") AS "sum"
FROM "public"."orders" GROUP BY DATE_TRUNC('month', "public"."orders"."created-at")
ORDER BY DATE_TRUNC('month', "public"."orders"."created-at") ASC;

SELECT (CAST(DATE_TRUNC('week', (CAST("public"."orders"."created-at" AS timestamp) + INTERVAL '1 day')) AS timestamp) + INTERVAL '-1 day') AS "created-at",
  COUNT(*) AS "count" FROM "public"."orders"
GROUP BY (CAST(DATE_TRUNC('week', (CAST("public"."orders"."created-at" AS timestamp) + INTERVAL '1 day')) AS timestamp) + INTERVAL '-1 day')
ORDER BY (CAST(DATE_TRUNC('week', (CAST("public"."orders"."created-at" AS timestamp) + INTERVAL '1 day')) AS timestamp) + INTERVAL '-1 day') ASC;

SELECT CAST(extract(hour from "public"."orders"."created-at") AS integer) AS "created-at", COUNT(*) AS "count" FROM "public"."orders"
GROUP BY CAST(extract(hour from "public"."orders"."created-at") AS integer)
ORDER BY CAST(extract(hour from "public"."orders"."created-at") AS integer) ASC;

SELECT (CAST(extract(dow from "public"."orders"."created-at") AS integer) + 1) AS "created-at", COUNT(*) AS "count" FROM "public"."orders"
GROUP BY (CAST(extract(dow from "public"."orders"."created-at") AS integer) + 1)
ORDER BY (CAST(extract(dow from "public"."orders"."created-at") AS integer) + 1) ASC;

SELECT CAST(extract(quarter from "public"."orders"."created-at") AS integer) AS "created-at", COUNT(*) AS "count" FROM "public"."orders"
GROUP BY CAST(extract(quarter from "public"."orders"."created-at") AS integer)
ORDER BY CAST(extract(quarter from "public"."orders"."created-at") AS integer) ASC;

SELECT DATE_TRUNC('year', CAST("public"."orders"."created-at" AS timestamp)) AS "created-at", COUNT(*) AS "count" FROM "public"."orders"
WHERE ("public"."orders"."created-at" >= DATE_TRUNC('month', (NOW() + INTERVAL '-300 month'))
  AND "public"."orders"."created-at" < DATE_TRUNC('month', NOW()))
GROUP BY DATE_TRUNC('year', CAST("public"."orders"."created-at" AS timestamp))
ORDER BY DATE_TRUNC('year', CAST("public"."orders"."created-at" AS timestamp)) ASC;

SELECT "Products"."category" AS "Products__category", COUNT(*) AS "count" FROM "public"."orders"
LEFT JOIN "public"."products" AS "Products" ON "public"."orders"."product-id" = "Products"."entity-id"
GROUP BY "Products"."category" ORDER BY "Products"."category" ASC;

SELECT "Products - Product"."category" AS "Products - Product__category", "People - Person"."country" AS "People - Person__country",
  SUM("public"."orders"."total") AS "sum" FROM "public"."orders"
LEFT JOIN "public"."products" AS "Products - Product" ON "public"."orders"."product-id" = "Products - Product"."entity-id"
LEFT JOIN "public"."people" AS "People - Person" ON "public"."orders"."person-id" = "People - Person"."entity-id"
GROUP BY "Products - Product"."category", "People - Person"."country"
ORDER BY "Products - Product"."category" ASC, "People - Person"."country" ASC;

-- Bins of numbers.
SELECT (FLOOR((("public"."orders"."total" - 0.0) / 50.0)) * 50.0) + 0.0 AS "total", COUNT(*) AS "count" FROM "public"."orders"
GROUP BY (FLOOR((("public"."orders"."total" - 0.0) / 50.0)) * 50.0) + 0.0
ORDER BY (FLOOR((("public"."orders"."total" - 0.0) / 50.0)) * 50.0) + 0.0 ASC;

SELECT ((FLOOR((("source"."total" - 0.0) / 20.0)) * 20.0) + 0.0) AS "total", AVG("source"."quantity") AS "avg" FROM (
  SELECT "public"."orders"."total" AS "total", "public"."orders"."quantity" AS "quantity" FROM "public"."orders"
  WHERE "public"."orders"."quantity" BETWEEN 1 AND 9) AS "source"
GROUP BY ((FLOOR((("source"."total" - 0.0) / 20.0)) * 20.0) + 0.0)
ORDER BY ((FLOOR((("source"."total" - 0.0) / 20.0)) * 20.0) + 0.0) ASC;

-- Filters.
SELECT COUNT(*) AS "count" FROM "public"."people" WHERE (LOWER("public"."people"."name") LIKE '%a%')
  AND ("public"."people"."country" IS NOT NULL) AND ("public"."people"."country" <> '');

SELECT COUNT(*) AS "count" FROM "public"."people" WHERE (("public"."people"."country" <> 'fr') OR ("public"."people"."country" IS NULL));

SELECT COUNT(*) AS "count" FROM "public"."people" WHERE NOT (LOWER("public"."people"."email") LIKE '%@example.org') OR "public"."people"."email" IS NULL;

SELECT "public"."people"."name" AS "name" FROM "public"."people" WHERE "public"."people"."active" = TRUE
  AND "public"."people"."birth-date" BETWEEN DATE '1980-01-01' AND DATE '1999-12-31'
ORDER BY "public"."people"."name" ASC LIMIT 2000;

SELECT COUNT(*) AS "count" FROM "public"."orders" WHERE "public"."orders"."created-at" >= timestamp with time zone '2023-03-01 00:00:00.000Z'
  AND "public"."orders"."created-at" < timestamp with time zone '2023-06-01 00:00:00.000Z';

-- Custom columns and metrics.
SELECT "public"."orders"."entity-id" AS "entity-id", CASE WHEN "public"."orders"."discount" > 0 THEN 'reduced' ELSE 'full' END AS "kind",
  CAST("public"."orders"."subtotal" AS double precision) / NULLIF("public"."orders"."quantity", 0) AS "each",
  COALESCE("public"."orders"."discount", 0) AS "less", CONCAT("public"."orders"."status", '-', "public"."orders"."product-id") AS "label"
FROM "public"."orders" ORDER BY "public"."orders"."entity-id" ASC LIMIT 1048575;

SELECT CAST(SUM(CASE WHEN "public"."orders"."status" = 'paid' THEN 1 ELSE 0.0 END) AS float) / NULLIF(COUNT(*), 0) AS "share" FROM "public"."orders";

SELECT "public"."orders"."product-id" AS "product-id", SUM(CASE WHEN "public"."orders"."quantity" > 3 THEN "public"."orders"."total" ELSE 0.0 END) AS "sum-where",
  COUNT(CASE WHEN "public"."orders"."quantity" > 3 THEN 1 END) AS "count-where"
FROM "public"."orders" GROUP BY "public"."orders"."product-id" ORDER BY "sum-where" DESC, "public"."orders"."product-id" ASC;

SELECT PERCENTILE_CONT(0.5) WITHIN GROUP (ORDER BY "public"."orders"."total") AS "median",
  PERCENTILE_CONT(0.9) WITHIN GROUP (ORDER BY "public"."orders"."total") AS "percentile" FROM "public"."orders";

-- A question on a question, with a filter after the summary.
SELECT "source"."category" AS "category", "source"."count" AS "count" FROM (
  SELECT "public"."products"."category" AS "category", COUNT(*) AS "count" FROM "public"."products"
  GROUP BY "public"."products"."category" ORDER BY "public"."products"."category" ASC) AS "source"
WHERE "source"."count" > 1 ORDER BY "source"."count" DESC, "source"."category" ASC LIMIT 1048575;

-- A native question as a source, and a field filter in it.
SELECT "source"."country" AS "country", AVG("source"."spent") AS "avg" FROM (
  SELECT p.country, o.total AS spent FROM people p JOIN orders o ON o."person-id" = p."entity-id"
  WHERE "p"."created-at" >= date '2020-01-01' AND 1 = 1
) AS "source" GROUP BY "source"."country" ORDER BY "source"."country" ASC;

-- A join with a nested question.
SELECT "public"."people"."name" AS "name", "Question 7"."sum" AS "Question 7__sum" FROM "public"."people"
INNER JOIN (SELECT "public"."orders"."person-id" AS "person-id", SUM("public"."orders"."total") AS "sum" FROM "public"."orders"
  GROUP BY "public"."orders"."person-id" ORDER BY "public"."orders"."person-id" ASC) AS "Question 7"
ON "public"."people"."entity-id" = "Question 7"."person-id" ORDER BY "public"."people"."name" ASC LIMIT 1048575;

-- Cumulative sums and offsets.
SELECT DATE_TRUNC('month', "public"."orders"."created-at") AS "created-at",
  SUM(SUM("public"."orders"."total")) OVER (ORDER BY DATE_TRUNC('month', "public"."orders"."created-at") ASC ROWS UNBOUNDED PRECEDING) AS "sum"
FROM "public"."orders" GROUP BY DATE_TRUNC('month', "public"."orders"."created-at")
ORDER BY DATE_TRUNC('month', "public"."orders"."created-at") ASC;

SELECT DATE_TRUNC('month', "public"."orders"."created-at") AS "created-at", COUNT(*) AS "count",
  LAG(COUNT(*), 1) OVER (ORDER BY DATE_TRUNC('month', "public"."orders"."created-at") ASC) AS "before"
FROM "public"."orders" GROUP BY DATE_TRUNC('month', "public"."orders"."created-at")
ORDER BY DATE_TRUNC('month', "public"."orders"."created-at") ASC;

-- Pivot tables.
SELECT "source"."category" AS "category", "source"."status" AS "status", "source"."pivot-grouping" AS "pivot-grouping", COUNT(*) AS "count" FROM (
  SELECT "Products"."category" AS "category", "public"."orders"."status" AS "status", ABS(0) AS "pivot-grouping" FROM "public"."orders"
  LEFT JOIN "public"."products" AS "Products" ON "public"."orders"."product-id" = "Products"."entity-id") AS "source"
GROUP BY "source"."category", "source"."status", "source"."pivot-grouping"
ORDER BY "source"."category" ASC, "source"."status" ASC, "source"."pivot-grouping" ASC;

-- Field values and searches.
SELECT "public"."people"."name" AS "name" FROM "public"."people" WHERE LOWER("public"."people"."name") LIKE 'a%'
GROUP BY "public"."people"."name" ORDER BY "public"."people"."name" ASC LIMIT 100;

SELECT CAST("public"."people"."age" AS text) AS "age", "public"."people"."active" AS "active" FROM "public"."people" ORDER BY "public"."people"."entity-id" ASC;

-- Custom expressions, custom columns after a summary, cumulative sums, filters on dates relative to a date, joins of saved questions.
SELECT "source"."created-at" AS "created-at", SUM("source"."sum") OVER (ORDER BY "source"."created-at" ASC ROWS UNBOUNDED PRECEDING) AS "sum" FROM (
  SELECT DATE_TRUNC('month', "public"."orders"."created-at") AS "created-at", SUM("public"."orders"."total") AS "sum" FROM "public"."orders"
  GROUP BY DATE_TRUNC('month', "public"."orders"."created-at")) AS "source" ORDER BY "source"."created-at" ASC;

SELECT "source"."status" AS "status", "source"."count" AS "count", CAST("source"."count" AS double precision) / NULLIF(CAST(SUM("source"."count") OVER () AS double precision), 0) AS "share" FROM (
  SELECT "public"."orders"."status" AS "status", COUNT(*) AS "count" FROM "public"."orders" GROUP BY "public"."orders"."status") AS "source" ORDER BY "source"."status" ASC;

SELECT CAST("public"."orders"."created-at" AS date) AS "created-at", COUNT(*) AS "count" FROM "public"."orders" WHERE "public"."orders"."created-at" >= timestamp with time zone '2023-02-01 00:00:00.000Z'
  AND "public"."orders"."created-at" < timestamp with time zone '2023-06-01 00:00:00.000Z' AND "public"."orders"."status" <> 'open' GROUP BY CAST("public"."orders"."created-at" AS date)
ORDER BY CAST("public"."orders"."created-at" AS date) ASC LIMIT 10000;

SELECT "People - Person"."country" AS "People - Person__country", FLOOR("public"."orders"."total" / 50.0) * 50.0 AS "total", COUNT(*) AS "count" FROM "public"."orders"
LEFT JOIN "public"."people" AS "People - Person" ON "public"."orders"."person-id" = "People - Person"."entity-id" GROUP BY 1, 2 ORDER BY 1 ASC, 2 ASC;

SELECT ((FLOOR((("public"."orders"."total" - 0.0) / 37.5)) * 37.5) + 0.0) AS "total", COUNT(*) AS "count" FROM "public"."orders" GROUP BY ((FLOOR((("public"."orders"."total" - 0.0) / 37.5)) * 37.5) + 0.0)
ORDER BY 1 ASC;

SELECT CONCAT("public"."people"."name", ' <', COALESCE("public"."people"."email", 'none'), '>') AS "who", LENGTH("public"."people"."email") AS "len",
  SUBSTRING("public"."people"."email" FROM '@(.*)$') AS "host" FROM "public"."people" ORDER BY 1 ASC LIMIT 2000;

SELECT SUM(CASE WHEN "public"."orders"."total" > 100 THEN 1 ELSE 0.0 END) / COUNT(*) AS "share", COUNT(DISTINCT CASE WHEN "public"."orders"."status" = 'paid' THEN "public"."orders"."person-id" END) AS "n",
  STDDEV_POP("public"."orders"."total") AS "stddev", PERCENTILE_CONT(0.9) WITHIN GROUP (ORDER BY "public"."orders"."total") AS "p90" FROM "public"."orders";

SELECT (CAST(EXTRACT(dow FROM "public"."orders"."created-at") AS integer) + 1) AS "day", CAST(EXTRACT(hour FROM "public"."orders"."created-at") AS integer) AS "hour", COUNT(*) AS "count"
FROM "public"."orders" GROUP BY 1, 2 ORDER BY 1 ASC, 2 ASC;

SELECT "public"."people"."name" AS "name", DATE_TRUNC('week', ("public"."people"."created-at" + INTERVAL '1 day')) - INTERVAL '1 day' AS "week" FROM "public"."people" ORDER BY 1 LIMIT 10;

SELECT COUNT(*) AS "count" FROM "public"."people" WHERE ((LOWER("public"."people"."email") LIKE '%example%') AND (NOT (LOWER("public"."people"."email") LIKE '%.net') OR "public"."people"."email" IS NULL));
