/** Every error of this package: what `serveControl` rejects with, and what a request is answered with. */

/** What keeps a server from starting. */
export type ControlErrorCode =
  /** An option is unknown or has a wrong value. */
  | 'ERR_CONTROL_OPTION'
  /** An address that others can reach was asked for without a token. */
  | 'ERR_CONTROL_TOKEN_REQUIRED'
  /** The port is taken. */
  | 'ERR_CONTROL_PORT'
  /** The address cannot be listened on for another reason; `cause` is the system's error. */
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

/** The codes that an answer can carry, each with its status. Those without CONTROL are the library's. */
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

/** A request that is answered with an error. */
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

/** How a value is shown in a message: short, on one line, never throwing. */
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
