/** Sends the question of a draft and reads its answer. */
import { type Reading, readAnswer } from '../answer/behaviour.js';
import type { Table } from '../answer/table.js';
import { readTrend } from '../answer/trend.js';
import type { Answered, Client } from '../server/client.js';
import type { Json } from '../server/json.js';
import type { Draft } from './draft.js';
import type { Question } from './request.js';
import { trendParts } from './trend.js';
import { inZone } from './zone.js';

export interface DraftAnswer {
  readonly reading: Reading;
  /** The answers as they were received, one below the other. */
  readonly text: string;
  readonly seconds: number;
}

/** Rejects with the errors of `Client.request`. */
export async function answerDraft(
  client: Client,
  draft: Draft,
  { requests, returnsRows }: Question,
  signal?: AbortSignal,
): Promise<DraftAnswer> {
  const answered = await Promise.all(
    requests.map(
      (request): Promise<Answered> =>
        returnsRows ? client.requestRows(request, signal) : client.request(request, signal),
    ),
  );
  return {
    reading: readingOf(
      draft,
      requests[0].path,
      answered.map(({ json }) => inZone(json, draft.timeZone.trim())),
    ),
    text: answered.map(({ text }) => text).join('\n'),
    seconds: Math.max(...answered.map(({ seconds }) => seconds)),
  };
}

function readingOf(draft: Draft, path: string, answers: readonly Json[]): Reading {
  if (draft.show === 'trend') return readTrend(trendParts(draft), answers, draft.trend);
  const { tables, charts } = readAnswer(path, answers[0]);
  return { tables: tables.map((table) => arranged(table, draft)), charts };
}

/** Sorts groups by the measure, the largest first, and keeps as many as the draft requests. */
function arranged(table: Table, { show, measure, limit, by, dimension }: Draft): Table {
  if (show !== 'count' && show !== 'top') return table;
  const at = table.columns.length - 1;
  const { rows } = table;
  const title = (name: string): string =>
    name === 'total' || name === 'count' ? dimension : name.replace(`entities (${by})`, dimension);
  const columns = table.columns.map((column) => ({ ...column, title: title(column.title) }));
  const named = rows.map((row) =>
    row.map((value) => (rows.length === 1 && (value === 'count' || value === 'total') ? dimension : value)),
  );
  if (show === 'count' || measure.of === 'entities') return { ...table, columns, rows: named };
  const sorted = [...rows]
    .filter((row) => row[at] !== null && Number(row[at]) !== 0)
    .sort((one, other) => Number(other[at]) - Number(one[at]));
  const first = sorted.slice(0, Number(limit));
  return { ...table, columns, rows: first, ...(first.length < sorted.length ? { of: sorted.length } : {}) };
}
