-- dbt compiles models to chains of WITH, wraps them to test them, and reads the catalog before it builds.

with source as (
    select * from "quarry"."public"."orders"
), renamed as (
    select "entity-id" as order_id, "person-id" as customer_id, "created-at" as order_date, status, total from source
)
select * from renamed;

with customers as (
    select "entity-id" as customer_id, name from "quarry"."public"."people"
), orders as (
    select "person-id" as customer_id, min("created-at") as first_order, max("created-at") as most_recent_order, count("entity-id") as number_of_orders
    from "quarry"."public"."orders" group by "person-id"
), payments as (
    select "person-id" as customer_id, sum(total) as total_amount from "quarry"."public"."orders" where status = 'paid' group by 1
), final as (
    select customers.customer_id, customers.name, orders.first_order, orders.most_recent_order,
      coalesce(orders.number_of_orders, 0) as number_of_orders, payments.total_amount as customer_lifetime_value
    from customers left join orders on customers.customer_id = orders.customer_id left join payments on customers.customer_id = payments.customer_id
)
select * from final;

-- Tests: not_null, unique, accepted_values, relationships.
select count(*) as failures, count(*) != 0 as should_warn, count(*) != 0 as should_error from (
  select "entity-id" from "quarry"."public"."people" where "entity-id" is null
) dbt_internal_test;

select count(*) as failures, count(*) != 0 as should_warn, count(*) != 0 as should_error from (
  select "entity-id" as unique_field, count(*) as n_records from "quarry"."public"."people" where "entity-id" is not null
  group by "entity-id" having count(*) > 1
) dbt_internal_test;

select count(*) as failures, count(*) != 0 as should_warn, count(*) != 0 as should_error from (
  with all_values as (select status as value_field, count(*) as n_records from "quarry"."public"."orders" group by status)
  select * from all_values where value_field not in ('paid', 'open', 'refunded')
) dbt_internal_test;

select count(*) as failures, count(*) != 0 as should_warn, count(*) != 0 as should_error from (
  with child as (select "person-id" as from_field from "quarry"."public"."orders" where "person-id" is not null),
  parent as (select "entity-id" as to_field from "quarry"."public"."people")
  select from_field from child left join parent on child.from_field = parent.to_field where parent.to_field is null
) dbt_internal_test;

-- Seeds and models of dates.
with rawdata as (
  with p as (select 0 as generated_number union all select 1), unioned as (
    select p0.generated_number * power(2, 0) + p1.generated_number * power(2, 1) + p2.generated_number * power(2, 2) + 1 as generated_number
    from p as p0 cross join p as p1 cross join p as p2)
  select * from unioned where generated_number <= 7 order by generated_number
), all_periods as (
  select cast('2023-01-01' as date) + ((interval '1 day') * (row_number() over (order by 1) - 1)) as date_day from rawdata
), filtered as (select * from all_periods where date_day <= cast('2023-01-05' as date))
select * from filtered;

select md5(cast(coalesce(cast("person-id" as TEXT), '_dbt_utils_surrogate_key_null_') || '-' || coalesce(cast(status as TEXT), '_dbt_utils_surrogate_key_null_') as TEXT)) as key
from "quarry"."public"."orders";

select status, sum(case when status = 'paid' then total else 0 end) as paid_amount, sum(case when status = 'open' then total else 0 end) as open_amount
from "quarry"."public"."orders" group by status;

select *, row_number() over (partition by "person-id" order by "created-at" desc, "entity-id") as row_num from "quarry"."public"."orders"
where "created-at" >= (select max("created-at") - interval '60 days' from "quarry"."public"."orders");

with spine as (select generate_series('2023-01-01'::date, '2023-01-10'::date, '1 day'::interval)::date as day)
select spine.day, count(o."entity-id") as n from spine left join orders o on o."created-at"::date = spine.day group by 1 order by 1;

select date_trunc('month', "created-at")::date as month, sum(total) as revenue, lag(sum(total)) over (order by date_trunc('month', "created-at")::date) as before
from orders group by 1 order by 1;

-- The state of the catalog.
select distinct nspname from pg_namespace;

select 'quarry' as database, tablename as name, schemaname as schema, 'table' as type from pg_tables where schemaname ilike 'public'
union all select 'quarry' as database, viewname as name, schemaname as schema, 'view' as type from pg_views where schemaname ilike 'public'
union all select 'quarry' as database, matviewname as name, schemaname as schema, 'materialized_view' as type from pg_matviews where schemaname ilike 'public';

select column_name, data_type, character_maximum_length, numeric_precision, numeric_scale from "quarry".INFORMATION_SCHEMA.columns
where table_name = 'orders' and table_schema = 'public' order by ordinal_position;

