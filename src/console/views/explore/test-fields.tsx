/** Fields for the operator and operands of a comparison, in conditions and for the events of a metric. */
import { useState } from 'preact/hooks';
import { tablesOf } from '../../answer/table.js';
import { useConsole } from '../../parts/context.js';
import { Choice, Entry } from '../../parts/controls.js';
import { type Operator, operatorsOf, type Test, valueCountOf } from '../../query/fields.js';
import { OPERATOR_WORDS } from '../../query/words.js';
import type { Column } from '../../server/model.js';

interface TestProps {
  readonly dimension: string;
  readonly column: Column;
  /** Begins the labels of the fields; absent = the column's name. */
  readonly about?: string;
  readonly test: Test;
  readonly onChange: (test: Test) => void;
}

const SUGGESTIONS_MAX = 100;

export function TestFields({ dimension, column, about = column.name, test, onChange }: TestProps) {
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
      label={`${about}: ${label}`}
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
        label={`${about}: comparison`}
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
          label={`${about}: value`}
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
