/** The requests of an answer as JSON and SQL, and as code for curl, the client and psql, to be copied. */
import { useMemo, useState } from 'preact/hooks';
import { type CodeLanguage, codeOf, languagesOf } from '../query/code.js';
import { sqlOfAll } from '../query/sql-text.js';
import type { ServerRequest } from '../server/client.js';
import { useConsole } from './context.js';
import { CopyButton, Tabs } from './controls.js';

export function Code({ requests }: { readonly requests: readonly ServerRequest[] }) {
  const [chosen, setChosen] = useState<CodeLanguage>('json');
  const { model } = useConsole();
  const sql = useMemo(() => sqlOfAll(requests, model), [requests, model]);
  const languages = languagesOf(requests, sql);
  const language = languages.some(({ name }) => name === chosen) ? chosen : languages[0].name;
  const code = codeOf(requests, sql, language, window.location.origin);
  return (
    <details class="request">
      <summary>The request</summary>
      <div class="row between">
        <Tabs label="Language" chosen={language} tabs={languages} onChoose={setChosen} />
        <CopyButton text={code} label="Copy" />
      </div>
      <pre>{code}</pre>
    </details>
  );
}
