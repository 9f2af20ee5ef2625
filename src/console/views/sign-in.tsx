/** Signing in with a key or as a user. When a session ends, this view covers the console, so that typed text is kept. */
import { useRef, useState } from 'preact/hooks';
import { Busy, Choice, Entry, ErrorBox, Tabs } from '../parts/controls.js';
import { useRequest } from '../parts/use-request.js';
import { type Session, signInAsUser, signInWithKey } from '../server/session.js';

interface SignInProps {
  /** Whether a session ended; the console stays open behind this view. */
  readonly again: boolean;
  readonly onSignedIn: (session: Session, onDevice: boolean) => void;
}

export function SignIn({ again, onSignedIn }: SignInProps) {
  const [way, setWay] = useState<'key' | 'user'>('key');
  const [key, setKey] = useState('');
  const [email, setEmail] = useState('');
  const [password, setPassword] = useState('');
  const [database, setDatabase] = useState('');
  const [choices, setChoices] = useState<readonly string[]>([]);
  const onDevice = useRef<HTMLInputElement>(null);
  const { requestState, run } = useRequest<null>();

  const signIn = (event: Event): void => {
    event.preventDefault();
    run(async () => {
      const { session, choices: offered } =
        way === 'key'
          ? { session: await signInWithKey(key.trim()), choices: [] }
          : await signInAsUser(email.trim(), password, database.trim());
      setChoices(offered);
      const isChosen = session.databaseKey !== null || session.teamKey !== null;
      if (isChosen && offered.length === 0) onSignedIn(session, onDevice.current?.checked === true);
      return null;
    });
  };
  return (
    <main class="sign-in">
      <form class="panel" onSubmit={signIn}>
        <h1>
          <span class="mark" aria-hidden="true" /> Quarry
        </h1>
        {again ? (
          <p class="note" role="status">
            Your session has ended, or the key is no longer valid. Sign in again; what you typed is still
            there.
          </p>
        ) : (
          <p>Ask questions about entities and their events, in forms, in SQL or in JSON.</p>
        )}
        <Tabs
          label="How to sign in"
          chosen={way}
          tabs={[
            { name: 'key', text: 'With a key' },
            { name: 'user', text: 'As a user' },
          ]}
          onChoose={setWay}
        />
        {way === 'key' ? (
          <Entry
            label="Key"
            type="password"
            value={key}
            onChange={setKey}
            autoComplete="off"
            hint="The keys of a new server are in keys.json in its data directory. The master key reads and writes the database; the team key creates other keys."
          />
        ) : (
          <>
            <Entry label="Email" type="email" value={email} onChange={setEmail} autoComplete="username" />
            <Entry
              label="Password"
              type="password"
              value={password}
              onChange={setPassword}
              autoComplete="current-password"
            />
            {choices.length > 0 ? (
              <Choice
                label="Database"
                value={database}
                options={choices.map((name) => ({ value: name, text: name }))}
                onChange={setDatabase}
              />
            ) : (
              <Entry label="Database (if there are several)" value={database} onChange={setDatabase} />
            )}
            {choices.length > 0 && <p class="note">You have access to several databases: choose one.</p>}
          </>
        )}
        <label class="check">
          <input type="checkbox" ref={onDevice} /> Remember on this device (otherwise until this tab is
          closed)
        </label>
        {requestState.state === 'failed' && <ErrorBox error={requestState.error} />}
        <div class="row">
          <button type="submit" class="main" disabled={requestState.state === 'busy'}>
            Sign in
          </button>
          {requestState.state === 'busy' && <Busy text="Signing in…" />}
        </div>
      </form>
    </main>
  );
}
