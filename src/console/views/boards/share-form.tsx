/** Makes a link that shows a dashboard to everyone who has the link. */
import { useState } from 'preact/hooks';
import type { Board } from '../../board/board.js';
import { linkOf, requireReadKey } from '../../board/link.js';
import { CopyButton, Entry, ErrorBox } from '../../parts/controls.js';
import { useRequest } from '../../parts/use-request.js';
import { Client } from '../../server/client.js';

export function ShareForm({ board }: { readonly board: Board }) {
  const [key, setKey] = useState('');
  const { requestState, run, forget } = useRequest<string>();
  const make = (event: Event): void => {
    event.preventDefault();
    run(async () => {
      await requireReadKey(new Client(key.trim()));
      const { origin, pathname } = window.location;
      return origin + pathname + linkOf({ board, key: key.trim() });
    });
  };
  return (
    <details class="share">
      <summary>Share by a link</summary>
      <form class="save" onSubmit={make}>
        <Entry
          label="Read key for the link"
          type="password"
          value={key}
          onChange={(text) => {
            setKey(text);
            forget();
          }}
          hint="Whoever has the link has the key, and can read all that the key can read. Make a read-only key for it under Keys, and delete that key to end the sharing."
        />
        <button type="submit" disabled={key.trim() === '' || requestState.state === 'busy'}>
          Make the link
        </button>
        {requestState.state === 'failed' && <ErrorBox error={requestState.error} />}
        {requestState.state === 'done' && (
          <p class="made row wrap" role="status">
            <code>{requestState.value}</code> <CopyButton text={requestState.value} label="Copy" />
          </p>
        )}
      </form>
    </details>
  );
}
