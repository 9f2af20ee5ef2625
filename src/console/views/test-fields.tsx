/** Fields for the operator and operands of a comparison, in conditions and for the events of a metric. */
import { useEffect, useRef, useState } from 'preact/hooks';
import { tablesOf } from '../answer/table.js';
import { useConsole } from '../parts/context.js';
import { Choice, Entry } from '../parts/controls.js';
import {
  type OnChange,
  type Operator,
  operatorsOf,
  type Test,
  valueCountOf,
  type Window,
} from '../query/draft.js';
import type { Column } from '../server/model.js';
import { windowOfEvents } from './event-window.js';

const OPERATOR_WORDS: Readonly<Record<Operator, string>> = {
  any: 'any value',
  equals: 'is',
  'not-equals': 'is not',
  in: 'is one of',
  contains: 'contains',
  'starts-with': 'begins with',
  'ends-with': 'ends with',
  gt: 'more than',
  gte: 'at least',
  lt: 'less than',
  lte: 'at most',
  range: 'from … to',
  near: 'within … km of',
};

interface TestProps {
  readonly dimension: string;
  readonly column: Column;
  readonly test: Test;
  readonly onChange: (test: Test) => void;
}

const SUGGESTIONS_MAX = 100;

export function TestFields({ dimension, column, test, onChange }: TestProps) {
  const { client } = useConsole();
  const [values, setValues] = useState<readonly string[] | null>(null);
  const suggest = (): void => {
    if (column.kind !== 'text' || values !== null) return;
    setValues([]);
    const query = { [column.name]: SUGGESTIONS_MAX, dimension };
    const body = JSON.stringify({ values: query });
    client.request({ method: 'POST', path: '/v1/query/top_values', body }).then(
      ({ json }) => setValues(tablesOf(json)[0]?.rows.map(([value]) => String(value)) ?? []),
      // Without suggestions, the user types values.
      () => {},
    );
  };
  const entry = (index: number, label: string) => (
    <Entry
      key={label}
      quiet
      label={`${column.name}: ${label}`}
      placeholder={label}
      type={column.kind === 'day' ? 'date' : column.kind === 'moment' ? 'datetime-local' : 'text'}
      value={test.values[index] ?? ''}
      suggestions={index === 0 ? (values ?? []) : []}
      onChange={(text) => {
        const next = [...test.values];
        next[index] = text;
        onChange({ ...test, values: next });
      }}
    />
  );
  const count = valueCountOf(test.operator);
  return (
    <div class="test" onFocusCapture={suggest}>
      <Choice
        quiet
        label={`${column.name}: comparison`}
        value={test.operator}
        options={operatorsOf(column).map((operator) => ({
          value: operator,
          text: dateWord(column, operator) ?? OPERATOR_WORDS[operator],
        }))}
        onChange={(operator) => onChange({ ...test, operator: operator as Operator })}
      />
      {column.kind === 'yes-no' ? (
        <Choice
          quiet
          label={`${column.name}: value`}
          value={test.values[0] ?? 'true'}
          options={['true', 'false'].map((text) => ({ value: text, text }))}
          onChange={(text) => onChange({ ...test, values: [text] })}
        />
      ) : (
        labelsOf(test.operator)
          .slice(0, count)
          .map((label, index) => entry(index, label))
      )}
    </div>
  );
}

const dateWord = ({ kind }: Column, operator: Operator): string | null => {
  if (kind !== 'day' && kind !== 'moment') return null;
  return operator === 'gte' ? 'from' : operator === 'lte' ? 'until' : null;
};

function labelsOf(operator: Operator): readonly string[] {
  if (operator === 'near') return ['longitude', 'latitude', 'kilometres'];
  if (operator === 'in') return ['values, separated by commas'];
  return operator === 'range' ? ['lowest', 'highest'] : ['value'];
}

interface WindowProps {
  readonly dimension: string;
  readonly column: Column;
  readonly window: Window;
  readonly onChange: OnChange<Window>;
}

const isOpen = ({ from, to }: Window): boolean => from === '' && to === '';

/** Must be keyed by its column: dates that are still being loaded belong to the first column. */
export function WindowFields({ dimension, column, window, onChange }: WindowProps) {
  const { client } = useConsole();
  const isShown = useRef(true);
  const find = (choose: (found: Window, now: Window) => Window): void => {
    windowOfEvents(client, dimension, column.name).then(
      (found) => {
        if (isShown.current) onChange((now) => choose(found, now));
      },
      () => {},
    );
  };
  useEffect(() => {
    // Fill in only a window that the user has not chosen.
    if (isOpen(window)) find((found, now) => (isOpen(now) ? found : now));
    return () => {
      isShown.current = false;
    };
  }, []);
  const { from, to } = window;
  return (
    <div class="window">
      <Entry
        label={`${column.name}: from`}
        type="date"
        value={from}
        onChange={(day) => onChange((now) => ({ ...now, from: day }))}
      />
      <Entry
        label={`${column.name}: to (inclusive)`}
        type="date"
        value={to}
        onChange={(day) => onChange((now) => ({ ...now, to: day }))}
      />
      <button type="button" class="quiet" onClick={() => find((found) => found)}>
        All dates
      </button>
    </div>
  );
}
