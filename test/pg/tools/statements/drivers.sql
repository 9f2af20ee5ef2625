-- Statements of drivers and libraries: npgsql, psqlODBC, SQLAlchemy, Hibernate, Django, ActiveRecord, Prisma, GORM.

-- npgsql: the types of a database, and a check of the version.
SELECT version();

SELECT ns.nspname, t.oid, t.typname, t.typtype, t.typnotnull, t.elemtypoid FROM (
    SELECT typ.oid, typ.typnamespace, typ.typname, typ.typtype, typ.typrelid, typ.typnotnull, typ.relkind, elemtyp.oid AS elemtypoid, elemtyp.typname AS elemtypname,
      elemcls.relkind AS elemrelkind, CASE WHEN elemproc.proname='array_recv' THEN 'a' ELSE elemtyp.typtype END AS elemtyptype
    FROM (SELECT typ.oid, typnamespace, typname, typrelid, typnotnull, relkind, typelem AS elemoid,
        CASE WHEN proc.proname='array_recv' THEN 'a' ELSE typ.typtype END AS typtype,
        CASE WHEN proc.proname='array_recv' THEN typ.typelem WHEN typ.typtype='r' THEN rngsubtype WHEN typ.typtype='m' THEN (SELECT rngtypid FROM pg_range WHERE rngmultitypid = typ.oid)
          WHEN typ.typtype='d' THEN typ.typbasetype END AS elemtypoid
      FROM pg_type AS typ LEFT JOIN pg_class AS cls ON (cls.oid = typ.typrelid) LEFT JOIN pg_proc AS proc ON proc.oid = typ.typreceive LEFT JOIN pg_range ON (pg_range.rngtypid = typ.oid)) AS typ
    LEFT JOIN pg_type AS elemtyp ON elemtyp.oid = elemtypoid LEFT JOIN pg_class AS elemcls ON (elemcls.oid = elemtyp.typrelid) LEFT JOIN pg_proc AS elemproc ON elemproc.oid = elemtyp.typreceive) AS t
JOIN pg_namespace AS ns ON (ns.oid = typnamespace)
WHERE typtype IN ('b', 'r', 'm', 'e', 'd') OR (typtype = 'c' AND relkind='c') OR (typtype = 'p' AND typname IN ('record', 'void', 'unknown'))
  OR (typtype = 'a' AND (elemtyptype IN ('b', 'r', 'm', 'e', 'd') OR (elemtyptype = 'p' AND elemtypname IN ('record', 'void')) OR (elemtyptype = 'c' AND elemrelkind='c')))
ORDER BY CASE WHEN typtype IN ('b', 'e', 'p') THEN 0 WHEN typtype = 'r' THEN 1 WHEN typtype = 'm' THEN 2 WHEN typtype = 'c' THEN 3 WHEN typtype = 'd' THEN 4 WHEN typtype = 'a' THEN 5 END;

SELECT typ.oid, att.attname, att.atttypid FROM pg_type AS typ JOIN pg_namespace AS ns ON (ns.oid = typ.typnamespace) JOIN pg_class AS cls ON (cls.oid = typ.typrelid)
JOIN pg_attribute AS att ON (att.attrelid = typ.typrelid) WHERE (typ.typtype = 'c' AND cls.relkind='c') AND attnum > 0 AND NOT attisdropped ORDER BY typ.oid, att.attnum;

SELECT pg_type.oid, enumlabel FROM pg_enum JOIN pg_type ON pg_type.oid=enumtypid ORDER BY oid, enumsortorder;

-- psqlODBC: the connection, SQLTables, SQLColumns, SQLPrimaryKeys, SQLStatistics and SQLForeignKeys.
SET DateStyle = 'ISO';

SET extra_float_digits = 2;

show transaction_isolation;

select oid, typbasetype from pg_type where typname = 'lo';

select pg_client_encoding();

