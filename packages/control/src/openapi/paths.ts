/** The paths of the HTTP interface: each operation, its body and every answer. The server's routes are made from this. */
import { LIMITS } from '../limits.js';

export type Content = Readonly<Record<string, { readonly schema: Readonly<Record<string, unknown>> }>>;
export interface Answer {
  readonly description: string;
  readonly content?: Content;
  readonly headers?: Readonly<Record<string, unknown>>;
}
export type Answers = Readonly<Record<string, Answer>>;

const schemaRef = (name: string) => ({ $ref: `#/components/schemas/${name}` });
const json = (description: string, schema: string): Answer => ({
  description,
  content: { 'application/json': { schema: schemaRef(schema) } },
});

/** What goes wrong, by status. Every operation can be answered with those that are named in `ANY`. */
const ERRORS: Answers = {
  400: json('The request, or what it asks for, is not valid (ERR_OPTION, ERR_CONTROL_REQUEST)', 'Error'),
  401: {
    ...json('No token, or a wrong one (ERR_CONTROL_TOKEN)', 'Error'),
    headers: { 'WWW-Authenticate': { schema: { type: 'string' } } },
  },
  403: json('Another Host or Origin than its own (ERR_CONTROL_HOST, ERR_CONTROL_ORIGIN)', 'Error'),
  404: json('There is no such pool, fleet or file (ERR_CONTROL_NOT_FOUND)', 'Error'),
  409: json('The pool closes, is closed or is broken (ERR_POOL_CLOSED, ERR_MODULE_LOAD)', 'Error'),
  413: json(`The body is larger than ${LIMITS.bodyBytes} bytes (ERR_CONTROL_BODY_TOO_LARGE)`, 'Error'),
  415: json('The body is not application/json (ERR_CONTROL_MEDIA_TYPE)', 'Error'),
  503: {
    ...json('There are too many event streams (ERR_CONTROL_STREAMS)', 'Error'),
    headers: { 'Retry-After': { schema: { type: 'integer' }, description: 'Seconds' } },
  },
};
const errors = (...statuses: number[]): Answers =>
  Object.fromEntries(statuses.map((status) => [status, ERRORS[status]!]));
const CHANGE_ERRORS = errors(400, 401, 403, 404, 409, 413, 415);

const OPEN = { security: [] } as const;
/** Needs a token where others can reach the server. */
const READ = { security: [{}, { token: [] }] } as const;
const CHANGE = { security: [{ token: [] }] } as const;

const NAME_PARAMETER = {
  name: 'name',
  in: 'path',
  required: true,
  description: 'Of a pool, as the list of pools has it, percent-encoded',
  schema: { type: 'string' },
} as const;
const FLEET_PARAMETER = {
  ...NAME_PARAMETER,
  description: 'Of a fleet, as the list of fleets has it',
} as const;

const page = (description: string): Answers => ({
  200: { description, content: { 'text/html': { schema: { type: 'string' } } } },
});

