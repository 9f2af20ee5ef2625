/**
 * The checks of a request's head, in the interface's order: 1506; 1505; then those of `authorize`: 500 to 502, account
 * states 1000 to 1003, addresses 504, permissions 503, 505, 507, 509, 511; 1500 and 1501; rates 1502; 1507. The first one
 * that fails is the answer. uWebSockets provides the head only in the turn in which it arrived, so all of it is read here.
 */
import type { RowFormat } from '../../answer/index.js';
import { QuarryError, quoted } from '../../base/index.js';
import type { RecordMapping } from '../../ingest/index.js';
import type { Endpoint } from '../endpoints/endpoints.js';
import { bodyScopeOf, idempotencyIdOf } from '../endpoints/idempotency.js';
import { dedupesBodies, quarantines, recordMappingOf } from '../endpoints/record-parameters.js';
import { endpointOf, type Path, pathNameOf } from '../endpoints/router.js';
import { type LiveParameters, liveParametersOf } from '../live/live-parameters.js';
import { formatOf } from '../transport/accept.js';
import type { Encoding } from '../transport/decode.js';
import { LINES_TYPE } from '../transport/part-answer.js';
import type { Peer } from '../transport/proxy.js';
import type { UwsRequest } from '../transport/uws.js';
import type { Authorizer, RequestContext, RequestObserver } from './authorize.js';
import { presentedKey } from './keys.js';

/** The length of the body according to the head. */
export type BodyLength =
  | { readonly kind: 'none' | 'chunked' }
  | { readonly kind: 'declared'; readonly bytes: number }
  /**
   * Not a number, several numbers, or an unsupported transfer coding: the start of the next request is uncertain, so the
   * connection is closed after the answer. `text`: the error message.
   */
  | { readonly kind: 'broken'; readonly text: string }
  /** Too many digits for uWebSockets, which drops the connection after the answer. */
  | { readonly kind: 'endless' };

const RECORD_FORMS: ReadonlyMap<string, RecordForm> = new Map([
  [LINES_TYPE, 'lines'],
  ['application/json', 'json'],
  ['text/csv', 'csv'],
]);

/** Types of a body of rows in Arrow's format; a file is read as the stream in it. */
export const ARROW_TYPES: readonly string[] = [
  'application/vnd.apache.arrow.stream',
  'application/vnd.apache.arrow.file',
];

export const PARQUET_TYPE = 'application/vnd.apache.parquet';

/** The parameters of refused lines of entities. */
const ENTITY_PARAMETERS = 'on-error=quarantine';

const NO_BODY: BodyLength = { kind: 'none' };
const CHUNKED: BodyLength = { kind: 'chunked' };

/** `method` is in lower case. A valid length of a GET is ignored: its body is not read. */
export function bodyLengthOf(request: UwsRequest, method: string): BodyLength {
  const text = request.getHeader('content-length');
  const coding = request.getHeader('transfer-encoding');
  if (text === '' && coding === '') return NO_BODY;
  if (linesOf(request) > 1) {
    return { kind: 'broken', text: 'several lines of Content-Length or Transfer-Encoding' };
  }
  if (coding !== '') {
    if (coding.toLowerCase() !== 'chunked') {
      return { kind: 'broken', text: `Transfer-Encoding ${quoted(coding)} is not chunked` };
    }
    return method === 'get' ? NO_BODY : CHUNKED;
  }
  if (!/^\d{1,9}$/.test(text)) {
    if (/^\d+$/.test(text)) return { kind: 'endless' };
    return { kind: 'broken', text: `Content-Length ${quoted(text)} is not a number of bytes` };
  }
  const bytes = Number(text);
  return bytes === 0 || method === 'get' ? NO_BODY : { kind: 'declared', bytes };
}

/** Number of header lines that define the body's length. `getHeader` returns only the first line of a name. */
function linesOf(request: UwsRequest): number {
  let count = 0;
  request.forEach((name) => {
    if (name === 'content-length' || name === 'transfer-encoding') count++;
  });
  return count;
}

