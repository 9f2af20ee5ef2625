/**
 * Inserts the records of an inlet's body: those without an identity part by part, each part in one insert; those with one by one.
 */
import { QuarryError } from '../../base/index.js';
import { PART_BYTES_MAX, PART_LINES_MAX } from '../transport/body-parts.js';
import {
  GroupInsert,
  type GroupInsertDependencies,
  type InsertOutcome,
  type RecordPart,
} from './group-insert.js';
import { mayPass, type PartOutcome, type RecordGroup } from './inlet.js';
import { insertIdentified } from './insert-identified.js';

/** Limit of the bytes of all records of one body: values that the body has once may be in each of its records. */
export const RECORD_BYTES_MAX = 16 * PART_BYTES_MAX;

/** Memory of a part: its lines, one text of them, and the bytes of that. */
const BYTES_PER_PART_BYTE = 3;

export interface InsertDependencies extends GroupInsertDependencies {
  /** Reserves memory until the request is over. Throws 9003. */
  readonly reserve: (bytes: number) => void;
}

interface SizedPart extends RecordPart {
  readonly byteLength: number;
}

/** Rejects with 1507 and 9003 if the records are too long; some of them may have been inserted then. */
export async function insertGroups(
  groups: readonly RecordGroup[],
  dependencies: InsertDependencies,
): Promise<readonly PartOutcome[]> {
  const outcomes: PartOutcome[] = [];
  let reservedBytes = 0;
  for (const [index, group] of groups.entries()) {
    const inserts = new GroupInsert(group, dependencies);
    for (const part of partsOf(group.lines)) {
      const partBytes = part.byteLength * BYTES_PER_PART_BYTE;
      dependencies.reserve(Math.max(0, partBytes - reservedBytes));
      reservedBytes = Math.max(reservedBytes, partBytes);
      for (const outcome of await insertPart(part, group, inserts, lastingIn(outcomes))) {
        outcomes.push({ ...outcome, group: index });
      }
    }
  }
  return outcomes;
}

/** What is refused for lack of capacity would be refused now, too. */
const lastingIn = (outcomes: readonly PartOutcome[]): InsertOutcome | null =>
  outcomes.find(({ error }) => error !== null && mayPass(error.status)) ?? null;

async function insertPart(
  part: RecordPart,
  { identities }: RecordGroup,
  inserts: GroupInsert,
  lasting: InsertOutcome | null,
): Promise<readonly Omit<PartOutcome, 'group'>[]> {
  const { lines, firstLine } = part;
  if (lasting !== null) return [{ ...lasting, lineCount: lines.length }];
  if (identities === undefined) return [{ ...(await inserts.insert(part, null)), lineCount: lines.length }];
  const own = identities.slice(firstLine - 1, firstLine - 1 + lines.length);
  return insertIdentified(part, own, inserts);
}

/** Divides lines into parts of limited size. Throws 1507 if all of them together are too long. */
function* partsOf(lines: Iterable<string>): Generator<SizedPart> {
  let number = 1;
  let firstLine = 1;
  let part: string[] = [];
  let partBytes = 0;
  let sumBytes = 0;
  for (const line of lines) {
    const bytes = Buffer.byteLength(line) + 1;
    sumBytes += bytes;
    if (sumBytes > RECORD_BYTES_MAX) {
      throw new QuarryError(1507, `the records of the body are longer than ${RECORD_BYTES_MAX} bytes`);
    }
    if (part.length > 0 && (part.length === PART_LINES_MAX || partBytes + bytes > PART_BYTES_MAX)) {
      yield { number: number++, firstLine, lines: part, byteLength: partBytes };
      firstLine += part.length;
      part = [];
      partBytes = 0;
    }
    part.push(line);
    partBytes += bytes;
  }
  if (part.length > 0) yield { number, firstLine, lines: part, byteLength: partBytes };
}
