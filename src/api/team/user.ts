/** POST, PUT, DELETE and GET /v1/users, and the body of POST /v1/session. */
import { QuarryError, quoted } from '../../base/index.js';
import { type Catalog, groupByName, type User } from '../../catalog/index.js';
import { type answers, changedUser, deletedUser, newUser, signIn } from '../../interface/index.js';
import { readAll } from '../body/fields.js';
import type { Json } from '../body/json.js';
import { RequestBody } from '../body/request-body.js';
import type { ModelDecision } from '../model/dimension.js';

const WRONG = 7050;

export interface UsersAnswer {
  readonly users: readonly string[];
}

type UserBody = RequestBody<typeof changedUser.properties>;

const emailOf = (body: RequestBody<typeof deletedUser.properties>): string => body.get('email').toLowerCase();

function readGroup(body: UserBody, catalog: Catalog, before: number | null): number | null {
  const name = body.get('permission-group');
  if (name === undefined) return before;
  if (name === '') return null;
  const group = groupByName(catalog, name);
  if (group === undefined) throw body.error('permission-group', `${quoted(name)} does not exist`);
  return group.id;
}

function readUser(body: UserBody, catalog: Catalog, before: User): User {
  const read = readAll({
    labels: () => body.get('labels') ?? before.labels,
    firstName: () => body.get('first-name') ?? before.firstName,
    lastName: () => body.get('last-name') ?? before.lastName,
    groupId: () => readGroup(body, catalog, before.groupId),
  });
  return { ...before, ...read };
}

function userAt(catalog: Catalog, email: string): User {
  const user = catalog.users.get(email);
  if (user === undefined) throw new QuarryError(WRONG, `user ${quoted(email)} does not exist`);
  return user;
}

/** Reads the password of a new user: 8 to 1,024 characters. Throws 7050. */
export function readNewPassword(json: Json): string {
  return RequestBody.of(newUser, json).read((body) => body.get('password'));
}

/** Creates a user. If `passwordHash` is null, only checks the body, including the password. Throws 7050. */
export function createUser(
  json: Json,
  catalog: Catalog,
  passwordHash: string | null,
): ModelDecision<UsersAnswer> {
  const blank = { passwordHash: passwordHash ?? '', labels: [], firstName: '', lastName: '', groupId: null };
  const { email, others } = RequestBody.of(newUser, json).read((body) =>
    readAll({
      email: () => emailOf(body),
      password: () => (passwordHash === null ? body.get('password') : null),
      others: () => readUser(body, catalog, { email: '', ...blank }),
    }),
  );
  if (catalog.users.has(email)) throw new QuarryError(WRONG, `user ${quoted(email)} already exists`);
  const user = { ...others, email };
  return {
    changes: passwordHash === null ? [] : [{ change: 'user-set', user }],
    answer: { users: [email] },
  };
}

/** Changes the fields that the body names; an empty `permission-group` removes the user from its group. Throws 7050. */
export function changeUser(json: Json, catalog: Catalog): ModelDecision<UsersAnswer> {
  const user = RequestBody.of(changedUser, json).read((body) =>
    readUser(body, catalog, userAt(catalog, emailOf(body))),
  );
  return { changes: [{ change: 'user-set', user }], answer: { users: [user.email] } };
}

/** Throws 7050. */
export function deleteUser(json: Json, catalog: Catalog): ModelDecision<UsersAnswer> {
  const { email } = RequestBody.of(deletedUser, json).read((body) => userAt(catalog, emailOf(body)));
  return { changes: [{ change: 'user-deleted', email }], answer: { users: [email] } };
}

/** All users, without their passwords, ordered by email. */
export function listUsers({ users, groups }: Catalog): readonly answers.ListedUser[] {
  const emails = [...users.keys()].sort();
  return emails.map((email) => {
    const { firstName, lastName, labels, groupId } = users.get(email) as User;
    const group = groupId === null ? undefined : groups.get(groupId);
    return {
      email,
      'first-name': firstName,
      'last-name': lastName,
      labels,
      'permission-group': group?.name ?? null,
    };
  });
}

export interface SignIn {
  readonly email: string;
  readonly password: string;
  /** null = for the team's own endpoints. */
  readonly databaseName: string | null;
}

/** Reads the body of a sign-in. Throws 7050 if it is invalid. */
export function readSignIn(json: Json): SignIn {
  const body = RequestBody.of(signIn, json);
  const { email, password, 'database-name': databaseName = null } = body.read(() => body.values());
  return { email: email.toLowerCase(), password, databaseName };
}
