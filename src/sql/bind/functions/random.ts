/** RANDOM([seed]): a number from 0 to below 1 per entity. */
import { readTime } from '../../../base/index.js';
import { constantOf, type Expression, FLOAT } from '../../../ir/index.js';
import { sqlError } from '../../sql-error.js';
import { callOf, isNull } from '../expressions/build.js';
import type { CallSite, SqlFunction } from './function.js';

/** The same seed gives the same numbers; without one, each statement and each call in it has its own. */
function seedOf(seed: Expression | undefined, { position, scope }: CallSite): Expression {
  if (seed === undefined) {
    const call = position.line * 1_048_573 + position.column * 8_191;
    return constantOf(FLOAT, readTime(scope.nowMs) * 1_024 + (call % 1_024));
  }
  const { op } = seed;
  if (op === 'constant' && !isNull(seed) && typeof seed.value === 'number') {
    return constantOf(FLOAT, Math.floor(Math.abs(seed.value) * 2 ** 20) % 2 ** 53);
  }
  throw sqlError('the seed of RANDOM is a number that is the same for all rows', position);
}

const random: SqlFunction['make'] = ([seed], site) => {
  const row = site.scope.rowIdentity?.(site.position) ?? null;
  if (row === null) {
    throw sqlError(
      'RANDOM is available only where the rows are entities of one dimension, or without FROM',
      site.position,
    );
  }
  return callOf('random', FLOAT, [seedOf(seed, site), row]);
};

/** Calls of these functions have another value for each row, although no column is written. */
export const RANDOM_NAMES: readonly string[] = ['random', 'rand'];

export const RANDOM_FUNCTIONS: readonly SqlFunction[] = [
  { names: RANDOM_NAMES, parameters: [], optional: ['float'], make: random },
];
