/**
 * Rows and groups in messages between threads. The exchange has two ends: in shared memory, messages pass on arrays without a
 * copy; otherwise rows and groups are blocks of bytes, which need no memory in common and can leave the machine.
 */
import { invariant } from '../../base/index.js';
import type { GroupPartial, JoinTable, PartitionedTexts } from '../../ir/index.js';
import { bytesOfRows, rowsOfBytes } from '../../vector/index.js';
import type { OperatorStats, SelectPart } from '../select-part.js';
import { bytesOfGroups, bytesOfTexts, groupsOfBytes, textsOfBytes } from './group-bytes.js';

/** How rows and groups of a query reach other threads. */
export type Exchange = 'shared' | 'bytes';

type Bytes = Uint8Array<ArrayBuffer>;

/** A part as a message has it. */
export type SentSelectPart = SelectPart | BytesPart;

/** A part with rows or groups as bytes. */
type BytesPart = {
  readonly done: boolean;
  readonly operatorStats: readonly OperatorStats[];
} & (
  | { readonly gives: 'group-bytes'; readonly partials: readonly Bytes[] }
  /** The columns are the outputs, then the values of the sort keys. */
  | { readonly gives: 'row-bytes'; readonly rows: Bytes; readonly outputCount: number }
);

/** The part for another thread. Throws 9006. */
export function sentPart(part: SelectPart, exchange: Exchange): SentSelectPart {
  if (exchange === 'shared') return part;
  const { done, operatorStats } = part;
  switch (part.gives) {
    case 'groups':
      return { done, operatorStats, gives: 'group-bytes', partials: part.partials.map(bytesOfGroups) };
    case 'columns': {
      const { rowCount: count, outputs, order } = part;
      const rows = bytesOfRows({ count, columns: [...outputs, ...order] });
      return { done, operatorStats, gives: 'row-bytes', rows, outputCount: outputs.length };
    }
    case 'partitions':
      invariant(false, 'groups in partitions stay on their worker');
      break;
    case 'bytes':
      return { ...part, parts: part.parts.map(ownBytes) };
    default:
      return part;
  }
}

/** The bytes in a buffer that contains nothing else and is not shared. */
const ownBytes = (bytes: Uint8Array): Uint8Array =>
  bytes.buffer instanceof ArrayBuffer && bytes.byteLength === bytes.buffer.byteLength ? bytes : bytes.slice();

/** The part of another thread. Throws a BlockError if its bytes are damaged. */
export function receivedPart(part: SentSelectPart): SelectPart {
  const { done, operatorStats } = part;
  if (part.gives === 'group-bytes') {
    return { done, operatorStats, gives: 'groups', partials: part.partials.map(groupsOfBytes) };
  }
  if (part.gives !== 'row-bytes') return part;
  const { count, columns } = rowsOfBytes(part.rows);
  const { outputCount } = part;
  const [outputs, order] = [columns.slice(0, outputCount), columns.slice(outputCount)];
  return { done, operatorStats, gives: 'columns', rowCount: count, outputs, order };
}

/** A table of a join as a message has it. */
export type SentTable = JoinTable | Bytes;

export const sentTable = (table: JoinTable, exchange: Exchange): SentTable =>
  exchange === 'shared'
    ? table
    : bytesOfRows({ count: table.ids.count, columns: [table.ids, ...table.columns] });

/** Throws as `receivedPart`. */
export function receivedTable(table: SentTable): JoinTable {
  if (!(table instanceof Uint8Array)) return table;
  const [ids, ...columns] = rowsOfBytes(table).columns;
  return { ids, columns };
}

/** A list of texts as a message has it. */
export type SentTexts = PartitionedTexts | Bytes;

/** The texts for a thread that reads partitions [from, to) of them. Throws 9006. */
export const sentTexts = (
  texts: PartitionedTexts,
  from: number,
  to: number,
  exchange: Exchange,
): SentTexts => (exchange === 'shared' ? texts : bytesOfTexts(texts, from, to));

/** Throws as `receivedPart`. */
export const receivedTexts = (texts: SentTexts): PartitionedTexts =>
  texts instanceof Uint8Array ? textsOfBytes(texts) : texts;

/** The shards' groups of totals as a message has them. */
export type SentGroups = GroupPartial | Bytes;

export const sentGroups = (groups: GroupPartial, exchange: Exchange): SentGroups =>
  exchange === 'shared' ? groups : bytesOfGroups(groups);

/** Throws as `receivedPart`. */
export const receivedGroups = (groups: SentGroups): GroupPartial =>
  groups instanceof Uint8Array ? groupsOfBytes(groups) : groups;
