/** The form of a question: its dimension, its kind, the fields of the kind, the range of time and the conditions. */
import { Choice, Entry, Tabs } from '../../parts/controls.js';
import { type Draft, newDraft, type Show, windowColumn, withWindow } from '../../query/draft.js';
import type { OnChange } from '../../query/fields.js';
import { dimensionOf, type Model } from '../../server/model.js';
import { Conditions } from './conditions.js';
import { ShowFields } from './show-fields.js';
import { WindowFields } from './window-fields.js';

const KINDS: readonly { readonly name: Show; readonly text: string }[] = [
  { name: 'count', text: 'Count' },
  { name: 'trend', text: 'Trend' },
  { name: 'funnel', text: 'Funnel' },
  { name: 'retention', text: 'Retention' },
  { name: 'lifecycle', text: 'Lifecycle' },
  { name: 'flow', text: 'Flow' },
  { name: 'distribution', text: 'Distribution' },
  { name: 'top', text: 'Top values' },
  { name: 'map', text: 'Map' },
  { name: 'rows', text: 'Table' },
  { name: 'entity', text: 'Entity' },
];

const ZONES: readonly string[] = Intl.supportedValuesOf('timeZone');

interface BuilderProps {
  readonly model: Model;
  readonly draft: Draft;
  readonly problems: readonly string[];
  readonly onChange: OnChange<Draft>;
  readonly onSubmit: () => void;
}

export function Builder({ model, draft, problems, onChange, onSubmit }: BuilderProps) {
  const dimension = dimensionOf(model, draft.dimension);
  const dated = windowColumn(draft, dimension);
  return (
    <form
      class="builder"
      onSubmit={(event) => {
        event.preventDefault();
        onSubmit();
      }}
    >
      <fieldset class="panel">
        <legend>Question</legend>
        <Choice
          label="Dimension"
          value={draft.dimension}
          options={model.dimensions.map(({ name }) => ({ value: name, text: name }))}
          onChange={(name) => onChange(({ show }) => ({ ...newDraft(dimensionOf(model, name)), show }))}
        />
        <Tabs
          label="What to show"
          chosen={draft.show}
          tabs={KINDS}
          onChoose={(show) => onChange((now) => ({ ...now, show }))}
        />
        <ShowFields draft={draft} dimension={dimension} onChange={onChange} />
        {dated !== null && (
          <WindowFields
            key={`${draft.dimension} ${dated}`}
            dimension={draft.dimension}
            column={dated}
            about=""
            window={draft.window}
            onChange={(change) => onChange((now) => withWindow(now, change(now.window)))}
          />
        )}
        {dated !== null && (
          <details open={draft.timeZone !== ''}>
            <summary>Time zone</summary>
            <Entry
              label="Days and periods of the time zone"
              value={draft.timeZone}
              placeholder="UTC"
              suggestions={ZONES}
              onChange={(timeZone) => onChange((now) => ({ ...now, timeZone }))}
            />
          </details>
        )}
      </fieldset>
      {draft.show !== 'entity' && <Conditions draft={draft} dimension={dimension} onChange={onChange} />}
      {problems.length > 0 && (
        <ul class="problems" role="alert">
          {problems.map((text) => (
            <li key={text}>{text}</li>
          ))}
        </ul>
      )}
      <div class="row actions">
        <button type="submit" class="main">
          Ask
        </button>
        <span class="hint">or press Enter in any field</span>
      </div>
    </form>
  );
}
