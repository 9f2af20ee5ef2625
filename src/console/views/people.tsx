/** Lists users and permission groups with a team key, and makes, changes and deletes them. */
import { useEffect, useState } from 'preact/hooks';
import { Busy, ErrorBox } from '../parts/controls.js';
import { Listed, RowActions } from '../parts/listed.js';
import { shownValue, useRequest } from '../parts/use-request.js';
import { type Client, RequestError } from '../server/client.js';
import { type Group, GroupForm } from './group-form.js';
import { type User, UserForm } from './user-form.js';

interface PeopleProps {
  readonly client: Client;
  readonly databases: readonly string[];
}

/** null = the key may not list them. */
interface Lists {
  readonly users: readonly User[] | null;
  readonly groups: readonly Group[] | null;
}

const USERS = '/v1/users';
const GROUPS = '/v1/permission_groups';

export function People({ client, databases }: PeopleProps) {
  const [user, editUser] = useState<User | null>(null);
  const [group, editGroup] = useState<Group | null>(null);
  const lists = useRequest<Lists>();
  const deletion = useRequest<null>();
  const load = (): void => lists.run((signal) => readLists(client, signal));
  useEffect(load, [client]);
  const remove = (what: string, path: string, body: object): void => {
    if (!window.confirm(`Delete ${what}?`)) return;
    deletion.run(async (signal) => {
      await client.request({ method: 'DELETE', path, body: JSON.stringify(body) }, signal);
      editUser(null);
      editGroup(null);
      load();
      return null;
    });
  };
  const { requestState } = lists;
  const found = shownValue(requestState);
  const after = (edit: (none: null) => void) => (): void => {
    edit(null);
    load();
  };
  return (
    <section aria-labelledby="people">
      <h2 id="people">Users and groups</h2>
      <p class="lead">
        A user signs in with e-mail and password, and may do what the permission group of the user permits, at
        each request.
      </p>
      {requestState.state === 'failed' && <ErrorBox error={requestState.error} />}
      {deletion.requestState.state === 'failed' && <ErrorBox error={deletion.requestState.error} />}
      {requestState.state === 'busy' && found === null && <Busy text="Reading users and groups…" />}
      {found !== null && (
        <>
          <GroupTable
            groups={found.groups}
            users={found.users ?? []}
            onEdit={editGroup}
            onDelete={(name) => remove(`the group “${name}”`, GROUPS, { 'group-name': name })}
          />
          <UserTable
            users={found.users}
            onEdit={editUser}
            onDelete={(email) => remove(`the user ${email}`, USERS, { email })}
          />
          <div class="people">
            <GroupForm
              key={`group ${group?.['group-name'] ?? ''}`}
              {...{ client, databases, group, onDone: after(editGroup), onCancel: () => editGroup(null) }}
            />
            <UserForm
              key={`user ${user?.email ?? ''}`}
              groups={found.groups?.map((one) => one['group-name']) ?? []}
              {...{ client, user, onDone: after(editUser), onCancel: () => editUser(null) }}
            />
          </div>
        </>
      )}
    </section>
  );
}

async function readLists(client: Client, signal: AbortSignal): Promise<Lists> {
  const list = async <Item,>(path: string, member: string): Promise<readonly Item[] | null> => {
    try {
      const { json } = await client.request({ method: 'GET', path }, signal);
      return (json as unknown as Readonly<Record<string, readonly Item[]>>)[member];
    } catch (error) {
      if (error instanceof RequestError && error.code === 503) return null;
      throw error;
    }
  };
  const [users, groups] = await Promise.all([
    list<User>(USERS, 'users'),
    list<Group>(GROUPS, 'permission-groups'),
  ]);
  return { users, groups };
}

interface GroupTableProps {
  readonly groups: readonly Group[] | null;
  readonly users: readonly User[];
  readonly onEdit: (group: Group) => void;
  readonly onDelete: (name: string) => void;
}

function GroupTable({ groups, users, onEdit, onDelete }: GroupTableProps) {
  const rows = groups?.map((group) => {
    const name = group['group-name'];
    return (
      <tr key={name}>
        <td>{name}</td>
        <td>{users.filter((user) => user['permission-group'] === name).length}</td>
        <td>{group['allowed-permissions'].join(', ') || 'nothing'}</td>
        <td>{group['allowed-databases'].join(', ') || 'none'}</td>
        <td>{timesText(group)}</td>
        <RowActions of={name} onEdit={() => onEdit(group)} onDelete={() => onDelete(name)} />
      </tr>
    );
  });
  const columns = ['Group', 'Users', 'Permissions', 'Databases', 'Times (UTC)'];
  return <Listed title="Permission groups" columns={columns} rows={rows ?? null} />;
}

function timesText({ 'week-days': days, 'access-hours': { from, to } }: Group): string {
  if (days.length === 0 && from === undefined) return 'always';
  const hours = from === undefined ? 'all day' : `${from} to ${to}`;
  return `${days.length === 0 ? 'every day' : days.join(', ')}, ${hours}`;
}

interface UserTableProps {
  readonly users: readonly User[] | null;
  readonly onEdit: (user: User) => void;
  readonly onDelete: (email: string) => void;
}

function UserTable({ users, onEdit, onDelete }: UserTableProps) {
  const rows = users?.map((user) => (
    <tr key={user.email}>
      <td>{user.email}</td>
      <td>{`${user['first-name']} ${user['last-name']}`.trim()}</td>
      <td>{user['permission-group'] ?? <span class="missing">none</span>}</td>
      <td>{user.labels.join(', ')}</td>
      <RowActions of={user.email} onEdit={() => onEdit(user)} onDelete={() => onDelete(user.email)} />
    </tr>
  ));
  return <Listed title="Users" columns={['E-mail', 'Name', 'Group', 'Labels']} rows={rows ?? null} />;
}
