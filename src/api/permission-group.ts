/**
 * POST, PUT and DELETE /v1/permission_groups. Days and hours are those of UTC: `from` is inside, `to` is not, and
 * from later than `to` runs over midnight; without them, with `[]` and with `{}`, access is always open. Permissions
 * and databases that are not named are not allowed. Who may change users or groups may give themselves everything.
 */
import { checkAll, QuarryError, quoted } from '../base/index.js';
import {
  type Catalog,
  databaseByName,
  groupByName,
  isPermission,
  type PermissionGroup,
  WEEK_DAYS,
  type WeekDay,
} from '../catalog/index.js';
import type { ModelDecision } from './dimension.js';
import { readAll } from './fields.js';
import { ExactNumber, type Json, kindOf } from './json.js';
import { KNOWN_FIELDS } from './known-fields.js';
import { TeamFields } from './team-fields.js';

const WRONG = 7000;

export interface GroupsAnswer {
  readonly 'permission-groups': readonly string[];
}

function readPermissions(fields: TeamFields, absent: readonly number[]): readonly number[] {
  const items = fields.list('allowed-permissions');
  if (items === null) return absent;
  const numbers = checkAll(items, (item, index) => {
    const number = item instanceof ExactNumber && /^\d{1,3}$/.test(item.text) ? Number(item.text) : -1;
    if (isPermission(number)) return number;
    const what = item instanceof ExactNumber ? item.text : kindOf(item);
    throw fields.fault('allowed-permissions', `has ${what} at [${index}], which is no permission's number`);
  });
  return [...new Set(numbers)].sort((a, b) => a - b);
}

function readDatabases(fields: TeamFields, catalog: Catalog, absent: readonly number[]): readonly number[] {
  if (!fields.has('allowed-databases')) return absent;
  return checkAll(fields.texts('allowed-databases', []), (name) => {
    const database = databaseByName(catalog, name);
    if (database !== undefined) return database.id;
    throw fields.fault('allowed-databases', `names ${quoted(name)}, which does not exist`);
  });
}

function readWeekDays(fields: TeamFields, absent: readonly WeekDay[]): readonly WeekDay[] {
  if (!fields.has('week-days')) return absent;
  const days = fields.texts('week-days', []);
  for (const day of days) {
    if (!WEEK_DAYS.some((known) => known === day)) {
      throw fields.fault('week-days', `has ${quoted(day)}, which is none of ${WEEK_DAYS.join(', ')}`);
    }
  }
  return WEEK_DAYS.filter((day) => days.includes(day));
}

function readHours(
  fields: TeamFields,
  absent: PermissionGroup['accessMinutes'],
): PermissionGroup['accessMinutes'] {
  if (!fields.has('access-hours')) return absent;
  return TeamFields.read(
    fields.object.get('access-hours'),
    KNOWN_FIELDS.accessHours,
    WRONG,
    '"access-hours"',
    readOpenHours,
  );
}

/** From the fields of `access-hours`; null = the whole day, when there are none. */
function readOpenHours(hours: TeamFields): PermissionGroup['accessMinutes'] {
  if (hours.object.size === 0) return null;
  const minute = (field: string): number => {
    const match = /^([01]\d|2[0-3]):([0-5]\d)$/.exec(hours.text(field));
    if (match === null) throw hours.fault(field, 'must be HH:MM, 00:00 to 23:59');
    return Number(match[1]) * 60 + Number(match[2]);
  };
  const { from, to } = readAll({ from: () => minute('from'), to: () => minute('to') });
  if (from === to) throw hours.fault('to', 'is the same as "from": leave the hours out for the whole day');
  return { from, to };
}

function readGroup(
  fields: TeamFields,
  nameField: 'group-name' | 'new-group-name',
  catalog: Catalog,
  before: PermissionGroup,
): PermissionGroup {
  const isNew = nameField === 'group-name';
  const read = readAll({
    name: () => (isNew || fields.has(nameField) ? fields.name(nameField) : before.name),
    description: () => fields.text('description', before.description),
    permissions: () => readPermissions(fields, before.permissions),
    databaseIds: () => readDatabases(fields, catalog, before.databaseIds),
    labels: () => fields.texts('labels', before.labels),
    weekDays: () => readWeekDays(fields, before.weekDays),
    accessMinutes: () => readHours(fields, before.accessMinutes),
  });
  return { ...before, ...read };
}

function refuseTaken(catalog: Catalog, name: string): void {
  if (groupByName(catalog, name) === undefined) return;
  throw new QuarryError(WRONG, `permission group ${quoted(name)} already exists`);
}

function groupAt(fields: TeamFields, catalog: Catalog): PermissionGroup {
  const name = fields.text('group-name');
  const group = groupByName(catalog, name);
  if (group === undefined) throw fields.fault('group-name', `${quoted(name)} does not exist`);
  return group;
}

const answerOf = (name: string): GroupsAnswer => ({ 'permission-groups': [name] });

/** Throws 7000. */
export function createGroup(body: Json, catalog: Catalog): ModelDecision<GroupsAnswer> {
  const blank: PermissionGroup = {
    id: catalog.nextGroupId,
    name: '',
    description: '',
    permissions: [],
    databaseIds: [],
    labels: [],
    weekDays: [],
    accessMinutes: null,
  };
  const group = TeamFields.read(body, KNOWN_FIELDS.newGroup, WRONG, 'the body', (fields) =>
    readGroup(fields, 'group-name', catalog, blank),
  );
  refuseTaken(catalog, group.name);
  return { changes: [{ change: 'group-set', group }], answer: answerOf(group.name) };
}

/** Changes what the body names. Throws 7000. */
export function changeGroup(body: Json, catalog: Catalog): ModelDecision<GroupsAnswer> {
  const { before, group } = TeamFields.read(body, KNOWN_FIELDS.changedGroup, WRONG, 'the body', (fields) => {
    const before = groupAt(fields, catalog);
    return { before, group: readGroup(fields, 'new-group-name', catalog, before) };
  });
  if (group.name !== before.name) refuseTaken(catalog, group.name);
  return { changes: [{ change: 'group-set', group }], answer: answerOf(group.name) };
}

/** Its users are in no group afterwards. Throws 7000. */
export function deleteGroup(body: Json, catalog: Catalog): ModelDecision<GroupsAnswer> {
  const { id, name } = TeamFields.read(body, KNOWN_FIELDS.deletedGroup, WRONG, 'the body', (fields) =>
    groupAt(fields, catalog),
  );
  return { changes: [{ change: 'group-deleted', groupId: id }], answer: answerOf(name) };
}
