/**
 * The file of `--limits FILE`: TOML that replaces single limits of the interface.
 *   entities-per-minute = 1000000
 *   [queries-per-minute]     # by query-load plan
 *   mega = 20000
 *   [writes-per-day]         # by insertion-load plan
 *   normal = 50000000
 *   [requests-per-minute]    # by endpoint
 *   "POST /v1/sql" = 1000
 * Invariants: a limit that the file does not name keeps the interface's value; an unknown key, endpoint or plan, and any
 * value but a whole number in range, is refused with a message that names it.
 */
import { parse as parseToml } from 'smol-toml';
import { quoted } from '../../base/index.js';
import { LOAD_PLANS, type LoadPlan } from '../../catalog/index.js';
import { ENDPOINTS, type LimitTable, SPEC_LIMITS } from '../../http/index.js';

/** Above the rate of any machine, and exact in the arithmetic of the windows. 0 refuses every request. */
const LIMIT_MAX = 1_000_000_000_000;

const KEYS = ['entities-per-minute', 'queries-per-minute', 'writes-per-day', 'requests-per-minute'];

class Wrong extends Error {}

type Table = Readonly<Record<string, unknown>>;

/** The interface's table with the limits of the TOML text, or an error message that names the key. */
export function readLimits(text: string): LimitTable | { readonly wrong: string } {
  try {
    return tableOf(parseToml(text, { integersAsBigInt: true }));
  } catch (error) {
    return { wrong: (error as Error).message };
  }
}

function tableOf(file: Table): LimitTable {
  for (const key of Object.keys(file)) {
    if (!KEYS.includes(key)) throw new Wrong(`unknown key ${quoted(key)}; the keys are ${KEYS.join(', ')}`);
  }
  const entities = file['entities-per-minute'];
  return {
    requestsPerMinute: requestsOf(sectionOf(file, 'requests-per-minute')),
    entitiesPerMinute:
      entities === undefined ? SPEC_LIMITS.entitiesPerMinute : limitOf('entities-per-minute', entities),
    queriesPerMinute: plansOf(file, 'queries-per-minute', SPEC_LIMITS.queriesPerMinute),
    writesPerDay: plansOf(file, 'writes-per-day', SPEC_LIMITS.writesPerDay),
  };
}

function sectionOf(file: Table, key: string): Table {
  const section = file[key] ?? {};
  // A date is an object too, of another class.
  if (Object.getPrototypeOf(section) === Object.prototype || Object.getPrototypeOf(section) === null)
    return section as Table;
  throw new Wrong(`${key}: expected a section: [${key}] on a line of its own, with its values below it`);
}

function plansOf(
  file: Table,
  key: string,
  limits: Readonly<Record<LoadPlan, number>>,
): Readonly<Record<LoadPlan, number>> {
  const changed: Record<LoadPlan, number> = { ...limits };
  for (const [plan, value] of Object.entries(sectionOf(file, key))) {
    const known = LOAD_PLANS.find((one) => one === plan);
    if (known === undefined) {
      throw new Wrong(`${key}: unknown plan ${quoted(plan)}; the plans are ${LOAD_PLANS.join(', ')}`);
    }
    changed[known] = limitOf(`${key}.${plan}`, value);
  }
  return changed;
}

function requestsOf(section: Table): ReadonlyMap<string, number> {
  const endpoints = new Set(ENDPOINTS.map(({ method, path }) => `${method} ${path}`));
  const limits = new Map<string, number>();
  for (const [endpoint, value] of Object.entries(section)) {
    if (!endpoints.has(endpoint)) {
      throw new Wrong(
        `requests-per-minute: ${quoted(endpoint)} is not an endpoint; expected a form such as "POST /v1/sql"`,
      );
    }
    limits.set(endpoint, limitOf(`requests-per-minute.${quoted(endpoint)}`, value));
  }
  return limits;
}

function limitOf(key: string, value: unknown): number {
  if (typeof value !== 'bigint' || value < 0n || value > BigInt(LIMIT_MAX)) {
    throw new Wrong(`${key}: expected a whole number from 0 to ${LIMIT_MAX}`);
  }
  return Number(value);
}

/** The table as TOML, which `--print-config` shows after the file's name. */
export function limitsText(table: LimitTable): string {
  const section = (key: string, limits: Iterable<readonly [string, number]>): string[] => [
    `[${key}]`,
    ...[...limits].map(([name, limit]) => `${/^\w+$/.test(name) ? name : quoted(name)} = ${limit}`),
  ];
  return [
    `entities-per-minute = ${table.entitiesPerMinute}`,
    ...section('queries-per-minute', Object.entries(table.queriesPerMinute)),
    ...section('writes-per-day', Object.entries(table.writesPerDay)),
    ...section('requests-per-minute', table.requestsPerMinute),
  ].join('\n');
}
