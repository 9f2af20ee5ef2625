/** The dashboard of a link, without a session: nothing is stored and nothing can be changed. */
import { useEffect, useMemo, useState } from 'preact/hooks';
import { requireReadKey, type SharedBoard } from '../../board/link.js';
import { type Console, ConsoleContext } from '../../parts/context.js';
import { Busy, Empty, ErrorBox } from '../../parts/controls.js';
import { useTheme } from '../../parts/theme.js';
import { useRequest } from '../../parts/use-request.js';
import { Client } from '../../server/client.js';
import { loadModel, type Model } from '../../server/model.js';
import { BoardView } from './board-view.js';

/** `shared` null = the link is damaged. */
export function SharedPage({ shared }: { readonly shared: SharedBoard | null }) {
  return shared === null ? (
    <main>
      <Empty title="This link is damaged">
        <p>Ask for it again: it was cut off or changed on its way.</p>
      </Empty>
    </main>
  ) : (
    <Shared shared={shared} />
  );
}

function Shared({ shared: { board: first, key } }: { readonly shared: SharedBoard }) {
  const { theme, toggle } = useTheme();
  const [board, setBoard] = useState(first);
  const { requestState, run } = useRequest<Model>();
  const client = useMemo(() => new Client(key), [key]);
  useEffect(() => {
    run(async () => {
      await requireReadKey(client);
      return loadModel(client);
    });
  }, [client]);
  if (requestState.state === 'failed') return <ErrorBox error={requestState.error} />;
  if (requestState.state !== 'done') return <Busy text="Reading the dashboard…" />;
  const known: Console = {
    ...{ client, team: null, theme, model: requestState.value },
    ...{ reloadModel: nothing, onEnded: nothing, openDraft: nothing, openQuery: nothing },
  };
  return (
    <ConsoleContext.Provider value={known}>
      <header class="top">
        <span class="brand">
          <span class="mark" aria-hidden="true" /> Quarry
        </span>
        <div class="who">
          <button
            type="button"
            class="quiet"
            onClick={toggle}
            aria-label={`Change to ${theme === 'dark' ? 'light' : 'dark'}`}
          >
            {theme === 'dark' ? '☀' : '☾'}
          </button>
        </div>
      </header>
      <main id="content" tabIndex={-1}>
        <header class="view-head">
          <h1>{board.name}</h1>
        </header>
        <BoardView board={board} onChange={setBoard} />
      </main>
    </ConsoleContext.Provider>
  );
}

const nothing = (): void => {};
