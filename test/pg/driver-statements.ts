/**
 * The statements with which drivers and tools connect, list objects and describe a table, verbatim. `values`: the
 * values of the parameters. `rows`: the expected number of rows; if omitted, any number. `asText`: the type of a column
 * has no binary format.
 */

export interface DriverStatement {
  readonly text: string;
  readonly values?: readonly string[];
  readonly rows?: number;
  readonly asText?: true;
}

/** pgjdbc 42.7: on connecting, for DatabaseMetaData and for ResultSetMetaData. */
const JDBC: readonly DriverStatement[] = [
  { text: 'SET extra_float_digits = 3' },
  { text: "SET application_name = 'PostgreSQL JDBC Driver'" },
  { text: 'SET SESSION CHARACTERISTICS AS TRANSACTION READ ONLY' },
  { text: 'SHOW TRANSACTION ISOLATION LEVEL', rows: 1 },
  { text: 'select current_schema()', rows: 1 },
  { text: 'select current_database()', rows: 1 },
  { text: '' },
  {
    text: 'SELECT datname AS TABLE_CAT FROM pg_catalog.pg_database WHERE datallowconn = true ORDER BY datname',
    rows: 1,
  },
  {
    text: `SELECT nspname AS TABLE_SCHEM, current_database() AS TABLE_CATALOG FROM pg_catalog.pg_namespace
 WHERE nspname <> 'pg_toast' AND (nspname !~ '^pg_temp_'  OR nspname = (pg_catalog.current_schemas(true))[1])
 AND (nspname !~ '^pg_toast_temp_'  OR nspname = replace((pg_catalog.current_schemas(true))[1], 'pg_temp_', 'pg_toast_temp_'))
  ORDER BY TABLE_SCHEM`,
    rows: 3,
  },
  {
    text: `SELECT NULL AS TABLE_CAT, n.nspname AS TABLE_SCHEM, c.relname AS TABLE_NAME,
 CASE n.nspname ~ '^pg_' OR n.nspname = 'information_schema'  WHEN true THEN CASE
 WHEN n.nspname = 'pg_catalog' OR n.nspname = 'information_schema' THEN CASE c.relkind   WHEN 'r' THEN 'SYSTEM TABLE'
   WHEN 'v' THEN 'SYSTEM VIEW'   WHEN 'i' THEN 'SYSTEM INDEX'   ELSE NULL   END
 ELSE CASE c.relkind   WHEN 'r' THEN 'TEMPORARY TABLE'   WHEN 'v' THEN 'TEMPORARY VIEW'   ELSE NULL   END  END
 WHEN false THEN CASE c.relkind  WHEN 'r' THEN 'TABLE'  WHEN 'p' THEN 'PARTITIONED TABLE'  WHEN 'i' THEN 'INDEX'
  WHEN 'S' THEN 'SEQUENCE'  WHEN 'v' THEN 'VIEW'  WHEN 'c' THEN 'TYPE'  WHEN 'f' THEN 'FOREIGN TABLE'
  WHEN 'm' THEN 'MATERIALIZED VIEW'  ELSE NULL  END  ELSE NULL  END  AS TABLE_TYPE, d.description AS REMARKS,
  '' as TYPE_CAT, '' as TYPE_SCHEM, '' as TYPE_NAME, '' AS SELF_REFERENCING_COL_NAME, '' AS REF_GENERATION
 FROM pg_catalog.pg_namespace n, pg_catalog.pg_class c
 LEFT JOIN pg_catalog.pg_description d ON (c.oid = d.objoid AND d.objsubid = 0  and d.classoid = 'pg_class'::regclass)
 WHERE c.relnamespace = n.oid  AND n.nspname LIKE 'public' AND c.relname LIKE '%'
 AND (false  OR ( c.relkind = 'r' AND n.nspname !~ '^pg_' AND n.nspname <> 'information_schema' ) )
 ORDER BY TABLE_TYPE,TABLE_SCHEM,TABLE_NAME `,
    rows: 1,
  },
  {
    text: `SELECT * FROM (SELECT current_database() AS current_database, n.nspname,c.relname,a.attname,a.atttypid,
a.attnotnull OR (t.typtype = 'd' AND t.typnotnull) AS attnotnull,a.atttypmod,a.attlen,t.typtypmod,
row_number() OVER (PARTITION BY a.attrelid ORDER BY a.attnum) AS attnum, nullif(a.attidentity, '') as attidentity,
nullif(a.attgenerated, '') as attgenerated,pg_catalog.pg_get_expr(def.adbin, def.adrelid) AS adsrc,dsc.description,
t.typbasetype,t.typtype  FROM pg_catalog.pg_namespace n  JOIN pg_catalog.pg_class c ON (c.relnamespace = n.oid)
 JOIN pg_catalog.pg_attribute a ON (a.attrelid=c.oid)  JOIN pg_catalog.pg_type t ON (a.atttypid = t.oid)
 LEFT JOIN pg_catalog.pg_attrdef def ON (a.attrelid=def.adrelid AND a.attnum = def.adnum)
 LEFT JOIN pg_catalog.pg_description dsc ON (c.oid=dsc.objoid AND a.attnum = dsc.objsubid)
 LEFT JOIN pg_catalog.pg_class dc ON (dc.oid=dsc.classoid AND dc.relname='pg_class')
 LEFT JOIN pg_catalog.pg_namespace dn ON (dc.relnamespace=dn.oid AND dn.nspname='pg_catalog')
 WHERE c.relkind in ('r','p','v','f','m') and a.attnum > 0 AND NOT a.attisdropped
 AND n.nspname LIKE 'public' AND c.relname LIKE 'default') c WHERE true  ORDER BY nspname,c.relname,attnum `,
    rows: 2,
  },
  {
    text: `SELECT result.TABLE_CAT, result.TABLE_SCHEM, result.TABLE_NAME, result.COLUMN_NAME, result.KEY_SEQ, result.PK_NAME
FROM (SELECT  current_database() AS TABLE_CAT, n.nspname AS TABLE_SCHEM,   ct.relname AS TABLE_NAME, a.attname AS COLUMN_NAME,
  (information_schema._pg_expandarray(i.indkey)).n AS KEY_SEQ, ci.relname AS PK_NAME,
  information_schema._pg_expandarray(i.indkey) AS KEYS, a.attnum AS A_ATTNUM FROM pg_catalog.pg_class ct
  JOIN pg_catalog.pg_attribute a ON (ct.oid = a.attrelid)   JOIN pg_catalog.pg_namespace n ON (ct.relnamespace = n.oid)
  JOIN pg_catalog.pg_index i ON ( a.attrelid = i.indrelid)   JOIN pg_catalog.pg_class ci ON (ci.oid = i.indexrelid)
 WHERE true  AND n.nspname = 'public' AND ct.relname = 'default' AND i.indisprimary  ) result
 where  result.A_ATTNUM = (result.KEYS).x  ORDER BY result.table_name, result.pk_name, result.key_seq`,
    rows: 0,
  },
  {
    text: `SELECT typinput='pg_catalog.array_in'::regproc as is_array, typtype, typname, pg_type.oid   FROM pg_catalog.pg_type
  LEFT JOIN (select ns.oid as nspoid, ns.nspname, r.r           from pg_namespace as ns
  join ( select s.r, (current_schemas(false))[s.r] as nspname
    from generate_series(1, array_upper(current_schemas(false), 1)) as s(r) ) as r          using ( nspname )        ) as sp
     ON sp.nspoid = typnamespace  WHERE pg_type.oid = $1  ORDER BY sp.r, pg_type.oid DESC`,
    values: ['20'],
    rows: 1,
  },
  {
    text: `SELECT n.nspname = ANY(current_schemas(true)), n.nspname, t.typname FROM pg_catalog.pg_type t
 JOIN pg_catalog.pg_namespace n ON t.typnamespace = n.oid WHERE t.oid = $1`,
    values: ['1184'],
    rows: 1,
  },
  {
    text: `SELECT NULL AS TABLE_CAT, n.nspname AS TABLE_SCHEM, ct.relname AS TABLE_NAME, NOT i.indisunique AS NON_UNIQUE,
 NULL AS INDEX_QUALIFIER, ci.relname AS INDEX_NAME, CASE i.indisclustered WHEN true THEN 1 ELSE CASE am.amname
 WHEN 'hash' THEN 2 ELSE 3 END END AS TYPE, (information_schema._pg_expandarray(i.indkey)).n AS ORDINAL_POSITION,
 ci.reltuples AS CARDINALITY, ci.relpages AS PAGES, pg_catalog.pg_get_expr(i.indpred, i.indrelid) AS FILTER_CONDITION,
 ci.oid AS CI_OID, i.indoption AS I_INDOPTION, am.amname AS AM_NAME FROM pg_catalog.pg_class ct
 JOIN pg_catalog.pg_namespace n ON (ct.relnamespace = n.oid) JOIN pg_catalog.pg_index i ON (ct.oid = i.indrelid)
 JOIN pg_catalog.pg_class ci ON (ci.oid = i.indexrelid) JOIN pg_catalog.pg_am am ON (ci.relam = am.oid)
 WHERE true AND n.nspname = 'public' AND ct.relname = 'default'`,
    rows: 0,
  },
];

