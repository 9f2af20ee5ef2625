/** Answers CREATE, DROP and ALTER of tables and views that last: at once, or in a transaction block as a part of it. */
import type { EngineApi } from '../../../engine/index.js';
import * as sql from '../../../sql/index.js';
import { notice } from '../../protocol/messages.js';
import { type Answer, done } from '../answer.js';
import type { DatabaseContext, PostgresRequest } from '../queries/select.js';
import type { SessionState } from '../session-statement.js';
import type { Waiting } from '../waiting.js';
import type { ModelWrite } from './block-model.js';
import { runWrites } from './transaction-writes.js';

const TAGS: Readonly<Record<sql.ModelStatement['is'], string>> = {
  'create-table': 'CREATE TABLE',
  'create-view': 'CREATE VIEW',
  'drop-table': 'DROP TABLE',
  'rename-table': 'ALTER TABLE',
  'alter-table': 'ALTER TABLE',
};

const tagOf = (statement: sql.ModelStatement): string =>
  'ofView' in statement && statement.ofView
    ? TAGS[statement.is].replace('TABLE', 'VIEW')
    : TAGS[statement.is];

/** If it rejects, nothing has been changed, and nothing was added to the block. */
export async function answerModel(
  write: ModelWrite,
  { isInBlock, writes, tables }: Pick<SessionState, 'isInBlock' | 'writes' | 'tables'>,
  engine: Pick<EngineApi, 'script'>,
  request: PostgresRequest,
  waiting: Waiting,
): Promise<Answer> {
  const { statement } = write;
  const ofQuery = statement.is === 'create-table' && statement.query !== null;
  if (isInBlock) {
    writes.add(write, request, tables);
    request.ended(null, 0);
    // The number of rows is known at COMMIT.
    return done(ofQuery ? 'CREATE TABLE AS' : tagOf(statement));
  }
  const skipped = skippedBy(statement, request.context);
  const { numbers } = await runWrites(engine, [write], request, tables, waiting);
  const rowCount = ofQuery ? (numbers[0] ?? 0) : 0;
  request.ended(null, rowCount);
  if (ofQuery) return skipped === null ? done(`SELECT ${rowCount}`) : done('CREATE TABLE AS', skipped);
  return done(tagOf(statement), skipped);
}

/** The notices of what IF EXISTS and IF NOT EXISTS pass over; null = none. */
function skippedBy(statement: sql.ModelStatement, { model, savedQueries }: DatabaseContext): Buffer | null {
  if (statement.is === 'alter-table') {
    const { skipped } = sql.alteredTable(statement, { model, savedQueries }) ?? { skipped: [] };
    return skipped.length === 0 ? null : Buffer.concat(skipped.map((what) => notice('00000', what)));
  }
  if (statement.is !== 'create-table' || !statement.ifNotExists) return null;
  const { name } = statement.table;
  if (sql.tableNamed(name, model) === null) return null;
  return notice('42P07', `relation ${JSON.stringify(name)} already exists, skipping`);
}
