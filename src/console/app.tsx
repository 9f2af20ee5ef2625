/** The console: session, current view, and theme. Views that were opened keep the typed text. */
import { useEffect, useLayoutEffect, useMemo, useState } from 'preact/hooks';
import { type Console, ConsoleContext, type QueryText } from './parts/context.js';
import { Busy, Empty, ErrorBox } from './parts/controls.js';
import { useTheme } from './parts/theme.js';
import { shownValue, useRequest } from './parts/use-request.js';
import type { Draft } from './query/draft.js';
import { Client } from './server/client.js';
import { loadModel, type Model } from './server/model.js';
import type { Session, SessionStore } from './server/session.js';
import { Boards } from './views/boards/boards.js';
import { Databases } from './views/databases.js';
import { Explore, type Opened } from './views/explore/explore.js';
import { Home } from './views/home.js';
import { Keys } from './views/keys.js';
import { Live } from './views/live.js';
import { Query } from './views/query/query.js';
import { Saved } from './views/saved.js';
import { SignIn } from './views/sign-in.js';

const VIEWS = [
  { name: 'home', text: 'Start', ofDatabase: true },
  { name: 'explore', text: 'Explore', ofDatabase: true },
  { name: 'query', text: 'Query', ofDatabase: true },
  { name: 'saved', text: 'Saved', ofDatabase: true },
  { name: 'dashboards', text: 'Dashboards', ofDatabase: true },
  { name: 'live', text: 'Live', ofDatabase: false },
  { name: 'keys', text: 'Keys', ofDatabase: false },
] as const;

type ViewName = (typeof VIEWS)[number]['name'];

const EMPTY_MODEL: Model = { database: null, dimensions: [] };

interface Address {
  readonly view: ViewName;
  /** The text after the name of the view: what the view shows. */
  readonly rest: string;
}

function addressOfPage(): Address {
  const [, name, rest = ''] = /^#([^/]*)(?:\/(.*))?$/.exec(window.location.hash) ?? [];
  const view = VIEWS.find((one) => one.name === name)?.name;
  return view === undefined ? { view: 'home', rest: '' } : { view, rest };
}

function useAddress(): [Address, (name: ViewName) => void] {
  const [address, setAddress] = useState(addressOfPage);
  useLayoutEffect(() => {
    const follow = (): void => setAddress(addressOfPage());
    window.addEventListener('hashchange', follow);
    return () => window.removeEventListener('hashchange', follow);
  }, []);
  return [
    address,
    (name) => {
      window.location.hash = name;
    },
  ];
}

export function App({ store }: { readonly store: SessionStore }) {
  const [session, setSession] = useState<Session | null>(() => store.read());
  const [hasEnded, setHasEnded] = useState(false);
  const signedIn = (next: Session, onDevice: boolean): void => {
    store.keep(next, onDevice);
    setSession(next);
    setHasEnded(false);
  };
  const signOut = (): void => {
    store.clear();
    setSession(null);
    setHasEnded(false);
    window.location.hash = '';
  };
  return (
    <>
      {session !== null && (
        <div inert={hasEnded}>
          <Signed session={session} onEnded={() => setHasEnded(true)} onSignOut={signOut} />
        </div>
      )}
      {(session === null || hasEnded) && (
        <div class={hasEnded ? 'over' : ''}>
          <SignIn again={hasEnded} onSignedIn={signedIn} />
        </div>
      )}
    </>
  );
}

interface SignedProps {
  readonly session: Session;
  readonly onEnded: () => void;
  readonly onSignOut: () => void;
}