/** Grafana's data source for PostgreSQL: "Save & test", then the lists of its query editor. */
const GRAFANA: readonly DriverStatement[] = [
  { text: '-- ping' },
  { text: 'SELECT 1', rows: 1 },
  { text: "SELECT current_setting('server_version_num')::int/100 as version", rows: 1 },
  { text: "SELECT extversion FROM pg_extension WHERE extname = 'timescaledb'", rows: 0 },
  {
    text: `SELECT CASE WHEN quote_ident(table_schema) IN (
      SELECT CASE WHEN trim(s[i]) = '"$user"' THEN user ELSE trim(s[i]) END
      FROM generate_series(array_lower(string_to_array(current_setting('search_path'),','),1),
        array_upper(string_to_array(current_setting('search_path'),','),1)) as i,
        string_to_array(current_setting('search_path'),',') s
    ) THEN quote_ident(table_name) ELSE quote_ident(table_schema) || '.' || quote_ident(table_name) END AS "table"
  FROM information_schema.tables
  WHERE quote_ident(table_schema) NOT IN ('information_schema', 'pg_catalog', '_timescaledb_cache', 'timescaledb_information')
  ORDER BY CASE WHEN quote_ident(table_schema) IN ('public') THEN 0 ELSE 1 END, 1`,
    rows: 1,
  },
  {
    text: `SELECT quote_ident(column_name) AS "column", data_type AS "type" FROM information_schema.columns
  WHERE CASE WHEN array_length(parse_ident('"default"'),1) = 2
    THEN quote_ident(table_schema) = (parse_ident('"default"'))[1] AND quote_ident(table_name) = (parse_ident('"default"'))[2]
    ELSE quote_ident(table_name) = '"default"' AND quote_ident(table_schema) IN (
      SELECT CASE WHEN trim(s[i]) = '"$user"' THEN user ELSE trim(s[i]) END
      FROM generate_series(array_lower(string_to_array(current_setting('search_path'),','),1),
        array_upper(string_to_array(current_setting('search_path'),','),1)) as i,
        string_to_array(current_setting('search_path'),',') s) END`,
    rows: 2,
  },
];

