/**
 * POST /v1/data_extraction/result: binds the body to a plan for one page of rows. Scores read the same parts.
 * Invariants: everything is bound with the caller's access; relative dates count from the time of the first page, which the
 * page token contains, while the caller's filter is bound at the time of each page; all pages together contain at most
 * `limit` rows.
 */
import { EXTRACTED_ROWS_DEFAULT, invariant, PAGE_ROWS_MAX, QuarryError } from '../../base/index.js';
import { extraction, scoring } from '../../interface/index.js';
import type { Condition, ExtractPlan, OrderKey, OrderValue } from '../../ir/index.js';
import { type DatabaseModel, type Dimension, ENTITY_ID_COLUMN } from '../../schema/index.js';
import type { Access } from '../body/access.js';
import { dimensionOf, readAll, readOrNull } from '../body/fields.js';
import type { Json } from '../body/json.js';
import { RequestBody } from '../body/request-body.js';
import { queryList, readQuery } from '../condition/condition.js';
import type { NearQuery, NearRules } from '../condition/near.js';
import {
  checkOneWindow,
  conditionOf,
  conditionOfOperand,
  joined,
  nearIn,
  type Operand,
  type QueryTree,
} from '../condition/query-tree.js';
import {
  allColumns,
  type ColumnScope,
  type ExtractColumn,
  type ExtractColumns,
  outputColumn,
  readColumns,
  readOrder,
} from './columns.js';
import {
  PAGE_TOKEN_FIELD,
  type PageToken,
  pageTokenError,
  readPageToken,
  type TokenOwner,
} from './page-token.js';

/** The caller, time and model of a request. */
export interface ExtractionRequest {
  readonly model: DatabaseModel;
  readonly nowMs: number;
  readonly access: Access;
  /** Identifies the key or the user; unique for each caller. */
  readonly caller: string;
  /** The answer contains all rows instead of one page. */
  readonly whole?: boolean;
}

/** The rows of the whole result that a page contains. */
export interface Page {
  /** From 1. */
  readonly number: number;
  /** Number of rows on the previous pages. */
  readonly taken: number;
  /** Maximum number of rows. */
  readonly rows: number;
  /** Time of the request for the first page. */
  readonly firstMs: number;
}

export interface Extraction {
  /** Selects one row more than the page contains if another page may follow. */
  readonly plan: ExtractPlan;
  /** One per column of the plan. */
  readonly columns: readonly ExtractColumn[];
  /** The answer contains the rows as a list; otherwise as members of an object, by ID. */
  readonly asList: boolean;
  /** Not null if the rows contain distances. */
  readonly near: NearQuery | null;
  readonly page: Page;
  /** Owner of the token for the next page. */
  readonly owner: TokenOwner;
  readonly bypassCache: boolean;
}

const NEAR_OF_RESULT: NearRules = {
  limitMax: null,
  where: 'only at the top level of a query whose conditions are joined by "and", not in a nested list',
};

/**
 * Binds the body. Throws 506, 4004, 4010, 4028, 4029, 4030, 4038, 4055, 5008, 5009, the errors of `readQuery`, `readColumns`
 * and `readOrder`, and 4049 for a page token in a request for all rows.
 */
export function bindExtraction(body: Json, request: ExtractionRequest): Extraction {
  const parts = readParts(body, 'result', NEAR_OF_RESULT, request);
  const { tree, near, order, token } = parts;
  if (near !== null && order.length > 0) {
    throw new QuarryError(4038, '"order" cannot be used together with "geo_near", which orders by distance');
  }
  const limit = Math.min(parts.limit, near?.limit ?? Number.POSITIVE_INFINITY);
  const others = near === null ? conditionOf(tree) : conditionsBesideNear(tree);
  const whole = request.whole === true;
  if (whole && token !== null) {
    const text = `"${PAGE_TOKEN_FIELD}" cannot be used where all rows are returned at once: only JSON has pages`;
    throw new QuarryError(4049, text);
  }
  const page = pageOf(token, limit, request.nowMs, whole ? limit : PAGE_ROWS_MAX);
  if (token !== null && !fits(token, order, near)) throw pageTokenError();
  const { dimension } = parts;
  return extractionOf(parts, page, {
    databaseId: request.model.id,
    dimensionId: dimension.id,
    condition: request.access.restrict(dimension, others, request.nowMs),
    scored: null,
    near: near?.plan ?? null,
    order,
    after: token?.last ?? null,
    limit: Math.min(page.rows + 1, limit - page.taken),
  });
}

