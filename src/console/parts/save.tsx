/** Saves a query under a name, if the interface can save its kind. */
import { useState } from 'preact/hooks';
import { savedForm } from '../query/request.js';
import { useConsole } from './context.js';
import { Entry, ErrorBox } from './controls.js';
import { useRequest } from './use-request.js';

interface SaveProps {
  readonly path: string;
  readonly body: string;
}

const NAME = /^[A-Za-z0-9-]{1,64}$/;

export function SaveForm({ path, body }: SaveProps) {
  const { client } = useConsole();
  const [name, setName] = useState('');
  const { requestState, run, forget } = useRequest<string>();
  const form = formOf(path, body);
  const save = (event: Event): void => {
    event.preventDefault();
    run(async (signal) => {
      const saved = JSON.stringify({ name, ...form });
      await client.request({ method: 'POST', path: '/v1/query/saved', body: saved }, signal);
      return name;
    });
  };
  if (form === null) {
    return (
      <p class="hint">Counts, histograms and top values can be saved; rows, maps and SQL cannot be saved.</p>
    );
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
function formOf(path: string, body: string): object | null {
  try {
    return savedForm({ path, body });
  } catch {
    return null;
  }
}
