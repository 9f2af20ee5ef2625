/**
 * POST, PUT, DELETE and GET /v1/permission_groups. Days and hours are in UTC: `from` is inclusive, `to` exclusive, and a `from`
 * later than `to` spans midnight. If days or hours are absent, `[]` or `{}`, they restrict nothing. Permissions and
 * databases that are not named are not allowed. A user who may change users or groups can grant itself every permission.
 */
import { checkAll, QuarryError, quoted } from '../../base/index.js';
import {
  type Catalog,
  databaseByName,
  groupByName,
  type PermissionGroup,
  WEEK_DAYS,
} from '../../catalog/index.js';
import { accessHours, type answers, changedGroup, deletedGroup, newGroup } from '../../interface/index.js';
import { readAll } from '../body/fields.js';
import type { Json } from '../body/json.js';
import { RequestBody } from '../body/request-body.js';
import type { ModelDecision } from '../model/dimension.js';

const WRONG = 7000;

export interface GroupsAnswer {
  readonly 'permission-groups': readonly string[];
}

/** The fields that new and changed groups have in common. */
type GroupBody = RequestBody<Omit<typeof newGroup.properties, 'group-name'>>;

function readDatabases(body: GroupBody, catalog: Catalog, absent: readonly number[]): readonly number[] {
  const names = body.get('allowed-databases');
  if (names === undefined) return absent;
  return checkAll(names, (name) => {
    const database = databaseByName(catalog, name);
    if (database !== undefined) return database.id;
    throw body.error('allowed-databases', `names ${quoted(name)}, which does not exist`);
  });
}

type AccessMinutes = PermissionGroup['accessMinutes'];

function readHours(body: GroupBody, absent: AccessMinutes): AccessMinutes {
  if (!body.has('access-hours')) return absent;
  const hours = RequestBody.of(accessHours, body.object.get('access-hours'), '"access-hours"');
  return hours.read(readOpenHours);
}

/** The access hours in minutes; null = the whole day, if there are no hours. */
function readOpenHours(hours: RequestBody<typeof accessHours.properties>): AccessMinutes {
  if (hours.object.size === 0) return null;
  const minute = (field: 'from' | 'to'): number => {
    const text = hours.get(field);
    if (text === undefined) throw hours.error(field, 'is missing');
    return Number(text.slice(0, 2)) * 60 + Number(text.slice(3));
  };
  const { from, to } = readAll({ from: () => minute('from'), to: () => minute('to') });
  if (from === to) throw hours.error('to', 'is the same as "from": leave the hours out for the whole day');
  return { from, to };
}

function readGroup(
  body: GroupBody,
  readName: () => string,
  catalog: Catalog,
  before: PermissionGroup,
): PermissionGroup {
  const read = readAll({
    name: readName,
    description: () => body.get('description') ?? before.description,
    permissions: () => body.get('allowed-permissions')?.toSorted((a, b) => a - b) ?? before.permissions,
    databaseIds: () => readDatabases(body, catalog, before.databaseIds),
    labels: () => body.get('labels') ?? before.labels,
    weekDays: () => {
      const days = body.get('week-days');
      return days === undefined ? before.weekDays : WEEK_DAYS.filter((day) => days.includes(day));
    },
    accessMinutes: () => readHours(body, before.accessMinutes),
  });
  return { ...before, ...read };
}

function refuseTaken(catalog: Catalog, name: string): void {
  if (groupByName(catalog, name) === undefined) return;
  throw new QuarryError(WRONG, `permission group ${quoted(name)} already exists`);
}

function groupAt(body: RequestBody<typeof deletedGroup.properties>, catalog: Catalog): PermissionGroup {
  const name = body.get('group-name');
  const group = groupByName(catalog, name);
  if (group === undefined) throw body.error('group-name', `${quoted(name)} does not exist`);
  return group;
}

const answerOf = (name: string): GroupsAnswer => ({ 'permission-groups': [name] });

/** Throws 7000. */
export function createGroup(json: Json, catalog: Catalog): ModelDecision<GroupsAnswer> {
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
  const group = RequestBody.of(newGroup, json).read((body) =>
    readGroup(body, () => body.get('group-name'), catalog, blank),
  );
  refuseTaken(catalog, group.name);
  return { changes: [{ change: 'group-set', group }], answer: answerOf(group.name) };
}

/** Changes the fields that the body names. Throws 7000. */
export function changeGroup(json: Json, catalog: Catalog): ModelDecision<GroupsAnswer> {
  const { before, group } = RequestBody.of(changedGroup, json).read((body) => {
    const before = groupAt(body, catalog);
    const readName = () => body.get('new-group-name') ?? before.name;
    return { before, group: readGroup(body, readName, catalog, before) };
  });
  if (group.name !== before.name) refuseTaken(catalog, group.name);
  return { changes: [{ change: 'group-set', group }], answer: answerOf(group.name) };
}

/** Deletes a group; its users are in no group afterwards. Throws 7000. */
export function deleteGroup(json: Json, catalog: Catalog): ModelDecision<GroupsAnswer> {
  const { id, name } = RequestBody.of(deletedGroup, json).read((body) => groupAt(body, catalog));
  return { changes: [{ change: 'group-deleted', groupId: id }], answer: answerOf(name) };
}

const timeOf = (minute: number): string =>
  [Math.floor(minute / 60), minute % 60].map((part) => String(part).padStart(2, '0')).join(':');

/** All groups, ordered by name; PUT takes the fields of an entry unchanged. */
export function listGroups({ groups, databases }: Catalog): readonly answers.ListedPermissionGroup[] {
  const ordered = [...groups.values()].sort((one, other) => (one.name < other.name ? -1 : 1));
  return ordered.map(({ name, description, permissions, databaseIds, labels, weekDays, accessMinutes }) => ({
    'group-name': name,
    description,
    'allowed-permissions': permissions,
    'allowed-databases': databaseIds.flatMap((id) => databases.get(id)?.name ?? []),
    labels,
    'week-days': weekDays,
    'access-hours':
      accessMinutes === null ? {} : { from: timeOf(accessMinutes.from), to: timeOf(accessMinutes.to) },
  }));
}