select relname, nspname, relkind from pg_catalog.pg_class c, pg_catalog.pg_namespace n where relkind in ('r', 'v', 'm', 'f', 'p') and nspname not in ('pg_catalog', 'information_schema', 'pg_toast', 'pg_temp_1') and n.oid = relnamespace order by nspname, relname;

select n.nspname, c.relname, a.attname, a.atttypid, t.typname, a.attnum, a.attlen, a.atttypmod, a.attnotnull, c.relhasrules, c.relkind, c.oid, pg_get_expr(d.adbin, d.adrelid),
  case t.typtype when 'd' then t.typbasetype else 0 end, t.typtypmod, 0, attidentity, c.relhassubclass
from (((pg_catalog.pg_class c inner join pg_catalog.pg_namespace n on n.oid = c.relnamespace and c.relname like 'people' and n.nspname like 'public')
  inner join pg_catalog.pg_attribute a on (not a.attisdropped) and a.attnum > 0 and a.attrelid = c.oid)
  inner join pg_catalog.pg_type t on t.oid = a.atttypid) left outer join pg_attrdef d on a.atthasdef and d.adrelid = a.attrelid and d.adnum = a.attnum
order by n.nspname, c.relname, attnum;

select ta.attname, ia.attnum, ic.relname, n.nspname, tc.relname from pg_catalog.pg_attribute ta, pg_catalog.pg_attribute ia, pg_catalog.pg_class tc, pg_catalog.pg_index i,
  pg_catalog.pg_namespace n, pg_catalog.pg_class ic
where tc.relname = 'people' and n.nspname = 'public' and tc.oid = i.indrelid and n.oid = tc.relnamespace and i.indisprimary = 't' and ia.attrelid = i.indexrelid
  and ta.attrelid = i.indrelid and ta.attnum = i.indkey[ia.attnum-1] and (not ta.attisdropped) and (not ia.attisdropped) and ic.oid = i.indexrelid order by ia.attnum;

select c.relname, i.indkey, i.indisunique, i.indisclustered, a.amname, c.relhasrules, n.nspname, c.oid, d.relhasoids, case when i.indoption[0] is null then 0 else 1 end
from pg_catalog.pg_index i, pg_catalog.pg_class c, (select oid, relname, false as relhasoids, relnamespace from pg_catalog.pg_class) d, pg_catalog.pg_am a, pg_catalog.pg_namespace n
where d.relname = 'people' and n.nspname = 'public' and n.oid = d.relnamespace and d.oid = i.indrelid and i.indexrelid = c.oid and c.relam = a.oid
order by i.indisprimary desc, i.indisunique, n.nspname, c.relname;

-- SQLAlchemy 2: has_table, get_columns, get_indexes, get_pk_constraint, get_foreign_keys, get_table_comment.
SELECT pg_catalog.pg_class.relname FROM pg_catalog.pg_class JOIN pg_catalog.pg_namespace ON pg_catalog.pg_namespace.oid = pg_catalog.pg_class.relnamespace
WHERE pg_catalog.pg_class.relname = 'people' AND pg_catalog.pg_class.relkind = ANY (ARRAY['r', 'p', 'f', 'v', 'm']) AND pg_catalog.pg_table_is_visible(pg_catalog.pg_class.oid)
  AND pg_catalog.pg_namespace.nspname != 'pg_catalog';

SELECT pg_catalog.pg_attribute.attname AS name, pg_catalog.format_type(pg_catalog.pg_attribute.atttypid, pg_catalog.pg_attribute.atttypmod) AS format_type,
  (SELECT pg_catalog.pg_get_expr(pg_catalog.pg_attrdef.adbin, pg_catalog.pg_attrdef.adrelid) AS pg_get_expr_1 FROM pg_catalog.pg_attrdef
   WHERE pg_catalog.pg_attrdef.adrelid = pg_catalog.pg_attribute.attrelid AND pg_catalog.pg_attrdef.adnum = pg_catalog.pg_attribute.attnum AND pg_catalog.pg_attribute.atthasdef) AS "default",
  pg_catalog.pg_attribute.attnotnull AS not_null, pg_catalog.pg_class.relname AS table_name, pg_catalog.pg_description.description AS comment,
  pg_catalog.pg_attribute.attgenerated AS generated, NULL AS identity_options
