import t from 'tap';
import { Prng } from '../../src/base/index.js';
import {
  FOLLOW_MODES,
  FOLLOW_STATE,
  FOLLOW_STATE_BYTES,
  INEXACT,
  type Kernels,
  SELECT_STATE,
  SELECT_STATE_BYTES,
  UNLIMITED,
} from '../../src/kernels/index.js';
import { TwinArena } from './twin-arena.js';

const SEED = 51_133;
t.comment(`seed ${SEED}`);

const CODE_KINDS = { u8: 200, u16: 60_000, u32: 70_000 } as const;
type CodeKind = keyof typeof CODE_KINDS;

const many = <T>(count: number, make: (index: number) => T): T[] =>
  Array.from({ length: count }, (_, index) => make(index));

/** Random numbers of events per entity, mostly few. */
const countsOf = (prng: Prng, entities: number): number[] =>
  many(entities, () => (prng.chance(0.05) ? prng.below(300) : prng.below(7)));

function startsOf(counts: readonly number[], first: number): number[] {
  const starts = [first];
  for (const count of counts) starts.push(starts[starts.length - 1] + count);
  return starts;
}

function setWords<Names extends string>(
  words: Uint32Array,
  state: number,
  names: Readonly<Record<Names, number>>,
  values: Partial<Record<Names, number>>,
): void {
  for (const [name, value] of Object.entries(values))
    words[(state >>> 2) + names[name as Names]] = value as number;
}

function select(kernels: Kernels, kind: CodeKind | 'masks', state: number, entities: number): number {
  if (kind === 'masks') return kernels.selectMaskedEvents(state, entities);
  if (kind === 'u8') return kernels.selectEventsU8(state, entities);
  return kind === 'u16' ? kernels.selectEventsU16(state, entities) : kernels.selectEventsU32(state, entities);
}

for (const kind of ['u8', 'u16', 'u32', 'masks'] as const) {
  t.test(`events are selected by ${kind}`, async (t) => {
    const prng = new Prng(SEED);
    const arena = new TwinArena(prng);
    const words = new Uint32Array(arena.memory.buffer);
    let selectedCount = 0;
    for (let round = 0; round < 60; round++) {
      arena.reset();
      const entities = prng.pick([0, 1, 2, 63, 200]);
      const first = prng.pick([0, 12_345]);
      const starts = startsOf(countsOf(prng, entities), first);
      const eventCount = starts[entities] - first;
      const codeEnd = kind === 'masks' ? 1 : prng.pick([2, 10, CODE_KINDS[kind]]);
      const table = many(codeEnd, () => (prng.chance(0.4) ? prng.u32() : 0));
      const codes = many(eventCount, () =>
        kind === 'masks' ? prng.pick([0, prng.u32()]) : prng.below(codeEnd),
      );
      const dates = many(eventCount, () => prng.u32());
      const row = prng.below(20);
      const rows = prng.chance(0.5) ? null : many(row + entities, () => prng.chance(0.6));
      const values = {
        starts: arena.values('u32', starts),
        first,
        rows: rows === null ? 0 : arena.bitmap(rows),
        row,
        codes: arena.values(kind === 'masks' ? 'u32' : kind, codes),
        dates: arena.values('u32', dates),
        table: arena.values('u32', table),
        outStarts: arena.take((entities + 1) * 4),
        outDates: arena.take((eventCount + 1) * 4),
        outMasks: arena.take((eventCount + 1) * 4),
        outEvents: arena.take((eventCount + 1) * 4),
      };
      const state = arena.take(SELECT_STATE_BYTES);
      const expected: number[][] = [[0], [], [], []];
      for (let entity = 0; entity < entities; entity++) {
        for (let event = starts[entity]; event < starts[entity + 1]; event++) {
          const code = codes[event - first];
          const mask = kind === 'masks' ? code : table[code];
          if (mask === 0 || rows?.[row + entity] === false) continue;
          expected[1].push(dates[event - first]);
          expected[2].push(mask);
          expected[3].push(event);
        }
        expected[0].push(expected[1].length);
      }
      selectedCount += expected[1].length;
      for (const kernels of arena.sets) {
        setWords(words, state, SELECT_STATE, values);
        const count = select(kernels, kind, state, entities);
        const read = (at: number, length: number): number[] => [
          ...words.subarray(at >>> 2, (at >>> 2) + length),
        ];
        const found = [
          read(values.outStarts, entities + 1),
          read(values.outDates, count),
          read(values.outMasks, count),
          read(values.outEvents, count),
        ];
        t.strictSame(found, expected, `${kernels.name}, round ${round}`);
      }
    }
    t.ok(selectedCount > 500, `${selectedCount} events`);
  });
}

interface History {
  readonly dates: readonly number[];
  readonly masks: readonly (readonly number[])[];
  readonly limit: number;
}

interface Funnel {
  readonly stepCount: number;
  readonly within: number;
  readonly from: number;
  readonly to: number;
  readonly distinct: boolean;
  readonly mode: keyof typeof FOLLOW_MODES;
}

/** The dates of the earliest attempt from an event on: each step at the first later event that satisfies it. */
function attemptFrom({ dates, masks, limit }: History, start: number, { within }: Funnel): number[] {
  const found = [dates[start]];
  while (found.length < limit) {
    const step = found.length;
    const at = dates.findIndex(
      (date, event) => date > found[step - 1] && ((masks[event][step >> 5] >>> (step & 31)) & 1) === 1,
    );
    if (at < 0 || (within !== UNLIMITED && dates[at] - found[0] > within)) break;
    found.push(dates[at]);
  }
  return found;
}

