/** Blocks of arenas: sizes, alignment, zeroing, reuse, and moves to another arena. */
import t from 'tap';
import { Prng } from '../../src/base/index.js';
import { ARENA_BYTES, Arena, ArenaPool, type Block } from '../../src/storage/index.js';

const SEED = 4711;
t.comment(`seed ${SEED}`);

const bytesOf = ({ arena, at, bytes }: Block): Uint8Array => arena.u8.subarray(at, at + bytes);

t.test('blocks are aligned, zeroed, long enough and never overlap, including reused ones', async (t) => {
  const prng = new Prng(SEED);
  const arena = new Arena(null);
  const allocated: { block: Block; mark: number }[] = [];
  let wrong = 0;
  for (let step = 0; step < 5000; step++) {
    if (allocated.length > 0 && prng.chance(0.45)) {
      const [{ block, mark }] = allocated.splice(prng.below(allocated.length), 1);
      if (bytesOf(block).some((byte) => byte !== mark)) wrong++;
      arena.release(block);
    } else {
      const wanted = prng.pick([1, 63, 64, 65, 128, 129, prng.between(1, 5000)]);
      const block = arena.allocate(wanted);
      if (block === null || block.bytes < wanted || block.at % 64 !== 0) wrong++;
      else {
        if (bytesOf(block).some((byte) => byte !== 0)) wrong++;
        const mark = prng.between(1, 255);
        bytesOf(block).fill(mark);
        allocated.push({ block, mark });
      }
    }
  }
  t.equal(wrong, 0);
  t.equal(
    arena.usedBytes,
    allocated.reduce((sum, { block }) => sum + block.bytes, 0),
  );
  for (const { block } of allocated) arena.release(block);
  t.equal(arena.usedBytes, 0);
});

t.test('a block has the next power of two as size, at least 64 bytes', async (t) => {
  const arena = new Arena(null);
  const sizes = [0, 1, 64, 65, 128, 129, 2 ** 20, 2 ** 20 + 1].map((wanted) => arena.allocate(wanted)?.bytes);
  t.strictSame(sizes, [64, 64, 64, 128, 128, 256, 2 ** 20, 2 ** 21]);
});

t.test('scratch bitmaps and blocks do not overlap', async (t) => {
  const arena = new Arena(null);
  const block = arena.allocate(1) as Block;
  t.ok(block.at >= arena.scratchSelection + 65_536 * 4);
  t.ok(arena.scratchSelection >= arena.scratchBitmap(31) + 8192);
  t.throws(() => arena.scratchBitmap(32), { name: 'InvariantError' });
});

t.test(
  'a full arena refuses an allocation without side effects, and succeeds again after a release',
  async (t) => {
    const arena = new Arena(null);
    const large = arena.allocate(ARENA_BYTES / 2) as Block;
    const before = arena.usedBytes;
    t.equal(arena.allocate(ARENA_BYTES / 2), null);
    t.equal(arena.usedBytes, before);
    arena.release(large);
    t.equal(arena.allocate(ARENA_BYTES / 2)?.at, large.at);
  },
);

t.test('blocks that are allocated together are in one arena, in the given one if they fit', async (t) => {
  const pool = new ArenaPool(null);
  const [first] = pool.allocate([ARENA_BYTES / 2], null);
  const [second] = pool.allocate([ARENA_BYTES / 2], first.arena);
  t.not(second.arena, first.arena, 'no capacity next to the first');
  const near = pool.allocate([100, 200], first.arena);
  t.strictSame(
    near.map(({ arena }) => arena),
    [first.arena, first.arena],
  );
  // Either of the two would fit next to the first.
  const usedBefore = first.arena.usedBytes;
  const together = pool.allocate([100, ARENA_BYTES / 2], first.arena);
  t.equal(together[0].arena, together[1].arena);
  t.not(together[0].arena, first.arena);
  t.equal(first.arena.usedBytes, usedBefore, 'the memory that was allocated there was released');
});

t.test('growing keeps the content, also in another arena, and releases the old blocks', async (t) => {
  const pool = new ArenaPool(null);
  const blocks = pool.allocate([64, 128], null);
  const { arena } = blocks[0];
  bytesOf(blocks[0]).fill(3);
  bytesOf(blocks[1]).fill(5);
  pool.allocate([ARENA_BYTES / 2, ARENA_BYTES / 4, ARENA_BYTES / 8], arena);
  const usedBefore = arena.usedBytes;
  const longer = pool.resize(blocks, [ARENA_BYTES / 8, 256]);
  t.not(longer[0].arena, arena);
  t.equal(longer[1].arena, longer[0].arena, 'both moved together');
  t.strictSame([...bytesOf(longer[1])], [...Array(128).fill(5), ...Array(128).fill(0)]);
  t.ok(bytesOf(longer[0]).every((byte, at) => byte === (at < 64 ? 3 : 0)));
  t.equal(arena.usedBytes, usedBefore - 64 - 128);
});

t.test('an empty arena is dropped, and an arena with blocks stays', async (t) => {
  const pool = new ArenaPool(null);
  const [retained] = pool.allocate([ARENA_BYTES / 2], null);
  const [gone] = pool.allocate([ARENA_BYTES / 2], null);
  gone.arena.release(gone);
  pool.dropEmpty();
  t.equal(pool.usedBytes, ARENA_BYTES / 2);
  const [next] = pool.allocate([ARENA_BYTES / 2], null);
  t.not(next.arena, gone.arena);
  t.not(next.arena, retained.arena);
});
