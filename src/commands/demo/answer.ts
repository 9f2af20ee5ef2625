/** Extracts the answer from a response and formats it as a few lines. */
import { formatCount } from '../progress.js';
import type { Question } from './question.js';

/** The part of a response that answers the query. */
export type Answer = string | number | null | readonly Answer[] | AnswerObject;
export interface AnswerObject {
  readonly [name: string]: Answer;
}

const LINES_MAX = 6;
const ITEMS_MAX = 8;

/** Rows of an extraction, ID lists of `exists`, or `result`; if `result` has one member, the member. */
export function answerOf({ path }: Question, response: unknown): Answer {
  const body = response as AnswerObject;
  if (path === '/v1/query/exists/entity') return { exists: body.exists, 'not-exists': body['not-exists'] };
  if (body.data !== undefined) return body.data;
  const members = Object.values(body.result as AnswerObject);
  return members.length === 1 ? members[0] : body.result;
}

const isList = (answer: Answer): answer is readonly Answer[] => Array.isArray(answer);
const isObject = (answer: Answer): answer is AnswerObject =>
  typeof answer === 'object' && answer !== null && !isList(answer);

/** One line for a short answer, otherwise one line per row: at most LINES_MAX, then the number of further rows. */
export function linesOfAnswer(answer: Answer): string[] {
  if (isList(answer)) {
    if (answer.every(isShort)) return [listText(answer, ' | ')];
    return cut(answer.map(text), LINES_MAX);
  }
  if (!isObject(answer)) return [text(answer)];
  const members = Object.entries(answer).map(([name, value]) => `${name}: ${text(value)}`);
  return Object.values(answer).some(isObject) ? cut(members, LINES_MAX) : [members.join(' | ')];
}

function cut(texts: readonly string[], most: number): string[] {
  return texts.length <= most ? [...texts] : [...texts.slice(0, most), `… and ${texts.length - most} more`];
}

/** Whether the row is a value with its quantity, or a bucket. */
const isShort = (row: Answer): boolean => isObject(row) && Object.keys(row).length === 2 && !('date' in row);

function listText(list: readonly Answer[], between: string): string {
  return list.length === 0 ? 'none' : cut(list.map(text), ITEMS_MAX).join(between);
}

function text(answer: Answer): string {
  if (answer === null) return 'none';
  if (typeof answer === 'string') return answer;
  if (typeof answer === 'number') return numberText(answer);
  return isObject(answer) ? objectText(answer) : listText(answer, ', ');
}

const numberText = (value: number): string =>
  Number.isInteger(value) ? formatCount(value) : String(Number(value.toFixed(4)));

function objectText({ value, quantity, between, date, ...rest }: AnswerObject): string {
  const others = Object.entries(rest);
  if (date !== undefined) return `${text(value)} at ${text(date)}`;
  if (between !== undefined) return `${dayOf(between)}: ${others.map(([, metric]) => text(metric)).join()}`;
  if (quantity !== undefined) {
    const next = others.map(([, levels]) => ` [${text(levels)}]`).join('');
    return `${text(value)} ${text(quantity)}${next}`;
  }
  // A single member is shown without its name: a metric, or the only column of a query for top values.
  if (others.length === 1) return text(others[0][1]);
  return others.map(([name, member]) => `${name} ${text(member)}`).join(', ');
}

/** The start of a bucket, without the time of day if it is midnight. */
const dayOf = (between: Answer): string => text((between as readonly Answer[])[0]).replace('T00:00:00Z', '');
