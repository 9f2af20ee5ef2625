-- Power BI folds its steps into nested subselects named "_" and "$Table"; it connects with npgsql.

select "$Table"."entity-id" as "entity-id", "$Table"."name" as "name", "$Table"."email" as "email", "$Table"."country" as "country",
  "$Table"."age" as "age", "$Table"."active" as "active" from "public"."people" "$Table" limit 4096;

select "_"."country", "_"."a0" from (select "rows"."country" as "country", count(1) as "a0" from "public"."people" "rows" group by "country") "_"
where not "_"."a0" is null limit 1000001;

select "rows"."status" as "status", sum("rows"."total") as "a0", avg(cast("rows"."quantity" as decimal)) as "a1", count(distinct "rows"."person-id") as "a2"
from (select "status", "total", "quantity", "person-id" from "public"."orders" "$Table") "rows" group by "status";

select "_"."entity-id", "_"."name" from (select "entity-id", "name", "country" from "public"."people" "$Table") "_"
where "_"."country" = 'fr' and "_"."country" is not null order by "_"."name" limit 200;

select sum("rows"."a0") as "a0" from (select case when "_"."discount" is null then 0 else "_"."discount" end as "a0" from "public"."orders" "_") "rows";

select "$Outer"."entity-id", "$Inner"."title" from "public"."orders" "$Outer"
left outer join "public"."products" "$Inner" on ("$Outer"."product-id" = "$Inner"."entity-id") order by "$Outer"."entity-id" limit 100;

select "_"."year", count(*) as "Count" from (select "_"."entity-id" as "entity-id", cast(date_part('year', "_"."created-at") as integer) as "year"
  from "public"."orders" "_") "_" group by "_"."year";

select "_"."created-at" as "created-at" from "public"."orders" "_" where "_"."created-at" >= timestamp '2023-02-01 00:00:00' and "_"."created-at" < timestamp '2023-04-01 00:00:00' order by 1;

select max("rows"."birth-date") as "a0", min("rows"."birth-date") as "a1" from "public"."people" "rows";

select "basetable0"."c1" as "c8", "basetable0"."a0" as "a0" from (
  select "t1"."category" as "c1", sum("t0"."total") as "a0" from "public"."orders" as "t0" inner join "public"."products" as "t1" on "t0"."product-id" = "t1"."entity-id"
  group by "t1"."category") as "basetable0" where (not ("basetable0"."a0" is null)) order by "c8" limit 1000001;

select TABLE_SCHEMA, TABLE_NAME, TABLE_TYPE from INFORMATION_SCHEMA.tables
where TABLE_SCHEMA not in ('information_schema', 'pg_catalog') order by TABLE_SCHEMA, TABLE_NAME;

select COLUMN_NAME, ORDINAL_POSITION, IS_NULLABLE, case when (data_type like '%unsigned%') then DATA_TYPE || ' unsigned' else DATA_TYPE end as DATA_TYPE
from INFORMATION_SCHEMA.columns where TABLE_SCHEMA = 'public' and TABLE_NAME = 'people' order by TABLE_SCHEMA, TABLE_NAME, ORDINAL_POSITION;

select pkcol.COLUMN_NAME as PK_COLUMN_NAME, fkcol.TABLE_SCHEMA as FK_TABLE_SCHEMA, fkcol.TABLE_NAME as FK_TABLE_NAME, fkcol.COLUMN_NAME as FK_COLUMN_NAME,
  fkcol.ORDINAL_POSITION as ORDINAL, fkcon.CONSTRAINT_SCHEMA || '_' || fkcol.TABLE_NAME || '_' || 'people' || '_' || fkcon.CONSTRAINT_NAME as FK_NAME
