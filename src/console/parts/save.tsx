/** Saves a question under a name, where the interface can save its kind. */
import { useState } from 'preact/hooks';
import { savedForm } from '../ask/request.js';
import { useAsking } from './asking.js';
import { useConsole } from './context.js';
import { Entry, ErrorBox } from './controls.js';

interface SaveProps {
  readonly path: string;
  readonly body: string;
}

const NAME = /^[A-Za-z0-9-]{1,64}$/;

export function SaveForm({ path, body }: SaveProps) {
  const { client } = useConsole();
  const [name, setName] = useState('');
  const { asking, run, forget } = useAsking<string>();
  const form = formOf(path, body);
  const save = (event: Event): void => {
    event.preventDefault();
    run(async (signal) => {
      const saved = JSON.stringify({ name, ...form });
      await client.ask({ method: 'POST', path: '/v1/query/saved', body: saved }, signal);
      return name;
    });
  };
  if (form === null) {
    return <p class="hint">Counts, histograms and top values can be saved; rows, maps and SQL cannot.</p>;
  }
  return (
    <form class="save" onSubmit={save}>
      <Entry
        label="Save under the name"
        value={name}
        placeholder="late-flights"
        onChange={(text) => {
          setName(text);
          forget();
        }}
      />
      <button type="submit" disabled={!NAME.test(name) || asking.state === 'busy'}>
        Save
      </button>
      {name !== '' && !NAME.test(name) && <p class="hint">Letters, digits and dashes, at most 64.</p>}
      {asking.state === 'failed' && <ErrorBox error={asking.error} />}
      {asking.state === 'done' && (
        <p class="good" role="status">
          Saved as {asking.value}. It stands under Saved.
        </p>
      )}
    </form>
  );
}

/** null for what cannot be saved, also for text that is no JSON (yet). */
function formOf(path: string, body: string): object | null {
  try {
    return savedForm({ path, body });
  } catch {
    return null;
  }
}
