/** Streams: the events of several columns, each value one event. */
import { checkAll } from '../../base/index.js';
import type { BehaviourEvent } from '../../ir/index.js';
import type { Column } from '../../schema/index.js';
import type { EventBinder } from './event.js';

/** The columns, each once, in the order of their names. Throws 4008, 4040, 506. */
export function streamColumns(
  binder: EventBinder,
  names: readonly string[],
  path: string,
): readonly Column[] {
  return inOrder(checkAll(names, (name) => binder.eventColumn(name, path)));
}

/** Each column once, in the order of the bytes of their names. */
export const inOrder = (columns: readonly Column[]): readonly Column[] =>
  [...new Set(columns)].sort((a, b) => Buffer.compare(Buffer.from(a.apiName), Buffer.from(b.apiName)));

/** All events of the columns. */
export const streamEvent = (columns: readonly Column[]): BehaviourEvent =>
  columns.map(({ id }) => [{ columnId: id, tests: [] }]);
