-- Superset writes charts as one SELECT with aliases in double quotes, over a table or over a dataset in a subselect.

SELECT status AS status, COUNT(*) AS count FROM public.orders GROUP BY status ORDER BY count DESC, status LIMIT 1000;

SELECT DATE_TRUNC('day', "created-at") AS __timestamp, SUM(total) AS "SUM(total)" FROM public.orders
WHERE "created-at" >= TO_TIMESTAMP('2023-01-01 00:00:00.000000', 'YYYY-MM-DD HH24:MI:SS.US')
  AND "created-at" < TO_TIMESTAMP('2024-01-01 00:00:00.000000', 'YYYY-MM-DD HH24:MI:SS.US')
GROUP BY DATE_TRUNC('day', "created-at") ORDER BY "SUM(total)" DESC, __timestamp LIMIT 50000;

SELECT DATE_TRUNC('week', "created-at") AS __timestamp, status AS status, COUNT(*) AS count FROM public.orders
JOIN (SELECT status AS status__, COUNT(*) AS mme_inner__ FROM public.orders GROUP BY status ORDER BY mme_inner__ DESC, status__ LIMIT 5) AS series_limit
  ON status = status__
GROUP BY DATE_TRUNC('week', "created-at"), status ORDER BY count DESC, 1, 2 LIMIT 10000;

SELECT country AS country, AVG(age) AS "AVG(age)", MIN(age) AS "MIN(age)", MAX(age) AS "MAX(age)", COUNT(DISTINCT plan) AS "COUNT_DISTINCT(plan)"
FROM (SELECT * FROM people WHERE active) AS virtual_table WHERE country IN ('fr', 'de', 'it') GROUP BY country
HAVING COUNT(*) > 0 ORDER BY "AVG(age)" DESC, country LIMIT 100;

SELECT CASE WHEN age < 30 THEN 'young' WHEN age < 50 THEN 'middle' ELSE 'old' END AS band, COUNT(*) AS count FROM public.people
GROUP BY CASE WHEN age < 30 THEN 'young' WHEN age < 50 THEN 'middle' ELSE 'old' END ORDER BY count DESC, band LIMIT 1000;

SELECT "entity-id" AS "entity-id", name AS name, email AS email, "created-at" AS "created-at" FROM public.people
WHERE "created-at" >= '2020-01-01 00:00:00.000000' ORDER BY "entity-id" ASC LIMIT 1000 OFFSET 0;

SELECT COUNT(*) AS rowcount FROM (SELECT "entity-id" AS "entity-id", name AS name FROM public.people LIMIT 10) AS rowcount_qry;

SELECT MIN("created-at") AS "MIN(created-at)", MAX("created-at") AS "MAX(created-at)" FROM public.orders LIMIT 1;

SELECT * FROM (SELECT status, product_id, total FROM (SELECT status, "product-id" AS product_id, total FROM orders) x) AS expr_qry
ORDER BY total DESC, product_id, status LIMIT 5;

SELECT EXTRACT(year FROM "created-at") AS y, EXTRACT(month FROM "created-at") AS m, COUNT(*) AS n FROM public.orders
GROUP BY EXTRACT(year FROM "created-at"), EXTRACT(month FROM "created-at") ORDER BY y, m;

SELECT people.country AS country, SUM(orders.total) AS revenue, SUM(orders.total) / NULLIF(COUNT(DISTINCT orders."person-id"), 0) AS per_person
FROM orders JOIN people ON orders."person-id" = people."entity-id" WHERE orders.status <> 'refunded' GROUP BY people.country
ORDER BY revenue DESC LIMIT 10;

SELECT DATE_TRUNC('month', "created-at") AS __timestamp, SUM(total) AS revenue FROM public.orders
WHERE "created-at" >= '2023-01-01' AND "created-at" < '2024-01-01' AND status IN ('paid') GROUP BY 1 ORDER BY 1 ASC LIMIT 50000;

SELECT plan AS plan, SUM(CASE WHEN active THEN 1 ELSE 0 END) AS "active people", SUM(CASE WHEN NOT active THEN 1 ELSE 0 END) AS "others",
  COUNT(*) AS count FROM public.people WHERE plan IS NOT NULL GROUP BY plan ORDER BY plan;

