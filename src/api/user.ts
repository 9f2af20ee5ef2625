/** POST, PUT and DELETE /v1/users, and the body of POST /v1/session. */
import { QuarryError, quoted } from '../base/index.js';
import { type Catalog, groupByName, type User } from '../catalog/index.js';
import type { ModelDecision } from './dimension.js';
import { readAll } from './fields.js';
import type { Json } from './json.js';
import { KNOWN_FIELDS } from './known-fields.js';
import { isLonger, TeamFields } from './team-fields.js';

const WRONG = 7050;
export const EMAIL_CHARS_MAX = 254;
const EMAIL = /^[^\s@"<>\p{Cc}]{1,64}@[^\s@"'<>\p{Cc}]+$/u;
export const PASSWORD_CHARS_MIN = 8;
export const PERSON_NAME_CHARS_MAX = 256;

export interface UsersAnswer {
  readonly users: readonly string[];
}

function readEmail(fields: TeamFields): string {
  const email = fields.text('email').toLowerCase();
  if (isLonger(email, EMAIL_CHARS_MAX))
    throw fields.fault('email', `is longer than ${EMAIL_CHARS_MAX} characters`);
  if (!EMAIL.test(email)) throw fields.fault('email', `${quoted(email)} is no address`);
  return email;
}

function readPersonName(fields: TeamFields, field: string, absent: string): string {
  const name = fields.text(field, absent);
  if (isLonger(name, PERSON_NAME_CHARS_MAX))
    throw fields.fault(field, `is longer than ${PERSON_NAME_CHARS_MAX} characters`);
  return name;
}

function readGroup(fields: TeamFields, catalog: Catalog, before: number | null): number | null {
  if (!fields.has('permission-group')) return before;
  const name = fields.text('permission-group');
  if (name === '') return null;
  const group = groupByName(catalog, name);
  if (group === undefined) throw fields.fault('permission-group', `${quoted(name)} does not exist`);
  return group.id;
}

function readUser(fields: TeamFields, catalog: Catalog, before: User): User {
  const read = readAll({
    labels: () => fields.texts('labels', before.labels),
    firstName: () => readPersonName(fields, 'first-name', before.firstName),
    lastName: () => readPersonName(fields, 'last-name', before.lastName),
    groupId: () => readGroup(fields, catalog, before.groupId),
  });
  return { ...before, ...read };
}

function userAt(catalog: Catalog, email: string): User {
  const user = catalog.users.get(email);
  if (user === undefined) throw new QuarryError(WRONG, `user ${quoted(email)} does not exist`);
  return user;
}

/** The password of a new user: 8 to 1,024 characters. Throws 7050. */
export function readNewPassword(body: Json): string {
  return TeamFields.read(body, KNOWN_FIELDS.newUser, WRONG, 'the body', readPassword);
}

function readPassword(fields: TeamFields): string {
  const password = fields.text('password');
  if ([...password].length < PASSWORD_CHARS_MIN) {
    throw fields.fault('password', `is shorter than ${PASSWORD_CHARS_MIN} characters`);
  }
  return password;
}

/** Makes a user; `passwordHash` null = check only, the password too. Throws 7050. */
export function createUser(
  body: Json,
  catalog: Catalog,
  passwordHash: string | null,
): ModelDecision<UsersAnswer> {
  const blank = { passwordHash: passwordHash ?? '', labels: [], firstName: '', lastName: '', groupId: null };
  const { email, others } = TeamFields.read(body, KNOWN_FIELDS.newUser, WRONG, 'the body', (fields) =>
    readAll({
      email: () => readEmail(fields),
      password: () => (passwordHash === null ? readPassword(fields) : null),
      others: () => readUser(fields, catalog, { email: '', ...blank }),
    }),
  );
  if (catalog.users.has(email)) throw new QuarryError(WRONG, `user ${quoted(email)} already exists`);
  const user = { ...others, email };
  return {
    changes: passwordHash === null ? [] : [{ change: 'user-set', user }],
    answer: { users: [email] },
  };
}

/** Changes what the body names; an empty `permission-group` takes the user out of its group. Throws 7050. */
export function changeUser(body: Json, catalog: Catalog): ModelDecision<UsersAnswer> {
  const user = TeamFields.read(body, KNOWN_FIELDS.changedUser, WRONG, 'the body', (fields) =>
    readUser(fields, catalog, userAt(catalog, readEmail(fields))),
  );
  return { changes: [{ change: 'user-set', user }], answer: { users: [user.email] } };
}

/** Throws 7050. */
export function deleteUser(body: Json, catalog: Catalog): ModelDecision<UsersAnswer> {
  const { email } = TeamFields.read(body, KNOWN_FIELDS.deletedUser, WRONG, 'the body', (fields) =>
    userAt(catalog, readEmail(fields)),
  );
  return { changes: [{ change: 'user-deleted', email }], answer: { users: [email] } };
}

export interface SignIn {
  readonly email: string;
  readonly password: string;
  /** null = for the team's own endpoints. */
  readonly databaseName: string | null;
}

/** Throws 7050 for a body of another form. */
export function readSignIn(body: Json): SignIn {
  return TeamFields.read(body, KNOWN_FIELDS.session, WRONG, 'the body', (fields) =>
    readAll({
      email: () => fields.text('email').toLowerCase(),
      password: () => fields.text('password'),
      databaseName: () => (fields.has('database-name') ? fields.text('database-name') : null),
    }),
  );
}
