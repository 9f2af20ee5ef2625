/**
 * The document as one HTML page: a list of endpoints, each with its fields, an example for curl and its error codes; then
 * schemas, limits and error codes. The page needs no script and no other file than its style sheet.
 */
import type { ApiDocument, ApiOperation } from '../api-document.js';
import type { JsonSchema } from '../json-schema.js';
import { fieldTable, nameIn, schemaKindOf } from './fields.js';
import { type Html, html, prose } from './html.js';

type Entry = readonly [method: string, path: string, operation: ApiOperation];

export function apiPage(document: ApiDocument, stylePath: string): string {
  const entries = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]): Entry => [method.toUpperCase(), path, operation]),
  );
  const groups = document.tags.map(
    ({ name, description }) =>
      [name, description, entries.filter(([, , { tags }]) => tags.includes(name))] as const,
  );
  const { summary, description } = document.info as {
    readonly summary: string;
    readonly description: string;
  };
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Quarry: the interface</title>
<link rel="stylesheet" href="${stylePath}">
</head>
<body>
<a class="skip" href="#top">To the text</a>
<nav aria-label="Endpoints">
<details open><summary>Endpoints</summary>
${groups.map(
  ([name, , own]) => html`<h2>${name}</h2>
<ul>${own.map(([method, path, { operationId }]) => html`<li><a href="#${operationId}"><b class="${method.toLowerCase()}">${method}</b> ${path.replace('/v1/', '')}</a></li>`)}</ul>
`,
)}<h2>Behind them</h2>
<ul><li><a href="#schemas">Schemas</a></li><li><a href="#limits">Limits</a></li><li><a href="#errors">Error codes</a></li></ul>
</details>
</nav>
<main id="top" tabindex="-1">
<h1>Quarry</h1>
<p>${summary}</p>
<p>${prose(description)}</p>
<p>The same for programs: <a href="/v1/openapi.json">OpenAPI 3.1</a>. A star marks what must be there. Every request but those
marked otherwise carries a key in its <code>Authorization</code> header. An <code>X-Request-Id</code> is returned in the answer and written to the log.</p>
${groups.map(
  ([name, about, own]) => html`<section>
<h2>${name}</h2>
<p>${prose(about)}</p>
${own.map((entry) => operationHtml(entry, document))}</section>
`,
)}${schemasHtml(document)}${limitsHtml(document)}${errorsHtml(document)}</main>
</body>
</html>
`.text;
}

function operationHtml([method, path, operation]: Entry, document: ApiDocument): Html {
  const { operationId, summary, description, requestBody, responses } = operation;
  const parameters = operation.parameters.filter(({ name }) => name !== 'X-Request-Id');
  const answer = responses[200]?.content?.['application/json'];
  return html`<article id="${operationId}">
<h3><a href="#${operationId}"><b class="${method.toLowerCase()}">${method}</b> <code>${path}</code></a></h3>
<p><strong>${summary}.</strong> ${description === undefined ? '' : prose(description)}</p>
${callersHtml(operation)}${parameters.length === 0 ? '' : parametersHtml(parameters)}${
  requestBody === undefined
    ? ''
    : html`<h4>Request</h4>
${Object.entries(requestBody.content).map(([type, { schema }]) => html`<p><code>${type}</code></p>${bodyHtml(schema, document)}`)}`
}${exampleHtml(method, path, operation)}<h4>Answer</h4>
${answer === undefined ? '' : fieldTable(answer.schema)}${
  answer?.example === undefined
    ? ''
    : html`<pre tabindex="0">${JSON.stringify(answer.example, null, 2)}</pre>`
}${otherTypes(operation)}${codesHtml(operation, document)}</article>
`;
}

function callersHtml(operation: ApiOperation): Html {
  const rate = operation['x-requests-per-minute'];
  const bytes = operation['x-body-bytes-max'];
  const facts = [
    html`Keys: ${String(operation['x-keys'])}`,
    ...(operation['x-custom-keys'] === undefined ? [] : [html`custom keys: ${customKeysOf(operation)}`]),
    ...(rate === undefined || rate === null
      ? []
      : [html`requests a minute: ${rate === 'query-load' ? 'by the query-load plan' : Number(rate)}`]),
    ...(bytes === undefined ? [] : [html`body: at most ${Number(bytes).toLocaleString('en-US')} bytes`]),
    ...(operation['x-plain-http'] === true ? [html`over HTTP too`] : []),
  ];
  return html`<p class="facts">${facts.map((fact, index) => (index === 0 ? fact : html` · ${fact}`))}</p>
