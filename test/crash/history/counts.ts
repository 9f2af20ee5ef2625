/** The counts that show whether an insert or update took effect completely and once. */
import type { Entry, Journal } from './journal.js';
import { hasEvent, hasLast } from './row-requests.js';
import type { Listing } from './server-state.js';

/** Kinds of problems; see Findings. */
export type Problem = 'lost' | 'half' | 'doubled' | 'wrong';

/** A count query and its expected result. */
export interface Count {
  readonly dimension: string;
  readonly query: readonly unknown[];
  readonly expected: number;
  readonly problemOf: (found: number) => Problem;
  readonly entry: Entry;
  readonly what: string;
}

/** The expected counts of the chosen inserts and updates of one writer, after its later deletions. */
export function countsOf(journal: Journal, chosen: ReadonlySet<number>, listing: Listing): Count[] {
  const counts: Count[] = [];
  for (const index of chosen) {
    const entry = journal.entries[index];
    for (const dimension of entry.op.wrote?.entities.keys() ?? []) {
      // A deleted or never created dimension has no entities.
      const columns = listing.get(dimension);
      if (columns?.has('tag-event')) counts.push(...countsIn(dimension, journal, index, columns));
    }
  }
  return counts;
}

function countsIn(
  dimension: string,
  journal: Journal,
  index: number,
  columns: ReadonlySet<string>,
): readonly Count[] {
  const entry = journal.entries[index];
  const { wrote, autoColumn } = entry.op;
  const tag = wrote?.tag ?? '';
  const whole = journal.rows.eventCount(dimension, index);
  const ofPart = (found: number): Problem => {
    if (!entry.applied || found > whole) return 'wrong';
    return found === 0 ? 'lost' : 'half';
  };
  const lastWritten = journal.rows.lastCount(dimension, index);
  const count = (
    what: string,
    query: readonly unknown[],
    expected: number,
    problemOf: Count['problemOf'],
  ): Count => ({ dimension, query, expected, problemOf, entry, what: `${what} in ${dimension}` });
  const hasAuto = autoColumn !== undefined && dimension === 'default' && columns.has(autoColumn);
  return [
    count('its event', hasEvent('tag-event', tag), whole, ofPart),
    count('its event twice', hasEvent('tag-event', tag, 2), 0, () => 'doubled'),
    count('column tag', hasLast(tag), lastWritten, () => 'wrong'),
    count('column tag-list', [{ 'tag-list': { equals: tag } }], lastWritten, () => 'wrong'),
    ...(hasAuto ? [count(`column ${autoColumn}`, hasEvent(autoColumn, tag), whole, ofPart)] : []),
  ];
}
