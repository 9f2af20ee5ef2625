/** Makes a segment of the entities that a query list selects. */
import { useState } from 'preact/hooks';
import { useConsole } from './context.js';
import { Entry, ErrorBox } from './controls.js';
import { useRequest } from './use-request.js';

interface SegmentFormProps {
  readonly dimension: string;
  readonly query: readonly unknown[];
}

const NAME = /^[A-Za-z0-9-]{1,64}$/;

export function SegmentForm({ dimension, query }: SegmentFormProps) {
  const { client, reloadModel } = useConsole();
  const [name, setName] = useState('');
  const { requestState, run, forget } = useRequest<string>();
  const make = (event: Event): void => {
    event.preventDefault();
    run(async (signal) => {
      const body = JSON.stringify({ name, dimension, query });
      await client.request({ method: 'POST', path: '/v1/segment', body }, signal);
      reloadModel();
      return name;
    });
  };
  return (
    <details class="segment-form">
      <summary>Make a segment of them</summary>
      <form class="save" onSubmit={make}>
        <Entry
          label="Name of the segment"
          value={name}
          placeholder="lost-carts"
          onChange={(text) => {
            setName(text);
            forget();
          }}
        />
        <button type="submit" disabled={!NAME.test(name) || requestState.state === 'busy'}>
          Make
        </button>
        {name !== '' && !NAME.test(name) && <p class="hint">Letters, digits and dashes, at most 64.</p>}
        {requestState.state === 'failed' && <ErrorBox error={requestState.error} />}
        {requestState.state === 'done' && (
          <p class="good" role="status">
            Made {requestState.value}. It always has the entities of today, and conditions can name it.
          </p>
        )}
      </form>
    </details>
  );
}
