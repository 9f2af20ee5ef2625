-- Tableau groups by "1.1" and similar ordinals or aliases in double quotes, and nests custom SQL.

SELECT SUM(1) AS "cnt:orders:ok" FROM "public"."orders" "orders" HAVING (COUNT(1) > 0);

SELECT "orders"."status" AS "status", SUM("orders"."total") AS "sum:total:ok" FROM "public"."orders" "orders" GROUP BY 1;

SELECT CAST(EXTRACT(YEAR FROM "orders"."created-at") AS INTEGER) AS "yr:created-at:ok", SUM("orders"."quantity") AS "sum:quantity:ok"
FROM "public"."orders" "orders" GROUP BY 1;

SELECT CAST(DATE_TRUNC('MONTH', CAST("orders"."created-at" AS TIMESTAMP WITHOUT TIME ZONE)) AS TIMESTAMP WITHOUT TIME ZONE) AS "tmn:created-at:ok",
  SUM("orders"."total") AS "sum:total:ok" FROM "public"."orders" "orders" GROUP BY 1;

SELECT CAST(DATE_TRUNC('QUARTER', CAST("orders"."created-at" AS DATE)) AS DATE) AS "tqr:created-at:ok", COUNT(DISTINCT "orders"."person-id") AS "ctd:person:ok"
FROM "public"."orders" "orders" WHERE (NOT ("orders"."status" IN ('refunded'))) GROUP BY 1;

SELECT "people"."country" AS "country", AVG(CAST("people"."age" AS DOUBLE PRECISION)) AS "avg:age:ok" FROM "public"."people" "people"
WHERE (("people"."age" >= 20) AND ("people"."age" <= 60)) GROUP BY 1;

SELECT "t0"."category" AS "category", SUM("t0"."total") AS "sum" FROM (
  SELECT "products"."category" AS "category", "orders"."total" AS "total" FROM "public"."orders" "orders"
  INNER JOIN "public"."products" "products" ON ("orders"."product-id" = "products"."entity-id")) "t0" GROUP BY 1;

SELECT "Custom SQL Query"."country" AS "country", SUM("Custom SQL Query"."spent") AS "sum:spent:ok" FROM (
  SELECT p.country, o.total AS spent FROM people p LEFT JOIN orders o ON o."person-id" = p."entity-id"
) "Custom SQL Query" GROUP BY 1;

SELECT (CASE WHEN ("orders"."discount" IS NULL) THEN 'none' WHEN ("orders"."discount" > 5) THEN 'high' ELSE 'low' END) AS "Calculation_1",
  COUNT("orders"."entity-id") AS "cnt" FROM "public"."orders" "orders" GROUP BY 1;

SELECT MIN("orders"."created-at") AS "TEMP(TC_)(1)", MAX("orders"."created-at") AS "TEMP(TC_)(2)" FROM "public"."orders" "orders" HAVING (COUNT(1) > 0);

SELECT "people"."name" AS "name" FROM "public"."people" "people" GROUP BY 1 ORDER BY "name" ASC LIMIT 101;

SELECT "orders"."person-id" AS "person", SUM("orders"."total") AS "$__alias__0" FROM "public"."orders" "orders" GROUP BY 1
ORDER BY "$__alias__0" DESC NULLS LAST, "person" LIMIT 3;

-- A filter of the top people by a joined subselect.
SELECT "orders"."status" AS "status", SUM("orders"."total") AS "sum" FROM "public"."orders" "orders"
INNER JOIN (SELECT "orders"."person-id" AS "person", SUM("orders"."total") AS "X__alias__0" FROM "public"."orders" "orders"
  GROUP BY 1 ORDER BY 2 DESC, 1 ASC LIMIT 3) "t0" ON ("orders"."person-id" = "t0"."person") GROUP BY 1;

-- A level-of-detail expression: the first order of each person.
SELECT CAST(DATE_TRUNC('YEAR', "t0"."first") AS DATE) AS "yr", COUNT(DISTINCT "orders"."person-id") AS "people" FROM "public"."orders" "orders"
INNER JOIN (SELECT "orders"."person-id" AS "person", MIN("orders"."created-at") AS "first" FROM "public"."orders" "orders" GROUP BY 1) "t0"
  ON ("orders"."person-id" IS NOT DISTINCT FROM "t0"."person") GROUP BY 1;

