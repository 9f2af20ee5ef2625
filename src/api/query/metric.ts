/** The metrics of an aggregation and the columns that each applies to. */
import { QuarryError, quoted } from '../../base/index.js';
import { METRICS, type Metric } from '../../interface/index.js';
import { baseTypeOf, type Column, type ColumnType, isEventType } from '../../schema/index.js';

const NUMBERS: readonly ColumnType[] = ['integer', 'enumerated', 'decimal'];
const ORDERED: readonly ColumnType[] = [...NUMBERS, 'date', 'datetime'];

/** The metric with the name. Throws 4045 if there is none, 4046 if it does not fit the column. */
export function readMetric(name: string, column: Column, path: string): Metric {
  const metric = METRICS.find((known) => known === name);
  if (metric === undefined) {
    throw new QuarryError(4045, `${path} must be one of ${METRICS.join(', ')}, not ${quoted(name)}`);
  }
  if (fits(metric, column.type)) return metric;
  throw new QuarryError(4046, `${path}: "${metric}" cannot be used with a column of type ${column.type}`);
}

function fits(metric: Metric, type: ColumnType): boolean {
  switch (metric) {
    case 'count':
    case 'count-distinct':
      return true;
    case 'count-events':
      return isEventType(type);
    case 'min':
    case 'max':
      return ORDERED.includes(baseTypeOf(type));
    default:
      return NUMBERS.includes(baseTypeOf(type));
  }
}