/** The head of a request, before any check. */
export interface Arrival {
  readonly request: UwsRequest;
  /** null = the interface has no such path. */
  readonly found: Path | null;
  /** In lower case. */
  readonly method: string;
  /** Without a trailing slash. */
  readonly path: string;
  readonly secure: boolean;
  readonly length: BodyLength;
  readonly peer: Pick<Peer, 'address'>;
}

/** How a body of records is divided. */
export type RecordForm = 'lines' | 'json' | 'csv' | 'arrow' | 'parquet';

/** In which format the worker gets the records. */
const FORMATS: Readonly<Record<RecordForm, RecordMapping['format']>> = {
  ...{ lines: 'json', json: 'json', csv: 'csv' },
  ...{ arrow: 'arrow', parquet: 'arrow' },
};

export interface RecordBody {
  readonly form: RecordForm;
  readonly mapping: RecordMapping;
}

/** A request whose head has passed every check. */
export interface AdmittedRequest {
  readonly context: RequestContext;
  readonly encoding: Encoding;
  /** The body is a line body, which is applied part by part. */
  readonly inLines: boolean;
  /** How the records of the body become entities; null = the body has entities. */
  readonly records: RecordBody | null;
  /** The parameters of refused lines, as in the query of the URL, if they are to be kept; null = they refuse their part. */
  readonly quarantine: string | null;
  /** See AnyCall. */
  readonly pathName: string;
  /** See DatabaseCall. */
  readonly idempotencyId: string | null;
  /** The scope in which a body with the same bytes takes effect once (bodyIdempotencyIdOf); null = it may take effect again. */
  readonly bodyScope: string | null;
  readonly format: RowFormat;
  /** null = the endpoint has no live answers. */
  readonly live: LiveParameters | null;
}

/**
 * Checks the head of a request. Throws QuarryError with the first check that fails. `observer` gets what becomes known,
 * also when a later check fails.
 */
export function admit(
  authorizer: Authorizer,
  { request, found, method, path, secure, length, peer }: Arrival,
  observer: RequestObserver,
): AdmittedRequest {
  if (!secure && found?.plainHttp !== true) {
    throw new QuarryError(1506, `${quoted(path)} is served over HTTPS only`);
  }
  const endpoint = endpointOf(found, method, path);
  observer.found(endpoint);
  const key = endpoint.scope === 'open' ? null : presentedKey(request);
  const context = authorizer.authorize({ key, peer }, endpoint, observer);
  const type = mediaTypeOf(request.getHeader('content-type'));
  const recordForm = recordFormOf(endpoint, type, length);
  const inLines = recordForm !== null || (endpoint.takesLines && type === LINES_TYPE);
  if (length.kind !== 'none' && !inLines) checkContentType(endpoint, request);
  const encoding = length.kind === 'none' ? 'identity' : encodingOf(request.getHeader('content-encoding'));
  authorizer.countRequest(context);
  checkLength(length, inLines ? Number.POSITIVE_INFINITY : endpoint.bodyBytesMax);
  const { caller, databaseId } = context;
  const isInDatabase = endpoint.scope === 'database' && caller !== null && databaseId !== null;
  const isKeyed = isInDatabase && endpoint.takesIdempotencyKey;
  const idempotencyId = isKeyed ? idempotencyIdOf(request, endpoint, databaseId, caller) : null;
  const quarantine =
    endpoint.takesLines || inLines
      ? quarantineOf(request, inLines ? (recordForm ?? 'entities') : null)
      : null;
  const records = recordForm === null ? null : recordBodyOf(recordForm, request);
  const isInsert = isInDatabase && (endpoint.takesLines || endpoint.takesRecords);
  const query = isInsert ? request.getQuery() : '';
  const isDeduplicated = query !== '' && dedupesBodies(query, recordForm !== null) && idempotencyId === null;
  const bodyScope = isInsert && isDeduplicated ? bodyScopeOf(databaseId, caller, endpoint, query) : null;
  const live = endpoint.isLive
    ? liveParametersOf(request.getQuery(), request.getHeader('last-event-id'))
    : null;
  authorizer.noteRequest(context);
  const pathName = found === null ? '' : pathNameOf(found, path);
  const format = isInDatabase ? formatOf(request.getHeader('accept')) : 'json';
  return {
    ...{ context, encoding, inLines, records, quarantine },
    ...{ pathName, idempotencyId, bodyScope, format, live },
  };
}

