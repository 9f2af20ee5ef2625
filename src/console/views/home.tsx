/** The first screen: an introduction, example questions, and the content of the database. */
import { formatBytes, formatCount, plural } from '../answer/format.js';
import { useConsole } from '../parts/context.js';
import { Empty } from '../parts/controls.js';
import { type Draft, newDraft } from '../query/draft.js';
import { examplesOf } from '../query/examples.js';
import { type Column, type Dimension, ENTITY_ID } from '../server/model.js';
import { Databases } from './databases.js';
import { Quarantines } from './quarantine.js';

export function Home() {
  const { model, team, reloadModel, openDraft } = useConsole();
  const examples = examplesOf(model);
  const holding = model.dimensions.filter(({ columns, entities }) => columns.length > 1 || entities !== 0);
  return (
    <>
      <header class="view-head">
        <h1>{model.database ?? 'Database'}</h1>
        <button type="button" class="quiet" onClick={reloadModel}>
          Refresh
        </button>
      </header>
      <p class="lead">
        A <b>dimension</b> holds <b>entities</b>, each with an ID. An entity has <b>attributes</b> (one value,
        such as a state) and <b>events</b> (any number of values, each with a date, such as the delay of each
        departure). Choose an example to see its query, then change it.
      </p>
      {examples.length > 0 && (
        <section aria-labelledby="examples">
          <h2 id="examples">Example questions</h2>
          <ul class="examples">
            {examples.map(({ text, how, draft, windowOf }) => (
              <li key={text}>
                <button type="button" onClick={() => openDraft(draft, windowOf)}>
                  <span>{text}</span>
                  <small>{how}</small>
                </button>
              </li>
            ))}
          </ul>
        </section>
      )}
      <Quarantines />
      <section aria-labelledby="holds">
        <h2 id="holds">Contents</h2>
        {holding.length === 0 ? (
          <Empty title="No data yet">
            <p>
              Insert entities with <code>POST /v1/insert</code>; docs/getting-started.md shows how.{' '}
              <code>quarry demo</code> starts a server with three million flights.
            </p>
          </Empty>
        ) : (
          holding.map((dimension) => (
            <DimensionPanel
              key={dimension.name}
              dimension={dimension}
              onQuery={(draft) => openDraft(draft, null)}
            />
          ))
        )}
      </section>
      {team !== null && <Databases team={team} />}
    </>
  );
}

interface PanelProps {
  readonly dimension: Dimension;
  readonly onQuery: (draft: Draft) => void;
}

function DimensionPanel({ dimension, onQuery }: PanelProps) {
  const { name, entities, bytes, columns } = dimension;
  return (
    <article class="panel dimension">
      <header class="row between">
        <h3>{name}</h3>
        <p class="facts">
          {entities !== null && plural(entities, 'entity').replace('entitys', 'entities')}
          {bytes !== null && ` · ${formatBytes(bytes)}`}
        </p>
        <button type="button" onClick={() => onQuery(newDraft(dimension))}>
          Ask about {name}
        </button>
      </header>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard scrolls what can be focused */}
      <section class="grid" aria-label={`Columns of ${name}`} tabIndex={0}>
        <table>
          <thead>
            <tr>
              <th scope="col">Column</th>
              <th scope="col">Content</th>
              <th scope="col" class="number">
                Events
              </th>
              <th scope="col" class="number">
                Memory
              </th>
            </tr>
          </thead>
          <tbody>
            {columns
              .filter((column) => column.name !== ENTITY_ID)
              .map((column) => (
                <tr key={column.name} class={column.isActive ? '' : 'inactive'}>
                  <td>
                    {column.name}
                    {column.description !== '' && <small> {column.description}</small>}
                  </td>
                  <td>{meaningOf(column)}</td>
                  <td class="number">{column.events === null ? '' : formatCount(column.events)}</td>
                  <td class="number">{column.bytes === null ? '' : formatBytes(column.bytes)}</td>
                </tr>
              ))}
          </tbody>
        </table>
      </section>
    </article>
  );
}

const KIND_WORDS: Readonly<Record<string, string>> = {
  text: 'text',
  number: 'numbers',
  'yes-no': 'true or false',
  day: 'days',
  moment: 'date and time',
  point: 'locations',
};

/** The type of a column in words. */
function meaningOf({ kind, isEvent, isList, isActive, type }: Column): string {
  const what = type === 'decimal' || type === 'decimal-event' ? 'decimal numbers' : KIND_WORDS[kind];
  const how = isEvent
    ? `events: ${what}, each with a date`
    : isList
      ? `attribute: a list of ${what}`
      : `attribute: ${what}`;
  return isActive ? how : `${how} (inactive)`;
}
