/**
 * Scalar functions of the sums to which aggregates of pairs are rewritten (src/sql/query/derived-aggregates.ts). A name with a
 * blank cannot be written in a statement.
 */
import { type Expression, FLOAT, type ScalarFunction } from '../../../ir/index.js';
import { sqlError } from '../../sql-error.js';
import { callOf } from '../expressions/build.js';
import { isExactNumber } from '../expressions/types.js';
import type { SqlFunction } from './function.js';

const NAMES: readonly (readonly [string, ScalarFunction])[] = [
  ['corr', 'corr'],
  ['covar_pop', 'covar-pop'],
  ['covar_samp', 'covar-samp'],
  ['regr_avgx', 'regr-avgx'],
  ['regr_avgy', 'regr-avgy'],
  ['regr_intercept', 'regr-intercept'],
  ['regr_r2', 'regr-r2'],
  ['regr_slope', 'regr-slope'],
  ['regr_sxx', 'regr-sxx'],
  ['regr_sxy', 'regr-sxy'],
  ['regr_syy', 'regr-syy'],
  ['window var_pop', 'var-pop'],
  ['window var_samp', 'var-samp'],
  ['window stddev_pop', 'stddev-pop'],
  ['window stddev_samp', 'stddev-samp'],
];

const PARAMETERS = ['integer', 'number', 'number', 'number', 'number', 'number'] as const;

export const DERIVED_FUNCTIONS: readonly SqlFunction[] = [
  ...NAMES.map(([name, of]): SqlFunction => {
    const make: SqlFunction['make'] = (args, { position }) => {
      if (args.every(({ type }) => isExactNumber(type))) return callOf(of, FLOAT, args);
      const label = name.replace('window ', '').toUpperCase();
      throw sqlError(`${label} takes integers and decimals here; CAST floats AS DECIMAL`, position);
    };
    return { names: [name], parameters: PARAMETERS, make };
  }),
  { names: ['regr_count'], parameters: PARAMETERS, make: ([count]): Expression => count },
];
