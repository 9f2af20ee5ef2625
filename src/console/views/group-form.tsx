/** The form of a new permission group, or of one that is changed. */
import { useState } from 'preact/hooks';
import { type answers, WEEK_DAYS } from '../../interface/index.js';
import { Checks } from '../parts/checks.js';
import { Entry } from '../parts/controls.js';
import { FormEnd } from '../parts/form-end.js';
import { useRequest } from '../parts/use-request.js';
import type { Client } from '../server/client.js';

export type Group = answers.ListedPermissionGroup;

/** What the permissions of groups permit, from number 1. */
const PERMISSIONS = [
  ...['query', 'insert', 'update', 'delete entities', 'SQL', 'list the model', 'change the model'],
  ...['delete from the model', 'read saved queries', 'change saved queries', 'delete saved queries'],
  ...['read about databases', 'change databases', 'delete databases', 'list custom keys'],
  ...['change custom keys', 'delete custom keys', 'list and change users', 'list and change groups'],
].map((text, index) => ({ value: index + 1, text: `${index + 1} ${text}` }));

const [SUNDAY, ...OTHER_DAYS] = WEEK_DAYS;
const DAYS = [...OTHER_DAYS, SUNDAY].map((day) => ({ value: day, text: day }));

interface GroupFormProps {
  readonly client: Client;
  readonly databases: readonly string[];
  /** null = a new one. */
  readonly group: Group | null;
  readonly onDone: () => void;
  readonly onCancel: () => void;
}

export function GroupForm({ client, databases, group, onDone, onCancel }: GroupFormProps) {
  const [name, setName] = useState(group?.['group-name'] ?? '');
  const [permissions, setPermissions] = useState(group?.['allowed-permissions'] ?? [1, 5, 6, 9, 12]);
  const [allowed, setAllowed] = useState(group?.['allowed-databases'] ?? databases);
  const [days, setDays] = useState(group?.['week-days'] ?? []);
  const [from, setFrom] = useState(group?.['access-hours'].from ?? '');
  const [to, setTo] = useState(group?.['access-hours'].to ?? '');
  const { requestState, run } = useRequest<null>();
  const submit = (event: Event): void => {
    event.preventDefault();
    const body = {
      ...(group === null
        ? { 'group-name': name.trim() }
        : { 'group-name': group['group-name'], 'new-group-name': name.trim() }),
      'allowed-permissions': permissions,
      'allowed-databases': allowed,
      'week-days': days,
      'access-hours': from === '' && to === '' ? {} : { from, to },
    };
    const method = group === null ? 'POST' : 'PUT';
    run(async (signal) => {
      await client.request({ method, path: '/v1/permission_groups', body: JSON.stringify(body) }, signal);
      setName('');
      onDone();
      return null;
    });
  };
  return (
    <form class="panel" onSubmit={submit} aria-label="Permission group">
      <h3>{group === null ? 'A new permission group' : `The group “${group['group-name']}”`}</h3>
      <Entry label="Name of the group" value={name} focused={group !== null} onChange={setName} />
      <Checks legend="It permits to" items={PERMISSIONS} chosen={permissions} onChange={setPermissions} />
      <Checks
        legend="In the databases"
        items={databases.map((text) => ({ value: text, text }))}
        chosen={allowed}
        onChange={setAllowed}
      />
      <Checks legend="On these days (none: every day)" items={DAYS} chosen={days} onChange={setDays} />
      <div class="row">
        <Entry label="From (UTC)" value={from} placeholder="07:00" class="short" onChange={setFrom} />
        <Entry label="To (UTC)" value={to} placeholder="19:00" class="short" onChange={setTo} />
      </div>
      <FormEnd
        requestState={requestState}
        does={group === null ? 'Make the group' : 'Change the group'}
        isComplete={name.trim() !== ''}
        onCancel={group === null ? null : onCancel}
      />
    </form>
  );
}
