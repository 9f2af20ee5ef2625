/** The dashboards of the database in this browser: one is shown, new ones are made or imported. */
import { useMemo, useRef, useState } from 'preact/hooks';
import { boardOfText, NAME_CHARS_MAX, newBoard } from '../../board/board.js';
import { BoardStore } from '../../board/store.js';
import { useConsole } from '../../parts/context.js';
import { Choice, Empty, Entry, ErrorBox } from '../../parts/controls.js';
import { BoardView } from './board-view.js';

/** `address`: the name of the dashboard in the page's address; empty = the first one. */
export function Boards({ address }: { readonly address: string }) {
  const { model } = useConsole();
  const store = useMemo(() => new BoardStore(localStorage, model.database ?? ''), [model.database]);
  const [boards, setBoards] = useState(() => store.read());
  const [name, setName] = useState('');
  const [error, setError] = useState<unknown>(null);
  const file = useRef<HTMLInputElement>(null);
  const shown = boards.find((board) => board.name === nameIn(address)) ?? boards[0];

  const change = (act: () => void): void => {
    setError(null);
    try {
      act();
      setBoards(store.read());
    } catch (fault) {
      setError(fault);
    }
  };
  const show = (chosen: string): void => {
    window.location.hash = `dashboards/${encodeURIComponent(chosen)}`;
  };
  const create = (event: Event): void => {
    event.preventDefault();
    const wanted = name.trim();
    if (wanted === '' || boards.some((board) => board.name === wanted)) {
      setError(new Error('Type a name that no other dashboard has.'));
      return;
    }
    change(() => store.write(newBoard(wanted)));
    setName('');
    show(wanted);
  };
  const load = async (files: FileList | null): Promise<void> => {
    const text = await files?.[0]?.text();
    if (file.current !== null) file.current.value = '';
    if (text === undefined) return;
    change(() => {
      const board = boardOfText(text);
      const isNew = boards.every((one) => one.name !== board.name);
      if (!isNew && !window.confirm(`Replace the dashboard “${board.name}”?`)) return;
      store.write(board);
      show(board.name);
    });
  };
  return (
    <>
      <header class="view-head">
        <h1>Dashboards</h1>
      </header>
      <div class="panel row wrap board-choice">
        {shown !== undefined && (
          <Choice
            label="Dashboard"
            value={shown.name}
            options={boards.map((board) => ({ value: board.name, text: board.name }))}
            onChange={show}
          />
        )}
        <form class="row" onSubmit={create}>
          <Entry label="New dashboard" value={name} maxLength={NAME_CHARS_MAX} onChange={setName} />
          <button type="submit">Create</button>
        </form>
        <input
          ref={file}
          type="file"
          hidden
          accept="application/json,.json"
          aria-label="File of a dashboard"
          onChange={(event) => void load(event.currentTarget.files)}
        />
        <button type="button" onClick={() => file.current?.click()}>
          Import
        </button>
      </div>
      {error !== null && <ErrorBox error={error} />}
      {shown === undefined ? (
        <Empty title="None yet">
          <p>
            A dashboard shows several answers with one range of time. It is stored in this browser; export it
            to share it.
          </p>
        </Empty>
      ) : (
        <BoardView
          key={shown.name}
          board={shown}
          onChange={(board) => change(() => store.write(board))}
          onRemove={() => change(() => store.remove(shown.name))}
        />
      )}
    </>
  );
}

function nameIn(address: string): string {
  try {
    return decodeURIComponent(address);
  } catch {
    return '';
  }
}