from (select distinct constraint_catalog, constraint_schema, unique_constraint_schema, constraint_name, unique_constraint_name from INFORMATION_SCHEMA.REFERENTIAL_CONSTRAINTS) fkcon
inner join INFORMATION_SCHEMA.KEY_COLUMN_USAGE fkcol on fkcon.CONSTRAINT_SCHEMA = fkcol.CONSTRAINT_SCHEMA and fkcon.CONSTRAINT_NAME = fkcol.CONSTRAINT_NAME
inner join INFORMATION_SCHEMA.KEY_COLUMN_USAGE pkcol on fkcon.UNIQUE_CONSTRAINT_SCHEMA = pkcol.CONSTRAINT_SCHEMA and fkcon.UNIQUE_CONSTRAINT_NAME = pkcol.CONSTRAINT_NAME
where pkcol.TABLE_SCHEMA = 'public' and pkcol.TABLE_NAME = 'people' and pkcol.ORDINAL_POSITION = fkcol.ORDINAL_POSITION order by FK_NAME, fkcol.ORDINAL_POSITION;

select i.CONSTRAINT_SCHEMA || '_' || i.CONSTRAINT_NAME as INDEX_NAME, ii.COLUMN_NAME, ii.ORDINAL_POSITION, case when i.CONSTRAINT_TYPE = 'PRIMARY KEY' then 'Y' else 'N' end as PRIMARY_KEY
from INFORMATION_SCHEMA.table_constraints i inner join INFORMATION_SCHEMA.key_column_usage ii on i.CONSTRAINT_SCHEMA = ii.CONSTRAINT_SCHEMA
  and i.CONSTRAINT_NAME = ii.CONSTRAINT_NAME and i.TABLE_SCHEMA = ii.TABLE_SCHEMA and i.TABLE_NAME = ii.TABLE_NAME
where i.TABLE_SCHEMA = 'public' and i.TABLE_NAME = 'people' and i.CONSTRAINT_TYPE in ('PRIMARY KEY', 'UNIQUE')
order by i.CONSTRAINT_SCHEMA || '_' || i.CONSTRAINT_NAME, ii.TABLE_SCHEMA, ii.TABLE_NAME, ii.ORDINAL_POSITION;

select character_set_name from INFORMATION_SCHEMA.character_sets;

-- Folded steps of Power Query: merges, groups, conditional columns, replaced values, top rows, date differences.
select "$Outer"."country", "$Inner"."n", "$Inner"."spent" from (select "_"."country", "_"."entity-id" as "id" from "public"."people" "_" where "_"."country" is not null) "$Outer"
left outer join (select "rows"."person-id" as "id2", count(1) as "n", sum("rows"."total") as "spent" from "public"."orders" "rows" group by "person-id") "$Inner"
on ("$Outer"."id" = "$Inner"."id2") order by "$Outer"."id";

select "_"."status" as "status", "_"."a0" as "a0", "_"."a1" as "a1" from (select "rows"."status" as "status", avg("rows"."total") as "a0", cast(count(distinct("rows"."person-id")) as decimal) +
  max(case when "rows"."person-id" is null then 1 else 0 end) as "a1" from "public"."orders" "rows" group by "status") "_" where not "_"."a0" is null order by "_"."status" limit 1001;

select "_"."entity-id", case when "_"."discount" is null then 0 else "_"."discount" end as "discount", "_"."total" - coalesce("_"."discount", 0) as "net"
from "public"."orders" "_" where "_"."quantity" >= 5 order by "_"."total" desc, "_"."entity-id" limit 10;

select "semijoin1"."c1" as "c1", sum("basetable0"."total") as "a0" from "public"."orders" "basetable0" inner join ((select 'paid' as "c1") union all (select 'open' as "c1")) "semijoin1"
on "semijoin1"."c1" = "basetable0"."status" group by "semijoin1"."c1" order by 1 limit 1000001;

select date_part('year', "$Table"."created-at") as "Year", date_part('quarter', "$Table"."created-at") as "Quarter", sum("$Table"."total") as "total" from "public"."orders" "$Table"
group by 1, 2 order by 1, 2 limit 1001;

select "t1"."name", cast("t1"."created-at" as date) - cast("t1"."birth-date" as date) as "days" from "public"."people" "t1" where "t1"."birth-date" is not null order by 2 desc;

select top."status", top."n" from (select "status", count(*) as "n", row_number() over (order by count(*) desc, "status") as "r" from "public"."orders" group by "status") top where top."r" <= 2 order by 1;