function Signed({ session, onEnded, onSignOut }: SignedProps) {
  const { databaseKey, teamKey, email } = session;
  const [{ view, rest }, setView] = useAddress();
  const { theme, toggle } = useTheme();
  const loading = useRequest<Model>();
  const [draft, setDraft] = useState<Opened | null>(null);
  const [query, setQuery] = useState<QueryText | null>(null);
  // One client per key.
  const client = useMemo(() => new Client(databaseKey ?? '', onEnded), [databaseKey]);
  const team = useMemo(() => (teamKey === null ? null : new Client(teamKey, onEnded)), [teamKey]);
  const reloadModel = (): void => {
    if (databaseKey !== null) loading.run(() => loadModel(client));
  };
  useEffect(reloadModel, [client]);

  const { requestState } = loading;
  const model = shownValue(requestState);
  const known: Console = {
    ...{ client, team, theme, reloadModel, onEnded },
    model: model ?? EMPTY_MODEL,
    openDraft: (draft: Draft, windowOf) => {
      setDraft({ draft, windowOf });
      setView('explore');
    },
    openQuery: (text) => {
      setQuery(text);
      setView('query');
    },
  };
  const database = model?.database ?? session.database;
  return (
    <ConsoleContext.Provider value={known}>
      <a class="skip" href={`#${view}`} onClick={toMain}>
        Skip to the content
      </a>
      <header class="top">
        <a class="brand" href="#home">
          <span class="mark" aria-hidden="true" /> Quarry
          {database !== null && database !== '' && <small>{database}</small>}
        </a>
        <nav aria-label="Views">
          {VIEWS.map(({ name, text }) => (
            <a key={name} href={`#${name}`} aria-current={name === view ? 'page' : undefined}>
              {text}
            </a>
          ))}
        </nav>
        <div class="who">
          {email !== null && <span class="facts">{email}</span>}
          <button
            type="button"
            class="quiet"
            onClick={toggle}
            aria-label={`Change to ${theme === 'dark' ? 'light' : 'dark'}`}
          >
            {theme === 'dark' ? '☀' : '☾'}
          </button>
          <button type="button" class="quiet" onClick={onSignOut}>
            Sign out
          </button>
        </div>
      </header>
      <main id="content" tabIndex={-1}>
        {VIEWS.map(({ name, ofDatabase }) => (
          <Visited key={name} isSeen={name === view} keeps={name === 'explore' || name === 'query'}>
            {() =>
              !ofDatabase ? (
                <View name={name} {...{ draft, query, rest: name === view ? rest : '' }} />
              ) : databaseKey === null ? (
                <>
                  <Empty title="This view requires the key of a database">
                    <p>
                      You are signed in with a team key, which manages databases and keys. Sign out, then sign
                      in with a key of the database.
                    </p>
                  </Empty>
                  {name === 'home' && team !== null && <Databases team={team} />}
                </>
              ) : requestState.state === 'failed' ? (
                <>
                  <ErrorBox error={requestState.error} />
                  <button type="button" onClick={reloadModel}>
                    Try again
                  </button>
                </>
              ) : model === null ? (
                <Busy text="Reading dimensions and columns…" />
              ) : (
                <View name={name} {...{ draft, query, rest: name === view ? rest : '' }} />
              )
            }
          </Visited>
        ))}
      </main>
    </ConsoleContext.Provider>
  );
}

function toMain(event: Event): void {
  event.preventDefault();
  document.getElementById('content')?.focus();
}

interface VisitedProps {
  readonly isSeen: boolean;
  /** Whether the view stays mounted, but hidden, after it was opened. */
  readonly keeps: boolean;
  readonly children: () => preact.ComponentChildren;
}

function Visited({ isSeen, keeps, children }: VisitedProps) {
  const [wasSeen, setWasSeen] = useState(false);
  useLayoutEffect(() => {
    if (isSeen) setWasSeen(true);
  }, [isSeen]);
  if (!isSeen && !(keeps && wasSeen)) return null;
  return <div hidden={!isSeen}>{children()}</div>;
}

interface ViewProps {
  readonly name: ViewName;
  readonly draft: Opened | null;
  readonly query: QueryText | null;
  /** What the view shows, from the address. */
  readonly rest: string;
}

function View({ name, draft, query, rest }: ViewProps) {
  if (name === 'home') return <Home />;
  if (name === 'explore') return <Explore opened={draft} address={rest} />;
  if (name === 'query') return <Query opened={query} />;
  if (name === 'saved') return <Saved />;
  if (name === 'dashboards') return <Boards address={rest} />;
  return name === 'live' ? <Live /> : <Keys />;
}
