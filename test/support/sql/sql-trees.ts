/** Random SQL trees, for code that must accept any tree. */
import type { Prng } from '../../../src/base/index.js';
import { FUNCTION_NAMES } from '../../../src/sql/bind/functions/functions.js';
import type { SqlNode } from '../../../src/sql/tree.js';
import {
  arithmetic,
  between,
  both,
  call,
  cast,
  choice,
  column,
  compare,
  either,
  isNull,
  like,
  negative,
  not,
  nothing,
  number,
  oneOf,
  star,
  string,
  truth,
} from './sql-nodes.js';

const [age, salary, ratio, name] = ['age', 'salary', 'ratio', 'name'].map(column);
const [active, admission, seen, tags] = ['active', 'admission', 'seen', 'tags'].map(column);
const [home, label] = ['home', 'Label'].map(column);

/** An arbitrary tree over the columns of `testScope`; most are not valid. */
export function anyNode(prng: Prng, depth: number): SqlNode {
  const leaf = depth === 0 || prng.below(4) === 0;
  const inner = (): SqlNode => anyNode(prng, depth - 1);
  const some = (least: number): SqlNode[] => Array.from({ length: least + prng.below(3) }, inner);
  if (leaf) return prng.pick(LEAVES);
  switch (prng.below(13)) {
    case 0:
      return negative(inner());
    case 1:
      return not(inner());
    case 2:
      return both(inner(), inner());
    case 3:
      return either(inner(), inner());
    case 4:
      return compare(inner(), prng.pick(['=', '<>', '<', '<=', '>', '>='] as const), inner());
    case 5:
      return arithmetic(inner(), prng.pick(['+', '-', '*', '/', '%', '||'] as const), inner());
    case 6:
      return between(inner(), inner(), inner(), prng.below(2) === 0);
    case 7:
      return oneOf(inner(), some(1), prng.below(2) === 0);
    case 8:
      return like(inner(), inner(), prng.pick([null, null, 'X', '!', '']), prng.below(2) === 0);
    case 9:
      return isNull(inner(), prng.below(2) === 0);
    case 10: {
      const branches = some(1).map((then) => [inner(), then] as const);
      return choice(prng.below(2) === 0 ? null : inner(), branches, prng.below(2) === 0 ? null : inner());
    }
    case 11:
      return cast(
        inner(),
        prng.pick(CASTS),
        prng.pick([null, 5, 38]),
        prng.pick([null, 2]),
        prng.below(2) === 0,
      );
    default:
      return call(prng.pick(FUNCTION_NAMES), ...some(0));
  }
}

const CASTS = ['int', 'decimal', 'double', 'varchar', 'boolean', 'date', 'timestamp', 'nonsense'];

const LEAVES: readonly SqlNode[] = [
  ...[age, salary, ratio, name, active, admission, seen, label],
  ...[age, salary, ratio, name, active, admission, seen, tags, home, star, column('day'), column('nobody')],
  ...[
    '0',
    '1',
    '2',
    '-7',
    '1.50',
    '0.001',
    '1e3',
    '9223372036854775807',
    '99999999999999999999999999999999999999',
  ].map(number),
  ...['1e309', '', '.', '123456789012345678901234567890123456789.5'].map(number),
  ...[
    '',
    'A',
    'day',
    'Hour',
    '17',
    '1.5',
    'true',
    '2017-07-17',
    '2017-07-17T10:00:00Z',
    '%a_X%',
    '\ud800',
  ].map((text) => string(text)),
  ...[string('name', 'double'), string('X', 'double'), truth(true), truth(false), nothing, nothing],
];
