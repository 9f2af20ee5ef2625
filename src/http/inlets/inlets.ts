/**
 * Serves the requests of inlets: finds the route, authorizes the caller like one of POST /v1/insert/lines, reads the body, inserts
 * its records and answers in the client's form.
 */
import { BODY_BYTES_MAX, type Clock, invariant, QuarryError } from '../../base/index.js';
import type { PresentedKey } from '../../catalog/index.js';
import type { EngineApi } from '../../engine/index.js';
import { type BodyLength, checkLength, encodingOf, mediaTypeOf } from '../auth/admission.js';
import type { Authorizer, RequestContext } from '../auth/authorize.js';
import { mayCreate } from '../auth/write-permission.js';
import type { Endpoint } from '../endpoints/endpoints.js';
import { nameOf, type PathForm, pathNameOf } from '../endpoints/router.js';
import type { Answer } from '../transport/answer.js';
import type { HttpRequest } from '../transport/http-request.js';
import type { Peer } from '../transport/proxy.js';
import type { BodyWork, ServerContext } from '../transport/server-context.js';
import type { UwsRequest } from '../transport/uws.js';
import type { Creates } from './group-insert.js';
import type { FixedRoute, InletHead, InsertRoute, PartOutcome, RecordGroup } from './inlet.js';
import { inletKeyOf } from './inlet-key.js';
import type { InletSetting } from './inlet-settings.js';
import { insertGroups } from './insert-groups.js';

/** The endpoint whose callers, limits and rates are those of the inlets. */
const ENDPOINT = 'POST /v1/insert/lines';

/** Limit of a body whose client is not known before it was read. */
export const KEYLESS_BODY_BYTES_MAX = 2 ** 20;

/** Columns of a dimension up to which inlets create more. Values of others go to the quarantine. */
const COLUMNS_MAX = 10_000;

/** Memory that a body takes while it is read, beside its own bytes. */
const BYTES_PER_BODY_BYTE = 4;

const DIMENSION_NAME = /^[a-z0-9-]{1,64}$/;

export interface InletDependencies {
  readonly engine: EngineApi;
  readonly clock: Clock;
  readonly authorizer: Authorizer;
  readonly endpoints: readonly Endpoint[];
  readonly server: Pick<ServerContext, 'runner' | 'log'>;
}

/** The head of a request. */
export interface InletArrival {
  readonly request: UwsRequest;
  /** In lower case. */
  readonly method: string;
  /** Without a trailing slash. */
  readonly path: string;
  readonly length: BodyLength;
  readonly peer: Pick<Peer, 'address'>;
}

interface Found {
  readonly setting: InletSetting;
  readonly route: FixedRoute | InsertRoute;
  readonly path: PathForm;
}

export class Inlets {
  readonly #found: readonly (Found & { readonly segments: readonly string[] })[];
  readonly #dependencies: InletDependencies;