export const PATHS = {
  '/': {
    get: {
      operationId: 'showDashboard',
      summary: 'The dashboard: a page without data of its own, so it needs no token',
      ...OPEN,
      responses: { ...page('The page'), ...errors(403, 404) },
    },
  },
  '/assets/{file}': {
    get: {
      operationId: 'getAsset',
      summary: 'A file of the dashboard',
      ...OPEN,
      parameters: [{ name: 'file', in: 'path', required: true, schema: { type: 'string' } }],
      responses: {
        200: { description: 'The file', content: { '*/*': { schema: {} } } },
        ...errors(403, 404),
      },
    },
  },
  '/api/pools': {
    get: {
      operationId: 'listPools',
      summary: 'The process and all its pools',
      ...READ,
      responses: { 200: json('What they are like now', 'Overview'), ...errors(401, 403) },
    },
  },
  '/api/pools/{name}': {
    parameters: [NAME_PARAMETER],
    get: {
      operationId: 'getPool',
      summary: 'One pool',
      ...READ,
      responses: { 200: json('What it is like now', 'PoolStats'), ...errors(401, 403, 404) },
    },
    patch: {
      operationId: 'changePool',
      summary: 'Changes options of a pool while it runs',
      ...CHANGE,
      requestBody: {
        required: true,
        content: { 'application/json': { schema: schemaRef('Changes') } },
      },
      responses: { 200: json('What it is like after the change', 'PoolStats'), ...CHANGE_ERRORS },
    },
  },
  '/api/pools/{name}/events': {
    parameters: [NAME_PARAMETER],
    get: {
      operationId: 'followPool',
      summary: 'Statistics each second, and events as they happen',
      ...READ,
      responses: {
        200: {
          description: 'A stream without an end',
          content: { 'text/event-stream': { schema: schemaRef('EventStream') } },
        },
        ...errors(400, 401, 403, 404, 409, 503),
      },
    },
  },
  '/api/pools/{name}/history': {
    parameters: [NAME_PARAMETER],
    get: {
      operationId: 'getHistory',
      summary: 'What the charts of the dashboard show of the last minutes',
      ...READ,
      responses: { 200: json('A row each two seconds', 'History'), ...errors(401, 403, 404) },
    },
  },
  '/api/pools/{name}/pause': {
    parameters: [NAME_PARAMETER],
    post: {
      operationId: 'pausePool',
      summary: 'Accepts calls, and begins none',
      ...CHANGE,
      responses: { 202: json('It is paused', 'PoolStats'), ...CHANGE_ERRORS },
    },
  },
  '/api/pools/{name}/resume': {
    parameters: [NAME_PARAMETER],
    post: {
      operationId: 'resumePool',
      summary: 'Undoes pause and drain',
      ...CHANGE,
      responses: { 202: json('It goes on', 'PoolStats'), ...CHANGE_ERRORS },
    },
  },
  '/api/pools/{name}/drain': {
    parameters: [NAME_PARAMETER],
    post: {
      operationId: 'drainPool',
      summary: 'Refuses new calls, and ends those that there are',
      ...CHANGE,
      responses: {
        202: json('It has begun; it is done when tasks.open is 0', 'PoolStats'),
        ...CHANGE_ERRORS,
      },
    },
  },
  '/api/pools/{name}/recycle': {
    parameters: [NAME_PARAMETER],
    post: {
      operationId: 'recyclePool',
      summary: 'Replaces every worker, one after another; nothing is lost',
      ...CHANGE,
      responses: { 202: json('It has begun', 'PoolStats'), ...CHANGE_ERRORS },
    },
  },
  '/api/fleets': {
    get: {
      operationId: 'listFleets',
      summary: 'All fleets: their queues, and each machine',
      ...READ,
      responses: {
        200: json('What they are like now; why not, where a Redis does not answer', 'Fleets'),
        ...errors(401, 403),
      },
    },
  },
  '/api/fleets/{name}': {
    parameters: [FLEET_PARAMETER],
    get: {
      operationId: 'getFleet',
      summary: 'One fleet',
      ...READ,
      responses: {
        200: json('What it is like now', 'Fleet'),
        503: json('Its Redis does not answer in time (ERR_CONTROL_FLEET)', 'Error'),
        ...errors(401, 403, 404),
      },
    },
  },
  '/metrics': {
    get: {
      operationId: 'getMetrics',
      summary: 'For Prometheus: see docs/metrics.md',
      ...READ,
      responses: {
        200: {
          description: 'The text exposition format, version 0.0.4',
          content: { 'text/plain': { schema: { type: 'string' } } },
        },
        ...errors(401, 403),
      },
    },
  },
  '/healthz': {
    get: {
      operationId: 'getHealth',
      summary: 'Whether the process answers',
      ...OPEN,
      responses: { 200: json('It does', 'Health'), ...errors(403) },
    },
  },
  '/readyz': {
    get: {
      operationId: 'getReadiness',
      summary: 'Whether every pool takes calls',
      ...READ,
      responses: {
        200: json('Every one does', 'Readiness'),
        503: json('One does not', 'Readiness'),
        ...errors(401, 403),
      },
    },
  },
  '/openapi.json': {
    get: {
      operationId: 'getDescription',
      summary: 'This description',
      ...READ,
      responses: {
        200: { description: 'OpenAPI 3.1', content: { 'application/json': { schema: { type: 'object' } } } },
        ...errors(401, 403),
      },
    },
  },
} as const;

type IdIn<Operations> = Operations extends { readonly operationId: infer Id } ? Id : never;
type IdsOf<Item> = { [Key in keyof Item]: IdIn<Item[Key]> }[keyof Item];
/** The name of each operation. */
export type OperationId = { [Path in keyof typeof PATHS]: IdsOf<(typeof PATHS)[Path]> }[keyof typeof PATHS];
