/** A tile: its title, its answer as the chart that fits best, and what can be done with it. */
import { useEffect, useRef } from 'preact/hooks';
import type { Reading } from '../../answer/behaviour.js';
import { chartsOf } from '../../answer/chart.js';
import { answerTile, draftOfTile } from '../../board/answer-tile.js';
import { bodyWithin, type Tile } from '../../board/board.js';
import { useConsole } from '../../parts/context.js';
import { Busy, ErrorBox } from '../../parts/controls.js';
import { Drawn } from '../../parts/drawn.js';
import { Grid } from '../../parts/grid.js';
import { shownValue, useRequest } from '../../parts/use-request.js';
import type { Window } from '../../query/fields.js';

interface TileProps {
  readonly tile: Tile;
  readonly range: Window;
  /** Changes when all tiles are to be sent again. */
  readonly turn: number;
  /** Absent = the tile is only looked at. */
  readonly onRemove?: () => void;
  /** Absent = the tile is the first one, or only looked at. */
  readonly onMoveUp?: () => void;
}

export function TileView({ tile, range, turn, onRemove, onMoveUp }: TileProps) {
  const { client, model, openDraft, openQuery } = useConsole();
  const { requestState, run } = useRequest<Reading>();
  const { title } = tile;
  const isBusy = requestState.state === 'busy';
  /** The turn that the last request was sent for: a turn that comes meanwhile waits for its answer. */
  const sentTurn = useRef(turn);
  const send = (): void => {
    sentTurn.current = turn;
    run((signal) => answerTile({ client, model }, tile, range, signal));
  };
  useEffect(send, [tile, range.from, range.to, client, model]);
  useEffect(() => {
    if (!isBusy && sentTurn.current !== turn) send();
  }, [turn, isBusy]);
  const open = (): void => {
    if ('path' in tile) {
      openQuery({ path: tile.path, body: JSON.stringify(bodyWithin(tile.path, tile.body, range)) });
      return;
    }
    const draft = draftOfTile(tile, model, range);
    if (draft !== null) openDraft(draft, null);
  };
  const reading = shownValue(requestState);
  return (
    <section class="panel board-tile" aria-label={title} aria-busy={isBusy}>
      <header class="row between">
        <h2>{title}</h2>
        <div class="row">
          {onMoveUp !== undefined && (
            <button type="button" class="quiet" aria-label={`Move ${title} up`} onClick={onMoveUp}>
              ↑
            </button>
          )}
          {onRemove !== undefined && (
            <>
              <button type="button" class="quiet" aria-label={`Open ${title}`} onClick={open}>
                Open
              </button>
              <button type="button" class="quiet" aria-label={`Remove ${title}`} onClick={onRemove}>
                Remove
              </button>
            </>
          )}
        </div>
      </header>
      {isBusy && reading === null && <Busy text="Asking…" />}
      {requestState.state === 'failed' && <ErrorBox error={requestState.error} />}
      {reading !== null && <Best reading={reading} />}
    </section>
  );
}

/** The first chart, or the first table if there is none. */
function Best({ reading: { tables, charts } }: { readonly reading: Reading }) {
  const [table] = tables;
  const [chart] = charts ?? (table === undefined ? [] : chartsOf(table));
  if (chart !== undefined) return <Drawn chart={chart} />;
  return table === undefined ? <p class="hint">No rows.</p> : <Grid table={table} />;
}
