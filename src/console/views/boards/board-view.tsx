/** One dashboard: its range of time, its tiles, and its file. */
import { useEffect, useRef, useState } from 'preact/hooks';
import { type Board, boardText, type Tile } from '../../board/board.js';
import { followData } from '../../live/follow.js';
import { useConsole } from '../../parts/context.js';
import { Empty, Entry } from '../../parts/controls.js';
import { download } from '../../parts/download.js';
import { ShareForm } from './share-form.js';
import { TileView } from './tile-view.js';

interface BoardProps {
  readonly board: Board;
  readonly onChange: (board: Board) => void;
  /** Absent = the dashboard is only looked at: its tiles and its file stay as they are. */
  readonly onRemove?: () => void;
}

export function BoardView({ board, onChange, onRemove }: BoardProps) {
  const [turn, setTurn] = useState(0);
  const { name, range, tiles } = board;
  const whole = useRef<HTMLDivElement>(null);
  const isOwn = onRemove !== undefined;
  const setTiles = (next: readonly Tile[]): void => onChange({ ...board, tiles: next });
  const moveUp = (at: number): void =>
    setTiles([...tiles.slice(0, at - 1), tiles[at], tiles[at - 1], ...tiles.slice(at + 1)]);
  return (
    <div ref={whole} class="whole-board">
      <div class="row wrap board-head">
        <Entry
          label="From"
          type="date"
          value={range.from}
          onChange={(from) => onChange({ ...board, range: { ...range, from } })}
        />
        <Entry
          label="To (inclusive)"
          type="date"
          value={range.to}
          onChange={(to) => onChange({ ...board, range: { ...range, to } })}
        />
        <button
          type="button"
          class="quiet"
          onClick={() => onChange({ ...board, range: { from: '', to: '' } })}
        >
          Each tile’s own dates
        </button>
        <button type="button" onClick={() => setTurn((now) => now + 1)}>
          Refresh
        </button>
        <LiveCheck onData={() => setTurn((now) => now + 1)} />
        <button type="button" class="quiet" onClick={() => void whole.current?.requestFullscreen()}>
          Full screen
        </button>
        {onRemove !== undefined && <FileButtons board={board} onRemove={onRemove} />}
      </div>
      {isOwn && <ShareForm key={name} board={board} />}
      {range.from !== '' && range.to !== '' && range.from > range.to && (
        <p class="note" role="alert">
          The first day is after the last day, so each tile shows its own dates.
        </p>
      )}
      {tiles.length === 0 && (
        <Empty title="No tiles yet">
          <p>Ask a question under Explore and add it here, or add a query under Saved.</p>
        </Empty>
      )}
      <div class="board">
        {tiles.map((tile, index) => (
          <TileView
            key={`${tile.title} ${JSON.stringify(tile)}`}
            {...{ tile, range, turn }}
            {...(isOwn && {
              onRemove: () => setTiles(tiles.filter((_, at) => at !== index)),
              ...(index > 0 && { onMoveUp: () => moveUp(index) }),
            })}
          />
        ))}
      </div>
    </div>
  );
}

/** Calls back when data is inserted, while it is checked. */
function LiveCheck({ onData }: { readonly onData: () => void }) {
  const { client } = useConsole();
  const [isLive, setLive] = useState(false);
  useEffect(() => {
    if (!isLive) return;
    const controller = new AbortController();
    void followData(client, onData, controller.signal);
    return () => controller.abort();
  }, [isLive, client]);
  return (
    <label class="check">
      <input
        type="checkbox"
        checked={isLive}
        onChange={({ currentTarget: { checked } }) => setLive(checked)}
      />
      Live
    </label>
  );
}

function FileButtons({ board, onRemove }: { readonly board: Board; readonly onRemove: () => void }) {
  const { name } = board;
  const save = (): void => {
    const file = `${name.replace(/[^\w-]+/g, '-')}.json`;
    download(file, new Blob([boardText(board)], { type: 'application/json' }));
  };
  const remove = (): void => {
    if (window.confirm(`Delete the dashboard “${name}”? Its saved queries remain.`)) onRemove();
  };
  return (
    <>
      <button type="button" class="quiet" onClick={save}>
        Export
      </button>
      <button type="button" class="quiet" onClick={remove}>
        Delete
      </button>
    </>
  );
}
