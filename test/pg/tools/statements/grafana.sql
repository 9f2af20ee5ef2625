-- Grafana replaces the macros of its panels before it sends a statement.

SELECT floor(extract(epoch from "created-at")/86400)*86400 AS "time", sum(total) AS "total" FROM orders
WHERE "created-at" BETWEEN '2023-01-01T00:00:00Z' AND '2023-12-31T00:00:00Z' GROUP BY 1 ORDER BY 1;

SELECT "created-at" AS "time", status AS metric, total FROM orders WHERE "created-at" BETWEEN '2023-01-01T00:00:00Z' AND '2023-12-31T00:00:00Z' ORDER BY 1, 2, 3;

SELECT extract(epoch from "created-at") as "time", quantity FROM orders WHERE extract(epoch from "created-at") BETWEEN 1672531200 AND 1704067200 ORDER BY 1, 2;

SELECT date_trunc('day', "created-at") AS time, count(*) FILTER (WHERE status = 'paid') AS paid, count(*) FILTER (WHERE status <> 'paid') AS other FROM orders GROUP BY time ORDER BY time;

SELECT floor(extract(epoch from "date")/3600)*3600 AS "time", value AS metric, count(*) FROM visit WHERE "date" >= '2023-01-01T00:00:00Z' GROUP BY 1, 2 ORDER BY 1, 2;

SELECT country FROM people GROUP BY country ORDER BY country;

SELECT name AS __text, "entity-id" AS __value FROM people ORDER BY name;

SELECT avg(total) AS value FROM orders WHERE status IN ('paid','open') AND "person-id" IN (SELECT "entity-id" FROM people WHERE country ~* '^(fr|de)$');

SELECT CAST('2023-06-01T00:00:00Z' AS timestamptz) AS time, 'deploy' AS text, 'release' AS tags;

SELECT * FROM orders WHERE status = 'paid' ORDER BY "created-at" DESC, "entity-id" LIMIT 50;

SELECT now() IS NOT NULL AS works;

-- Macros of time series: $__timeGroup, $__unixEpochFilter, $__timeGroupAlias with a fill, percentiles, tables.
SELECT floor(extract(epoch from "created-at") / 2592000) * 2592000 AS "time", status AS metric, sum(total) AS value FROM orders
WHERE "created-at" BETWEEN '2023-01-01T00:00:00Z' AND '2023-12-31T23:59:59Z' GROUP BY 1, 2 ORDER BY 1, 2;

SELECT extract(epoch from "created-at")::bigint AS "time", total AS value FROM orders WHERE extract(epoch from "created-at") >= 1672531200 AND extract(epoch from "created-at") <= 1680307200 ORDER BY 1;

SELECT g AS "time", coalesce(sum(o.total), 0) AS value FROM generate_series(timestamptz '2023-01-01', timestamptz '2023-03-01', interval '7 days') g
LEFT JOIN orders o ON o."created-at" >= g AND o."created-at" < g + interval '7 days' GROUP BY g ORDER BY g;

SELECT date_trunc('month', "created-at") AS "time", percentile_disc(0.5) WITHIN GROUP (ORDER BY total) AS p50, max(total) - min(total) AS spread, avg(total)::numeric(10, 2) AS mean FROM orders GROUP BY 1 ORDER BY 1;

SELECT DISTINCT status AS __text, status AS __value FROM orders WHERE status ~* '^(paid|open)' ORDER BY 1;
