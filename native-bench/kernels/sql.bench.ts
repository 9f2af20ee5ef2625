/**
 * CPU of reading and binding one small statement, for a text that was never seen before and for a remembered one.
 * Run after a build: node dist/native-bench/kernels/sql.bench.js [rounds]
 * Prints microseconds per statement: the least of five rounds. The goals are below 100 for a new text and below 20 for a
 * remembered one.
 */
import { FULL_ACCESS } from '../../src/api/index.js';
import { invariant } from '../../src/base/index.js';
import { BoundBodies } from '../../src/http/endpoints/bound-bodies.js';
import { type Column, type DatabaseModel, newColumn, newDimension } from '../../src/schema/index.js';
import { bindRead, readScript, ScriptCache } from '../../src/sql/index.js';

const TURNS = 5;
const STATEMENTS = {
  'one value': 'SELECT age FROM users WHERE [entity-id] = %',
  'a count': 'SELECT COUNT(*) FROM users WHERE age > %',
  'groups in order':
    'SELECT city, COUNT(*), AVG(salary) FROM users WHERE age > % GROUP BY city ORDER BY 2 DESC LIMIT 10',
  'a join':
    'SELECT u.city, SUM(u.salary) FROM users u JOIN cities c ON u.city = c.name WHERE c.people > % GROUP BY 1',
  'a subquery': 'SELECT COUNT(*) FROM users WHERE city IN (SELECT name FROM cities WHERE people > %)',
} as const;

const model = modelOf({
  users: { age: 'integer', city: 'string', salary: 'decimal' },
  cities: { name: 'string', people: 'integer' },
});
const nowMs = Date.UTC(2026, 0, 1);
const request = { model, nowMs, access: FULL_ACCESS };
const rounds = Number(process.argv[2] ?? 2_000);
const cache = new ScriptCache();
const bodies = new BoundBodies();

for (const [name, sql] of Object.entries(STATEMENTS)) {
  const fresh = microseconds((round) => bind(readScript(sql.replace('%', String(round)))));
  const body = Buffer.from(sql.replace('%', '7'));
  const remembered = microseconds(() => {
    const script = cache.read(body.toString());
    bodies.bind({ ...request, nowMs, body }, 'sql', () => bind(script));
  });
  console.log(`${name}: ${fresh} µs new, ${remembered} µs remembered`);
}

function bind(script: ReturnType<typeof readScript>): void {
  invariant(script.kind === 'reads', 'the bench has reads only');
  bindRead(script.statements[0], request);
}

function microseconds(one: (round: number) => void): string {
  let least = Number.POSITIVE_INFINITY;
  for (let turn = 0; turn < TURNS; turn++) {
    const before = process.cpuUsage();
    for (let round = 0; round < rounds; round++) one(turn * rounds + round);
    const { user, system } = process.cpuUsage(before);
    least = Math.min(least, (user + system) / rounds);
  }
  return least.toFixed(1);
}

function modelOf(dimensions: Record<string, Record<string, Column['type']>>): DatabaseModel {
  let nextColumnId = 1;
  const made = Object.entries(dimensions).map(([name, columns], id) => {
    const dimension = newDimension({ id: id + 1, name, apiName: name });
    const all = Object.entries(columns).map(([apiName, type]) =>
      newColumn({ id: nextColumnId++, apiName, type, ...(type === 'decimal' && { decimalPlaces: 2 }) }),
    );
    return {
      ...dimension,
      columns: new Map([...dimension.columns, ...all.map((one) => [one.apiName, one] as const)]),
    };
  });
  return {
    ...{ id: 1, name: 'bench', type: 'test', version: 1, shrinkVersion: 0, textCase: 'fold' },
    ...{ dimensions: new Map(made.map((one) => [one.apiName, one])) },
    ...{ nextColumnId, nextDimensionId: made.length + 1 },
  };
}
