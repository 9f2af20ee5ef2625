/**
 * A question as text for an address, so that it can be shared, reloaded and returned to. Only the fields of its kind are in
 * it; keys are not. A text that is no question of this database is refused.
 */
import { dimensionOf, type Model } from '../server/model.js';
import { type Condition, type Draft, newDraft, SHOWS, type Show } from './draft.js';
import { ANY } from './fields.js';

type Name = Exclude<keyof Draft, 'dimension' | 'show'>;

const COMMON = ['join', 'conditions'] as const;
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
export function shareText(draft: Draft): string {
  const bytes = new TextEncoder().encode(JSON.stringify(plainDraft(draft)));
  const binary = Array.from(bytes, (byte) => String.fromCharCode(byte)).join('');
  return btoa(binary).replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '');
}

/** The draft that a text describes; null if it is no question about this model. */
export function draftOfShare(text: string, model: Model): Draft | null {
  try {
    const binary = atob(text.replaceAll('-', '+').replaceAll('_', '/'));
    const bytes = Uint8Array.from(binary, (character) => character.charCodeAt(0));
    return draftOfPlain(JSON.parse(new TextDecoder().decode(bytes)), model);
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
  const isWhole = named.every((one) => fits(one === 'conditions' ? [CONDITION] : draft[one], fields[one]));
  if (!isWhole) return null;
  const own = Object.fromEntries(named.map((one) => [one, fields[one]]));
  return { ...draft, show: show as Show, ...own };
}

const CONDITION: Condition = {
  ...{ id: 1, column: '', test: ANY, from: '', to: '' },
  ...{ atLeast: '', negated: false },
};

/** Whether a value has the form of another one: the same members of the same types. Lists without an example have texts. */
function fits(example: unknown, value: unknown): boolean {
  if (Array.isArray(example)) {
    return Array.isArray(value) && value.every((item) => fits(example[0] ?? '', item));
  }
  if (typeof example !== 'object' || example === null) return typeof value === typeof example;
  if (typeof value !== 'object' || value === null) return false;
  return Object.entries(example).every(([name, one]) => fits(one, (value as Record<string, unknown>)[name]));
}
