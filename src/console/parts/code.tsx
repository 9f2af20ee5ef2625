/** The requests of an answer as JSON, and as code for curl, the client and SQL, to be copied. */
import { useState } from 'preact/hooks';
import { type CodeLanguage, codeOf, languagesOf } from '../query/code.js';
import type { ServerRequest } from '../server/client.js';
import { CopyButton, Tabs } from './controls.js';

export function Code({ requests }: { readonly requests: readonly ServerRequest[] }) {
  const [chosen, setChosen] = useState<CodeLanguage>('json');
  const languages = languagesOf(requests);
  const language = languages.some(({ name }) => name === chosen) ? chosen : languages[0].name;
  const code = codeOf(requests, language, window.location.origin);
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