/** The parameters of refused lines if they are to be kept. `form`: of the lines; null = there are none. Throws 4049. */
function quarantineOf(request: UwsRequest, form: RecordForm | 'entities' | null): string | null {
  const query = request.getQuery();
  if (query === '' || !quarantines(query)) return null;
  // Parameters of records have no meaning for lines of entities, and must not get one when they are inserted again.
  if (form === 'entities') return ENTITY_PARAMETERS;
  if (form !== null && form !== 'arrow' && form !== 'parquet') return query;
  throw new QuarryError(4049, `the parameter "on-error" needs a body of lines: ${LINES_TYPE}`);
}

/** null = the body has no records. A request without a body needs no type. */
function recordFormOf(endpoint: Endpoint, type: string, { kind }: BodyLength): RecordForm | null {
  if (endpoint.takesLines && ARROW_TYPES.includes(type)) return 'arrow';
  if (endpoint.takesLines && type === PARQUET_TYPE) return 'parquet';
  if (!endpoint.takesRecords) return null;
  return RECORD_FORMS.get(type) ?? (kind === 'none' ? 'lines' : null);
}

/** Throws 4049. */
function recordBodyOf(form: RecordForm, request: UwsRequest): RecordBody {
  return { form, mapping: recordMappingOf(request.getQuery(), FORMATS[form]) };
}

/** The media type of a Content-Type header, without parameters. */
export const mediaTypeOf = (header: string): string => header.split(';', 1)[0].trim().toLowerCase();

/** Throws 1500 and 1501. */
function checkContentType({ bodyType, takesLines, takesRecords }: Endpoint, request: UwsRequest): void {
  const header = request.getHeader('content-type');
  if (!takesRecords && (header === bodyType || mediaTypeOf(header) === bodyType)) return;
  const other = takesLines ? [LINES_TYPE, ...ARROW_TYPES, PARQUET_TYPE] : [];
  const wanted = (takesRecords ? [...RECORD_FORMS.keys()] : [bodyType, ...other]).join(' or ');
  if (header === '') throw new QuarryError(1500, `Content-Type header missing: ${wanted} is required`);
  throw new QuarryError(1501, `Content-Type is ${quoted(header)}, not ${wanted}`);
}

/** Throws 1507 for a body that is too long, 1503 for a length that cannot be determined. */
export function checkLength(length: BodyLength, bytesMax: number): void {
  if (length.kind === 'broken') throw new QuarryError(1503, length.text);
  if (length.kind === 'endless') {
    if (bytesMax < Number.POSITIVE_INFINITY) throw tooLong(bytesMax);
    throw new QuarryError(1507, 'a Content-Length of 10 digits is not supported: send such a body chunked');
  }
  if (length.kind === 'declared' && length.bytes > bytesMax) throw tooLong(bytesMax);
}

export function tooLong(bytesMax: number): QuarryError {
  return new QuarryError(1507, `the body is larger than ${bytesMax} bytes`);
}

/** The encoding that a Content-Encoding header names. Throws 1501 for one that is not supported. */
export function encodingOf(header: string): Encoding {
  if (header === '') return 'identity';
  switch (header.trim().toLowerCase()) {
    case '':
    case 'identity':
      return 'identity';
    case 'gzip':
    case 'x-gzip':
      return 'gzip';
    case 'br':
      return 'br';
    case 'zstd':
      return 'zstd';
    default:
      throw new QuarryError(
        1501,
        `Content-Encoding ${quoted(header)} is not supported: gzip, br and zstd are`,
      );
  }
}