  constructor(settings: readonly InletSetting[], dependencies: InletDependencies) {
    this.#dependencies = dependencies;
    this.#found = settings.flatMap((setting) =>
      setting.inlet.routes.map((route) => {
        const segments = route.path.split('/');
        const nameIndex = segments.findIndex((segment) => segment.startsWith(':'));
        return { setting, route, path: { nameIndex }, segments };
      }),
    );
  }

  /** Serves a request of an inlet that is on; false = there is none with that method and path. Never throws. */
  serve(http: HttpRequest, arrival: InletArrival): boolean {
    const found = this.#find(arrival.method, arrival.path);
    if (found === null) return false;
    const { route, setting } = found;
    const head = headOf(arrival, found);
    const name = `${route.method.toUpperCase()} ${route.path}`;
    const refusal: Refusal = (error, isReceived) =>
      setting.inlet.refusal(error, isReceived ? head : { ...head, contentType: '' });
    try {
      http.report.notes.endpointName = name;
      if (!('read' in route)) serveFixed(http, arrival, route.answer(head), refusal);
      else this.#serveInsert(http, arrival, { route, head, name }, refusal);
    } catch (error) {
      http.refuse(error, (known) => refusal(known, false));
    }
    return true;
  }

  #find(method: string, path: string): Found | null {
    const segments = path.split('/');
    const fits = (part: string, index: number): boolean =>
      part.startsWith(':') ? segments[index] !== '' : part === segments[index];
    const found = this.#found.find(
      ({ route, segments: own }) =>
        route.method === method && own.length === segments.length && own.every(fits),
    );
    return found ?? null;
  }

  /** Throws the error of the first check of the head that fails. */
  #serveInsert(http: HttpRequest, arrival: InletArrival, insert: Insert, refusal: Refusal): void {
    const { request, length, peer } = arrival;
    const key = inletKeyOf(request);
    const { address } = peer;
    if (key === null && !insert.route.keyInBody) throw new QuarryError(500);
    const known = key === null ? null : this.#authorize(http, key, address, insert.name);
    const bytesMax = known === null ? KEYLESS_BODY_BYTES_MAX : BODY_BYTES_MAX;
    checkLength(length, bytesMax);
    const rules = { encoding: encodingOf(request.getHeader('content-encoding')), bytesMax };
    void http.serveBody(rules, {
      refusal,
      answer: async (body) => {
        http.reserve(body.byteLength * BYTES_PER_BODY_BYTE);
        const { key: bodyKey, groups, answer } = insert.route.read(body, insert.head);
        const context = known ?? this.#authorize(http, bodyKey, address, insert.name);
        return answer(await this.#insert(http, context, groups));
      },
    });
  }

  /** Throws what the endpoint of inserts throws for the key. */
  #authorize(http: HttpRequest, key: PresentedKey | null, address: string, name: string): RequestContext {
    const { authorizer, endpoints } = this.#dependencies;
    const endpoint = endpoints.find((one) => nameOf(one) === ENDPOINT);
    invariant(endpoint !== undefined, `there is no ${ENDPOINT}`);
    const { report } = http;
    report.found(endpoint);
    report.notes.endpointName = name;
    const context = authorizer.authorize({ key, peer: { address } }, endpoint, report);
    authorizer.countRequest(context);
    authorizer.noteRequest(context);
    return context;
  }

  #insert(
    http: HttpRequest,
    context: RequestContext,
    groups: readonly RecordGroup[],
  ): Promise<readonly PartOutcome[]> {
    const { runner, log } = this.#dependencies.server;
    return insertGroups(groups, {
      ...{ runner, log, context, cancellation: http, report: http.report },
      creates: (group) => this.#createdFor(context, group),
      reserve: (bytes) => http.reserve(bytes),
    });
  }

  #createdFor({ caller, databaseId }: RequestContext, { dimension }: RecordGroup): Creates {
    const { engine, clock } = this.#dependencies;
    const catalog = engine.catalog();
    const known = catalog.databases.get(databaseId ?? 0)?.dimensions.get(dimension);
    const creates = caller !== null && mayCreate(catalog, caller, clock.nowMs());
    return {
      dimension: creates,
      columns: creates && (known?.columns.size ?? 0) < COLUMNS_MAX,
      isBarred: !creates && known === undefined,
    };
  }
}

type Refusal = BodyWork['refusal'];

interface Insert {
  readonly route: InsertRoute;
  readonly head: InletHead;
  /** In metrics and logs. */
  readonly name: string;
}

/** Answers without a look at the body, which is received, so that the connection can be used again. */
function serveFixed(http: HttpRequest, { length }: InletArrival, answer: Answer, refusal: Refusal): void {
  if (length.kind === 'none') {
    http.answerPlainly(http.report.notes.endpointName, answer);
    return;
  }
  checkLength(length, KEYLESS_BODY_BYTES_MAX);
  const rules = { encoding: 'identity', bytesMax: KEYLESS_BODY_BYTES_MAX } as const;
  void http.serveBody(rules, { refusal, answer: () => answer });
}

function headOf({ request, path }: InletArrival, { path: { nameIndex }, setting }: Found): InletHead {
  const query = new URLSearchParams(request.getQuery());
  const named = query.get('dimension') ?? '';
  return {
    pathName: pathNameOf({ nameIndex }, path),
    query,
    userAgent: request.getHeader('user-agent'),
    contentType: mediaTypeOf(request.getHeader('content-type')),
    dimension: DIMENSION_NAME.test(named) ? named : setting.dimension,
  };
}
