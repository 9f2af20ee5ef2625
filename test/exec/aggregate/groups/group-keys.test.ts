/** Groups of stored rows and events, compared with the model applied to the entities. */
import t from 'tap';
import { Prng } from '../../../../src/base/index.js';
import { groupShard } from '../../../../src/exec/aggregate/groups/group.js';
import { QueryRun } from '../../../../src/exec/query-run.js';
import { ShardOperatorStats } from '../../../../src/exec/scan/operator-stats.js';
import { ShardRows } from '../../../../src/exec/scan/shard-rows.js';
import type { Aggregate, Feed, Grouping, Input, SelectPlan } from '../../../../src/ir/index.js';
import { Arena } from '../../../../src/storage/index.js';
import type { Value } from '../../../../src/vector/index.js';
import { KEY } from '../../../storage/shard-model.js';
import { MODULES } from '../../extract/extract-plans.js';
import { Extraction, generateEntities } from '../../extract/extraction.js';
import {
  ATTRIBUTE_INPUTS,
  columnOf,
  dateInput,
  inputAt,
  inputOf,
  naiveAnswers,
  PLAIN,
  withAllOutputs,
} from '../../scan/select-rows.js';
import { type Column, type Data, expectedGroups, plainGroups, type Table, toEnd } from './group-oracle.js';

const SEED = 346_410;
t.comment(`seed ${SEED}`);

const EVENT_COLUMNS = [21, 22];
const ALL_TIME = { from: -1e9, to: 8e9 };
const everyEvent = (columnId: number) => ({ columnId, window: ALL_TIME, tests: [] });

/** The ID, all attributes, and the value and date of the events of rows and feeds. */
const INPUTS: readonly Input[] = [
  ...ATTRIBUTE_INPUTS,
  ...EVENT_COLUMNS.flatMap((id) => [inputOf(columnOf(id)), dateInput(id)]),
];
const FIRST_EVENT_INPUT = ATTRIBUTE_INPUTS.length;

/** A table of the plan's rows, columns by input. */
function tableOf(
  extraction: Extraction,
  plan: SelectPlan,
  inputs: readonly number[],
  ids: Map<string, number>,
): Table {
  const rows = naiveAnswers(
    extraction.entities,
    withAllOutputs({ ...plan, inputs: inputs.map((at) => INPUTS[at]) }),
  );
  const columns: Column[] = [];
  inputs.forEach((input, at) => {
    const values: Value[] = rows.map(({ outputs }) => outputs[at]);
    columns[input] = { type: INPUTS[input].type, texts: 'fresh', values };
  });
  return { columns, entities: rows.map(({ outputs }) => ids.get(String(outputs[0])) ?? -1) };
}

function generateAggregate(prng: Prng, ofRows: readonly number[], areEvents: boolean): Aggregate {
  const feed: Feed = areEvents
    ? prng.pick(['rows', 'entities'] as const)
    : prng.pick(['rows', 0, 1] as const);
  const input = typeof feed === 'number' ? FIRST_EVENT_INPUT + 2 * feed + prng.below(2) : prng.pick(ofRows);
  const { type } = INPUTS[input];
  const isNumber = ['decimal', 'integer'].includes(type.type);
  return {
    function: prng.pick(
      isNumber ? (['sum', 'stddev', 'percentile', 'max'] as const) : (['count', 'min'] as const),
    ),
    of: inputAt({ inputs: INPUTS }, input),
    distinct: prng.chance(0.3),
    feed,
    fraction: 0.5,
    type: { type: 'float' },
  };
}

for (const [kernels, module] of MODULES) {
  t.test(`${kernels} kernels: groups of stored rows equal the model`, async (t) => {
    const prng = new Prng(SEED);
    const extraction = new Extraction(module, 1, { compactionDeadMin: 60 });
    const scratch = new Arena(module);
    for (let round = 0; round < 3; round++) {
      extraction.insert(generateEntities(prng, 200, { idCount: 300, wide: round > 0, density: 0.5 }));
      extraction.delete([...extraction.entities.keys()].filter(() => prng.chance(0.15)));
      const ids = new Map([...extraction.entities.keys()].map((id, at) => [id, at]));
      for (let query = 0; query < 15; query++) {
        const event = prng.chance(0.5) ? prng.below(2) : null;
        const own = event === null ? [] : [FIRST_EVENT_INPUT + 2 * event, FIRST_EVENT_INPUT + 2 * event + 1];
        const ofRows = [...ATTRIBUTE_INPUTS.keys(), ...own];
        const grouping: Grouping = {
          keys: Array.from({ length: prng.below(4) }, () => inputAt({ inputs: INPUTS }, prng.pick(ofRows))),
          perEntity: false,
          aggregates: Array.from({ length: prng.below(5) }, () =>
            generateAggregate(prng, ofRows, event !== null),
          ),
        };
        const events = event === null ? null : everyEvent(EVENT_COLUMNS[event]);
        const feeds = EVENT_COLUMNS.map(everyEvent);
        const plan: SelectPlan = { ...PLAIN, events, inputs: INPUTS, feeds, grouping };
        const data: Data = {
          rowEnd: ids.size,
          rows: tableOf(extraction, { ...PLAIN, events }, ofRows, ids),
          feeds: feeds.map((feed, at) => {
            const first = FIRST_EVENT_INPUT + 2 * at;
            return tableOf(extraction, { ...PLAIN, events: feed }, [0, first, first + 1], ids);
          }),
        };
        const run = new QueryRun(null, 0, 2 ** 30);
        const stats = new ShardOperatorStats(0, false);
        const rows = new ShardRows(extraction.shards[0].dimension(KEY), plan, [], scratch, run, stats);
        const [partial] = toEnd(groupShard(rows, plan, run, stats));
        rows.release();
        const notified = plainGroups(partial, false, []);
        const expected = expectedGroups(grouping, data);
        t.strictSame([...notified].sort(), [...expected].sort(), `round ${round}, query ${query}`);
        if (!t.passing()) return;
      }
    }
  });
}
