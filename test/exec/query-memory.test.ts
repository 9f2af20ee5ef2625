import t from 'tap';
import { QueryMemories, QueryRun } from '../../src/exec/index.js';
import { MODULES } from './extract/extract-plans.js';

const MIB = 2 ** 20;
const runOf = (bytes: number): QueryRun => new QueryRun(null, 0, bytes);

for (const [kernels, module] of MODULES) {
  t.test(`${kernels} kernels: allocations are aligned, zeroed and kept when the memory grows`, async (t) => {
    const memory = new QueryMemories(module).acquire();
    const run = runOf(Number.POSITIVE_INFINITY);
    const first = memory.allocate(100, run) as number;
    memory.u8.fill(7, first, first + 100);
    const large = memory.allocate(3 * MIB, run) as number;
    t.equal(first % 64, 0);
    t.equal(large % 64, 0);
    t.ok(large >= first + 100);
    t.equal(run.reservedBytes, 128 + 3 * MIB);
    t.ok(memory.u8.subarray(first, first + 100).every((byte) => byte === 7));
    t.ok(memory.u8.subarray(large, large + 3 * MIB).every((byte) => byte === 0));
    memory.kernels.fillI64(-1n, 10, large);
    t.equal(memory.i64[large / 8 + 9], -1n, 'the kernels work on the memory after it has grown');
  });
}

t.test('an allocation beyond the capacity of the query is refused and reserves nothing', async (t) => {
  const memory = new QueryMemories(null).acquire();
  const run = runOf(1_000);
  t.not(memory.allocate(900, run), null);
  t.equal(memory.allocate(100, run), null);
  t.equal(run.reservedBytes, 960);
  t.equal(memory.allocate(2 ** 33, runOf(Number.POSITIVE_INFINITY)), null, 'nor beyond the address space');
});

t.test('a small memory is reused with zeroed allocations; a large one only by large queries', async (t) => {
  const memories = new QueryMemories(null);
  const run = runOf(40 * MIB);
  const small = memories.acquire();
  const at = small.allocate(1_000, run) as number;
  small.u8.fill(9, at, at + 1_000);
  t.not(memories.acquire(), small, 'a memory in use belongs to one query');
  memories.release(small, run.child());
  const again = memories.acquire();
  t.equal(again, small);
  t.equal(again.allocate(2_000, run), at);
  t.ok(again.u8.subarray(at, at + 2_000).every((byte) => byte === 0));
  again.u8.fill(9, at, at + 2_000);
  again.clear();
  t.equal(again.allocateUnset(2_000, run), at);
  t.equal(again.u8[at], 9, 'unless they are allocated with arbitrary contents');
  again.allocate(17 * MIB, run);
  memories.release(again, runOf(80 * MIB));
  t.equal(memories.acquire(), again, 'it uses less than a quarter of the memory that a query may use');
  memories.release(again, run.child());
  t.not(memories.acquire(), again);
});