FROM pg_catalog.pg_class LEFT OUTER JOIN pg_catalog.pg_attribute ON pg_catalog.pg_class.oid = pg_catalog.pg_attribute.attrelid AND pg_catalog.pg_attribute.attnum > 0 AND NOT pg_catalog.pg_attribute.attisdropped
LEFT OUTER JOIN pg_catalog.pg_description ON pg_catalog.pg_description.objoid = pg_catalog.pg_attribute.attrelid AND pg_catalog.pg_description.objsubid = pg_catalog.pg_attribute.attnum
JOIN pg_catalog.pg_namespace ON pg_catalog.pg_namespace.oid = pg_catalog.pg_class.relnamespace
WHERE pg_catalog.pg_class.relkind = ANY (ARRAY['r', 'p', 'f', 'v', 'm']) AND pg_catalog.pg_table_is_visible(pg_catalog.pg_class.oid) AND pg_catalog.pg_namespace.nspname != 'pg_catalog'
  AND pg_catalog.pg_class.relname IN ('people') ORDER BY pg_catalog.pg_class.relname, pg_catalog.pg_attribute.attnum;

SELECT attr.conrelid, array_agg(attr.attname ORDER BY attr.ord) AS cols, attr.conname, min(attr.description) AS description FROM (
  SELECT con.conrelid AS conrelid, con.conname AS conname, con.conindid AS conindid, con.description AS description, con.ord AS ord, pg_catalog.pg_attribute.attname AS attname
  FROM pg_catalog.pg_attribute JOIN (SELECT pg_catalog.pg_constraint.conrelid AS conrelid, pg_catalog.pg_constraint.conname AS conname, pg_catalog.pg_constraint.conindid AS conindid,
    unnest(pg_catalog.pg_constraint.conkey) AS attnum, generate_subscripts(pg_catalog.pg_constraint.conkey, 1) AS ord, pg_catalog.pg_description.description AS description
    FROM pg_catalog.pg_constraint LEFT OUTER JOIN pg_catalog.pg_description ON pg_catalog.pg_description.objoid = pg_catalog.pg_constraint.oid
    WHERE pg_catalog.pg_constraint.contype = 'p') AS con ON pg_catalog.pg_attribute.attnum = con.attnum AND pg_catalog.pg_attribute.attrelid = con.conrelid) AS attr
GROUP BY attr.conrelid, attr.conname ORDER BY attr.conrelid, attr.conname;

SELECT people."entity-id", people.name, people.age FROM people WHERE people.country = 'fr' AND people.age > 20 ORDER BY people.name LIMIT 10 OFFSET 0;

SELECT anon_1.name, count(orders."entity-id") AS count_1 FROM (SELECT people."entity-id" AS id, people.name AS name FROM people LIMIT 100) AS anon_1
LEFT OUTER JOIN orders ON anon_1.id = orders."person-id" GROUP BY anon_1.name ORDER BY anon_1.name;

-- Hibernate.
select p1_0."entity-id", p1_0.name, p1_0.country from people p1_0 where p1_0.name like 'a%' escape '' order by p1_0.name fetch first 5 rows only;

select count(p1_0."entity-id") from people p1_0 where exists(select 1 from orders o1_0 where o1_0."person-id" = p1_0."entity-id" and o1_0.total > 100);

-- Django.
SELECT "people"."entity-id", "people"."name" FROM "people" WHERE ("people"."country" = 'fr' AND UPPER("people"."name"::text) LIKE UPPER('%a%')) ORDER BY "people"."name" ASC LIMIT 21;

SELECT COUNT(*) AS "__count" FROM "orders" INNER JOIN "people" ON ("orders"."person-id" = "people"."entity-id") WHERE "people"."active";