/** The conditions of a query except its `geo_near`; null = there are none. Throws 4007. */
function conditionsBesideNear(tree: QueryTree): Condition | null {
  const [operands, ...alternatives] = tree.alternatives;
  const [only, ...more] = operands;
  if (alternatives.length === 0 && more.length === 0 && only.is === 'list' && !only.negated) {
    return conditionsBesideNear(only.tree);
  }
  const isNear = (operand: Operand): boolean => operand.is === 'near' && !operand.negated;
  if (alternatives.length > 0) return conditionOf(tree);
  const others = operands.filter((operand) => !isNear(operand)).map(conditionOfOperand);
  return others.length === 0 ? null : joined('and', others);
}

function pageOf(token: PageToken | null, limit: number, nowMs: number, rowsMax: number): Page {
  const taken = token?.taken ?? 0;
  if (taken >= limit) throw pageTokenError();
  const rows = Math.min(rowsMax, limit - taken);
  return { number: token?.page ?? 1, taken, rows, firstMs: token?.firstMs ?? nowMs };
}

/** Whether the token's position fits this order. */
function fits({ last }: PageToken, order: readonly OrderKey[], near: NearQuery | null): boolean {
  const isOfKind = (value: OrderValue, key: OrderKey): boolean => {
    if (key.by === 'entity-id') return typeof value === 'string';
    return value === null || (typeof value === 'string') === (key.kind === 'code');
  };
  const valuesFit = last.values.every(
    (value, index) => index < order.length && isOfKind(value, order[index]),
  );
  return (
    valuesFit &&
    last.values.length === order.length &&
    last.score === 0 &&
    (near !== null || last.distanceKm === 0)
  );
}

/** The parts of a body that `result` and `score` have in common. */
export interface ExtractionParts {
  readonly dimension: Dimension;
  readonly tree: QueryTree;
  /** The `geo_near` of `tree`. */
  readonly near: NearQuery | null;
  readonly columns: ExtractColumns;
  readonly scope: ColumnScope;
  /** Empty = the body has none. */
  readonly order: readonly OrderKey[];
  readonly limit: number;
  readonly token: PageToken | null;
  readonly owner: TokenOwner;
  readonly bypassCache: boolean;
}

/** Reads the fields of a body. An error reports every invalid field. */
export function readParts(
  json: Json,
  endpoint: 'result' | 'score',
  nearRules: NearRules,
  { model, nowMs, access, caller }: ExtractionRequest,
): ExtractionParts {
  const body = RequestBody.of(endpoint === 'result' ? extraction : scoring, json);
  const owner = { endpoint, caller, databaseId: model.id, body: body.object };
  const readDimension = (): Dimension => dimensionOf(model, body);
  const readToken = (): PageToken | null => {
    const token = body.get(PAGE_TOKEN_FIELD) ?? null;
    return token === null ? null : readPageToken(owner, token);
  };
  const dimension = readOrNull(readDimension);
  const token = readOrNull(readToken);
  const firstMs = token?.firstMs ?? nowMs;
  const scope = dimension === null ? null : { dimension, access, nowMs: firstMs };
  const parts = body.read(() =>
    readAll({
      dimension: readDimension,
      query: () => {
        const query = body.get('query');
        if (scope !== null) return readTree(query, scope, nearRules);
        queryList(query);
        return null;
      },
      columns: () => {
        const columns = body.get('columns');
        return scope === null ? null : readColumns(columns, scope);
      },
      limit: () => body.get('limit') ?? EXTRACTED_ROWS_DEFAULT,
      order: () => {
        const order = body.get('order') ?? null;
        return order === null || scope === null ? [] : readOrder(order, scope);
      },
      // Reads an invalid token again only for its error: a digest over the whole body takes time.
      token: () => token ?? readToken(),
      bypassCache: () => body.get('bypass-cache') ?? false,
    }),
  );
  const { query, ...others } = parts;
  invariant(query !== null && scope !== null, 'a query was bound in an invalid dimension');
  return { ...others, ...query, scope, owner };
}

function readTree(
  query: Json,
  { dimension, access, nowMs }: ColumnScope,
  nearRules: NearRules,
): { readonly tree: QueryTree; readonly near: NearQuery | null } {
  const tree = readQuery(query, dimension, nowMs, access.checkColumn, nearRules);
  const near = nearIn(tree);
  checkOneWindow(tree);
  return { tree, near };
}

/** The extraction of a plan with the columns that `parts` request; for "all", the column `reserved` is left out. */
export function extractionOf(
  { columns: named, scope, order, near, owner, bypassCache }: ExtractionParts,
  page: Page,
  plan: Omit<ExtractPlan, 'columns'>,
  reserved: string | null = null,
): Extraction {
  const namesIds = named?.some(({ column }) => column.apiName === ENTITY_ID_COLUMN) === true;
  const asList = order.length > 0 || namesIds;
  const columns = named ?? allColumns(scope, asList).filter(({ column }) => column.apiName !== reserved);
  return {
    plan: { ...plan, columns: columns.map(outputColumn) },
    columns,
    asList,
    near,
    page,
    owner,
    bypassCache,
  };
}
