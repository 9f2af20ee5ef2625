/**
 * A dimension, or one of its event columns, as a table of FROM. Only columns that the statement reads are scanned, so the
 * scan is bound when all of them are known: as a SELECT of these columns, with the conditions of WHERE that read no
 * other table.
 */
import { FLOAT, type Relation } from '../../../../ir/index.js';
import { ENTITY_ID_COLUMN, lowerCase } from '../../../../schema/index.js';
import type { SqlNode, TableName } from '../../../tree.js';
import { Inputs } from '../../clauses/inputs.js';
import { nameOfRef, type Source, Sources } from '../../clauses/sources.js';
import { conjunctionOf } from '../../nodes.js';
import type { SqlRequest } from '../../request.js';
import type { NodeOf } from '../../scope.js';
import { bindSelect } from '../../select.js';
import type { NamedTable } from '../namespace.js';
import { type OutputColumn, PLAIN_TRAITS, type PlanColumns } from '../plan-columns.js';

/** An event column as a table: its columns are entity-id, date and value. */
export interface EventTableName {
  readonly dimension: string;
  readonly events: string;
}

/** No column has this name. */
const LINK = '(link)';

export class BaseTable implements NamedTable {
  readonly qualifier: string;
  /** Whether an outer join may replace its rows by missing values. */
  isOptional = false;
  readonly #table: TableName;
  readonly #events: EventTableName | null;
  readonly #request: SqlRequest;
  readonly #columns: PlanColumns;
  readonly #sources: Sources;
  readonly #source: Source;
  readonly #inputs = new Inputs();
  /** The columns that are read, by their names in the dimension, as which the link of an event has `LINK`. */
  readonly #read = new Map<string, OutputColumn>();
  readonly #conditions: SqlNode[] = [];

  readonly eventColumns = new Set<number>();

  /** `events` null = the table is a dimension. Throws 6000. */
  constructor(table: TableName, events: EventTableName | null, request: SqlRequest, columns: PlanColumns) {
    this.#table = events === null ? table : { ...table, name: events.dimension };
    this.#events = events;
    this.#request = request;
    this.#columns = columns;
    this.#sources = new Sources(request);
    this.#source = this.#sources.add({ ...this.#table, alias: table.alias ?? table.name });
    this.qualifier = this.#source.qualifier;
  }

  /** Conditions of WHERE can be added only to tables of a dimension, whose column names they use. */
  get takesConditions(): boolean {
    return this.#events === null && !this.isOptional;
  }

  addCondition(node: SqlNode): void {
    this.#conditions.push(node);
  }

  find(name: string): OutputColumn | null {
    const stored = this.#storedName(name);
    return stored === null ? null : this.#column(stored, name);
  }

  /** Returns a function that forgets the columns that were read since. */
  mark(): () => void {
    const known = this.#read.size;
    return () => {
      for (const [key, { column }] of [...this.#read].slice(known)) {
        this.#read.delete(key);
        this.eventColumns.delete(column);
      }
    };
  }

  /** The name in the dimension of a column of this table; null if an event table has no such column. */
  #storedName(name: string): string | null {
    if (this.#events === null) return name;
    if (name === ENTITY_ID_COLUMN || name === 'entity_id') return ENTITY_ID_COLUMN;
    return name === 'date' || name === 'value' ? `${this.#events.events}.${name}` : null;
  }

  #column(stored: string, name: string): OutputColumn | null {
    const { position } = this.#table;
    const ref = this.#sources.lookUp(this.#node(stored));
    if (ref === null || (ref.is === 'score' && this.#events !== null)) return null;
    const key = stored === LINK ? LINK : nameOfRef(ref);
    const known = this.#read.get(key);
    if (known !== undefined) return known;
    const input = ref.is === 'score' ? null : this.#inputs.column(ref, position);
    const traits = input?.op === 'input' ? this.#inputs.traits(input.input) : PLAIN_TRAITS;
    const label = this.#events === null ? key : name;
    const added = this.#columns.add(input?.type ?? FLOAT, traits, label);
    const column = { ...added, name: label, constant: null };
    this.#read.set(key, column);
    const isOfEvent = ref.is !== 'score' && ref.part !== 'attribute';
    if (this.#events === null && isOfEvent) this.eventColumns.add(column.column);
    return column;
  }

  /** The node of a column by its name in the dimension. Columns of an event table are not mistaken for attributes of that name. */
  #node(stored: string): NodeOf<'column'> {
    const { position } = this.#table;
    const node = { is: 'column', position, parenthesized: false } as const;
    if (this.#events === null) return { ...node, table: null, name: stored };
    if (stored !== LINK) return { ...node, table: this.qualifier, name: stored };
    return { ...node, table: this.qualifier, name: `${this.#events.events}.date`, ofLink: true };
  }

  /** The number that an event of an event table shares with its related events in other columns; missing if there are none. */
  link(): OutputColumn {
    return this.#column(LINK, LINK) as OutputColumn;
  }

  all(): readonly OutputColumn[] {
    const names =
      this.#events === null
        ? this.#sources.attributes(this.#source).map(({ apiName }) => apiName)
        : [ENTITY_ID_COLUMN, 'date', 'value'];
    return names.map((name) => this.find(lowerCase(name)) as OutputColumn);
  }

  /** Throws the error for a column that no table has, with a suggestion. */
  refuse(node: NodeOf<'column'>): void {
    this.#sources.resolve(node);
  }

  /** The scan of the columns that were read. Throws 6000, 506. */
  scan(): Relation {
    if (this.#events !== null) this.#column(`${this.#events.events}.date`, 'date');
    const { position } = this.#table;
    const read = [...this.#read.entries()];
    const items = (read.length === 0 ? [ENTITY_ID_COLUMN] : read.map(([name]) => name)).map((name) => ({
      of: { ...this.#node(name), table: this.qualifier },
      alias: null,
    }));
    const plan = bindSelect(
      {
        is: 'select',
        position,
        explain: 'no',
        distinct: false,
        items,
        from: { ...this.#table, alias: this.qualifier },
        joins: [],
        where: conjunctionOf(this.#conditions),
        groupBy: [],
        having: null,
        orderBy: [],
        limit: null,
        offset: 0,
      },
      this.#request,
    );
    const columns = read.map(([, { column, type }]) => ({ column, type }));
    const spare = read.length === 0 ? [this.#columns.add(plan.outputs[0].type, PLAIN_TRAITS, '')] : [];
    return { op: 'scan', plan, columns: [...columns, ...spare] };
  }
}
