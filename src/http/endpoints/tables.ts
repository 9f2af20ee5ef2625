/** Tables of the documents that are generated from the code, as Markdown: endpoints and keys, permissions, limits. */
import { JSON_NODES_MAX } from '../../api/index.js';
import {
  BODY_BYTES_MAX,
  BUCKETS_MAX,
  COLUMNS_PER_EXTRACTION_MAX,
  COLUMNS_PER_INSERT_MAX,
  COLUMNS_PER_QUERY_MAX,
  COLUMNS_PER_REQUEST_MAX,
  CONDITIONS_PER_QUERY_MAX,
  DIMENSIONS_PER_REQUEST_MAX,
  ENTITIES_PER_INSERT_MAX,
  IDS_PER_EXISTS_MAX,
  LEVELS_PER_AGGREGATION_MAX,
  MINFREQ_MAX,
  ORDER_KEYS_MAX,
  PAGE_ROWS_MAX,
  QUERIES_PER_REQUEST_MAX,
  SCORED_ROWS_MAX,
  TEST_COLUMNS_MAX,
  TOP_VALUES_MAX,
  TOP_VALUES_QUERIES_MAX,
  VALUES_PER_LIST_MAX,
  WINDOWS_PER_LEVEL_MAX,
} from '../../base/index.js';
import { LOAD_PLANS, type LoadPlan, PERMISSIONS } from '../../catalog/index.js';
import { SPEC_LIMITS } from '../limits/limit-table.js';
import { ENDPOINTS, type Endpoint, SESSION_BODY_BYTES_MAX } from './endpoints.js';

type Row = readonly string[];

/** Tables by the name of the marks around them in the document: `<!-- keys -->` to `<!-- /keys -->`. */
export function documentedTables(): Readonly<Record<'keys' | 'permissions' | 'plans' | 'bounds', string>> {
  return { keys: keyTable(), permissions: permissionTable(), plans: planTable(), bounds: boundTable() };
}

function keyTable(): string {
  const head = ['Method', 'Path', 'Keys', 'Custom keys', 'Permission', 'Requests a minute'];
  const rows = ENDPOINTS.map((endpoint) => [
    endpoint.method,
    `\`${endpoint.path}\``,
    keysOf(endpoint),
    customKeyRule(endpoint),
    endpoint.scope === 'open' ? '–' : String(endpoint.permission),
    endpoint.rate === null ? '–' : String(endpoint.rate),
  ]);
  return table(head, rows);
}

export function keysOf(endpoint: Endpoint): string {
  switch (endpoint.scope) {
    case 'open':
      return 'none needed';
    case 'team':
      return endpoint.teamPermission === null ? 'team' : `team with ${endpoint.teamPermission}`;
    case 'database':
      return endpoint.keys.join(', ');
  }
}

export function customKeyRule(endpoint: Endpoint): string {
  if (endpoint.scope === 'open') return '–';
  if (endpoint.scope === 'team') return '509';
  return typeof endpoint.custom === 'number' ? String(endpoint.custom) : endpoint.custom.join(', ');
}

function permissionTable(): string {
  return table(['Number', 'Permits to'], Object.entries(PERMISSIONS));
}

function planTable(): string {
  const { queriesPerMinute, entitiesPerMinute, writesPerDay } = SPEC_LIMITS;
  const row = (name: string, limit: (plan: LoadPlan) => number): Row => [
    name,
    ...LOAD_PLANS.map((plan) => grouped(limit(plan))),
  ];
  return table(
    ['Per database', ...LOAD_PLANS],
    [
      row('`query-load`: requests a minute, all such endpoints together', (plan) => queriesPerMinute[plan]),
      row('`insertion-load`: entities inserted or updated a UTC day', (plan) => writesPerDay[plan]),
      row('entity IDs inserted a minute', () => entitiesPerMinute),
    ],
  );
}

/** Limits of requests. */
export const BOUNDS: readonly (readonly [what: string, count: number])[] = [
  ['Bytes of a body, as sent and as decoded', BODY_BYTES_MAX],
  ['Bytes of the body of `POST /v1/session`', SESSION_BODY_BYTES_MAX],
  ['Values and keys of a JSON body, except inserts', JSON_NODES_MAX],
  ['Entity IDs of an insert', ENTITIES_PER_INSERT_MAX],
  ['Columns of an insert, each counted once per dimension', COLUMNS_PER_INSERT_MAX],
  ['Columns created by one request', COLUMNS_PER_REQUEST_MAX],
  ['Columns of a database of type test', TEST_COLUMNS_MAX],
  ['Dimensions created by one request', DIMENSIONS_PER_REQUEST_MAX],
  ['Queries of a count request', QUERIES_PER_REQUEST_MAX],
  ['Columns of a query', COLUMNS_PER_QUERY_MAX],
  ['Conditions of a query', CONDITIONS_PER_QUERY_MAX],
  ['Values of a list in a condition', VALUES_PER_LIST_MAX],
  ['IDs of an exists request', IDS_PER_EXISTS_MAX],
  ['`minfreq`', MINFREQ_MAX],
  ['Levels of an aggregation', LEVELS_PER_AGGREGATION_MAX],
  ['Values of a level, and of a query of top values', TOP_VALUES_MAX],
  ['Windows of a histogram that lists them', WINDOWS_PER_LEVEL_MAX],
  ['Buckets of a histogram by interval', BUCKETS_MAX],
  ['Queries of a top values request', TOP_VALUES_QUERIES_MAX],
  ['Columns of an extraction', COLUMNS_PER_EXTRACTION_MAX],
  ['Columns of the order of an extraction', ORDER_KEYS_MAX],
  ['Rows of a page', PAGE_ROWS_MAX],
  ['Rows of an extraction by score', SCORED_ROWS_MAX],
];

function boundTable(): string {
  return table(
    ['At most', ''],
    BOUNDS.map(([what, count]) => [what, grouped(count)]),
  );
}

/** With commas between thousands. */
function grouped(count: number): string {
  return count.toLocaleString('en-US');
}

function table(head: Row, rows: readonly Row[]): string {
  const lines = [head, head.map(() => '---'), ...rows];
  return lines.map((texts) => `| ${texts.join(' | ')} |`).join('\n');
}
