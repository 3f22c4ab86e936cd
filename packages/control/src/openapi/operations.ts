/** The operations of the HTTP interface and their answers. The OpenAPI description and the server's routes are made from them. */
import type { Access } from '../guard.js';
import { LIMITS } from '../limits.js';
import type { Schema } from './schema.js';
import * as schemas from './schemas.js';

interface Answer {
  readonly description: string;
  readonly content?: Readonly<Record<string, { readonly schema: Schema }>>;
  readonly headers?: Readonly<Record<string, unknown>>;
}
type Answers = Readonly<Record<string, Answer>>;

const content = (description: string, type: string, schema: Schema): Answer => ({
  description,
  content: { [type]: { schema } },
});
const json = (description: string, schema: Schema) => content(description, 'application/json', schema);
const error = (description: string, headers?: Answer['headers']): Answer => ({
  ...json(description, schemas.ERROR),
  ...(headers && { headers }),
});

/** The error answers, by status. */
const ERRORS: Readonly<Record<number, Answer>> = {
  400: error('The request, or what it asks for, is not valid (ERR_OPTION, ERR_CONTROL_REQUEST)'),
  401: error('No token, or a wrong one (ERR_CONTROL_TOKEN)', {
    'WWW-Authenticate': { schema: { type: 'string' } },
  }),
  403: error('Another Host or Origin than its own (ERR_CONTROL_HOST, ERR_CONTROL_ORIGIN)'),
  404: error('There is no such pool, fleet or file (ERR_CONTROL_NOT_FOUND)'),
  409: error('The pool closes, is closed or is broken (ERR_POOL_CLOSED, ERR_MODULE_LOAD)'),
  413: error(`The body is larger than ${LIMITS.bodyBytes} bytes (ERR_CONTROL_BODY_TOO_LARGE)`),
  415: error('The body is not application/json (ERR_CONTROL_MEDIA_TYPE)'),
  503: error('There are too many event streams (ERR_CONTROL_STREAMS)', {
    'Retry-After': { schema: { type: 'integer' }, description: 'Seconds' },
  }),
};

const errors = (...statuses: number[]): Answers =>
  Object.fromEntries(statuses.map((status) => [status, ERRORS[status]!]));

export interface Operation {
  readonly method: 'GET' | 'PATCH' | 'POST';
  readonly path: string;
  readonly access: Access;
  readonly summary: string;
  readonly responses: Answers;
}

function get(path: string, access: Access, summary: string, answers: Answers): Operation {
  const refused = access === 'open' ? errors(403) : errors(401, 403);
  const responses = { ...refused, ...(path.includes('{') ? errors(404) : {}), ...answers };
  return { method: 'GET', path, access, summary, responses };
}

/** @param done describes the answer of a success */
function change(method: 'PATCH' | 'POST', path: string, summary: string, done: string): Operation {
  const status = method === 'POST' ? 202 : 200;
  const responses = {
    [status]: json(done, schemas.POOL_STATS),
    ...errors(400, 401, 403, 404, 409, 413, 415),
  };
  return { method, path, access: 'change', summary, responses };
}

const OPERATIONS = {
  showDashboard: get('/', 'open', 'The dashboard: a page without data of its own, so it needs no token', {
    200: content('The page', 'text/html', { type: 'string' }),
    ...errors(404),
  }),
  getAsset: get('/assets/{file}', 'open', 'A file of the dashboard', {
    200: content('The file', '*/*', {}),
  }),
  listPools: get('/api/pools', 'read', 'The process and all its pools', {
    200: json('What they are like now', schemas.OVERVIEW),
  }),
  getPool: get('/api/pools/{name}', 'read', 'One pool', {
    200: json('What it is like now', schemas.POOL_STATS),
  }),
  changePool: change(
    'PATCH',
    '/api/pools/{name}',
    'Changes options of a pool while it runs',
    'What it is like after the change',
  ),
  followPool: get('/api/pools/{name}/events', 'read', 'Statistics each second, and events as they happen', {
    200: content('A stream without an end', 'text/event-stream', schemas.EVENT_STREAM),
    ...errors(400, 409, 503),
  }),
  getHistory: get(
    '/api/pools/{name}/history',
    'read',
    'What the charts of the dashboard show of the last minutes',
    { 200: json('A row each two seconds', schemas.HISTORY) },
  ),
  pausePool: change('POST', '/api/pools/{name}/pause', 'Accepts calls, and begins none', 'It is paused'),
  resumePool: change('POST', '/api/pools/{name}/resume', 'Undoes pause and drain', 'It goes on'),
  drainPool: change(
    'POST',
    '/api/pools/{name}/drain',
    'Refuses new calls, and ends those that there are',
    'It has begun; it is done when tasks.open is 0',
  ),
  recyclePool: change(
    'POST',
    '/api/pools/{name}/recycle',
    'Replaces every worker, one after another; nothing is lost',
    'It has begun',
  ),
  listFleets: get('/api/fleets', 'read', 'All fleets: their queues, and each machine', {
    200: json('What they are like now; why not, where a Redis does not answer', schemas.FLEETS),
  }),
  getFleet: get('/api/fleets/{name}', 'read', 'One fleet', {
    200: json('What it is like now', schemas.FLEET),
    503: error('Its Redis does not answer in time (ERR_CONTROL_FLEET)'),
  }),
  getMetrics: get('/metrics', 'read', 'For Prometheus: see docs/metrics.md', {
    200: content('The text exposition format, version 0.0.4', 'text/plain', { type: 'string' }),
  }),
  getHealth: get('/healthz', 'open', 'Whether the process answers', {
    200: json('It does', schemas.HEALTH),
  }),
  getReadiness: get('/readyz', 'read', 'Whether every pool takes calls', {
    200: json('Every one does', schemas.READINESS),
    503: json('One does not', schemas.READINESS),
  }),
  getDescription: get('/openapi.json', 'read', 'This description', {
    200: content('OpenAPI 3.1', 'application/json', { type: 'object' }),
  }),
};

export type OperationId = keyof typeof OPERATIONS;
export type NamedOperation = Operation & { readonly operationId: OperationId };

export const OPERATIONS_BY_PATH = new Map<string, readonly NamedOperation[]>();
for (const operationId of Object.keys(OPERATIONS) as OperationId[]) {
  const operation = { operationId, ...OPERATIONS[operationId] };
  OPERATIONS_BY_PATH.set(operation.path, [...(OPERATIONS_BY_PATH.get(operation.path) ?? []), operation]);
}
