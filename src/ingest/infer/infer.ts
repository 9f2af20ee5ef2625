/**
 * Infers the objects that auto-create creates for a body: the missing dimensions and columns that the body names, with types
 * inferred from all values of the request, and IDs in the order of first mention.
 * The body must be valid JSON. Only errors that prevent the creation of a dimension or column are reported here; all others are
 * left to the walk over the same body, and the first error in the document counts.
 */
import { NAME_CHARS_MAX, quoted, TEST_COLUMNS_MAX, type WireError } from '../../base/index.js';
import {
  type Column,
  type DatabaseModel,
  DEFAULT_DIMENSION,
  type Dimension,
  newColumn,
  newDimension,
  RESERVED_DIMENSIONS,
  type Relation,
  type TextCase,
} from '../../schema/index.js';
import { eachMember, stringAt } from '../json.js';
import { OPEN_OBJECT, QUOTE, type Source, skipSpace } from '../source.js';
import { DIMENSION } from '../tables.js';
import { AUTO_CREATE, type AutoCreateOptions } from './auto-create.js';
import { Evidence } from './evidence.js';

const DECIMAL_PLACES_MIN = 6;
const API_NAME = /^[a-z0-9-]+$/;

export interface Inferred {
  /** The model including all created objects. */
  readonly model: DatabaseModel;
  /** Created datetime columns that have some dates among their values. */
  readonly midnights: ReadonlySet<Column>;
  readonly createdDimensions: readonly Omit<Dimension, 'columns' | 'relations' | 'segments'>[];
  readonly createdColumns: readonly { readonly dimensionId: number; readonly column: Column }[];
  readonly createdRelations: readonly { readonly dimensionId: number; readonly relation: Relation }[];
  readonly error: { readonly offset: number; readonly error: WireError } | null;
}

interface Candidate {
  readonly dimension: Dimension;
  readonly apiName: string;
  readonly entityId: string;
  readonly keyAt: number;
  readonly id: number;
  readonly evidence: Evidence;
}

class Inference {
  readonly #source: Source;
  readonly #model: DatabaseModel;
  readonly #creates: AutoCreateOptions;
  readonly #dimensions = new Map<string, Dimension>();
  readonly #candidates = new Map<string, Candidate>();
  #nextDimensionId: number;
  #nextColumnId: number;
  #columnTotal = 0;
  #error: { offset: number; error: WireError } | null = null;

  constructor(source: Source, model: DatabaseModel, creates: AutoCreateOptions) {
    this.#source = source;
    this.#model = model;
    this.#creates = creates;
    this.#nextDimensionId = model.nextDimensionId;
    this.#nextColumnId = model.nextColumnId;
    for (const dimension of model.dimensions.values()) this.#columnTotal += dimension.columns.size - 1;
  }

  run(): Inferred {
    const source = this.#source;
    eachMember(source, skipSpace(source.bytes, 0), 0, (keyAt, valueAt) => {
      if (source.bytes[valueAt] !== OPEN_OBJECT || stringAt(source, keyAt) === AUTO_CREATE) return;
      this.#entity(keyAt, valueAt);
    });
    return this.#finish();
  }

  #refuse(offset: number, code: WireError['code'], message: string): void {
    if (this.#error === null || offset < this.#error.offset)
      this.#error = { offset, error: { code, message } };
  }

  #entity(idAt: number, objectAt: number): void {
    const source = this.#source;
    const entityId = stringAt(source, idAt);
    let nameAt = -1;
    eachMember(source, objectAt, 1, (keyAt, valueAt) => {
      if (stringAt(source, keyAt) === DIMENSION) nameAt = valueAt;
    });
    if (nameAt >= 0 && source.bytes[nameAt] !== QUOTE) return;
    const name = nameAt < 0 ? DEFAULT_DIMENSION : stringAt(source, nameAt);
    const dimension = this.#dimension(name, nameAt < 0 ? objectAt : nameAt, entityId);
    if (dimension === null || !this.#creates.columns) return;
    eachMember(source, objectAt, 1, (keyAt, valueAt) => {
      const key = stringAt(source, keyAt);
      if (key === DIMENSION || dimension.columns.has(key)) return;
      this.#candidate(dimension, key, keyAt, entityId)?.evidence.add(source, valueAt);
    });
  }

