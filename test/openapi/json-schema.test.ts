/** The reader of requests and the OpenAPI document accept the same bodies, for schemas that need no model. */
import t from 'tap';
import { RequestBody } from '../../src/api/body/request-body.js';
import { parseJson } from '../../src/api/index.js';
import { Prng, QuarryError } from '../../src/base/index.js';
import * as definitions from '../../src/interface/index.js';
import { Checker, sentDocument } from './checker.js';

const checker = new Checker(sentDocument());
const { newDimension, deletedDimension, deletedColumn, relation, newUser, changedUser } = definitions;
const { deletedUser, signIn, deletedGroup } = definitions;
const USER = { email: 'a@b.c', labels: ['x'], 'first-name': 'A', 'permission-group': null };

/** A body schema and a valid value. */
const BODIES: readonly (readonly [definitions.Body, object])[] = [
  [newDimension, { name: 'N', 'api-name': 'n', 'relational-model-type': 'fact' }],
  [deletedDimension, { 'api-name': 'n' }],
  [deletedColumn, { 'api-name': 'n', dimension: null }],
  [relation, { name: 'r', columns: ['a'], dimension: 'default' }],
  [newUser, { ...USER, password: 'correct horse' }],
  [changedUser, USER],
  [deletedUser, { email: 'a@b.c' }],
  [signIn, { email: 'a', password: 'b', 'database-name': 'c' }],
  [deletedGroup, { 'group-name': 'g' }],
];
const VALUES: readonly unknown[] = [
  ...[null, true, 0, -1, 1.5, '', ' ', 'x', 'fact', 'a@b.c', 'É', "it's", 'A b', [], ['a'], {}, { a: 1 }],
  ...['a'.repeat(64), 'a'.repeat(65), 'é'.repeat(1_025), '\u{1f600}'.repeat(1_024), '12345678'],
];

/** Whether the reader accepts all fields of the body. */
function accepts(schema: definitions.Body, value: object): boolean {
  try {
    const body = RequestBody.of(schema, parseJson(new TextEncoder().encode(JSON.stringify(value))));
    body.read(() => body.values());
    return true;
  } catch (error) {
    if (error instanceof QuarryError) return false;
    throw error;
  }
}

t.test('generated bodies are accepted by both or by neither', async (t) => {
  const seed = 20_261_123;
  const prng = new Prng(seed);
  const counts = { good: 0, bad: 0 };
  for (let round = 0; round < 6_000; round++) {
    const [schema, good] = BODIES[prng.below(BODIES.length)];
    const value: Record<string, unknown> = { ...good };
    const fields = Object.keys(schema.properties);
    for (let change = prng.below(3); change > 0; change--) {
      const field = prng.below(12) === 0 ? 'unknown' : fields[prng.below(fields.length)];
      if (prng.below(5) === 0) delete value[field];
      else value[field] = VALUES[prng.below(VALUES.length)];
    }
    const read = accepts(schema, value);
    const fault = checker.fault({ $ref: `#/components/schemas/${schema.component}` }, value);
    counts[read ? 'good' : 'bad']++;
    if (read !== (fault === null))
      t.fail(`seed ${seed}: ${schema.component} ${JSON.stringify(value)}: ${fault}`);
  }
  t.ok(counts.good > 500 && counts.bad > 500, JSON.stringify(counts));
});
