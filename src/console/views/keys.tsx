/** Creates and deletes custom keys with a team key. A team key that did not sign in is kept only in memory. */
import { useEffect, useState } from 'preact/hooks';
import type { answers } from '../../interface/index.js';
import { formatSecond } from '../answer/format.js';
import { cellText } from '../answer/table.js';
import { Checks } from '../parts/checks.js';
import { useConsole } from '../parts/context.js';
import { Busy, Choice, CopyButton, Entry, ErrorBox } from '../parts/controls.js';
import { Listed, RowActions } from '../parts/listed.js';
import { shownValue, useRequest } from '../parts/use-request.js';
import { Problems } from '../query/problems.js';
import { Client } from '../server/client.js';
import { isList, isObject, type Json } from '../server/json.js';
import { ENTITY_ID } from '../server/model.js';
import { People } from './people.js';
import { filterOf, type RowFilter, RowFilters } from './row-filters.js';

export function Keys() {
  const { team, onEnded } = useConsole();
  const [teamClient, setClient] = useState<Client | null>(null);
  const client = team ?? teamClient;
  return (
    <>
      <header class="view-head">
        <h1>Keys</h1>
      </header>
      <p class="lead">
        A custom key gives access to one database: to read, to write or both, with all columns or some of
        them, with all rows or some of them, from any address or from some.
      </p>
      {client === null ? (
        <TeamKeyForm onKey={(key) => setClient(new Client(key, onEnded))} />
      ) : (
        <CustomKeys client={client} />
      )}
    </>
  );
}

function TeamKeyForm({ onKey }: { readonly onKey: (key: string) => void }) {
  const [key, setKey] = useState('');
  const { requestState, run } = useRequest<null>();
  const check = (event: Event): void => {
    event.preventDefault();
    run(async (signal) => {
      await new Client(key.trim()).request({ method: 'GET', path: '/v1/database/retrieve_all' }, signal);
      onKey(key.trim());
      return null;
    });
  };
  return (
    <form class="panel narrow" onSubmit={check}>
      <Entry
        label="Team key"
        type="password"
        value={key}
        onChange={setKey}
        hint="Creating keys requires the team key. It is used while this page is open and not stored."
      />
      {requestState.state === 'failed' && <ErrorBox error={requestState.error} />}
      <div class="row">
        <button type="submit" class="main" disabled={key === '' || requestState.state === 'busy'}>
          Continue
        </button>
      </div>
    </form>
  );
}

interface Made {
  readonly name: string;
  readonly key: string;
}

type Key = answers.ListedCustomKey;

interface Existing {
  readonly databases: readonly string[];
  /** null = the team key may not list them. */
  readonly keys: readonly Key[] | null;
}

const LEVELS = [
  { value: 'read-only', text: 'read only' },
  { value: 'write-only', text: 'write only' },
  { value: 'write-read', text: 'read and write' },
];

function CustomKeys({ client }: { readonly client: Client }) {
  const list = useRequest<Existing>();
  const deletion = useRequest<null>();
  const load = (): void => list.run((signal) => existing(client, signal));
  // Once for each team key.
  useEffect(load, [client]);
  const { requestState } = list;
  const remove = (database: string, name: string): void => {
    if (!window.confirm(`Delete the key “${name}”? Its users lose access immediately.`)) return;
    const body = JSON.stringify({ 'database-name': database, 'custom-database-key': { 'key-name': name } });
    deletion.run(async (signal) => {
      await client.request({ method: 'DELETE', path: '/v1/database/custom_key', body }, signal);
      load();
      return null;
    });
  };
  if (requestState.state === 'failed') return <ErrorBox error={requestState.error} />;
  const found = shownValue(requestState);
  if (found === null) return <Busy text="Reading databases and keys…" />;
  return (
    <>
      <NewKeyForm client={client} databases={found.databases} onMade={load} />
      {deletion.requestState.state === 'failed' && <ErrorBox error={deletion.requestState.error} />}
      <KeyTable keys={found.keys} onDelete={remove} />
      <People client={client} databases={found.databases} />
    </>
  );
}

interface KeyTableProps {
  readonly keys: readonly Key[] | null;
  readonly onDelete: (database: string, name: string) => void;
}

function KeyTable({ keys, onDelete }: KeyTableProps) {
  const rows = keys?.map((key) => {
    const { 'database-name': database, 'key-name': name, 'last-used': used } = key;
    return (
      <tr key={JSON.stringify([database, name])}>
        <td title={key.description}>{name}</td>
        <td>{database}</td>
        <td>{LEVELS.find(({ value }) => value === key['key-type'])?.text}</td>
        <td>{whitelistText(key['columns-whitelist'])}</td>
        <td>{filterText(key.filter)}</td>
        <td>{key['addresses-whitelist'].join(', ') || 'all'}</td>
        <td>{used === null ? 'not since the start' : formatSecond(used)}</td>
        <RowActions of={name} onDelete={() => onDelete(database, name)} />
      </tr>
    );
  });
  const columns = ['Key', 'Database', 'Permission', 'Columns', 'Rows', 'Addresses', 'Last use (UTC)'];
  return <Listed title="Custom keys of the team" columns={columns} rows={rows ?? null} />;
}

const byDimension = <Of,>(map: Readonly<Record<string, Of>>, text: (of: Of) => string): string =>
  Object.entries(map)
    .map(([dimension, of]) => `${dimension}: ${text(of)}`)
    .join('; ') || 'all';

const whitelistText = (whitelist: Key['columns-whitelist']): string =>
  byDimension(whitelist, (columns) => columns.join(', ') || 'none');

