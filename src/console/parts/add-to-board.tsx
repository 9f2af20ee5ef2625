/** Adds a question or a request to a dashboard of this browser. */
import { useMemo, useState } from 'preact/hooks';
import { NAME_CHARS_MAX, newBoard, TILES_MAX, type Tile } from '../board/board.js';
import { BoardStore } from '../board/store.js';
import { useConsole } from './context.js';
import { Entry, ErrorBox } from './controls.js';

interface AddProps {
  readonly tile: Tile;
}

export function AddToBoard({ tile }: AddProps) {
  const { model } = useConsole();
  const store = useMemo(() => new BoardStore(localStorage, model.database ?? ''), [model.database]);
  const [title, setTitle] = useState(tile.title);
  const [name, setName] = useState(() => store.read()[0]?.name ?? 'Dashboard');
  const [added, setAdded] = useState<string | null>(null);
  const [error, setError] = useState<unknown>(null);
  const add = (event: Event): void => {
    event.preventDefault();
    const wanted = name.trim();
    setError(null);
    try {
      if (wanted === '' || title.trim() === '') throw new Error('Type a title and the name of a dashboard.');
      const board = store.read().find((one) => one.name === wanted) ?? newBoard(wanted);
      if (board.tiles.length >= TILES_MAX) throw new Error(`A dashboard has at most ${TILES_MAX} tiles.`);
      store.write({ ...board, tiles: [...board.tiles, { ...tile, title: title.trim() }] });
      setAdded(wanted);
    } catch (fault) {
      setError(fault);
    }
  };
  return (
    <details class="add-to-board">
      <summary>Add to a dashboard</summary>
      <form class="save" onSubmit={add}>
        <Entry label="Title of the tile" value={title} maxLength={NAME_CHARS_MAX} onChange={setTitle} />
        <Entry
          label="Name of the dashboard"
          value={name}
          maxLength={NAME_CHARS_MAX}
          suggestions={store.read().map((board) => board.name)}
          onChange={setName}
        />
        <button type="submit">Add</button>
        {error !== null && <ErrorBox error={error} />}
        {added !== null && (
          <p class="good" role="status">
            Added to {added}. Find it under{' '}
            <a href={`#dashboards/${encodeURIComponent(added)}`}>Dashboards</a>.
          </p>
        )}
      </form>
    </details>
  );
}