SELECT "people"."country" AS "country", SUM(CASE WHEN "people"."active" THEN 1 WHEN NOT "people"."active" THEN 0 ELSE NULL END) AS "n" FROM "public"."people" "people"
GROUP BY 1 HAVING (SUM(CASE WHEN "people"."active" THEN 1 ELSE 0 END) >= 1);

SELECT FLOOR(CAST("orders"."total" / 10.0 AS DOUBLE PRECISION)) AS "bin", COUNT(1) AS "n" FROM "public"."orders" "orders" GROUP BY 1;

SELECT STDDEV_SAMP("orders"."total") AS "std", VAR_POP("orders"."total") AS "varp", PERCENTILE_CONT(0.5) WITHIN GROUP (ORDER BY "orders"."total") AS "med"
FROM "public"."orders" "orders";

SELECT UPPER(SUBSTRING("people"."name" FROM 1 FOR 1)) AS "letter", LENGTH("people"."name") AS "len", TRIM(BOTH ' ' FROM "people"."name") AS "trimmed",
  POSITION('a' IN "people"."name") AS "pos", REPLACE("people"."name", 'a', 'o') AS "replaced" FROM "public"."people" "people";

-- The connection test, and a temporary table.
SELECT 1 AS "COL";

BEGIN;

COMMIT;

-- Level of detail expressions, table calculations pushed down, sets and bins.
SELECT "t0"."country" AS "country", AVG("t1"."__measure__0") AS "avg:Calculation:ok" FROM (SELECT "people"."country" AS "country", "people"."entity-id" AS "id"
  FROM "public"."people" "people" GROUP BY 1, 2) "t0" INNER JOIN (SELECT "orders"."person-id" AS "id", SUM("orders"."total") AS "__measure__0" FROM "public"."orders" "orders"
  GROUP BY 1) "t1" ON ("t0"."id" IS NOT DISTINCT FROM "t1"."id") GROUP BY 1;

SELECT FLOOR(("orders"."total" / 25.0)) AS "Total (bin)", SUM(1) AS "cnt" FROM "public"."orders" "orders" GROUP BY 1;

SELECT "orders"."status" AS "status" FROM "public"."orders" "orders" GROUP BY 1 ORDER BY SUM("orders"."total") DESC, "status" ASC LIMIT 2;

SELECT "orders"."status" AS "status", SUM("orders"."total") AS "sum" FROM "public"."orders" "orders" INNER JOIN (SELECT "orders"."product-id" AS "p", SUM("orders"."total")
  AS "$__alias__0" FROM "public"."orders" "orders" GROUP BY 1 ORDER BY 2 DESC LIMIT 3) "t0" ON ("orders"."product-id" = "t0"."p") GROUP BY 1;

SELECT ((CAST("orders"."created-at" AS DATE)) - (CAST(EXTRACT(DOW FROM "orders"."created-at") AS INTEGER))) AS "twk:created-at:ok", COUNT(1) AS "cnt"
FROM "public"."orders" "orders" GROUP BY 1;

SELECT UPPER(SUBSTR("people"."name", 1, 1)) AS "Initial", (CASE WHEN (POSITION('example.org' IN "people"."email") > 0) THEN 'org' ELSE 'other' END) AS "Kind", COUNT(1) AS "cnt"
FROM "public"."people" "people" GROUP BY 1, 2;

SELECT "people"."plan" AS "plan", (CASE WHEN COUNT("people"."balance") > 1 THEN STDDEV_SAMP(CAST("people"."balance" AS DOUBLE PRECISION)) ELSE NULL END) AS "std", SUM("people"."balance") AS "sum"
FROM "public"."people" "people" GROUP BY 1;

SELECT (("orders"."created-at" >= (TIMESTAMP '2023-01-01 00:00:00.000')) AND ("orders"."created-at" < (TIMESTAMP '2023-07-01 00:00:00.000'))) AS "in", MAX("orders"."total") AS "max"
FROM "public"."orders" "orders" WHERE (("orders"."status" LIKE '%pa%') OR (LOWER("orders"."status") = 'open')) GROUP BY 1;