SELECT product_category, revenue, RANK() OVER (ORDER BY revenue DESC) AS "rank" FROM (
  SELECT products.category AS product_category, SUM(orders.total) AS revenue FROM orders LEFT JOIN products ON orders."product-id" = products."entity-id"
  GROUP BY products.category) AS virtual_table ORDER BY "rank", product_category LIMIT 20;

SELECT COUNT(*) AS count FROM public.people WHERE name ILIKE '%an%' OR email ILIKE '%.org' LIMIT 50000;

SELECT DATE_TRUNC('hour', "date") AS __timestamp, COUNT(*) AS count FROM public.visit GROUP BY DATE_TRUNC('hour', "date") ORDER BY 1;

SELECT value AS value, COUNT(DISTINCT "entity-id") AS people FROM visit GROUP BY value ORDER BY people DESC, value LIMIT 10;

-- SQL Lab: the statement of a user with a limit around it.
SELECT * FROM (WITH totals AS (SELECT "person-id" AS person, SUM(total) AS spent FROM orders GROUP BY "person-id")
  SELECT p.name, t.spent FROM totals t JOIN people p ON p."entity-id" = t.person) AS inner_qry ORDER BY spent DESC, name LIMIT 100;

-- The estimate of costs and the validation of statements.
EXPLAIN SELECT COUNT(*) FROM public.orders;

-- Previews of a table.
SELECT "entity-id", title, category, vendor, price, rating, "created-at" FROM public.products ORDER BY "entity-id" LIMIT 100;

-- Contributions, rolling means, comparisons with an earlier period, time grains and filters of dashboards.
SELECT status AS status, SUM(total) AS total, SUM(total) * 1.0 / SUM(SUM(total)) OVER () AS contribution FROM public.orders GROUP BY status ORDER BY total DESC LIMIT 100;

SELECT DATE_TRUNC('month', "created-at") AS __timestamp, AVG(SUM(total)) OVER (ORDER BY DATE_TRUNC('month', "created-at") ROWS BETWEEN 2 PRECEDING AND CURRENT ROW) AS rolling
FROM public.orders GROUP BY 1 ORDER BY 1 LIMIT 1000;

SELECT DATE_TRUNC('quarter', "created-at") AS q, SUM(total) AS total, LAG(SUM(total)) OVER (ORDER BY DATE_TRUNC('quarter', "created-at")) AS before,
  ROUND(100.0 * (SUM(total) - LAG(SUM(total)) OVER (ORDER BY DATE_TRUNC('quarter', "created-at"))) / NULLIF(LAG(SUM(total)) OVER (ORDER BY DATE_TRUNC('quarter', "created-at")), 0), 2) AS pct
FROM public.orders GROUP BY 1 ORDER BY 1;

SELECT DATE_TRUNC('minute', "created-at") - INTERVAL '1 minute' * (EXTRACT(MINUTE FROM "created-at")::int % 15) AS __timestamp, COUNT(*) AS n FROM orders GROUP BY 1 ORDER BY 1 LIMIT 5;

SELECT country AS country, plan AS plan, GROUPING(country, plan) AS g, COUNT(*) AS count, AVG(balance) AS mean FROM people GROUP BY CUBE (country, plan) ORDER BY g, country NULLS LAST, plan NULLS LAST;

SELECT status AS status, ARRAY_TO_STRING(ARRAY_AGG(DISTINCT "product-id" ORDER BY "product-id"), ',') AS products, STRING_AGG(DISTINCT "product-id", '/' ORDER BY "product-id") AS list
FROM orders GROUP BY status ORDER BY status;

SELECT COUNT(DISTINCT "person-id") AS "COUNT_DISTINCT(person)", COUNT(DISTINCT ("person-id", status)) AS pairs FROM public.orders;

SELECT name AS name, balance AS balance, NTILE(3) OVER (ORDER BY balance) AS tercile, PERCENT_RANK() OVER (ORDER BY balance) AS pr, CUME_DIST() OVER (ORDER BY balance) AS cd
FROM people WHERE balance IS NOT NULL ORDER BY balance;
