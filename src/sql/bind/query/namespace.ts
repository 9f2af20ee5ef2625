/** The tables of a FROM clause and the resolution of names among them. Names are compared without case. */
import { quoted } from '../../../base/index.js';
import { lowerCase } from '../../../schema/index.js';
import { sqlError } from '../../sql-error.js';
import type { SourcePosition } from '../../tree.js';
import type { NodeOf } from '../scope.js';
import { suggestion } from '../suggest.js';
import type { OutputColumn } from './plan-columns.js';

/** A table of FROM. */
export interface NamedTable {
  /** In lower case; null = its columns can be named only without a table. */
  readonly qualifier: string | null;
  /** The column with this name in lower case; null if there is none. Throws 6000 if several have it. */
  find(name: string): OutputColumn | null;
  /** The columns of `*`. */
  all(): readonly OutputColumn[];
  /** The columns that were read and because of which the rows of a dimension are events. */
  readonly eventColumns?: ReadonlySet<number>;
}

/** A derived table or a table of WITH. */
export class DerivedTable implements NamedTable {
  readonly qualifier: string | null;
  readonly #columns: readonly OutputColumn[];
  readonly #position: SourcePosition;

  constructor(alias: string | null, columns: readonly OutputColumn[], position: SourcePosition) {
    this.qualifier = alias === null ? null : lowerCase(alias);
    this.#columns = columns;
    this.#position = position;
  }

  find(name: string): OutputColumn | null {
    const exact = this.#named((column) => lowerCase(column) === name, name);
    return (
      exact ?? this.#named((column) => lowerCase(column).replaceAll('-', '_') === this.spelled(name), name)
    );
  }

  /** A name as those of the columns are compared with it: underscores find dashes. */
  protected spelled(name: string): string {
    return name;
  }

  #named(isNamed: (name: string) => boolean, name: string): OutputColumn | null {
    const found = this.#columns.filter((column) => isNamed(column.name));
    if (found.length > 1) throw sqlError(`two columns are called ${quoted(name)}`, this.#position);
    return found[0] ?? null;
  }

  all(): readonly OutputColumn[] {
    return this.#columns;
  }
}

/**
 * A temporary table, in whose names dashes find underscores too: tools read the names of its columns from the table for which its
 * rows are.
 */
export class TemporaryTable extends DerivedTable {
  protected override spelled(name: string): string {
    return name.replaceAll('-', '_');
  }
}

interface FoundColumn {
  readonly table: NamedTable | null;
  readonly column: OutputColumn;
}

/** A column of a join with USING, which is a column of neither table alone. */
export interface MergedColumn {
  readonly output: OutputColumn;
  /** The columns of both sides, which `*` and unqualified names do not find. */
  readonly of: readonly [number, number];
}

export class Namespace {
  readonly tables: readonly NamedTable[];
  readonly #merged: readonly MergedColumn[];

  constructor(tables: readonly NamedTable[], merged: readonly MergedColumn[]) {
    this.tables = tables;
    this.#merged = merged;
  }

  get merged(): readonly MergedColumn[] {
    return this.#merged;
  }

  /** The tables and merged columns of both, for a join or a list. Throws 6000 if two tables have one name. */
  with(other: Namespace, position: SourcePosition): Namespace {
    for (const { qualifier } of other.tables) {
      if (qualifier !== null && this.tables.some((table) => table.qualifier === qualifier)) {
        throw sqlError(`two tables are called ${quoted(qualifier)}; give one an alias`, position);
      }
    }
    return new Namespace([...this.tables, ...other.tables], [...this.#merged, ...other.#merged]);
  }

  /** The same tables with columns that a USING merged. */
  merging(merged: readonly MergedColumn[]): Namespace {
    const replaced = new Set(merged.flatMap(({ of }) => of));
    const left = this.#merged.filter(({ output }) => !replaced.has(output.column));
    return new Namespace(this.tables, [...left, ...merged]);
  }

  /** Resolves a name; null if no column has it. Throws 6000 if it is ambiguous. */
  lookUp(node: NodeOf<'column'> | NodeOf<'string'>): OutputColumn | null {
    return this.find(node)?.column ?? null;
  }

  /** Like `lookUp`, with the table; its table is null for a merged column. */
  find(node: NodeOf<'column'> | NodeOf<'string'>): FoundColumn | null {
    if (node.is === 'string') return this.#unqualified(lowerCase(node.text), node.position);
    const name = lowerCase(node.name);
    if (node.table === null) return this.#unqualified(name, node.position);
    const qualifier = lowerCase(node.table);
    const table = this.tables.find((one) => one.qualifier === qualifier);
    const column = table?.find(name) ?? null;
    if (table !== undefined && column !== null) return { table, column };
    // clicks.value is a table and its column, or the event column [clicks.value] of any table.
    return this.#unqualified(`${qualifier}.${name}`, node.position);
  }

  #unqualified(name: string, position: SourcePosition): FoundColumn | null {
    const merged = this.#merged.filter(({ output }) => lowerCase(output.name) === name);
    if (merged.length === 1) return { table: null, column: merged[0].output };
    const hidden = this.#hidden();
    const found: { readonly table: NamedTable; readonly column: OutputColumn }[] = [];
    for (const table of this.tables) {
      const column = table.find(name);
      if (column !== null && !hidden.has(column.column)) found.push({ table, column });
    }
    if (found.length > 1 || merged.length > 1) {
      const tables = found.map(({ table }) => table.qualifier ?? 'a subquery').join(' and ');
      throw sqlError(`${quoted(name)} is a column of ${tables}: write the table before it`, position);
    }
    return found[0] ?? null;
  }

  #hidden(): ReadonlySet<number> {
    return new Set(this.#merged.flatMap(({ of }) => of));
  }

  /** The columns of `*` (table null) or `t.*`. Throws 6000. */
  star(table: string | null, position: SourcePosition): readonly OutputColumn[] {
    if (this.tables.length === 0) throw sqlError('* requires FROM', position);
    if (table !== null) return this.#named(table, position).all();
    const hidden = this.#hidden();
    const others = this.tables.flatMap((one) => one.all()).filter(({ column }) => !hidden.has(column));
    return [...this.#merged.map(({ output }) => output), ...others];
  }

  #named(table: string, position: SourcePosition): NamedTable {
    const found = this.tables.find(({ qualifier }) => qualifier === lowerCase(table));
    if (found !== undefined) return found;
    const qualifiers = this.tables.flatMap(({ qualifier }) => qualifier ?? []);
    const near = suggestion(table, qualifiers);
    const more = near === null ? {} : { suggestion: near };
    throw sqlError(`the statement has no table ${quoted(table)}`, position, more);
  }
}

export const NO_TABLES = new Namespace([], []);
