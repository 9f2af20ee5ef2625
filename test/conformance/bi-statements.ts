/** SQL statements of dashboards and analysts about flights and airports, and their equivalents for DuckDB. */
import { float, integer, type Kind, TEXT } from '../support/sql/sql-piece.js';

export interface BiStatement {
  readonly question: string;
  readonly sql: string;
  readonly duck: string;
  /** Types of the answer's columns: t text, i integer, f float. */
  readonly columns: string;
  /** Whether the statement defines the order of the rows. */
  readonly ordered: boolean;
}

const KINDS: Readonly<Record<string, Kind>> = { t: TEXT, i: integer(18), f: float(6, false) };

export function kindsOf({ columns }: BiStatement): Kind[] {
  return Array.from(columns, (letter) => KINDS[letter]);
}

/** Without `duck`, DuckDB executes the same statement. */
function biStatement(
  question: string,
  columns: string,
  sql: string,
  duck = sql,
  ordered = true,
): BiStatement {
  return { question, sql, duck, columns, ordered };
}

const BUCKETS = `CASE WHEN delay < 0 THEN 'early' WHEN delay = 0 THEN 'on time' WHEN delay <= 15 THEN 'up to a quarter'
  WHEN delay <= 60 THEN 'up to an hour' ELSE 'later' END`;
const SPRING = `[delay.date] BETWEEN '2001-02-01' AND '2001-02-28T23:59:59Z'`;
const SPRING_DUCK = `moment BETWEEN TIMESTAMP '2001-02-01' AND TIMESTAMP '2001-02-28 23:59:59'`;