SELECT "orders"."status", COUNT("orders"."entity-id") AS "n", SUM("orders"."total") AS "sum" FROM "orders" GROUP BY "orders"."status" HAVING COUNT("orders"."entity-id") > 1 ORDER BY "n" DESC, 1 ASC;

SELECT (1) AS "a" FROM "people" WHERE "people"."entity-id" = 'p1' LIMIT 1;

-- ActiveRecord.
SELECT "people".* FROM "people" WHERE "people"."entity-id" = 'p2' LIMIT 1;

SELECT 1 AS one FROM "orders" WHERE "orders"."status" = 'paid' LIMIT 1;

SELECT DISTINCT "people"."country" FROM "people" WHERE NOT ("people"."country" IS NULL) ORDER BY "people"."country";

SELECT a.attname, format_type(a.atttypid, a.atttypmod), pg_get_expr(d.adbin, d.adrelid), a.attnotnull, a.atttypid, a.atttypmod, c.collname,
  col_description(a.attrelid, a.attnum) AS comment, attidentity AS identity, attgenerated as attgenerated
FROM pg_attribute a LEFT JOIN pg_attrdef d ON a.attrelid = d.adrelid AND a.attnum = d.adnum LEFT JOIN pg_type t ON a.atttypid = t.oid
LEFT JOIN pg_collation c ON a.attcollation = c.oid AND a.attcollation <> t.typcollation
WHERE a.attrelid = '"people"'::regclass AND a.attnum > 0 AND NOT a.attisdropped ORDER BY a.attnum;

SELECT t.oid, t.typname, t.typelem, t.typdelim, t.typinput, r.rngsubtype, t.typtype, t.typbasetype FROM pg_type as t LEFT JOIN pg_range as r ON oid = rngtypid
WHERE t.typname IN ('int2', 'int4', 'int8', 'oid', 'float4', 'float8', 'numeric', 'bool', 'timestamp', 'timestamptz');

-- Prisma.
SELECT "public"."people"."entity-id", "public"."people"."name" FROM "public"."people" WHERE ("public"."people"."age" >= 30 AND "public"."people"."entity-id" NOT IN ('p1', 'p2')) ORDER BY "public"."people"."entity-id" ASC LIMIT 20 OFFSET 0;

SELECT "t0"."entity-id", (SELECT COUNT(*) FROM (SELECT "o"."person-id" FROM "public"."orders" "o" WHERE "o"."person-id" = "t0"."entity-id") AS "sub") AS "_count" FROM "public"."people" AS "t0" ORDER BY "t0"."entity-id";

SELECT namespace.nspname as schema_name FROM pg_namespace as namespace WHERE namespace.nspname = ANY (ARRAY['public']);

-- GORM.
SELECT count(*) FROM information_schema.tables WHERE table_schema = CURRENT_SCHEMA() AND table_name = 'people' AND table_type = 'BASE TABLE';

SELECT * FROM "people" WHERE name = 'ada' AND "people"."active" = true ORDER BY "people"."entity-id" LIMIT 1;

-- Cursors of psycopg and of pgjdbc with a fetch size.
BEGIN;

DECLARE "named" CURSOR WITHOUT HOLD FOR SELECT "entity-id", total FROM orders ORDER BY "entity-id";

FETCH FORWARD 2 FROM "named";

MOVE FORWARD 1 FROM "named";

FETCH FORWARD ALL FROM "named";

CLOSE "named";

COMMIT;

-- Qlik, KNIME and RapidMiner probe with these.
SELECT * FROM "people" WHERE 1 = 0;

SELECT * FROM (SELECT "name", "age" FROM "people") AS "tempTable_1" WHERE (1 = 0);

SELECT CAST('x' AS VARCHAR(10)) AS c, CAST(1 AS SMALLINT) AS s, CAST(1.5 AS NUMERIC(5, 2)) AS n, CURRENT_DATE IS NOT NULL AS d;
