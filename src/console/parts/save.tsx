/** Saves a query under a name, if the interface can save its kind. */
import { useState } from 'preact/hooks';
import { savedForm } from '../query/saved.js';
import type { Post } from '../query/source.js';
import { useConsole } from './context.js';
import { Entry, ErrorBox } from './controls.js';
import { useRequest } from './use-request.js';

interface SaveProps {
  /** Several are saved under names with numbers. */
  readonly requests: readonly Post[];
}

const NAME = /^[A-Za-z0-9-]{1,64}$/;

export function SaveForm({ requests }: SaveProps) {
  const { client } = useConsole();
  const [name, setName] = useState('');
  const { requestState, run, forget } = useRequest<string>();
  const forms = requests.map(formOf);
  const save = (event: Event): void => {
    event.preventDefault();
    run(async (signal) => {
      const names = forms.map((_, index) => (index === 0 ? name : `${name}-${index + 1}`));
      for (const [index, form] of forms.entries()) {
        const body = JSON.stringify({ name: names[index], ...form });
        await client.request({ method: 'POST', path: '/v1/query/saved', body }, signal);
      }
      return names.join(', ');
    });
  };
  if (forms.includes(null)) {
    return <p class="hint">Rows, maps, timelines and SQL cannot be saved; all other questions can.</p>;
  }
  return (
    <form class="save" onSubmit={save}>
      <Entry
        label="Name of the saved query"
        value={name}
        placeholder="late-flights"
        onChange={(text) => {
          setName(text);
          forget();
        }}
      />
      <button type="submit" disabled={!NAME.test(name) || requestState.state === 'busy'}>
        Save
      </button>
      {name !== '' && !NAME.test(name) && <p class="hint">Letters, digits and dashes, at most 64.</p>}
      {requestState.state === 'failed' && <ErrorBox error={requestState.error} />}
      {requestState.state === 'done' && (
        <p class="good" role="status">
          Saved as {requestState.value}. Find it under Saved.
        </p>
      )}
    </form>
  );
}

/** The body to save; null for queries that cannot be saved, and for text that is not JSON (yet). */
function formOf(request: Post): object | null {
  try {
    return savedForm(request);
  } catch {
    return null;
  }
}