/** Metabase: the connection, the sync of tables, privileges and fields, and the first look at a table. */
const METABASE: readonly DriverStatement[] = [
  { text: "SET SESSION TIMEZONE TO 'Europe/Berlin';" },
  { text: 'show timezone', rows: 1 },
  { text: "select to_char(current_timestamp, 'YYYY-MM-DD HH24:MI:SS.MS TZ')", rows: 1 },
  {
    text: `with table_privileges as (
 select NULL as role, t.schemaname as schema, t.objectname as table,
   pg_catalog.has_any_column_privilege(current_user, '"' || replace(t.schemaname, '"', '""') || '"' || '.' || '"' || replace(t.objectname, '"', '""') || '"',  'update') as update,
   pg_catalog.has_any_column_privilege(current_user, '"' || replace(t.schemaname, '"', '""') || '"' || '.' || '"' || replace(t.objectname, '"', '""') || '"',  'select') as select
 from (select schemaname, tablename as objectname from pg_catalog.pg_tables
   union select schemaname, viewname as objectname from pg_catalog.pg_views
   union select schemaname, matviewname as objectname from pg_catalog.pg_matviews) t
 where t.schemaname !~ '^pg_' and t.schemaname <> 'information_schema'
   and pg_catalog.has_schema_privilege(current_user, t.schemaname, 'usage'))
select t.* from table_privileges t where t.select or t.update`,
    rows: 1,
  },
  {
    text: `SELECT "n"."nspname" AS "schema", "c"."relname" AS "name", CASE c.relkind WHEN 'r' THEN 'TABLE' WHEN 'v' THEN 'VIEW' ELSE NULL END AS "type",
 "d"."description" AS "description", NULLIF(stat.n_live_tup, 0) AS "estimated_row_count"
 FROM "pg_catalog"."pg_class" AS "c" INNER JOIN "pg_catalog"."pg_namespace" AS "n" ON c.relnamespace = n.oid
 LEFT JOIN "pg_catalog"."pg_description" AS "d" ON (c.oid = d.objoid) AND (d.objsubid = 0) AND (d.classoid = 'pg_class'::regclass)
 LEFT JOIN "pg_stat_user_tables" AS "stat" ON (n.nspname = stat.schemaname) AND (c.relname = stat.relname)
 WHERE (c.relnamespace = n.oid) AND (n.nspname !~ '^pg_') AND (n.nspname <> 'information_schema')
 AND c.relkind in ('r', 'p', 'v', 'f', 'm') AND (n.nspname IN ('public')) ORDER BY "type" ASC, "schema" ASC, "name" ASC`,
    rows: 1,
  },
  {
    text: `SELECT "c"."column_name" AS "name",
 CASE WHEN "c"."udt_schema" IN ('public', 'pg_catalog') THEN FORMAT('%s', "c"."udt_name") ELSE FORMAT('"%s"."%s"', "c"."udt_schema", "c"."udt_name") END AS "database-type",
 "c"."ordinal_position" - 1 AS "database-position", "c"."table_schema" AS "table-schema", "c"."table_name" AS "table-name",
 "pk"."column_name" IS NOT NULL AS "pk?",
 COL_DESCRIPTION(CAST(CAST(FORMAT('%I.%I', CAST("c"."table_schema" AS TEXT), CAST("c"."table_name" AS TEXT)) AS REGCLASS) AS OID), "c"."ordinal_position") AS "field-comment",
 (("c"."column_default" IS NULL) OR (LOWER("c"."column_default") = 'null')) AND ("c"."is_nullable" = 'NO') AS "database-required"
 FROM "information_schema"."columns" AS "c" LEFT JOIN (SELECT "tc"."table_schema", "tc"."table_name", "kc"."column_name"
   FROM "information_schema"."table_constraints" AS "tc" INNER JOIN "information_schema"."key_column_usage" AS "kc"
   ON ("tc"."constraint_name" = "kc"."constraint_name") AND ("tc"."table_schema" = "kc"."table_schema")
   WHERE "tc"."constraint_type" = 'PRIMARY KEY') AS "pk"
 ON ("c"."table_schema" = "pk"."table_schema") AND ("c"."table_name" = "pk"."table_name") AND ("c"."column_name" = "pk"."column_name")
 WHERE "c"."table_schema" !~ '^information_schema|catalog_history|pg_' AND ("c"."table_schema" IN ($1))
 ORDER BY "table-schema" ASC, "table-name" ASC, "database-position" ASC`,
    values: ['public'],
    rows: 2,
  },
  { text: 'SELECT DISTINCT t.typname FROM pg_enum e JOIN pg_type t ON t.oid = e.enumtypid', rows: 0 },
  { text: `SELECT TRUE AS "_" FROM "public"."default" WHERE 1 <> 1 LIMIT 0`, rows: 0 },
  {
    text: `-- Metabase
SELECT "public"."default"."entity-id" AS "entity-id", SUBSTRING("public"."default"."entity-id", 1, 1234) AS "substring123" FROM "public"."default" LIMIT 10000`,
    rows: 5,
  },
];