/** null = the entity needs another search. */
function attemptsOf(history: History, funnel: Funnel): number[][] | null {
  const { dates, masks, limit } = history;
  if (dates.length === 0 || limit === 0) return [];
  if (!funnel.distinct && new Set(dates).size < dates.length) return null;
  const attempts = dates.flatMap((date, event) =>
    date >= funnel.from && date <= funnel.to && (masks[event][0] & 1) === 1
      ? [attemptFrom(history, event, funnel)]
      : [],
  );
  if (funnel.mode === 'first') return attempts.slice(0, 1);
  if (funnel.mode === 'best') {
    const longest = Math.max(...attempts.map(({ length }) => length));
    return attempts.filter(({ length }) => length === longest).slice(0, 1);
  }
  const chosen: number[][] = [];
  let bound = -1;
  for (const attempt of attempts) {
    if (attempt[0] <= bound) continue;
    chosen.push(attempt);
    if (attempt.length === funnel.stepCount) bound = attempt[attempt.length - 1];
    else bound = funnel.within === UNLIMITED ? Number.POSITIVE_INFINITY : attempt[0] + funnel.within;
  }
  return chosen;
}

function randomHistory(prng: Prng, { stepCount }: Funnel, hasTies: boolean): History {
  const count = prng.chance(0.1) ? 0 : prng.chance(0.1) ? 60 : prng.below(10);
  const highest = prng.chance(0.05) ? 0xffffffff : 5_000;
  const drawn = many(count, () => highest - prng.below(hasTies ? 20 : 4_000));
  const dates = hasTies ? drawn : [...new Set(drawn)];
  dates.sort((a, b) => a - b);
  const masks = dates.map(() => {
    const words = [0, 0];
    for (let bit = 0; bit < Math.min(64, stepCount + 2); bit++) {
      if (prng.chance(prng.pick([0.1, 0.4]))) words[bit >> 5] |= 1 << (bit & 31);
    }
    return words.map((word) => word >>> 0);
  });
  return { dates, masks, limit: prng.chance(0.8) ? stepCount : prng.below(stepCount + 1) };
}

t.test('attempts of funnels are followed step by step', async (t) => {
  const prng = new Prng(SEED);
  const arena = new TwinArena(prng);
  const words = new Uint32Array(arena.memory.buffer);
  const seen = { inexact: 0, attempts: 0, resumed: 0 };
  for (let round = 0; round < 400; round++) {
    arena.reset();
    const from = prng.pick([0, 1_500]);
    const funnel: Funnel = {
      stepCount: prng.pick([1, 2, 3, 8, 32, 33, 64]),
      within: prng.pick([0, 5, 800, 3_000, UNLIMITED]),
      from,
      to: prng.pick([4_000, 0xffffffff]),
      distinct: prng.chance(0.3),
      mode: prng.pick(['best', 'first', 'every'] as const),
    };
    const histories = many(prng.pick([0, 1, 40]), () => randomHistory(prng, funnel, prng.chance(0.2)));
    const starts = startsOf(
      histories.map(({ dates }) => dates.length),
      0,
    );
    const stride = funnel.stepCount + 2;
    const capacity = prng.pick([1, 3, 1_000]);
    const hasLimits = histories.some(({ limit }) => limit < funnel.stepCount);
    const wordOf = (word: number): number[] =>
      histories.flatMap(({ masks }) => masks.map((bits) => bits[word]));
    const values = {
      starts: arena.values('u32', starts),
      dates: arena.values(
        'u32',
        histories.flatMap(({ dates }) => dates),
      ),
      low: arena.values('u32', wordOf(0)),
      high: arena.values('u32', wordOf(1)),
      limits: hasLimits
        ? arena.values(
            'u32',
            histories.map(({ limit }) => limit),
          )
        : 0,
      out: arena.take(capacity * stride * 4),
      capacity,
      stepCount: funnel.stepCount,
      within: funnel.within,
      from: funnel.from,
      to: funnel.to,
      distinct: funnel.distinct ? 1 : 0,
      mode: FOLLOW_MODES[funnel.mode],
      entity: 0,
      cursor: UNLIMITED,
    };
    const state = arena.take(FOLLOW_STATE_BYTES);
    const expected = histories.flatMap((history, entity) =>
      (attemptsOf(history, funnel) ?? [null]).map((attempt) =>
        attempt === null ? [entity, INEXACT] : [entity, attempt.length, ...attempt],
      ),
    );
    seen.attempts += expected.length;
    seen.inexact += expected.filter(([, length]) => length === INEXACT).length;
    for (const kernels of arena.sets) {
      setWords(words, state, FOLLOW_STATE, values);
      const found: number[][] = [];
      for (let call = 0; words[(state >>> 2) + FOLLOW_STATE.entity] < histories.length; call++) {
        if (call > 0) seen.resumed++;
        const count = kernels.followSteps(state, histories.length);
        t.ok(count <= capacity, 'records fit');
        for (let record = 0; record < count; record++) {
          const at = (values.out >>> 2) + record * stride;
          const length = words[at + 1] === INEXACT ? 0 : words[at + 1];
          found.push([...words.subarray(at, at + 2 + length)]);
        }
      }
      t.strictSame(found, expected, `${kernels.name}, round ${round}: ${JSON.stringify(funnel)}`);
    }
  }
  t.ok(seen.attempts > 1_000 && seen.inexact > 100 && seen.resumed > 500, JSON.stringify(seen));
});
