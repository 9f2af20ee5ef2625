/** The options of a test with kills, from its command line: `--kills N`, and `--seed N` to repeat a run. Prints the seed. */
import { parseArgs } from 'node:util';
import t from 'tap';

/** `kills`: how many kills the suite has. */
export function killOptions(kills: number): { readonly kills: number; readonly seed: number } {
  const { values } = parseArgs({
    options: {
      kills: { type: 'string', default: String(kills) },
      seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    },
  });
  t.comment(`seed ${values.seed}`);
  return { kills: Number(values.kills), seed: Number(values.seed) };
}