`;
}

/** The custom keys that may call the operation, or the error code if it refuses all of them. */
function customKeysOf(operation: ApiOperation): string {
  const restriction = String(operation['x-custom-keys']);
  return /^\d+$/.test(restriction) ? `refused (${restriction})` : restriction;
}

/** The name of a body's schema, and the fields of its object or of the objects in its list. */
function bodyHtml(schema: JsonSchema, document: ApiDocument): Html {
  const { schemas } = document.components;
  const whole = schemas[nameIn(schema) ?? ''] ?? schema;
  const choices = (Array.isArray(whole.anyOf) ? whole.anyOf : []) as readonly JsonSchema[];
  const one = choices
    .map((choice) => schemas[nameIn(choice) ?? ''])
    .find((found) => found?.type === 'object');
  const shown = one ?? whole;
  const about = typeof whole.description === 'string' ? prose(whole.description) : '';
  const table = shown.type === 'object' ? fieldTable(shown) : '';
  return html`<p>${schemaKindOf(schema)}. ${about}</p>${table}`;
}

const parametersHtml = (parameters: ApiOperation['parameters']): Html =>
  html`<dl>${parameters.map(({ name, in: location, description }) => html`<dt><code>${name}</code> <span class="bound">${location}</span></dt><dd>${prose(description)}</dd>`)}</dl>
`;

/** The example as a shell command, with the address and the key in variables. */
function exampleHtml(method: string, path: string, operation: ApiOperation): Html {
  const [type, media] = Object.entries(operation.requestBody?.content ?? {})[0] ?? [];
  if (media?.example === undefined && operation['x-permission'] === undefined) return html``;
  const body = typeof media?.example === 'string' ? media.example : JSON.stringify(media?.example, null, 2);
  const sends =
    media === undefined
      ? ''
      : ` \\\n  -H 'Content-Type: ${type}' --data-binary '${body.replaceAll("'", "'\\''")}'`;
  const key = operation.security === undefined ? ` -H "Authorization: $KEY"` : '';
  return html`<pre tabindex="0">curl -X ${method} "$URL${path}"${key}${sends}</pre>
`;
}

function otherTypes({ responses }: ApiOperation): Html {
  const types = Object.entries(responses[200]?.content ?? {}).filter(([type]) => type !== 'application/json');
  return html`${types.map(([type, { schema }]) => html`<p><code>${type}</code>: ${prose(String(schema.description ?? 'text'))}</p>`)}`;
}

/** Error codes by HTTP status; each links to its description and has it as title. */
function codesHtml({ responses }: ApiOperation, { 'x-error-codes': conditions }: ApiDocument): Html {
  const refusals = Object.entries(responses).flatMap(([status, { 'x-error-codes': codes }]) =>
    codes === undefined ? [] : [[status, codes] as const],
  );
  if (refusals.length === 0) return html``;
  const link = (code: number): Html =>
    html`<a href="#code-${code}" title="${conditions[code].condition}">${code}</a> `;
  return html`<details><summary>Error codes</summary>
<dl>${refusals.map(([status, codes]) => html`<dt>HTTP ${status}</dt><dd>${codes.map(link)}</dd>`)}</dl></details>
`;
}

function schemasHtml({ components }: ApiDocument): Html {
  const all = Object.entries(components.schemas).map(([name, schema]): Html => {
    const about = typeof schema.description === 'string' ? html`<p>${prose(schema.description)}</p>` : '';
    const examples = (Array.isArray(schema.examples) ? schema.examples : []).map(
      (example: unknown) => html`<pre tabindex="0">${JSON.stringify(example)}</pre>`,
    );
    return html`<article id="schema-${name}"><h3>${name}</h3>${about}${fieldTable(schema as JsonSchema)}${examples}</article>
`;
  });
  return html`<section id="schemas"><h2>Schemas</h2>
${all}</section>
`;
}

const limitsHtml = (document: ApiDocument): Html => html`<section id="limits"><h2>Limits</h2>
<div class="scroll"><table><thead><tr><th>Of what</th><th>At most</th></tr></thead><tbody>${document[
  'x-limits'
].map(
  ({ what, most }) =>
    html`<tr><th scope="row">${prose(what)}</th><td>${most.toLocaleString('en-US')}</td></tr>`,
)}</tbody></table></div></section>
`;

const errorsHtml = (document: ApiDocument): Html => html`<section id="errors"><h2>Error codes</h2>
<div class="scroll"><table><thead><tr><th>Code</th><th>HTTP</th><th>Condition</th></tr></thead><tbody>${Object.entries(
  document['x-error-codes'],
).map(
  ([code, { status, condition }]) =>
    html`<tr id="code-${code}"><th scope="row">${code}</th><td>${status}</td><td>${condition}</td></tr>`,
)}</tbody></table></div></section>
`;
