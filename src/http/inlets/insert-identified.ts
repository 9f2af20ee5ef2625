/**
 * Inserts records that have an identity, each once, however often and in whatever company it is sent: each is an insert of its
 * own with an idempotency key, so that the record of the log has the key, and replay knows it.
 * Invariants: the same record is never inserted twice within 24 hours. Records of one entity are inserted in their order.
 */
import { createHash } from 'node:crypto';
import type { GroupInsert, InsertOutcome, RecordPart } from './group-insert.js';
import { mayPass, type PartOutcome, type RecordIdentity } from './inlet.js';

/** Inserts of one body at a time. They are synced together. */
const INSERTS_MAX = 64;

/** The key was used for another text: the record is in, and its sender has changed its copy since. */
const OTHER_TEXT_CODE = 9001;

export async function insertIdentified(
  { lines, firstLine }: RecordPart,
  identities: readonly RecordIdentity[],
  inserts: GroupInsert,
): Promise<readonly Omit<PartOutcome, 'group'>[]> {
  const outcomes: InsertOutcome[] = [];
  const running = new Set<Promise<void>>();
  /** The last insert of each entity. */
  const last = new Map<string, Promise<void>>();
  let lasting: InsertOutcome | null = null;
  const insert = async (index: number, before: Promise<void> | undefined): Promise<void> => {
    await before;
    const part = { number: 1, firstLine: firstLine + index, lines: [lines[index]] };
    const outcome = lasting ?? (await inserts.insert(part, idempotencyIdOf(identities[index], inserts)));
    if (outcome.error !== null && mayPass(outcome.error.status)) lasting = outcome;
    const isKnown = outcome.error?.code === OTHER_TEXT_CODE;
    outcomes[index] = isKnown ? { error: null, quarantined: null } : outcome;
  };
  for (const [index, { entity }] of identities.entries()) {
    const inserting = insert(index, last.get(entity));
    last.set(entity, inserting);
    running.add(inserting);
    void inserting.then(() => running.delete(inserting));
    if (running.size === INSERTS_MAX) await Promise.race(running);
  }
  await Promise.all(running);
  return outcomes.map((outcome) => ({ ...outcome, lineCount: 1 }));
}

function idempotencyIdOf({ id }: RecordIdentity, { databaseId, dimension }: GroupInsert): string {
  const name = JSON.stringify(['record', databaseId, dimension, id]);
  return createHash('sha256').update(name).digest('base64url');
}
