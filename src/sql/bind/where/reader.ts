/**
 * Converts WHERE, and the parts of HAVING that are conditions on events, to predicates.
 * Invariants: at most CONDITIONS_PER_QUERY_MAX parts over COLUMNS_PER_QUERY_MAX columns; parentheses and NOT nest at most
 * NESTING_MAX deep. Members of AND and OR are traversed without recursion.
 */
import { COLUMNS_PER_QUERY_MAX, CONDITIONS_PER_QUERY_MAX, NESTING_MAX } from '../../../base/index.js';
import { ALL_EVENTS, type Condition, type EventTest, type ValueTest } from '../../../ir/index.js';
import { type Column, ENTITY_ID_COLUMN } from '../../../schema/index.js';
import { sqlError } from '../../sql-error.js';
import type { SqlNode } from '../../tree.js';
import { checkCount } from '../bounds.js';
import { bare, membersOf } from '../nodes.js';
import { EventGroup, type ScopedWindows, windowFor } from './events.js';
import { leafOrDistance } from './geo-leaf.js';
import {
  anyTest,
  isOfEvents,
  type Leaf,
  type LeafScope,
  noTest,
  type PresenceLeaf,
  type TestLeaf,
  testOf,
  type WindowLeaf,
} from './leaf.js';
import { truthOf } from './operand.js';
import type { Predicate } from './predicate.js';
import { segmentLeaf } from './segment-leaf.js';

/** The conditions of the top list on the events of a column, which groups and aggregates over these events also apply. */
export interface TopEvents {
  /** From the members without parentheses; without tests, only a window or nothing. */
  readonly listed: EventTest;
  /** Conditions that each apply to an event of their own. */
  readonly own: readonly EventTest[];
}

export interface WhereRead {
  /** All of them must hold. */
  readonly predicates: readonly Predicate[];
  /** The predicates that add a point each to the score. */
  readonly points: readonly Predicate[];
  /** By column id. */
  readonly events: ReadonlyMap<number, TopEvents>;
}

interface Member {
  readonly node: SqlNode;
  readonly fromHaving: boolean;
}

/** A classified member of an AND list. */
type Part =
  | { readonly is: 'windows'; readonly leaves: readonly WindowLeaf[] }
  /** A test of the value of the list's event. */
  | { readonly is: 'value'; readonly leaves: readonly TestLeaf[]; readonly test: ValueTest }
  | { readonly is: 'leaf'; readonly leaf: Leaf }
  | { readonly is: 'other' };

interface Read {
  readonly predicate: Predicate;
  readonly fromHaving: boolean;
  /** The predicates that add points at the top level; null = determined by its form. */
  readonly points: readonly Predicate[] | null;
}

/** The predicate of a member, or the event group of a column at the position of its first member. */
type Entry = Read | { readonly group: EventGroup };

interface ListRead {
  readonly predicates: readonly Read[];
  readonly events: Map<number, { listed: EventTest; own: EventTest[] }>;
}

export class WhereReader {
  readonly #scope: LeafScope;
  readonly #columns = new Set<Column>();
  #conditionCount = 0;

  constructor(scope: LeafScope) {
    this.#scope = scope;
  }

