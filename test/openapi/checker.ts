/** Checks bodies and answers against the document's schemas with a JSON Schema validator of draft 2020-12. */
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import { Description } from '../../src/http/endpoints/description.js';
import { ENDPOINTS } from '../../src/http/endpoints/endpoints.js';
import type { Answer } from '../../src/http/transport/answer.js';
import type { PageRequest } from '../../src/http/transport/static-page.js';
import type { ApiDocument, ApiOperation } from '../../src/openapi/index.js';

const ID = 'api';

interface Describer {
  answer(path: string, more?: Partial<PageRequest>): Answer | null;
}

/** The description's pages as a server sends them; by default over HTTPS to a GET that accepts no encoding. */
export function describer(): Describer {
  const description = new Description(ENDPOINTS);
  const usual = { method: 'get', overHttps: true, acceptEncoding: '', ifNoneMatch: '' };
  return { answer: (path, more = {}) => description.answer({ ...usual, path, ...more }) };
}

/** The document as a server sends it. */
export function sentDocument(): ApiDocument {
  const { answer } = describer();
  return JSON.parse(String(answer('/v1/openapi.json')?.body));
}

export class Checker {
  readonly document: ApiDocument;
  readonly #ajv: Ajv2020;
  readonly #known = new Map<string, ValidateFunction>();

  constructor(document: ApiDocument) {
    this.document = document;
    // Not strict: schemas without a type are next to schemas with one. Formats are only documentation.
    this.#ajv = new Ajv2020({ allErrors: false, strict: false, validateFormats: false });
    this.#ajv.addSchema({ ...document, $id: ID } as object, ID);
  }

  /** The operation of an endpoint; `path` as a client writes it. */
  operation(method: string, path: string): ApiOperation {
    const at = path
      .split('?')[0]
      .replace(/^(\/v1\/query\/saved\/)[^/]+(\/live)?$/, '$1{query_name}$2')
      .replace(/^(\/v1\/segment\/)[^/]+/, '$1{segment_name}')
      .replace(/^(\/v1\/status\/queries\/)[^/]+/, '$1{query_id}');
    const operation = this.document.paths[at]?.[method.toLowerCase()];
    if (operation === undefined) throw new Error(`the document has no ${method} ${path}`);
    return operation;
  }

  /** The error of a JSON body against its schema; null if it is valid or has no schema. */
  request(method: string, path: string, body: unknown): string | null {
    const media = this.operation(method, path).requestBody?.content['application/json'];
    return media === undefined ? null : this.fault(media.schema, body);
  }

  /** The error of an answer: an invalid form, or a code that the endpoint does not document; null = none. */
  answer(method: string, path: string, status: number, body: unknown): string | null {
    const operation = this.operation(method, path);
    const schema = operation.responses[status]?.content?.['application/json']?.schema;
    if (schema === undefined) return `HTTP ${status} is not described: ${JSON.stringify(body)}`;
    const fault = this.fault(schema, body);
    if (fault !== null || status === 200) return fault;
    const { errors } = body as { readonly errors: readonly { readonly code: number }[] };
    const codes: readonly number[] = operation['x-error-codes'] ?? [];
    const strange = errors.find(({ code }) => !codes.includes(code));
    return strange === undefined ? null : `code ${strange.code} is not described: ${JSON.stringify(strange)}`;
  }

  /** The error of a value against a schema of the document; null if there is none. */
  fault(schema: object, value: unknown): string | null {
    const key = JSON.stringify(schema);
    let validate = this.#known.get(key);
    if (validate === undefined) {
      validate = this.#ajv.compile(JSON.parse(key.replaceAll('"#/components', `"${ID}#/components`)));
      this.#known.set(key, validate);
    }
    if (validate(value)) return null;
    const [{ instancePath, message = '', params } = { instancePath: '', params: {} }] = validate.errors ?? [];
    return `${instancePath} ${message} ${JSON.stringify(params)}: ${JSON.stringify(value).slice(0, 400)}`;
  }

  /** Whether a value is a schema of the draft. */
  isSchema(value: object): boolean {
    return this.#ajv.validateSchema(value) === true;
  }
}