  /** Returns the dimension `name`, which is created if it is missing and may be created; null if it cannot accept entities. */
  #dimension(name: string, at: number, entityId: string): Dimension | null {
    const known = this.#model.dimensions.get(name) ?? this.#dimensions.get(name);
    if (known !== undefined || !this.#creates.dimensions) return known ?? null;
    const where = `entity ${quoted(entityId)}: dimension ${quoted(name)}`;
    if (!API_NAME.test(name)) {
      this.#refuse(at, 5000, `${where}: an api-name contains only lower-case letters, digits and dashes`);
      return null;
    }
    if (name.length > NAME_CHARS_MAX) {
      this.#refuse(at, 5004, `${where}: an api-name has at most ${NAME_CHARS_MAX} characters`);
      return null;
    }
    if (RESERVED_DIMENSIONS.includes(name)) {
      this.#refuse(at, 5001, `${where} is reserved`);
      return null;
    }
    const dimension = newDimension({
      id: this.#nextDimensionId++,
      apiName: name,
      textCase: this.#model.textCase,
    });
    this.#dimensions.set(name, dimension);
    return dimension;
  }

  #candidate(dimension: Dimension, apiName: string, keyAt: number, entityId: string): Candidate | null {
    const key = `${dimension.id} ${apiName}`;
    const known = this.#candidates.get(key);
    if (known !== undefined) return known;
    const where = `entity ${quoted(entityId)}, column ${quoted(apiName)}`;
    if (!API_NAME.test(apiName)) {
      this.#refuse(keyAt, 3007, `${where}: an api-name contains only lower-case letters, digits and dashes`);
      return null;
    }
    if (apiName.length > NAME_CHARS_MAX) {
      this.#refuse(keyAt, 3015, `${where}: an api-name has at most ${NAME_CHARS_MAX} characters`);
      return null;
    }
    if (this.#model.type === 'test' && this.#columnTotal >= TEST_COLUMNS_MAX) {
      this.#refuse(keyAt, 2021, `${where}: a test database has at most ${TEST_COLUMNS_MAX} columns`);
      return null;
    }
    this.#columnTotal++;
    const id = this.#nextColumnId++;
    const candidate = { dimension, apiName, entityId, keyAt, id, evidence: new Evidence() };
    this.#candidates.set(key, candidate);
    return candidate;
  }

  #finish(): Inferred {
    const columnsOf = new Map<number, Map<string, Column>>();
    const midnights = new Set<Column>();
    const createdColumns: { dimensionId: number; column: Column }[] = [];
    for (const candidate of this.#candidates.values()) {
      const { dimension, apiName, evidence } = candidate;
      const where = `entity ${quoted(candidate.entityId)}, column ${quoted(apiName)}`;
      if (evidence.error !== null) {
        const { offset, code, text } = evidence.error;
        this.#refuse(offset, code, `new column ${quoted(apiName)}: ${text}`);
      }
      if (!evidence.isComplete) {
        this.#refuse(
          candidate.keyAt,
          2007,
          `${where}: no value in the request determines the type of this new column`,
        );
        continue;
      }
      const column = columnOf(candidate, this.#model.textCase);
      if (evidence.hasMidnights) midnights.add(column);
      createdColumns.push({ dimensionId: dimension.id, column });
      const columns = columnsOf.get(dimension.id) ?? new Map(dimension.columns);
      columnsOf.set(dimension.id, columns.set(apiName, column));
    }
    const dimensions = new Map<string, Dimension>();
    for (const [name, dimension] of [...this.#model.dimensions, ...this.#dimensions]) {
      dimensions.set(name, { ...dimension, columns: columnsOf.get(dimension.id) ?? dimension.columns });
    }
    return {
      model: { ...this.#model, dimensions },
      midnights,
      createdDimensions: Array.from(
        this.#dimensions.values(),
        ({ columns: _columns, relations: _relations, segments: _segments, ...created }) => created,
      ),
      createdColumns,
      createdRelations: [],
      error: this.#error,
    };
  }
}

function columnOf({ apiName, id, evidence }: Candidate, textCase: TextCase): Column {
  const type = evidence.type ?? 'string';
  const isEvent = evidence.shape === 'event';
  return newColumn({
    id,
    apiName,
    type: isEvent ? (`${type}-event` as Column['type']) : type,
    ...(evidence.shape === 'list' && { storage: 'list-of-values' }),
    cardinality: type === 'string' && !isEvent ? 'high' : null,
    decimalPlaces: type === 'decimal' ? Math.max(DECIMAL_PLACES_MIN, evidence.decimalPlaces) : null,
    textCase: type === 'string' ? textCase : 'fold',
  });
}

/** Infers what the body creates. The body must be one valid JSON object. Throws nothing. */
export function inferColumns(source: Source, model: DatabaseModel, creates: AutoCreateOptions): Inferred {
  return new Inference(source, model, creates).run();
}
