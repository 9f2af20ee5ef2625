/**
 * A question as text for an address, so that it can be shared, reloaded and returned to. Only the fields of its kind are in
 * it; keys are not. A text that is no question of this database is refused.
 */
import { dimensionOf, type Model } from '../server/model.js';
import { type Condition, type Draft, newDraft, SHOWS, type Show } from './draft.js';
import { ANY } from './fields.js';

type Name = Exclude<keyof Draft, 'dimension' | 'show'>;

const COMMON = ['join', 'conditions', 'beside', 'timeZone'] as const;
const NAMES: Readonly<Record<Show, readonly Name[]>> = {
  trend: [...COMMON, 'window', 'interval', 'trend'],
  funnel: [...COMMON, 'window', 'funnel'],
  retention: [...COMMON, 'window', 'every', 'retention'],
  lifecycle: [...COMMON, 'window', 'every', 'activity'],
  distribution: [...COMMON, 'window', 'every', 'activity', 'distribution'],
  flow: [...COMMON, 'window', 'flow'],
  count: [...COMMON, 'window', 'measure'],
  top: [...COMMON, 'window', 'measure', 'by', 'limit'],
  map: [...COMMON, 'window', 'point'],
  rows: [...COMMON, 'columns', 'limit'],
  entity: ['entity'],
};

/** The draft as plain data, with the fields of its kind only. */
export function plainDraft(draft: Draft): Record<string, unknown> {
  const { dimension, show } = draft;
  return { dimension, show, ...Object.fromEntries(NAMES[show].map((name) => [name, draft[name]])) };
}

/** The question as letters, digits, dashes and underscores. Equal questions have equal texts. */
export const shareText = (draft: Draft): string => textOfJson(plainDraft(draft));

/** Plain data as letters, digits, dashes and underscores. */
export function textOfJson(plain: unknown): string {
  const bytes = new TextEncoder().encode(JSON.stringify(plain));
  const binary = Array.from(bytes, (byte) => String.fromCharCode(byte)).join('');
  return btoa(binary).replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '');
}

/** The data of `textOfJson`. Throws if there is none. */
export function jsonOfText(text: string): unknown {
  const binary = atob(text.replaceAll('-', '+').replaceAll('_', '/'));
  const bytes = Uint8Array.from(binary, (character) => character.charCodeAt(0));
  return JSON.parse(new TextDecoder().decode(bytes));
}

/** The draft that a text describes; null if it is no question about this model. */
export function draftOfShare(text: string, model: Model): Draft | null {
  try {
    return draftOfPlain(jsonOfText(text), model);
  } catch {
    return null;
  }
}

/** The draft of plain data; null if it is no question about this model. */
export function draftOfPlain(plain: unknown, model: Model): Draft | null {
  if (typeof plain !== 'object' || plain === null) return null;
  const { dimension: name, show, ...fields } = plain as Record<string, unknown>;
  const dimension = dimensionOf(model, String(name));
  if (dimension === undefined || !(SHOWS as readonly unknown[]).includes(show)) return null;
  const draft = newDraft(dimension);
  const named = NAMES[show as Show];
  const whole = completed(draft, fields) as Record<string, unknown>;
  const own = Object.fromEntries(named.map((one) => [one, completed(draft[one], whole[one])]));
  const example = exampleOf(draft);
  if (!named.every((one) => fits(example[one], own[one]))) return null;
  return { ...draft, show: show as Show, ...own };
}

const CONDITION: Condition = {
  ...{ id: 1, column: '', test: ANY, from: '', to: '' },
  ...{ atLeast: '', negated: false },
};

/** Fields that addresses and files of earlier releases lack. */
const LATER: ReadonlySet<string> = new Set([
  ...['beside', 'timeZone', 'formula', 'notes', 'rolling', 'attempts', 'same', 'exclude', 'brackets'],
]);

/** The value, with the later fields that it lacks. */
function completed(example: unknown, value: unknown): unknown {
  if (!isPlain(example) || !isPlain(value)) return value;
  const lacking = Object.keys(example).filter((name) => LATER.has(name) && value[name] === undefined);
  return { ...value, ...Object.fromEntries(lacking.map((name) => [name, example[name]])) };
}

const isPlain = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** A draft whose lists have a member each, as an example of their form. */
const exampleOf = (draft: Draft): Draft => ({
  ...{ ...draft, conditions: [CONDITION] },
  trend: { ...draft.trend, notes: [{ id: 1, day: '', text: '' }] },
  funnel: { ...draft.funnel, exclude: [{ ...draft.flow.start, after: '', before: '' }] },
});

/** Whether a value has the form of another one: the same members of the same types. Lists without an example have texts. */
function fits(example: unknown, value: unknown): boolean {
  if (Array.isArray(example)) {
    return Array.isArray(value) && value.every((item) => fits(example[0] ?? '', item));
  }
  if (typeof example !== 'object' || example === null) return typeof value === typeof example;
  if (typeof value !== 'object' || value === null) return false;
  return Object.entries(example).every(([name, one]) => fits(one, (value as Record<string, unknown>)[name]));
}