/** DBeaver: the connection, its tree of databases, schemas and tables, and the data of a table. */
const DBEAVER: readonly DriverStatement[] = [
  { text: "SET application_name = 'DBeaver 24.2.0 - Main <quarry>'" },
  { text: 'SHOW search_path', rows: 1 },
  { text: 'SHOW default_transaction_isolation', rows: 1 },
  { text: 'SHOW ALL' },
  { text: 'SELECT current_schema(),session_user', rows: 1 },
  { text: 'SELECT version()', rows: 1 },
  {
    text: `SELECT db.oid,db.* FROM pg_catalog.pg_database db WHERE datallowconn AND NOT datistemplate OR db.datname =$1 ORDER BY db.datname`,
    values: ['quarry'],
    rows: 1,
  },
  { text: `select * from pg_catalog.pg_settings where name='standard_conforming_strings'`, rows: 1 },
  {
    text: `select string_agg(word, ',') from pg_catalog.pg_get_keywords() where word <> ALL ('{a,abs,absolute,action}'::text[])`,
    rows: 1,
  },
  {
    text: `SELECT n.oid,n.*,d.description FROM pg_catalog.pg_namespace n
LEFT OUTER JOIN pg_catalog.pg_description d ON d.objoid=n.oid AND d.objsubid=0 AND d.classoid='pg_namespace'::regclass
 ORDER BY nspname`,
    asText: true,
  },
  {
    text: `SELECT t.oid,t.*,c.relkind,format_type(nullif(t.typbasetype, 0), t.typtypmod) as base_type_name, d.description
FROM pg_catalog.pg_type t LEFT OUTER JOIN pg_catalog.pg_type et ON et.oid=t.typelem
LEFT OUTER JOIN pg_catalog.pg_class c ON c.oid=t.typrelid LEFT OUTER JOIN pg_catalog.pg_description d ON t.oid=d.objoid
WHERE t.typname IS NOT NULL AND (c.relkind IS NULL OR c.relkind = 'c') AND (et.typcategory IS NULL OR et.typcategory <> 'C')`,
  },
  {
    text: `SELECT c.oid,c.*,d.description,pg_catalog.pg_get_expr(c.relpartbound, c.oid) as partition_expr,  pg_catalog.pg_get_partkeydef(c.oid) as partition_key
FROM pg_catalog.pg_class c
LEFT OUTER JOIN pg_catalog.pg_description d ON d.objoid=c.oid AND d.objsubid=0 AND d.classoid='pg_class'::regclass
WHERE c.relnamespace=(SELECT oid FROM pg_catalog.pg_namespace WHERE nspname = $1) AND c.relkind not in ('i','I','c')`,
    values: ['public'],
    rows: 1,
  },
  {
    text: `SELECT c.relname,a.*,pg_catalog.pg_get_expr(ad.adbin, ad.adrelid, true) as def_value,dsc.description,dep.objid
FROM pg_catalog.pg_attribute a INNER JOIN pg_catalog.pg_class c ON (a.attrelid=c.oid)
LEFT OUTER JOIN pg_catalog.pg_attrdef ad ON (a.attrelid=ad.adrelid AND a.attnum = ad.adnum)
LEFT OUTER JOIN pg_catalog.pg_description dsc ON (c.oid=dsc.objoid AND a.attnum = dsc.objsubid)
LEFT OUTER JOIN pg_depend dep on dep.refobjid = a.attrelid AND dep.deptype = 'i' and dep.refobjsubid = a.attnum and dep.classid = dep.refclassid
WHERE NOT a.attisdropped AND c.relname=$1 AND a.attnum > 0 ORDER BY a.attnum`,
    values: ['default'],
    rows: 2,
  },
  {
    text: `select c.oid,pg_catalog.pg_total_relation_size(c.oid) as total_rel_size,pg_catalog.pg_relation_size(c.oid) as rel_size
FROM pg_class c WHERE c.relname=$1`,
    values: ['default'],
    rows: 1,
  },
  {
    text: `SELECT a.oid,a.*,pd.description FROM pg_catalog.pg_roles a
left join pg_catalog.pg_shdescription pd on a.oid = pd.objoid ORDER BY a.rolname`,
  },
  { text: 'SELECT x.* FROM public."default" x', rows: 5 },
  { text: 'SELECT count(*) FROM public."default"', rows: 1 },
];