export const BI_STATEMENTS: readonly BiStatement[] = [
  biStatement(
    'How many flights are there, of how many miles, and how late?',
    'iiffiiff',
    `SELECT COUNT(*), SUM(distance), AVG(delay), STDDEV(delay), MIN(delay), MAX(delay), MEDIAN(delay), PERCENTILE(delay, 0.95)
     FROM flights`,
    `SELECT count(*), sum(distance), avg(delay), stddev(delay), min(delay), max(delay), median(delay), quantile_cont(delay, 0.95)
     FROM flights`,
  ),
  biStatement(
    'Which origins have most flights?',
    'tif',
    `SELECT origin, COUNT(*) AS flights, AVG(delay) AS late FROM flights GROUP BY origin
     ORDER BY flights DESC, origin LIMIT 10`,
  ),
  biStatement(
    'How late are flights of each weekday?',
    'iiff',
    `SELECT DATEPART('dw', departed) AS weekday, COUNT(*), AVG(delay), PERCENTILE(delay, 0.9) FROM flights
     GROUP BY DATEPART('dw', departed) ORDER BY weekday`,
    `SELECT dayofweek(departed) + 1 AS weekday, count(*), avg(delay), quantile_cont(delay, 0.9) FROM flights
     GROUP BY 1 ORDER BY 1`,
  ),
  biStatement(
    'And of each month?',
    'tiff',
    `SELECT CAST(DATE_TRUNC('month', departed) AS date) AS month, COUNT(*), AVG(delay), STDDEV(delay) FROM flights
     GROUP BY DATE_TRUNC('month', departed) ORDER BY month`,
    `SELECT strftime(date_trunc('month', departed), '%Y-%m-%d') AS month, count(*), avg(delay), stddev(delay)
     FROM flights GROUP BY 1 ORDER BY 1`,
  ),
  biStatement(
    'How do delays spread over the hours of a day?',
    'iiii',
    `SELECT HOUR(departed) AS hour, COUNT(*), COUNT(CASE WHEN delay > 15 THEN 1 END) AS late, MAX(delay) FROM flights
     GROUP BY hour ORDER BY hour`,
  ),
  biStatement(
    'How many flights fall in each class of delay?',
    'tif',
    `SELECT ${BUCKETS} AS class, COUNT(*) AS flights, AVG(distance) FROM flights GROUP BY class ORDER BY flights DESC`,
  ),
  biStatement(
    'Which states do flights leave?',
    'tiif',
    `SELECT a.state, COUNT(*) AS flights, COUNT(DISTINCT f.origin) AS airports, AVG(f.delay)
     FROM flights f JOIN airports a ON f.origin = a.[entity-id]
     GROUP BY a.state HAVING COUNT(*) >= 100 ORDER BY flights DESC, a.state LIMIT 12`,
    `SELECT a.state, count(*) AS flights, count(DISTINCT f.origin), avg(f.delay)
     FROM flights f JOIN airports a ON f.origin = a.id
     GROUP BY a.state HAVING count(*) >= 100 ORDER BY flights DESC, a.state LIMIT 12`,
  ),
  biStatement(
    'Between which states do most fly?',
    'ttif',
    `SELECT o.state AS [from], d.state AS [to], COUNT(*) AS flights, AVG(f.distance) AS miles FROM flights f
     JOIN airports o ON f.origin = o.[entity-id] JOIN airports d ON f.destination = d.[entity-id]
     WHERE o.state <> d.state GROUP BY o.state, d.state ORDER BY flights DESC, [from], [to] LIMIT 10`,
    `SELECT o.state AS a, d.state AS b, count(*) AS flights, avg(f.distance) FROM flights f
     JOIN airports o ON f.origin = o.id JOIN airports d ON f.destination = d.id
     WHERE o.state <> d.state GROUP BY o.state, d.state ORDER BY flights DESC, a, b LIMIT 10`,
  ),
  biStatement(
    'Which routes of the west are latest at the 90th percentile?',
    'ttif',
    `SELECT f.origin, f.destination, COUNT(*) AS n, PERCENTILE(f.delay, 0.9) AS p90 FROM flights f
     INNER JOIN airports o ON o.[entity-id] = f.origin
     WHERE o.state IN ('CA', 'WA', 'OR', 'NV') AND f.distance BETWEEN 100 AND 2500
     GROUP BY f.origin, f.destination HAVING COUNT(*) > 20 ORDER BY p90 DESC, 1, 2 LIMIT 15`,
    `SELECT f.origin, f.destination, count(*) AS n, round(quantile_cont(f.delay, 0.9), 6) AS p90 FROM flights f
     JOIN airports o ON o.id = f.origin
     WHERE o.state IN ('ca', 'wa', 'or', 'nv') AND f.distance BETWEEN 100 AND 2500
     GROUP BY f.origin, f.destination HAVING count(*) > 20 ORDER BY p90 DESC, 1, 2 LIMIT 15`,
  ),
  biStatement(
    'How many flights go to the mainland, and how many beyond?',
    'tiif',
    `SELECT CASE WHEN a.state IN ('HI', 'AK', 'PR', 'VI') THEN 'Beyond' WHEN a.state IS NULL THEN 'Unknown' ELSE 'Mainland' END
       AS part, COUNT(*) AS flights, COUNT(DISTINCT f.destination), AVG(f.distance)
     FROM flights f LEFT JOIN airports a ON f.destination = a.[entity-id] GROUP BY part ORDER BY flights DESC`,
    `SELECT CASE WHEN a.state IN ('hi', 'ak', 'pr', 'vi') THEN 'Beyond' WHEN a.state IS NULL THEN 'Unknown' ELSE 'Mainland' END
       AS part, count(*) AS flights, count(DISTINCT f.destination), avg(f.distance)
     FROM flights f LEFT JOIN airports a ON f.destination = a.id GROUP BY part ORDER BY flights DESC`,
  ),
  biStatement(
    'Which cities have several airports?',
    'tti',
    `SELECT city, state, COUNT(*) AS airports FROM airports WHERE city IS NOT NULL GROUP BY city, state
     HAVING COUNT(*) > 2 ORDER BY airports DESC, city, state`,
  ),
  biStatement(
    'Which states have airports that are called international?',
    't',
    `SELECT DISTINCT state FROM airports WHERE name LIKE '%Intl%' OR name LIKE '%International%' ORDER BY state`,
    `SELECT DISTINCT state FROM airports WHERE name LIKE '%intl%' OR name LIKE '%international%'
     ORDER BY state NULLS LAST`,
  ),
  biStatement(
    'How are airports labelled?',
    'ti',
    `SELECT UPPER(COALESCE(state, '??')) || ': ' || LEFT(name, 8) AS label, LENGTH(name) FROM airports
     WHERE name LIKE 'san %' ORDER BY LENGTH(name) DESC, label, [entity-id] LIMIT 20`,
    `SELECT upper(coalesce(state, '??')) || ': ' || left(name, 8) AS label, length(name) FROM airports
     WHERE name LIKE 'san %' ORDER BY length(name) DESC, label, id LIMIT 20`,
  ),
  biStatement(
    'How fast do hours of delay come together?',
    'iff',
    `SELECT DATEPART('wk', departed) AS week, ROUND(SUM(delay) / 60, 2) AS hours, SUM(delay) / NULLIF(COUNT(*), 0) AS each
     FROM flights WHERE delay > 0 GROUP BY DATEPART('wk', departed) ORDER BY week`,
    `SELECT week(departed) AS week, round(sum(delay) / 60, 2), sum(delay) / count(*)
     FROM flights WHERE delay > 0 GROUP BY 1 ORDER BY 1`,
  ),
  biStatement(
    'How many places can one reach from each of the largest airports?',
    'tiii',
    `SELECT origin, COUNT(DISTINCT destination) AS places, MIN(distance), MAX(distance) FROM flights
     GROUP BY origin ORDER BY places DESC, origin LIMIT 8 OFFSET 2`,
  ),
  biStatement(
    'What share of flights is late, by band of distance?',
    'fif',
    `SELECT FLOOR(distance / 500) * 500 AS miles, COUNT(*),
       ROUND(100.0 * SUM(CASE WHEN delay > 15 THEN 1 ELSE 0 END) / COUNT(*), 1) AS share
     FROM flights GROUP BY FLOOR(distance / 500) * 500 ORDER BY miles`,
  ),
  biStatement(
    'Which airports have the latest flights in February, by the events of airports?',
    'tifi',
    `SELECT [entity-id], COUNT([delay.value]) AS flights, AVG([delay.value]) AS late, MAX([delay.value]) FROM airports
     WHERE ${SPRING} GROUP BY [entity-id] HAVING COUNT([delay.value]) >= 30 ORDER BY late DESC, [entity-id] LIMIT 10`,
    `SELECT origin, count(*) AS flights, round(avg(delay), 6) AS late, max(delay) FROM events
     WHERE ${SPRING_DUCK} GROUP BY origin HAVING count(*) >= 30 ORDER BY late DESC, origin LIMIT 10`,
  ),
  biStatement(
    'How many airports have flights to each destination, and how many flights?',
    'tii',
    `SELECT [destination.value], COUNT(*) AS airports, COUNT([destination.value]) AS flights FROM airports
     GROUP BY [destination.value] ORDER BY airports DESC, 1 LIMIT 10`,
    `SELECT destination, count(DISTINCT origin) AS airports, count(*) FROM events
     GROUP BY destination ORDER BY airports DESC, 1 LIMIT 10`,
  ),
  biStatement(
    'How many flights leave on each day of the first fortnight?',
    'tif',
    `SELECT CAST(INTERVAL([delay.value]) AS date) AS day, COUNT([delay.value]), AVG([delay.value]) FROM airports
     WHERE [delay.date] BETWEEN '2001-01-01' AND '2001-01-14T23:59:59Z' GROUP BY INTERVAL([delay.value]) = 'days' ORDER BY day`,
    `SELECT strftime(date_trunc('day', moment), '%Y-%m-%d') AS day, count(*), avg(delay) FROM events
     WHERE moment BETWEEN TIMESTAMP '2001-01-01' AND TIMESTAMP '2001-01-14 23:59:59' GROUP BY 1 ORDER BY 1`,
  ),
  biStatement(
    'How many airports of a state sent a flight more than two hours late?',
    'ti',
    `SELECT state, COUNT(*) AS airports FROM airports WHERE [delay.value] > 120 AND state IS NOT NULL
     GROUP BY state ORDER BY airports DESC, state`,
    `SELECT state, count(*) AS airports FROM airports a
     WHERE state IS NOT NULL AND EXISTS (SELECT 1 FROM events e WHERE e.origin = a.id AND e.delay > 120)
     GROUP BY state ORDER BY airports DESC, state`,
  ),
  biStatement(
    'How many airports sent more than a hundred flights?',
    'i',
    `SELECT COUNT([entity-id]) FROM airports HAVING COUNT([delay.value]) > 100`,
    `SELECT count(*) FROM (SELECT origin FROM events GROUP BY origin HAVING count(*) > 100)`,
  ),
];
