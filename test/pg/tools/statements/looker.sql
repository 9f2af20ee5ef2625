-- Looker writes lower-case views with aliases in double quotes, groups by ordinals, and wraps every list in a LIMIT.

SELECT people.country AS "people.country", COUNT(*) AS "people.count" FROM public.people AS people GROUP BY 1 ORDER BY 2 DESC, 1 LIMIT 500;

SELECT (TO_CHAR(DATE_TRUNC('month', orders."created-at" ), 'YYYY-MM')) AS "orders.created_month", COALESCE(SUM(orders.total), 0) AS "orders.total"
FROM public.orders AS orders WHERE ((( orders."created-at" ) >= ((SELECT TIMESTAMP '2023-01-01')) AND ( orders."created-at" ) < ((SELECT TIMESTAMP '2024-01-01'))))
GROUP BY (DATE_TRUNC('month', orders."created-at" )) ORDER BY 1 DESC FETCH NEXT 500 ROWS ONLY;

SELECT (DATE(orders."created-at" )) AS "orders.created_date", COUNT(DISTINCT orders."person-id" ) AS "orders.people", AVG(orders.total ) AS "orders.average"
FROM public.orders AS orders GROUP BY 1 ORDER BY 1 DESC LIMIT 500;

SELECT CASE WHEN people.active THEN 'Yes' ELSE 'No' END AS "people.active", COALESCE(SUM(CASE WHEN orders.status = 'paid' THEN orders.total END), 0) AS "orders.paid"
FROM public.orders AS orders LEFT JOIN public.people AS people ON orders."person-id" = people."entity-id" WHERE (people.country = 'fr' OR people.country = 'de')
GROUP BY 1 HAVING COUNT(*) > 0 ORDER BY 2 DESC LIMIT 500;

-- Symmetric aggregates are written with sums of hashes; the plain form counts distinct rows.
SELECT people.plan AS "people.plan", COUNT(DISTINCT people."entity-id" ) AS "people.count", COUNT(orders."entity-id" ) AS "orders.count" FROM public.people AS people
LEFT JOIN public.orders AS orders ON people."entity-id" = orders."person-id" GROUP BY 1 ORDER BY 2 DESC, 1 LIMIT 500;

WITH person_facts AS (SELECT "person-id" AS person_id, COUNT(*) AS lifetime_orders, SUM(total) AS lifetime_total FROM orders GROUP BY 1)
SELECT CASE WHEN person_facts.lifetime_orders < 2 THEN '0' WHEN person_facts.lifetime_orders < 4 THEN '1' ELSE '2' END AS "tier__sort_",
  COUNT(*) AS "count", COALESCE(SUM(CAST(person_facts.lifetime_total AS DOUBLE PRECISION)), 0) AS "total"
FROM public.people AS people LEFT JOIN person_facts ON people."entity-id" = person_facts.person_id GROUP BY 1 ORDER BY 1 LIMIT 500;

-- A pivot.
SELECT * FROM (
  SELECT *, DENSE_RANK() OVER (ORDER BY z___min_rank) as z___pivot_row_rank, RANK() OVER (PARTITION BY z__pivot_col_rank ORDER BY z___min_rank) as z__pivot_col_ordering,
    CASE WHEN z___min_rank = z___rank THEN 1 ELSE 0 END AS z__is_highest_ranked_cell FROM (
    SELECT *, MIN(z___rank) OVER (PARTITION BY "orders.category") as z___min_rank FROM (
      SELECT *, RANK() OVER (ORDER BY CASE WHEN z__pivot_col_rank=1 THEN (CASE WHEN "orders.count" IS NOT NULL THEN 0 ELSE 1 END) ELSE 2 END,
        CASE WHEN z__pivot_col_rank=1 THEN "orders.count" ELSE NULL END DESC, "orders.count" DESC, z__pivot_col_rank, "orders.category") AS z___rank FROM (
        SELECT *, DENSE_RANK() OVER (ORDER BY CASE WHEN "orders.status" IS NULL THEN 1 ELSE 0 END, "orders.status") AS z__pivot_col_rank FROM (
          SELECT products.category AS "orders.category", orders.status AS "orders.status", COUNT(*) AS "orders.count" FROM public.orders AS orders
          LEFT JOIN public.products AS products ON orders."product-id" = products."entity-id" GROUP BY 1, 2) ww
      ) bb WHERE z__pivot_col_rank <= 16384
    ) aa
  ) xx
) zz WHERE (z__pivot_col_rank <= 50 OR z__is_highest_ranked_cell = 1) AND (z___pivot_row_rank <= 500 OR z__pivot_col_ordering = 1) ORDER BY z___pivot_row_rank;

