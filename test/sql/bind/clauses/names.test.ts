import t from 'tap';
import { planOf } from '../statements.js';

const names = (items: string, rest = ''): readonly string[] =>
  planOf(`SELECT ${items} FROM users ${rest}`).outputs.map(({ name }) => name);

t.test('output names are those of columns or of functions', async (t) => {
  t.strictSame(names('NAME, [Entity-ID], score, users.Age, [clicks.value], [clicks.Date]'), [
    'name',
    'entity-id',
    'score',
    'age',
    'clicks.value',
    'clicks.date',
  ]);
  t.strictSame(
    names(
      "UPPER(name), CASE WHEN active THEN 1 END, CAST(age AS text), age + 1, DATEPART('dd', seen), age > 1",
    ),
    ['UPPER', 'CASE', 'CAST', 'EXPR', 'DATEPART', 'EXPR_2'],
  );
  t.strictSame(
    names(
      'COUNT(*), SUM(age), MEAN(age), MIN(age), MAX(age), STDDEV_SAMP(age), MEDIAN(age), QUANTILE_CONT(age, 0.1)',
    ),
    ['COUNT', 'SUM', 'AVG', 'MIN', 'MAX', 'STDDEV', 'MEDIAN', 'PERCENTILE'],
  );
});

t.test('equal output names are extended by their column, then by a number', async (t) => {
  t.strictSame(names('COUNT(*), COUNT(age), COUNT(DISTINCT name), COUNT([clicks.value])'), [
    'COUNT',
    'COUNT_age',
    'COUNT_DISTINCT_name',
    'COUNT_clicks.value',
  ]);
  t.strictSame(names('COUNT(age), COUNT(age + 1), COUNT(age), COUNT(DISTINCT age)'), [
    'COUNT_age',
    'COUNT',
    'COUNT_age_2',
    'COUNT_DISTINCT_age',
  ]);
  t.strictSame(names('COUNT(DISTINCT age)'), ['COUNT']);
  t.strictSame(
    names('ROUND(salary, 1), ROUND(salary, 0), CASE WHEN active THEN 1 END, CASE WHEN active THEN 2 END'),
    ['ROUND_salary', 'ROUND_salary_2', 'CASE', 'CASE_2'],
  );
  t.strictSame(names('name, name, name'), ['name', 'name_2', 'name_3']);
});

t.test('aliases keep their names as written and take precedence', async (t) => {
  t.strictSame(
    names('name, age AS name, COUNT(*) AS Total, COUNT(*), city AS Total', 'GROUP BY name, age, city'),
    ['name_2', 'name', 'Total', 'COUNT', 'Total_2'],
  );
});
