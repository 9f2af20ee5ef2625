/**
 * POST /v1/data_extraction/score: the conditions of a query, one point each. The top list and lists joined by `or` sum
 * their operands, and operands joined by `and` within a list are worth one point together, as are a negated operand and
 * a frequency group.
 * A `geo_near` gives a point to the nearest entities, which are found first and then selected by their IDs.
 */
import { QuarryError, quoted, SCORED_NEAREST_MAX } from '../../base/index.js';
import type { Condition, ExtractPlan } from '../../ir/index.js';
import type { Json } from '../body/json.js';
import type { NearRules } from '../condition/near.js';
import { conditionOfOperand, joined, type Operand, type QueryTree } from '../condition/query-tree.js';
import { type Extraction, type ExtractionRequest, extractionOf, readParts } from './extraction.js';
import { pageTokenError } from './page-token.js';
import { SCORE_FIELD } from './text.js';

export interface Score {
  /** Rows with their scores, without the points of `nearest`. */
  readonly extraction: Extraction & { readonly plan: { readonly scored: readonly Condition[] } };
  /** Selects the entities that get a point for `geo_near`; null = there is no `geo_near`. */
  readonly nearest: ExtractPlan | null;
}

const NEAR_OF_SCORE: NearRules = {
  limitMax: SCORED_NEAREST_MAX,
  where:
    'in the top list or in lists joined by "or", but not joined by "and" within a list, and not after "not"',
};

/** Binds the body. Throws the errors of `bindExtraction`, and 4029 for every page token. */
export function bindScore(body: Json, request: ExtractionRequest): Score {
  const parts = readParts(body, 'score', NEAR_OF_SCORE, request);
  // All rows fit one page.
  if (parts.token !== null) throw pageTokenError();
  if (parts.columns?.some(({ column }) => column.apiName === SCORE_FIELD) === true) {
    throw new QuarryError(4049, `the column ${quoted(SCORE_FIELD)} cannot be used in rows with a score`);
  }
  const { dimension, near, limit, order } = parts;
  const scoreIndex = {
    databaseId: request.model.id,
    dimensionId: dimension.id,
    condition: request.access.restrict(dimension, null, request.nowMs),
    near: near?.plan ?? null,
    after: null,
  };
  const scored = scoredConditions(parts.tree);
  const page = { number: 1, taken: 0, rows: limit, firstMs: request.nowMs };
  const extraction = extractionOf(parts, page, { ...scoreIndex, scored, order, limit }, SCORE_FIELD);
  return {
    extraction: { ...extraction, plan: { ...extraction.plan, scored } },
    nearest:
      near === null ? null : { ...scoreIndex, scored: null, order: [], limit: near.limit, columns: [] },
  };
}

/** The plan of the rows, where `ids` are the nearest entities; null if no entity can score a point. */
export function planWithNearest({ extraction: { plan } }: Score, ids: readonly string[]): ExtractPlan | null {
  const isNearest: Condition = {
    op: 'entity-id',
    tests: [{ kind: 'text', match: 'equals', texts: ids, negated: false }],
  };
  const scored = ids.length === 0 ? plan.scored : [...plan.scored, isNearest];
  return scored.length === 0 ? null : { ...plan, scored };
}

/** The conditions that give points, without `geo_near`. */
function scoredConditions(tree: QueryTree): readonly Condition[] {
  return tree.alternatives.flatMap((operands) => operands.flatMap(pointsOf));
}

function pointsOf(operand: Operand): readonly Condition[] {
  if (operand.negated || operand.is === 'condition') return [conditionOfOperand(operand)];
  if (operand.is === 'near') return [];
  return operand.tree.alternatives.flatMap((operands) =>
    operands.length === 1 ? pointsOf(operands[0]) : [joined('and', operands.map(conditionOfOperand))],
  );
}
