/** Queries as text in tabs, each with its own answer. A query that another view opens gets a tab. */
import { useLayoutEffect, useState } from 'preact/hooks';
import type { QueryText } from '../../parts/context.js';
import { Tabs } from '../../parts/controls.js';
import { nextId } from '../../query/behaviour-draft.js';
import { QueryTab } from './query-tab.js';

interface Tab {
  readonly id: number;
  readonly opened: QueryText | null;
}

const TABS_MAX = 12;

interface Open {
  readonly tabs: readonly Tab[];
  /** The ID of the tab that is shown. */
  readonly chosen: number;
}

/** With one more tab, which is shown; the oldest makes way for it if there are too many. */
function withTab({ tabs }: Open, opened: QueryText | null): Open {
  const tab = { id: nextId(tabs), opened };
  return { tabs: [...tabs, tab].slice(-TABS_MAX), chosen: tab.id };
}

function withoutTab({ tabs, chosen }: Open, id: number): Open {
  const remaining = tabs.filter((tab) => tab.id !== id);
  if (remaining.length === 0) return { tabs: [{ id: id + 1, opened: null }], chosen: id + 1 };
  return { tabs: remaining, chosen: chosen === id ? remaining[remaining.length - 1].id : chosen };
}

export function Query({ opened }: { readonly opened: QueryText | null }) {
  const [{ tabs, chosen }, setOpen] = useState<Open>({ tabs: [{ id: 1, opened: null }], chosen: 1 });
  // The opened text gets its tab before the user can type.
  useLayoutEffect(() => {
    if (opened !== null) setOpen((now) => withTab(now, opened));
  }, [opened]);
  return (
    <>
      <header class="view-head">
        <h1>Query</h1>
        <Tabs
          label="Queries"
          chosen={String(chosen)}
          tabs={tabs.map(({ id }) => ({ name: String(id), text: `Query ${id}` }))}
          onChoose={(id) => setOpen((now) => ({ ...now, chosen: Number(id) }))}
        />
        <button type="button" class="quiet" onClick={() => setOpen((now) => withTab(now, null))}>
          New query
        </button>
        {tabs.length > 1 && (
          <button type="button" class="quiet" onClick={() => setOpen((now) => withoutTab(now, chosen))}>
            Close query {chosen}
          </button>
        )}
      </header>
      {tabs.map((tab) => (
        <div key={tab.id} hidden={tab.id !== chosen}>
          <QueryTab opened={tab.opened} />
        </div>
      ))}
    </>
  );
}
