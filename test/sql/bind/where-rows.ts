/** Users in memory, and the evaluation of a plan's expressions and conditions for each of them. */
import type { Prng } from '../../../src/base/index.js';
import { compile } from '../../../src/expression/index.js';
import type { Expression, Input, SelectPlan } from '../../../src/ir/index.js';
import { type Value, type Vector, valueAt, vectorOf } from '../../../src/vector/index.js';
import { type StoredEntity, truth } from '../../ir/evaluate.js';

export interface UserFacts {
  readonly id: string;
  readonly name: string | null;
  readonly age: bigint | null;
  /** In hundredths. */
  readonly salary: bigint | null;
  readonly active: boolean | null;
  /** In days. */
  readonly admission: bigint | null;
  /** In seconds. */
  readonly seen: bigint | null;
  readonly tags: readonly string[];
  readonly marks: readonly bigint[];
  readonly clicks: readonly { readonly seconds: number; readonly value: string }[];
  /** In hundredths. */
  readonly spent: readonly { readonly seconds: number; readonly value: bigint }[];
}

export interface User extends UserFacts {
  /** The same user in the form that conditions read. */
  readonly stored: StoredEntity;
}

export const COLUMN_IDS = {
  name: 1,
  age: 2,
  salary: 3,
  active: 4,
  admission: 5,
  seen: 6,
  tags: 9,
  marks: 10,
  clicks: 12,
  spent: 13,
} as const;

export const TEXTS = ['a', 'ab', 'abc', 'b%', 'c_d', 'ß', '50', 'a😀b', 'long text'] as const;
export const INTEGERS = [-(2n ** 63n), -1n, 0n, 1n, 2n, 3n, 50n, 2n ** 53n + 1n, 2n ** 63n - 1n] as const;
export const DAY_0 = 17_000n;
export const SECOND_0 = Number(DAY_0) * 86_400;

export function generateUser(prng: Prng, number: number): User {
  const some = <T>(make: () => T): T | null => (prng.chance(0.25) ? null : make());
  const list = <T>(make: () => T): T[] => Array.from({ length: prng.pick([0, 0, 1, 2, 3]) }, make);
  const instant = (): number => SECOND_0 + prng.pick([0, 1, 3600, 86_400, 86_401, 172_800]);
  const facts: UserFacts = {
    id: `user-${number}`,
    name: some(() => prng.pick(TEXTS)),
    age: some(() => prng.pick(INTEGERS)),
    salary: some(() => prng.pick([-150n, 0n, 100n, 105n, 200n, 5000n])),
    active: some(() => prng.chance(0.5)),
    admission: some(() => DAY_0 + BigInt(prng.below(3))),
    seen: some(() => BigInt(instant())),
    tags: list(() => prng.pick(TEXTS)),
    marks: list(() => prng.pick(INTEGERS)),
    clicks: list(() => ({ seconds: instant(), value: prng.pick(TEXTS) })),
    spent: list(() => ({ seconds: instant(), value: prng.pick([-150n, 0n, 100n, 105n]) })),
  };
  return { ...facts, stored: storedOf(facts) };
}

function storedOf(user: UserFacts): StoredEntity {
  const attributes: StoredEntity['attributes'] = new Map();
  for (const column of ['name', 'age', 'salary', 'admission', 'seen'] as const) {
    const value = user[column];
    if (value !== null) attributes.set(COLUMN_IDS[column], value);
  }
  if (user.active !== null) attributes.set(COLUMN_IDS.active, user.active ? 1n : 0n);
  if (user.tags.length > 0) attributes.set(COLUMN_IDS.tags, user.tags);
  if (user.marks.length > 0) attributes.set(COLUMN_IDS.marks, user.marks);
  const events: StoredEntity['events'] = new Map([
    [COLUMN_IDS.clicks, [...user.clicks]],
    [COLUMN_IDS.spent, [...user.spent]],
  ]);
  return { attributes, events };
}

function inputValue(input: Input, user: User): Value {
  switch (input.from) {
    case 'entity-id':
      return user.id;
    case 'condition':
      return truth(input.condition, user.id, user.stored);
    case 'attribute':
    case 'list': {
      const [name] = Object.entries(COLUMN_IDS).find(([, id]) => id === input.columnId) ?? [];
      const value = user[name as keyof UserFacts];
      return Array.isArray(value)
        ? value.length === 0
          ? null
          : JSON.stringify(value, String)
        : (value as Value);
    }
    default:
      throw new Error(`a user has no input ${input.from}`);
  }
}

/** An expression's value for each user. */
export function valuesOf(expression: Expression, inputs: readonly Input[], users: readonly User[]): Value[] {
  const vectors = new Map<number, Vector>();
  const input = (index: number): Vector => {
    const vector =
      vectors.get(index) ??
      vectorOf(
        inputs[index].type,
        users.map((user) => inputValue(inputs[index], user)),
      );
    vectors.set(index, vector);
    return vector;
  };
  const found = compile(expression)({ count: users.length, input });
  return users.map((_user, row) => valueAt(found, row));
}

/** The users that satisfy condition and filter of a plan of entities without joins. */
export function usersIn({ condition, filter, inputs }: SelectPlan, users: readonly User[]): readonly User[] {
  const pushed = users.filter(
    (user) => condition === null || truth(condition, user.id, user.stored) === true,
  );
  if (filter === null) return pushed;
  const holds = valuesOf(filter, inputs, pushed);
  return pushed.filter((_user, row) => holds[row] === true);
}