  /** Throws 6000 and 506. */
  read(where: SqlNode | null, having: readonly SqlNode[]): WhereRead {
    const inWhere = where === null ? [] : where.is === 'or' ? [where] : listed(bare(where));
    const { predicates, events } = this.#list(
      [
        ...inWhere.map((node) => ({ node, fromHaving: false })),
        ...having.map((node) => ({ node, fromHaving: true })),
      ],
      new Map(),
      1,
    );
    const ofWhere = predicates.filter(({ fromHaving }) => !fromHaving);
    const inParentheses = where?.is === 'and' && where.parenthesized;
    const whole = ofWhere.map(({ predicate }) => predicate);
    const points = inParentheses
      ? nestedPoints(andOf(whole, true))
      : ofWhere.flatMap(({ predicate, points: own }) => own ?? topPoints(predicate));
    return { predicates: predicates.map(({ predicate }) => predicate), points, events };
  }

  /** Reads the members of one AND list within the surrounding windows. */
  #list(members: readonly Member[], outer: ScopedWindows, depth: number): ListRead {
    if (depth > NESTING_MAX) {
      throw sqlError(`conditions are nested deeper than ${NESTING_MAX}`, members[0].node.position);
    }
    const parts = members.map(({ node }) => this.#partOf(node));
    const groups = new Map<number, EventGroup>();
    for (const part of parts) {
      if (part.is !== 'windows') continue;
      for (const { ref, window } of part.leaves) groupOf(groups, ref.column).narrow(window);
    }
    const scoped = scopedWindows(outer, groups);
    const own = new Map<number, EventTest[]>();
    const entries: Entry[] = [];
    parts.forEach((part, index) => {
      const { node, fromHaving } = members[index];
      if (part.is === 'windows' || part.is === 'value') {
        const { column } = part.leaves[0].ref;
        for (const _leaf of part.leaves) this.#count(node, column);
        const group = groupOf(groups, column);
        if (part.is === 'value') group.add(part.test, part.leaves.map(eventTestOf), !fromHaving);
        if (!entries.some((entry) => 'group' in entry && entry.group === group)) entries.push({ group });
        return;
      }
      const predicate =
        part.is === 'leaf'
          ? this.#leafPredicate(part.leaf, node, scoped, fromHaving)
          : this.#otherPredicate(node, scoped, depth);
      if (predicate.is === 'condition' && predicate.condition.op === 'event') {
        const { event } = predicate.condition;
        own.set(event.columnId, [...(own.get(event.columnId) ?? []), event]);
      }
      entries.push({ predicate, fromHaving, points: null });
    });
    const predicates = entries.flatMap((entry): Read | readonly Read[] => {
      if ('predicate' in entry) return entry;
      const { group } = entry;
      if (group.tests.length === 0 && isImplied(group, own.get(group.columnId) ?? [])) return [];
      const predicate = eventPredicate(group.event(scoped), group.scored);
      const points = group.alternatives(scoped)?.map((event) => eventPredicate(event, true)) ?? null;
      return { predicate, fromHaving: false, points };
    });
    return { predicates, events: eventsOf(groups, own, scoped) };
  }

  #partOf(node: SqlNode): Part {
    if (node.is === 'and' && node.parenthesized) {
      const leaves = this.#leavesOf(membersOf(node, 'and'), isWindow);
      return leaves === null ? { is: 'other' } : { is: 'windows', leaves };
    }
    if (node.is === 'or') {
      const leaves = this.#leavesOf(membersOf(node, 'or'), isValue);
      const test = leaves === null ? null : anyTest(leaves);
      return leaves === null || test === null ? { is: 'other' } : { is: 'value', leaves, test };
    }
    const leaf = leafOrDistance(node, this.#scope);
    if (leaf === null) return { is: 'other' };
    if (isWindow(leaf)) return { is: 'windows', leaves: [leaf] };
    if (!isValue(leaf) || node.parenthesized) return { is: 'leaf', leaf };
    return { is: 'value', leaves: [leaf], test: eventTestOf(leaf) };
  }

  /** The members as leaves of this kind on one column; null if any member is not. */
  #leavesOf<Kind extends Leaf>(
    members: readonly SqlNode[],
    isKind: (leaf: Leaf) => leaf is Kind,
  ): Kind[] | null {
    const leaves: Kind[] = [];
    for (const member of members) {
      const leaf = leafOrDistance(member, this.#scope);
      if (leaf === null || !isKind(leaf)) return null;
      if (leaves.length > 0 && leaf.ref.column !== leaves[0].ref.column) return null;
      leaves.push(leaf);
    }
    return leaves;
  }

  #leafPredicate(leaf: Leaf, node: SqlNode, scoped: ScopedWindows, fromHaving: boolean): Predicate {
    const { column } = leaf.ref;
    this.#count(node, column);
    if (leaf.is === 'presence') return presencePredicate(leaf);
    if (leaf.is === 'test' && !isOfEvents(leaf)) return attributePredicate(leaf);
    const tests = leaf.is === 'test' ? [eventTestOf(leaf)] : [];
    const event = { columnId: column.id, window: windowFor(column.id, scoped), tests };
    return eventPredicate(event, !fromHaving);
  }

  #otherPredicate(node: SqlNode, scoped: ScopedWindows, depth: number): Predicate {
    switch (node.is) {
      case 'boolean':
        return { is: 'constant', truth: node.value };
      case 'null':
        return { is: 'constant', truth: null };
      case 'not':
        return { is: 'not', member: this.#tree(node.of, scoped, depth + 1) };
      case 'and':
      case 'or':
        return this.#tree(node, scoped, depth + 1);
      default: {
        this.#count(node, null);
        const segment = segmentLeaf(node, this.#scope);
        if (segment !== null) return { is: 'condition', condition: segment, scored: true };
        const truth = truthOf(node, this.#scope.sources, this.#scope.nowMs);
        return truth === undefined ? { is: 'expression', node } : { is: 'constant', truth };
      }
    }
  }

  /** Reads a parenthesized or negated tree. */
  #tree(node: SqlNode, scoped: ScopedWindows, depth: number): Predicate {
    if (node.is === 'or') {
      const members = membersOf(node, 'or').map((member) => this.#tree(member, scoped, depth + 1));
      return { is: 'or', members, parenthesized: node.parenthesized };
    }
    const members = listed(bare(node)).map((member) => ({ node: member, fromHaving: false }));
    const { predicates } = this.#list(members, scoped, depth);
    const read = predicates.map(({ predicate }) => predicate);
    return andOf(read, node.parenthesized);
  }

  #count({ position }: SqlNode, column: Column | null): void {
    checkCount(++this.#conditionCount, CONDITIONS_PER_QUERY_MAX, 'conditions', position);
    if (column === null) return;
    this.#columns.add(column);
    checkCount(this.#columns.size, COLUMNS_PER_QUERY_MAX, 'columns in the conditions', position);
  }
}

const listed = (node: SqlNode): readonly SqlNode[] => (node.is === 'and' ? membersOf(node, 'and') : [node]);

const isWindow = (leaf: Leaf): leaf is WindowLeaf => leaf.is === 'window';
/** Whether the leaf tests an event's value. */
const isValue = (leaf: Leaf): leaf is TestLeaf => leaf.is === 'test' && isOfEvents(leaf);

function andOf(members: readonly Predicate[], parenthesized: boolean): Predicate {
  if (members.length === 0) return { is: 'constant', truth: true };
  return members.length === 1 ? members[0] : { is: 'and', members, parenthesized };
}

function groupOf(groups: Map<number, EventGroup>, column: Column): EventGroup {
  const found = groups.get(column.id) ?? new EventGroup(column);
  groups.set(column.id, found);
  return found;
}

/** The windows that apply within a list: its own, and the surrounding windows of other columns. */
function scopedWindows(outer: ScopedWindows, groups: ReadonlyMap<number, EventGroup>): ScopedWindows {
  const scoped = new Map(outer);
  for (const { columnId, window } of groups.values()) if (window !== null) scoped.set(columnId, window);
  return scoped;
}

/** Whether a bare window is implied by another member that tests an event in the same window. */
const isImplied = ({ window }: EventGroup, own: readonly EventTest[]): boolean =>
  own.some((event) => event.window === window);

const eventPredicate = (event: EventTest, scored: boolean): Predicate => ({
  is: 'condition',
  condition: { op: 'event', event, minfreq: 1 },
  scored,
});

function eventsOf(
  groups: ReadonlyMap<number, EventGroup>,
  own: ReadonlyMap<number, EventTest[]>,
  scoped: ScopedWindows,
): ListRead['events'] {
  const events: ListRead['events'] = new Map();
  for (const columnId of [...groups.keys(), ...own.keys()]) {
    const unlisted = { columnId, window: windowFor(columnId, scoped), tests: [] };
    const listedEvent = groups.get(columnId)?.event(scoped) ?? unlisted;
    events.set(columnId, { listed: listedEvent, own: own.get(columnId) ?? [] });
  }
  return events;
}

/** The test of an event's value; with NULL, nothing passes the negation. */
function eventTestOf(leaf: TestLeaf): ValueTest {
  return leaf.negated && leaf.unknown ? noTest(leaf.ref) : testOf(leaf);
}

/** The predicate of a leaf on an attribute column. */
export function attributePredicate(leaf: TestLeaf): Predicate {
  const { column } = leaf.ref;
  const passes = (test: ValueTest): Predicate => {
    const condition: Condition =
      column.apiName === ENTITY_ID_COLUMN
        ? { op: 'entity-id', tests: [test] }
        : { op: 'attribute', columnId: column.id, tests: [test] };
    return { is: 'condition', condition, scored: true };
  };
  if (!leaf.unknown) return passes(testOf(leaf));
  const members: readonly Predicate[] = [passes(leaf.test), { is: 'constant', truth: null }];
  const either: Predicate = { is: 'or', members, parenthesized: false };
  return leaf.negated ? { is: 'not', member: either } : either;
}

/** IS NULL and IS NOT NULL are never unknown. */
export function presencePredicate(leaf: PresenceLeaf): Predicate {
  const { column } = leaf.ref;
  if (column.apiName === ENTITY_ID_COLUMN) return { is: 'constant', truth: leaf.present };
  const missing: Condition = isOfEvents(leaf)
    ? { op: 'not', member: { op: 'freqgroup', events: [anyEvent(column)], minfreq: 1 } }
    : { op: 'missing', columnId: column.id };
  const condition: Condition = !leaf.present
    ? missing
    : missing.op === 'not'
      ? missing.member
      : { op: 'not', member: missing };
  return { is: 'condition', condition, scored: true };
}

const anyEvent = ({ id }: Column): EventTest => ({ columnId: id, window: ALL_EVENTS, tests: [] });

/** The points of a member of the top list; for an OR, each member of each alternative. */
function topPoints(predicate: Predicate): readonly Predicate[] {
  if (predicate.is !== 'or' || predicate.parenthesized) return nestedPoints(predicate);
  return predicate.members.flatMap((member) =>
    member.is === 'and' && !member.parenthesized
      ? member.members.flatMap(nestedPoints)
      : nestedPoints(member),
  );
}

/** The points of a nested predicate: for OR, the points of its members; otherwise one, unless it adds none. */
function nestedPoints(predicate: Predicate): readonly Predicate[] {
  if (predicate.is === 'or') return predicate.members.flatMap(nestedPoints);
  return predicate.is === 'condition' && !predicate.scored ? [] : [predicate];
}