with relation as (
  select pg_rewrite.ev_class as class, pg_rewrite.oid as id from pg_rewrite
), class as (select oid as id, relname as name, relnamespace as schema, relkind as kind from pg_class
), dependency as (select distinct pg_depend.objid as id, pg_depend.refobjid as ref from pg_depend
), schema as (select pg_namespace.oid as id, pg_namespace.nspname as name from pg_namespace where nspname != 'information_schema' and nspname not like 'pg\_%'
), referenced as (
  select relation.id as id, referenced_class.name, referenced_class.schema, referenced_class.kind from relation
  join class as referenced_class on relation.class = referenced_class.id where referenced_class.kind in ('r', 'v', 'm'))
select distinct referenced_schema.name as referenced_schema, referenced.name as referenced_name from referenced
join dependency on referenced.id = dependency.id join schema as referenced_schema on referenced.schema = referenced_schema.id
order by referenced_schema, referenced_name;

select table_database, table_schema, table_name from (
  select 'quarry'::text as table_database, sch.nspname as table_schema, tbl.relname as table_name, tbl.relkind
  from pg_catalog.pg_namespace sch join pg_catalog.pg_class tbl on tbl.relnamespace = sch.oid
  left outer join pg_catalog.pg_description tbl_desc on (tbl_desc.objoid = tbl.oid and tbl_desc.objsubid = 0)
  where sch.nspname = 'public' and not pg_is_other_temp_schema(sch.oid) and tbl.relpersistence in ('p', 'u') and tbl.relkind in ('r', 'v', 'f', 'p')) x
order by 1, 2, 3;

begin;

select 1 as id;

commit;

-- Tests of dbt_utils and dbt_expectations.
select count(*) as failures, count(*) != 0 as should_warn, count(*) != 0 as should_error from (
  with a as (select count(*) as count_a from people), b as (select count(*) as count_b from orders),
  final as (select count_a, count_b, abs(count_a - count_b) as diff_count from a cross join b)
  select * from final where diff_count > 100) dbt_internal_test;

select * from (with validation_errors as (select status, "product-id" from orders group by status, "product-id" having count(*) > 2)
select * from validation_errors) dbt_internal_test order by 1, 2;

with grouped_expression as (select ("created-at")::date as date_col, count(*) as n from orders group by 1),
base_dates as (select date_day::date as date_day from generate_series('2023-01-01'::timestamp, '2023-01-31'::timestamp, interval '1 day') as t (date_day))
select count(*) as missing from base_dates d left join grouped_expression g on g.date_col = d.date_day where g.date_col is null;

-- date_spine without generate_series, a snapshot's comparison, an incremental model's condition.
with rawdata as (with p as (select 0 as generated_number union all select 1), unioned as (
  select p0.generated_number * power(2, 0) + p1.generated_number * power(2, 1) + p2.generated_number * power(2, 2) + 1 as generated_number
  from p as p0 cross join p as p1 cross join p as p2) select * from unioned where generated_number <= 7 order by generated_number),
all_periods as (select (cast('2023-01-01' as date) + ((interval '1 day') * (row_number() over (order by generated_number) - 1))) as date_day from rawdata)
select date_day::date as date_day from all_periods where date_day <= cast('2023-01-05' as date) order by 1;

with snapshot as (select "entity-id" as id, status, total, "created-at" as updated_at from orders where status <> 'open'),
source as (select "entity-id" as id, status, total + case when "entity-id" = 'o1' then 1 else 0 end as total from orders)
select s.id, 'update' as dbt_change_type from source s join snapshot t on s.id = t.id where s.status is distinct from t.status or s.total is distinct from t.total order by 1;

select * from orders where "created-at" > (select coalesce(max("created-at") - interval '90 days', '1900-01-01'::timestamp) from orders) order by "entity-id";

-- pivot, unpivot, deduplicate, surrogate keys, generate_series and star of dbt_utils.
select "person-id", sum(case when status = 'paid' then 1 else 0 end) as "paid", sum(case when status = 'open' then 1 else 0 end) as "open",
  sum(case when status = 'refunded' then 1 else 0 end) as "refunded" from orders group by "person-id" order by 1 nulls first;

select "entity-id", cast('subtotal' as text) as field_name, cast(subtotal as numeric(38, 2)) as value from orders where quantity = 1
union all select "entity-id", cast('tax' as text) as field_name, cast(tax as numeric(38, 2)) as value from orders where quantity = 1 order by 1, 2;

with row_numbered as (select _inner.*, row_number() over (partition by "person-id" order by "created-at" desc, "entity-id") as rn from orders as _inner)
select distinct data."entity-id", data.total from orders as data inner join row_numbered on data."entity-id" = row_numbered."entity-id"
where row_numbered.rn = 1 order by 1;

select md5(cast(coalesce(cast(country as text), '_null_') || '-' || coalesce(cast(age as text), '_null_') || '-' || coalesce(cast(balance as text), '_null_') as text)) as id
from people order by 1;

select sum(total) filter (where status = 'paid') / nullif(sum(total), 0) as paid_share, avg(total) as mean, avg(quantity) as mean_quantity,
  sum(total) / count(distinct "person-id") as per_person from orders;
