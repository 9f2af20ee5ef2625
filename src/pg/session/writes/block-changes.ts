/** Answers CREATE, DROP and RENAME of tables and views that last: at once, or in a transaction block as a part of it. */
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
  const exists = existing(statement, request.context);
  const { numbers } = await runWrites(engine, [write], request, tables, waiting);
  const rowCount = ofQuery ? (numbers[0] ?? 0) : 0;
  request.ended(null, rowCount);
  if (exists === null) return done(ofQuery ? `SELECT ${rowCount}` : tagOf(statement));
  const what = `relation ${JSON.stringify(exists)} already exists, skipping`;
  return done(ofQuery ? 'CREATE TABLE AS' : tagOf(statement), notice('42P07', what));
}

/** The table that CREATE TABLE IF NOT EXISTS finds; null = none. */
function existing(statement: sql.ModelStatement, { model }: DatabaseContext): string | null {
  if (statement.is !== 'create-table' || !statement.ifNotExists) return null;
  const { name } = statement.table;
  return sql.tableNamed(name, model) === null ? null : name;
}
