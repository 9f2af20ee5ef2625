/** A tile: its title, its answer as the chart that fits best, and what can be done with it. */
import { useEffect } from 'preact/hooks';
import type { Reading } from '../../answer/behaviour.js';
import { chartsOf } from '../../answer/chart.js';
import { answerTile, draftOfTile } from '../../board/answer-tile.js';
import { bodyWithin, type Tile } from '../../board/board.js';
import { useConsole } from '../../parts/context.js';
import { Busy, ErrorBox } from '../../parts/controls.js';
import { Drawn } from '../../parts/drawn.js';
import { Grid } from '../../parts/grid.js';
import { useRequest } from '../../parts/use-request.js';
import type { Window } from '../../query/fields.js';

interface TileProps {
  readonly tile: Tile;
  readonly range: Window;
  /** Changes when all tiles are to be sent again. */
  readonly turn: number;
  readonly onRemove: () => void;
  /** Absent = the tile is the first one. */
  readonly onMoveUp?: (() => void) | undefined;
}

export function TileView({ tile, range, turn, onRemove, onMoveUp }: TileProps) {
  const { client, model, openDraft, openQuery } = useConsole();
  const { requestState, run } = useRequest<Reading>();
  const { title } = tile;
  useEffect(() => {
    run((signal) => answerTile({ client, model }, tile, range, signal));
  }, [tile, range.from, range.to, turn, client, model]);
  const open = (): void => {
    if ('path' in tile) {
      openQuery({ path: tile.path, body: JSON.stringify(bodyWithin(tile.path, tile.body, range)) });
      return;
    }
    const draft = draftOfTile(tile, model, range);
    if (draft !== null) openDraft(draft, null);
  };
  const reading =
    requestState.state === 'done'
      ? requestState.value
      : requestState.state === 'busy'
        ? requestState.before
        : null;
  return (
    <section class="panel board-tile" aria-label={title} aria-busy={requestState.state === 'busy'}>
      <header class="row between">
        <h2>{title}</h2>
        <div class="row">
          {onMoveUp !== undefined && (
            <button type="button" class="quiet" aria-label={`Move ${title} up`} onClick={onMoveUp}>
              ↑
            </button>
          )}
          <button type="button" class="quiet" aria-label={`Open ${title}`} onClick={open}>
            Open
          </button>
          <button type="button" class="quiet" aria-label={`Remove ${title}`} onClick={onRemove}>
            Remove
          </button>
        </div>
      </header>
      {requestState.state === 'busy' && reading === null && <Busy text="Asking…" />}
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
