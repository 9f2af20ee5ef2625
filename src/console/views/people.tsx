/** Makes, changes and deletes users and permission groups with a team key. */
import { useState } from 'preact/hooks';
import { Choice, Entry, ErrorBox } from '../parts/controls.js';
import { useRequest } from '../parts/use-request.js';
import type { Client, ServerRequest } from '../server/client.js';
import { isList, isObject, type Json } from '../server/json.js';

/** What the permissions of groups permit, from number 1. */
const PERMISSIONS = [
  ...['query', 'insert', 'update', 'delete entities', 'SQL', 'list the model', 'change the model'],
  ...['delete from the model', 'read saved queries', 'change saved queries', 'delete saved queries'],
  ...['read about databases', 'change databases', 'delete databases', 'list custom keys'],
  ...['change custom keys', 'delete custom keys', 'change users', 'change groups'],
];

interface PeopleProps {
  readonly client: Client;
  readonly databases: readonly string[];
}

export function People({ client, databases }: PeopleProps) {
  return (
    <section aria-labelledby="people">
      <h2 id="people">Users and groups</h2>
      <p class="lead">
        A user signs in with e-mail and password, and may do what the permission group of the user permits, at
        each request.
      </p>
      <div class="people">
        <GroupForm client={client} databases={databases} />
        <UserForm client={client} />
      </div>
    </section>
  );
}

/** The names in the answer: of all users, or of all groups. */
function useChange(client: Client, member: string) {
  const { requestState, run } = useRequest<readonly string[]>();
  const send = (request: Omit<ServerRequest, 'body'>, body: object): void =>
    run(async (signal) => {
      const { json } = await client.request({ ...request, body: JSON.stringify(body) }, signal);
      const list: Json | undefined = isObject(json) ? json[member] : undefined;
      return isList(list) ? list.map(String) : [];
    });
  const outcome = (what: string) => (
    <>
      {requestState.state === 'failed' && <ErrorBox error={requestState.error} />}
      {requestState.state === 'done' && (
        <p class="good" role="status">
          {what}: {requestState.value.join(', ') || 'none'}
        </p>
      )}
    </>
  );
  return { send, outcome, isBusy: requestState.state === 'busy' };
}

const ACTIONS = [
  { value: 'POST', text: 'make a new one' },
  { value: 'PUT', text: 'change one' },
  { value: 'DELETE', text: 'delete one' },
];
type Action = 'POST' | 'PUT' | 'DELETE';

function GroupForm({ client, databases }: PeopleProps) {
  const [action, setAction] = useState<Action>('POST');
  const [name, setName] = useState('');
  const [permissions, setPermissions] = useState<readonly number[]>([1, 5, 6, 9, 12]);
  const [allowed, setAllowed] = useState<readonly string[]>(databases);
  const { send, outcome, isBusy } = useChange(client, 'permission-groups');
  const toggled = <Item,>(list: readonly Item[], item: Item): readonly Item[] =>
    list.includes(item) ? list.filter((one) => one !== item) : [...list, item];
  const submit = (event: Event): void => {
    event.preventDefault();
    if (action === 'DELETE' && !window.confirm(`Delete the group “${name}”?`)) return;
    const rights = { 'allowed-permissions': permissions, 'allowed-databases': allowed };
    const body = { 'group-name': name.trim(), ...(action === 'DELETE' ? {} : rights) };
    send({ method: action, path: '/v1/permission_groups' }, body);
  };
  return (
    <form class="panel" onSubmit={submit} aria-label="Permission group">
      <h3>A permission group</h3>
      <Choice
        label="Groups"
        value={action}
        options={ACTIONS}
        onChange={(next) => setAction(next as Action)}
      />
      <Entry label="Name of the group" value={name} onChange={setName} />
      {action !== 'DELETE' && (
        <>
          <fieldset class="checks">
            <legend class="label">It permits to</legend>
            {PERMISSIONS.map((text, index) => (
              <label key={text} class="check">
                <input
                  type="checkbox"
                  checked={permissions.includes(index + 1)}
                  onChange={() =>
                    setPermissions((now) => [...toggled(now, index + 1)].sort((one, other) => one - other))
                  }
                />
                {text}
              </label>
            ))}
          </fieldset>
          <fieldset class="checks">
            <legend class="label">In the databases</legend>
            {databases.map((database) => (
              <label key={database} class="check">
                <input
                  type="checkbox"
                  checked={allowed.includes(database)}
                  onChange={() => setAllowed((now) => toggled(now, database))}
                />
                {database}
              </label>
            ))}
          </fieldset>
        </>
      )}
      <button type="submit" disabled={name.trim() === '' || isBusy}>
        {action === 'POST' ? 'Make the group' : action === 'PUT' ? 'Change the group' : 'Delete the group'}
      </button>
      {outcome('Groups of the team')}
    </form>
  );
}

function UserForm({ client }: { readonly client: Client }) {
  const [action, setAction] = useState<Action>('POST');
  const [email, setEmail] = useState('');
  const [password, setPassword] = useState('');
  const [group, setGroup] = useState('');
  const { send, outcome, isBusy } = useChange(client, 'users');
  const submit = (event: Event): void => {
    event.preventDefault();
    if (action === 'DELETE' && !window.confirm(`Delete the user ${email}?`)) return;
    const body = {
      email: email.trim(),
      ...(action === 'DELETE' ? {} : { 'permission-group': group.trim() }),
      ...(action === 'POST' ? { password } : {}),
    };
    setPassword('');
    send({ method: action, path: '/v1/users' }, body);
  };
  return (
    <form class="panel" onSubmit={submit} aria-label="User">
      <h3>A user</h3>
      <Choice label="Users" value={action} options={ACTIONS} onChange={(next) => setAction(next as Action)} />
      <Entry label="E-mail of the user" type="email" value={email} onChange={setEmail} />
      {action !== 'DELETE' && <Entry label="Permission group" value={group} onChange={setGroup} />}
      {action === 'POST' && (
        <Entry
          label="Password of the user"
          type="password"
          value={password}
          onChange={setPassword}
          autoComplete="new-password"
          hint="At least 8 characters. It cannot be changed later."
        />
      )}
      <button type="submit" disabled={email.trim() === '' || isBusy}>
        {action === 'POST' ? 'Make the user' : action === 'PUT' ? 'Change the user' : 'Delete the user'}
      </button>
      {outcome('Users of the team')}
    </form>
  );
}
