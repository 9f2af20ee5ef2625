import t from 'tap';
import { MemoryAdmission } from '../../../src/engine/query/memory-admission.js';

const ALL = 100;

t.test('queries start in order while memory is left, and one beside no other always starts', async (t) => {
  let wanted = 60;
  const admission = new MemoryAdmission((reserved) =>
    reserved > 0 && ALL - reserved < wanted ? null : Math.min(wanted, ALL - reserved),
  );
  const started: (readonly [name: string, bytes: number])[] = [];
  const enter = (name: string): Promise<number> =>
    admission.enter().then((bytes) => started.push([name, bytes]));
  const queries = ['a', 'b', 'c', 'd'].map(enter);
  await queries[0];
  t.strictSame(started, [['a', 60]], 'the others wait');
  wanted = 50;
  admission.leave(60);
  await Promise.all(queries.slice(0, 3));
  t.strictSame(started.slice(1), [
    ['b', 50],
    ['c', 50],
  ]);
  admission.leave(50);
  await queries[3];
  t.strictSame(started[3], ['d', 50]);
  wanted = 1_000;
  admission.leave(50);
  admission.leave(50);
  t.equal(await admission.enter(), ALL, 'more than there is');
});
