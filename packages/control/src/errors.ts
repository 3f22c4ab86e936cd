/** All errors of this package: those that `serveControl` rejects with, and those that a request is answered with. */

/** Why the server could not start. */
export type ControlErrorCode =
  /** An option is unknown or has a wrong value. */
  | 'ERR_CONTROL_OPTION'
  /** `host` is an address that other machines can reach, and no token was given. */
  | 'ERR_CONTROL_TOKEN_REQUIRED'
  /** The port is taken. */
  | 'ERR_CONTROL_PORT'
  /** The server cannot listen on the address for another reason; `cause` is the system's error. */
  | 'ERR_CONTROL_LISTEN';

export class ControlError extends Error {
  /** A stable code; the only thing to match on. */
  readonly code: ControlErrorCode;

  constructor(code: ControlErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
    Object.defineProperty(this, 'name', { value: 'ControlError', configurable: true, writable: true });
  }
}

/** The error codes of answers, with their HTTP status. The library defines those without CONTROL. */
export const REQUEST_ERRORS = {
  ERR_OPTION: 400,
  ERR_CONTROL_REQUEST: 400,
  ERR_CONTROL_TOKEN: 401,
  ERR_CONTROL_HOST: 403,
  ERR_CONTROL_ORIGIN: 403,
  ERR_CONTROL_NOT_FOUND: 404,
  ERR_CONTROL_METHOD: 405,
  ERR_CONTROL_TIMEOUT: 408,
  ERR_POOL_CLOSED: 409,
  ERR_MODULE_LOAD: 409,
  ERR_CONTROL_BODY_TOO_LARGE: 413,
  ERR_CONTROL_MEDIA_TYPE: 415,
  ERR_CONTROL_HEADERS_TOO_LARGE: 431,
  ERR_CONTROL_INTERNAL: 500,
  ERR_CONTROL_STREAMS: 503,
  ERR_CONTROL_FLEET: 503,
} as const;

export type RequestErrorCode = keyof typeof REQUEST_ERRORS;

/** Thrown to answer a request with this error. */
export class RequestError extends Error {
  readonly code: RequestErrorCode;
  readonly statusCode: number;
  readonly headers: Readonly<Record<string, string>>;

  constructor(code: RequestErrorCode, message: string, headers: Readonly<Record<string, string>> = {}) {
    super(message);
    this.code = code;
    this.statusCode = REQUEST_ERRORS[code];
    this.headers = headers;
  }
}

export const errorBody = (code: string, message: string) => ({ error: { code, message } });

/** Shows a value in a message: short, on one line, without throwing. */
export function show(value: unknown): string {
  if (typeof value === 'string')
    return JSON.stringify(value.length > 60 ? `${value.slice(0, 57)}...` : value);
  if (typeof value === 'bigint') return `${value}n`;
  if (typeof value === 'function') return 'a function';
  if (typeof value !== 'object' || value === null) return String(value);
  return Array.isArray(value)
    ? `an array of ${value.length}`
    : `an object (${Object.keys(value).slice(0, 5)})`;
}
