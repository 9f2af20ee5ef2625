/** Pushing `not` down does not change which rows are true, for all truth values of Kleene's logic. */
import t from 'tap';
import { Prng } from '../../../src/base/index.js';
import { type NormalNode, normalize as normalizeWith } from '../../../src/exec/condition/normal-form.js';
import type { Condition } from '../../../src/ir/index.js';

const SEED = 8;
t.comment(`seed ${SEED}`);

type Truth = boolean | null;
const TRUTHS: readonly Truth[] = [true, false, null];
const ATOMS = 3;

/** Costs differ, so that the order of members changes. */
const normalize = (condition: Condition): NormalNode =>
  normalizeWith(condition, (leaf) => (leaf.op === 'attribute' ? (leaf.columnId * 7) % 5 : 1));

const atom = (columnId: number): Condition => ({ op: 'attribute', columnId, tests: [] });

function generate(prng: Prng, depth: number): Condition {
  if (depth === 0 || prng.chance(0.3)) return atom(prng.below(ATOMS));
  if (prng.chance(0.3)) return { op: 'not', member: generate(prng, depth - 1) };
  const members = Array.from({ length: prng.between(1, 3) }, () => generate(prng, depth - 1));
  return { op: prng.pick(['and', 'or']), members };
}

function kleene(condition: Condition, truths: readonly Truth[]): Truth {
  switch (condition.op) {
    case 'attribute':
      return truths[condition.columnId];
    case 'not': {
      const inner = kleene(condition.member, truths);
      return inner === null ? null : !inner;
    }
    case 'and': {
      const all = condition.members.map((member) => kleene(member, truths));
      return all.includes(false) ? false : all.includes(null) ? null : true;
    }
    case 'or': {
      const all = condition.members.map((member) => kleene(member, truths));
      return all.includes(true) ? true : all.includes(null) ? null : false;
    }
    default:
      throw new Error('not generated');
  }
}

function selects(node: NormalNode, truths: readonly Truth[]): boolean {
  if (node.op === 'leaf') {
    const { leaf, negated } = node;
    return leaf.op === 'attribute' && truths[leaf.columnId] === !negated;
  }
  const all = node.members.map((member) => selects(member, truths));
  return node.op === 'and' ? all.every(Boolean) : all.some(Boolean);
}

t.test('a normal form selects exactly the rows for which the condition is true', async (t) => {
  const prng = new Prng(SEED);
  let wrong = 0;
  for (let round = 0; round < 500; round++) {
    const condition = generate(prng, 5);
    const node = normalize(condition);
    for (const a of TRUTHS) {
      for (const b of TRUTHS) {
        for (const c of TRUTHS) {
          if (selects(node, [a, b, c]) !== (kleene(condition, [a, b, c]) === true)) wrong++;
        }
      }
    }
  }
  t.equal(wrong, 0);
});

const leafCount = (node: NormalNode): number =>
  node.op === 'leaf' ? 1 : node.members.reduce((sum, member) => sum + leafCount(member), 0);

/** The number of scratch bitmaps of an evaluation in the order of the members. */
const slotsOf = (node: NormalNode): number =>
  node.op === 'leaf'
    ? 1
    : Math.max(...node.members.map((member, index) => slotsOf(member) + (index === 0 ? 0 : 1)));

t.test(
  'the number of scratch bitmaps is logarithmic in the number of leaves at any nesting depth',
  async (t) => {
    const prng = new Prng(SEED + 1);
    for (let round = 0; round < 200; round++) {
      const node = normalize(generate(prng, 12));
      t.equal(slotsOf(node), node.need);
      t.ok(node.need <= Math.floor(Math.log2(leafCount(node))) + 1);
    }
    let deep: Condition = atom(0);
    for (let depth = 0; depth < 64; depth++) {
      const op = depth % 2 === 0 ? 'and' : 'or';
      deep = { op, members: [atom(1), deep] };
    }
    t.equal(normalize(deep).need, 2);
  },
);
