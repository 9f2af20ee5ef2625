/** The body of POST /v1/quarantine/retry. */
import { quarantineRetry } from '../../interface/index.js';
import type { Json } from '../body/json.js';
import { RequestBody } from '../body/request-body.js';

export interface QuarantineRetry {
  /** null = the default dimension. */
  readonly dimension: string | null;
  /** The ID of the last line of the request before; null = from the first. */
  readonly after: string | null;
}

/** Reads the body. Throws 4004 if it is not an object, 4049 for unknown fields, 5009 for a dimension that is not a string. */
export function readQuarantineRetry(json: Json): QuarantineRetry {
  const body = RequestBody.of(quarantineRetry, json);
  return body.read(() => ({
    dimension: body.get('dimension') ?? null,
    after: body.get('after') ?? null,
  }));
}
