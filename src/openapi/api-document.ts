/** The parts of the document's shape that code reads. */
import type { ErrorCode } from '../base/index.js';
import type { JsonSchema } from './json-schema.js';

export interface ApiDocument {
  readonly openapi: string;
  readonly paths: Readonly<Record<string, Readonly<Record<string, ApiOperation>>>>;
  readonly components: {
    readonly schemas: Readonly<Record<string, JsonSchema>>;
    readonly [part: string]: unknown;
  };
  readonly tags: readonly { readonly name: string; readonly description: string }[];
  readonly 'x-error-codes': Readonly<Record<string, { readonly status: number; readonly condition: string }>>;
  readonly 'x-limits': readonly { readonly what: string; readonly most: number }[];
  readonly [part: string]: unknown;
}

interface Media {
  readonly schema: JsonSchema;
  readonly example?: unknown;
}

export interface ApiOperation {
  readonly operationId: string;
  readonly tags: readonly string[];
  readonly summary: string;
  readonly description?: string;
  readonly parameters: readonly {
    readonly name: string;
    readonly in: string;
    readonly description: string;
    readonly [part: string]: unknown;
  }[];
  readonly requestBody?: { readonly required: boolean; readonly content: Readonly<Record<string, Media>> };
  readonly responses: Readonly<
    Record<
      string,
      {
        readonly description: string;
        readonly content?: Readonly<Record<string, Media>>;
        readonly 'x-error-codes'?: readonly ErrorCode[];
      }
    >
  >;
  readonly 'x-error-codes'?: readonly ErrorCode[];
  readonly [part: string]: unknown;
}