/** `customers: country equals "france"` */
function filterText(filter: Key['filter']): string {
  const testText = ([column, test]: [string, unknown]): string =>
    isObject(test as Json)
      ? Object.entries(test as object)
          .map(([operator, value]) => `${column} ${operator} ${cellText(value as Json)}`)
          .join(' and ')
      : column;
  return byDimension(filter, (columns) => Object.entries(columns).map(testText).join(' and '));
}

interface NewKeyProps {
  readonly client: Client;
  readonly databases: readonly string[];
  readonly onMade: () => void;
}

function NewKeyForm({ client, databases, onMade }: NewKeyProps) {
  const { model } = useConsole();
  const [database, setDatabase] = useState(model.database ?? databases[0] ?? '');
  const [name, setName] = useState('');
  const [level, setLevel] = useState('read-only');
  const [description, setDescription] = useState('');
  const [addresses, setAddresses] = useState('');
  const [columns, setColumns] = useState<readonly string[]>([]);
  const [filters, setFilters] = useState<readonly RowFilter[]>([]);
  const { requestState, run } = useRequest<Made>();
  const isHere = database === model.database;
  const make = (event: Event): void => {
    event.preventDefault();
    const whitelist = isHere ? whitelistOf(columns) : null;
    const problems = new Problems();
    const filter = isHere ? filterOf(filters, model, problems) : {};
    const key = {
      'key-name': name,
      'key-type': level,
      ...(description === '' ? {} : { description }),
      ...(addresses.trim() === ''
        ? {}
        : { 'addresses-whitelist': addresses.split(',').map((text) => text.trim()) }),
      ...(whitelist === null ? {} : { 'columns-whitelist': whitelist }),
      filter,
    };
    run(async (signal) => {
      if (problems.found.length > 0) throw new Error(problems.found.map(({ text }) => text).join(' '));
      const body = JSON.stringify({ 'database-name': database, 'custom-database-key': key });
      const { json } = await client.request(
        { method: 'POST', path: '/v1/database/custom_key', body },
        signal,
      );
      setName('');
      onMade();
      return { name, key: isObject(json) ? String(json.key) : '' };
    });
  };
  return (
    <form class="panel narrow" onSubmit={make}>
      <h2>A new key</h2>
      <Choice
        label="Database"
        value={database}
        options={databases.map((text) => ({ value: text, text }))}
        onChange={setDatabase}
      />
      <Entry label="Name of the key" value={name} onChange={setName} />
      <Choice label="Permission" value={level} options={LEVELS} onChange={setLevel} />
      <Entry label="Description (optional)" value={description} onChange={setDescription} />
      <Entry
        label="From these addresses only (optional)"
        value={addresses}
        placeholder="10.0.0.0/8, example.org"
        onChange={setAddresses}
      />
      {isHere && (
        <>
          <ColumnChecks chosen={columns} onChange={setColumns} />
          <RowFilters model={model} filters={filters} onChange={setFilters} />
        </>
      )}
      {requestState.state === 'failed' && <ErrorBox error={requestState.error} />}
      <div class="row">
        <button type="submit" class="main" disabled={name === '' || requestState.state === 'busy'}>
          Create the key
        </button>
      </div>
      {requestState.state === 'done' && (
        <div class="made" role="status">
          <p>
            The key <b>{requestState.value.name}</b>, shown only this once:
          </p>
          <p class="row wrap">
            <code>{requestState.value.key}</code> <CopyButton text={requestState.value.key} label="Copy" />
          </p>
        </div>
      )}
    </form>
  );
}

/** Separates the names of a dimension and a column, which contain no space. */
const BETWEEN = ' ';

interface ColumnChecksProps {
  readonly chosen: readonly string[];
  readonly onChange: (change: (before: readonly string[]) => readonly string[]) => void;
}

function ColumnChecks({ chosen, onChange }: ColumnChecksProps) {
  const { model } = useConsole();
  return (
    <details>
      <summary>
        {chosen.length === 0
          ? 'All columns (choose some to exclude the others)'
          : `${chosen.length} columns only`}
      </summary>
      {model.dimensions.map(({ name: dimension, columns }) => (
        <Checks
          key={dimension}
          legend={dimension}
          items={columns
            .filter(({ name }) => name !== ENTITY_ID)
            .map(({ name }) => ({ value: `${dimension}${BETWEEN}${name}`, text: name }))}
          chosen={chosen}
          onChange={onChange}
        />
      ))}
    </details>
  );
}

/** The chosen columns by dimension; null = all columns. */
function whitelistOf(chosen: readonly string[]): Readonly<Record<string, readonly string[]>> | null {
  if (chosen.length === 0) return null;
  const pairs = chosen.map((whole) => whole.split(BETWEEN));
  const dimensions = [...new Set(pairs.map(([dimension]) => dimension))];
  return Object.fromEntries(
    dimensions.map((name) => [
      name,
      pairs.filter(([dimension]) => dimension === name).map(([, column]) => column),
    ]),
  );
}

async function existing(client: Client, signal: AbortSignal): Promise<Existing> {
  const { json } = await client.request({ method: 'GET', path: '/v1/database/retrieve_all' }, signal);
  const databases = listIn(json)
    .filter(isObject)
    .map((one) => String(one.name));
  try {
    const listed = await client.request({ method: 'GET', path: '/v1/database/custom_key' }, signal);
    return { databases, keys: (listed.json as unknown as answers.CustomKeys).keys };
  } catch (error) {
    if (signal.aborted) throw error;
    return { databases, keys: null };
  }
}

const listIn = (json: Json | undefined): readonly Json[] => (isList(json) ? json : []);