/** SQLAlchemy over psycopg, as used by Superset, and the checks of connection pools before each use. */
const PYTHON: readonly DriverStatement[] = [
  { text: 'select pg_catalog.version()', rows: 1 },
  { text: 'show standard_conforming_strings', rows: 1 },
  { text: 'show transaction isolation level', rows: 1 },
  { text: "SELECT CAST('test plain returns' AS VARCHAR(60)) AS anon_1", rows: 1 },
  {
    text: `SELECT pg_catalog.pg_class.relname FROM pg_catalog.pg_class JOIN pg_catalog.pg_namespace
 ON pg_catalog.pg_namespace.oid = pg_catalog.pg_class.relnamespace WHERE pg_catalog.pg_class.relkind = ANY (ARRAY['r', 'p'])
 AND pg_catalog.pg_class.relpersistence != 't' AND pg_catalog.pg_table_is_visible(pg_catalog.pg_class.oid)
 AND pg_catalog.pg_namespace.nspname != 'pg_catalog'`,
    rows: 1,
  },
  { text: 'BEGIN' },
  { text: 'SAVEPOINT sp' },
  { text: 'RELEASE SAVEPOINT sp' },
  { text: 'SELECT 1', rows: 1 },
  { text: 'COMMIT' },
  { text: 'BEGIN' },
  { text: 'ROLLBACK' },
  { text: 'DISCARD ALL' },
];

export const DRIVERS: Readonly<Record<string, readonly DriverStatement[]>> = {
  ...{ JDBC, GRAFANA, METABASE, DBEAVER, PYTHON },
};