SELECT COALESCE(SUM(orders.total), 0) AS "orders.total", NULL AS "dummy" FROM public.orders AS orders LIMIT 1;

SELECT percentile_cont(0.25) WITHIN GROUP (ORDER BY orders.total) AS "orders.p25", percentile_cont(0.75) WITHIN GROUP (ORDER BY orders.total) AS "orders.p75" FROM public.orders AS orders LIMIT 500;

SELECT products.title AS "products.title" FROM public.products AS products WHERE (UPPER(products.title) LIKE UPPER('%a%')) AND (products.title IS NOT NULL AND LENGTH(products.title) <> 0)
GROUP BY 1 ORDER BY 1 LIMIT 5000;

SELECT (CAST(EXTRACT(DOW FROM orders."created-at") AS INT)) AS "day_index", (TO_CHAR(orders."created-at", 'FMDay')) AS "day", COUNT(*) AS "n" FROM public.orders AS orders GROUP BY 1, 2 ORDER BY 1;

-- Symmetric aggregates: sums and means over a join that repeats rows.
SELECT people.country AS "people.country",
  COALESCE(ROUND(COALESCE(SUM(DISTINCT people.balance), 0)::NUMERIC, 2), 0) AS "people.total_balance",
  COUNT(DISTINCT people."entity-id") AS "people.count" FROM people LEFT JOIN orders ON orders."person-id" = people."entity-id"
GROUP BY 1 ORDER BY 2 DESC, 1 LIMIT 500;

SELECT DATE(orders."created-at") AS "orders.created_date", COUNT(*) AS "orders.count" FROM orders
WHERE ((orders."created-at" >= (DATE_TRUNC('month', TIMESTAMP '2023-03-15')) AND orders."created-at" < (DATE_TRUNC('month', TIMESTAMP '2023-03-15') + (3 || ' month')::INTERVAL)))
GROUP BY 1 ORDER BY 1 DESC LIMIT 500;

SELECT TO_CHAR(DATE_TRUNC('month', orders."created-at"), 'YYYY-MM') AS "orders.created_month", AVG(orders.total) AS "orders.average_total",
  PERCENTILE_CONT(0.5) WITHIN GROUP (ORDER BY orders.total) AS "orders.median_total" FROM orders GROUP BY 1 ORDER BY 1 DESC LIMIT 500;

SELECT CASE WHEN orders.total < 50 THEN 'T00' WHEN orders.total >= 50 AND orders.total < 100 THEN 'T01' WHEN orders.total >= 100 THEN 'T02' ELSE 'TXX' END
  AS "orders.total_tier__sort_", CASE WHEN orders.total < 50 THEN 'Below 50' WHEN orders.total >= 50 AND orders.total < 100 THEN '50 to 99' WHEN orders.total >= 100
  THEN '100 or Above' ELSE 'Undefined' END AS "orders.total_tier", COUNT(*) AS "orders.count" FROM orders GROUP BY 1, 2 ORDER BY 1 LIMIT 500;

SELECT EXTRACT(DOW FROM orders."created-at")::INTEGER AS "orders.day_of_week_index", TRIM(TO_CHAR(orders."created-at", 'Day')) AS "orders.day_of_week",
  COUNT(*) AS "orders.count" FROM orders GROUP BY 1, 2 ORDER BY 1 LIMIT 500;

SELECT * FROM (SELECT *, DENSE_RANK() OVER (ORDER BY z___min_rank) AS z___pivot_row_rank, RANK() OVER (PARTITION BY z__pivot_col_rank ORDER BY z___min_rank)
  AS z__pivot_col_ordering FROM (SELECT *, MIN(z___rank) OVER (PARTITION BY "people.country") AS z___min_rank FROM (
    SELECT *, RANK() OVER (ORDER BY "people.country", z__pivot_col_rank) AS z___rank FROM (
      SELECT *, DENSE_RANK() OVER (ORDER BY "people.plan" NULLS LAST) AS z__pivot_col_rank FROM (
        SELECT people.plan AS "people.plan", people.country AS "people.country", COUNT(*) AS "people.count" FROM people GROUP BY 1, 2) ww) bb) aa) xx) zz
WHERE z__pivot_col_rank <= 50 ORDER BY z___pivot_row_rank, z__pivot_col_rank;

SELECT (CASE WHEN people.active THEN 'Yes' ELSE 'No' END) AS "people.active", COUNT(CASE WHEN (people.age >= 30) THEN 1 ELSE NULL END) AS "people.count_30"
FROM people WHERE ((NOT COALESCE(people.country = 'it', FALSE))) GROUP BY 1 ORDER BY 2 DESC, 1 LIMIT 500;
