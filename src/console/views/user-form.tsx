/** The form of a new user, or of one who is changed. */
import { useState } from 'preact/hooks';
import type { answers } from '../../interface/index.js';
import { Choice, Entry } from '../parts/controls.js';
import { FormEnd } from '../parts/form-end.js';
import { useRequest } from '../parts/use-request.js';
import type { Client } from '../server/client.js';

export type User = answers.ListedUser;

interface UserFormProps {
  readonly client: Client;
  /** Names of the permission groups. */
  readonly groups: readonly string[];
  /** null = a new one. */
  readonly user: User | null;
  readonly onDone: () => void;
  readonly onCancel: () => void;
}

export function UserForm({ client, groups, user, onDone, onCancel }: UserFormProps) {
  const [email, setEmail] = useState(user?.email ?? '');
  const [firstName, setFirstName] = useState(user?.['first-name'] ?? '');
  const [lastName, setLastName] = useState(user?.['last-name'] ?? '');
  const [group, setGroup] = useState(user?.['permission-group'] ?? '');
  const [password, setPassword] = useState('');
  const { requestState, run } = useRequest<null>();
  const submit = (event: Event): void => {
    event.preventDefault();
    const body = {
      email: email.trim(),
      ...{ 'first-name': firstName, 'last-name': lastName, 'permission-group': group },
      ...(user === null ? { password } : {}),
    };
    const method = user === null ? 'POST' : 'PUT';
    setPassword('');
    run(async (signal) => {
      await client.request({ method, path: '/v1/users', body: JSON.stringify(body) }, signal);
      for (const set of [setEmail, setFirstName, setLastName]) set('');
      onDone();
      return null;
    });
  };
  return (
    <form class="panel" onSubmit={submit} aria-label="User">
      <h3>{user === null ? 'A new user' : user.email}</h3>
      {user === null && <Entry label="E-mail of the user" type="email" value={email} onChange={setEmail} />}
      <Entry label="First name" value={firstName} focused={user !== null} onChange={setFirstName} />
      <Entry label="Last name" value={lastName} onChange={setLastName} />
      <Choice
        label="Permission group"
        value={group}
        options={[
          { value: '', text: 'none: may do nothing' },
          ...groups.map((name) => ({ value: name, text: name })),
        ]}
        onChange={setGroup}
      />
      {user === null && (
        <Entry
          label="Password of the user"
          type="password"
          value={password}
          onChange={setPassword}
          autoComplete="new-password"
          hint="At least 8 characters. It cannot be changed later."
        />
      )}
      <FormEnd
        requestState={requestState}
        does={user === null ? 'Make the user' : 'Change the user'}
        isComplete={email.trim() !== ''}
        onCancel={user === null ? null : onCancel}
      />
    </form>
  );
}
