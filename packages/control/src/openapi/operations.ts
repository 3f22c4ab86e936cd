/** The operations of the HTTP interface. The server's routes and the OpenAPI 3.1 description are made from them. */
import { createRequire } from 'node:module';
import type { Access } from '../guard.js';
import { LIMITS } from '../limits.js';
import type { Schema } from './schema.js';
import * as schemas from './schemas.js';

const { version } = createRequire(import.meta.url)('../../package.json') as { version: string };

interface Answer {
  readonly description: string;
  readonly content?: Readonly<Record<string, { readonly schema: Schema }>>;
  readonly headers?: Readonly<Record<string, unknown>>;
}
type Answers = Readonly<Record<string, Answer>>;

const answer = (description: string, schema: Schema, type = 'application/json'): Answer => ({
  description,
  content: { [type]: { schema } },
});
const error = (description: string): Answer => answer(description, schemas.ERROR);

/** The error answers, by status. */
const ERRORS: Readonly<Record<number, Answer>> = {
  400: error('The request, or what it asks for, is not valid (ERR_OPTION, ERR_CONTROL_REQUEST)'),
  401: {
    ...error('No token, or a wrong one (ERR_CONTROL_TOKEN)'),
    headers: { 'WWW-Authenticate': { schema: { type: 'string' } } },
  },
  403: error("The Host or the Origin is not the server's own (ERR_CONTROL_HOST, ERR_CONTROL_ORIGIN)"),
  404: error('There is no such pool, fleet or file (ERR_CONTROL_NOT_FOUND)'),
  409: error('The pool closes, is closed or is broken (ERR_POOL_CLOSED, ERR_MODULE_LOAD)'),
  413: error(`The body is larger than ${LIMITS.bodyBytes} bytes (ERR_CONTROL_BODY_TOO_LARGE)`),
  415: error('The body is not application/json (ERR_CONTROL_MEDIA_TYPE)'),
  503: {
    ...error('There are too many event streams (ERR_CONTROL_STREAMS)'),
    headers: { 'Retry-After': { schema: { type: 'integer' }, description: 'Seconds' } },
  },
};

const errors = (...statuses: number[]): Answers =>
  Object.fromEntries(statuses.map((status) => [status, ERRORS[status]!]));

interface Operation {
  readonly method: 'GET' | 'PATCH' | 'POST';
  readonly path: string;
  readonly access: Access;
  readonly summary: string;
  readonly responses: Answers;
}

/** @param schema of the body of a success @param more further answers */
function get(
  path: string,
  access: Access,
  summary: string,
  schema: Schema,
  more: Answers = {},
  type?: string,
): Operation {
  const refused = errors(...(access === 'open' ? [403] : [401, 403]), ...(path.includes('{') ? [404] : []));
  return {
    method: 'GET',
    path,
    access,
    summary,
    responses: { 200: answer('OK', schema, type), ...refused, ...more },
  };
}

/** @param done describes the answer of a success */
function change(method: 'PATCH' | 'POST', rest: string, summary: string, done: string): Operation {
  const responses = {
    [method === 'POST' ? 202 : 200]: answer(done, schemas.POOL_STATS),
    ...errors(400, 401, 403, 404, 409, 413, 415),
  };
  return { method, path: `/api/pools/{name}${rest}`, access: 'change', summary, responses };
}

const TEXT: Schema = { type: 'string' };
const fleetAway = error('Its Redis does not answer in time (ERR_CONTROL_FLEET)');
const notReady = answer('A pool takes no calls, or there is no pool', schemas.READINESS);

const OPERATIONS = {
  showDashboard: get(
    '/',
    'open',
    'The dashboard: a page without data of its own',
    TEXT,
    errors(404),
    'text/html',
  ),
  getAsset: get('/assets/{file}', 'open', 'A file of the dashboard', {}, {}, '*/*'),
  listPools: get('/api/pools', 'read', 'The process and all its pools', schemas.OVERVIEW),
  getPool: get('/api/pools/{name}', 'read', 'One pool', schemas.POOL_STATS),
  changePool: change('PATCH', '', 'Changes options of a pool while it runs', 'The pool is changed'),
  followPool: get(
    '/api/pools/{name}/events',
    'read',
    'Statistics each second, and events as they happen: a stream that ends when the pool is closed',
    schemas.EVENT_STREAM,
    errors(400, 409, 503),
    'text/event-stream',
  ),
  getHistory: get(
    '/api/pools/{name}/history',
    'read',
    'The figures of the last minutes that the charts of the dashboard show: one row every two seconds',
    schemas.HISTORY,
  ),
  pausePool: change('POST', '/pause', 'Accepts calls, and begins none', 'The pool is paused'),
  resumePool: change('POST', '/resume', 'Undoes pause and drain', 'The pool goes on'),
  drainPool: change(
    'POST',
    '/drain',
    'Refuses new calls, and finishes the accepted ones',
    'The drain has begun; it is done when tasks.open is 0',
  ),
  recyclePool: change(
    'POST',
    '/recycle',
    'Replaces every worker in turn; nothing is lost',
    'The replacement has begun',
  ),
  listFleets: get('/api/fleets', 'read', 'All fleets: their queues, and each machine', schemas.FLEETS),
  getFleet: get('/api/fleets/{name}', 'read', 'One fleet', schemas.FLEET, { 503: fleetAway }),
  getMetrics: get(
    '/metrics',
    'read',
    'Metrics in the Prometheus text format, 0.0.4: see docs/metrics.md',
    TEXT,
    {},
    'text/plain',
  ),
  getHealth: get('/healthz', 'open', 'Whether the process answers', schemas.HEALTH),
  getReadiness: get('/readyz', 'read', 'Whether every pool takes calls', schemas.READINESS, {
    503: notReady,
  }),
  getDescription: get('/openapi.json', 'read', 'This description', { type: 'object' }),
};

export type OperationId = keyof typeof OPERATIONS;
export type NamedOperation = Operation & { readonly operationId: OperationId };

export const OPERATIONS_BY_PATH = new Map<string, readonly NamedOperation[]>();
for (const operationId of Object.keys(OPERATIONS) as OperationId[]) {
  const operation = { operationId, ...OPERATIONS[operationId] };
  OPERATIONS_BY_PATH.set(operation.path, [...(OPERATIONS_BY_PATH.get(operation.path) ?? []), operation]);
}

/** In OpenAPI an empty list means that no token is needed; an empty entry means that a token may be optional. */
const SECURITY: Readonly<Record<Access, readonly object[]>> = {
  open: [],
  read: [{}, { token: [] }],
  change: [{ token: [] }],
};

const REQUEST_BODY = { required: true, content: { 'application/json': { schema: schemas.CHANGES } } };

function described([path, operations]: readonly [string, readonly NamedOperation[]]) {
  const parameters = Array.from(path.matchAll(/\{(\w+)\}/g), ([, name]) => ({
    name,
    in: 'path',
    required: true,
    description: 'The name as the list gives it, percent-encoded',
    schema: TEXT,
  }));
  const byMethod = operations.map(({ method, path: _path, access, ...operation }) => [
    method.toLowerCase(),
    { ...operation, security: SECURITY[access], ...(method === 'PATCH' && { requestBody: REQUEST_BODY }) },
  ]);
  return [path, { parameters, ...Object.fromEntries(byMethod) }];
}

export const DOCUMENT = {
  openapi: '3.1.0',
  info: {
    title: 'threadwise control',
    version,
    summary: 'Watch and steer the pools of a running program',
    description:
      'Every GET but the one of events can be made as HEAD. A request without a Host, or whose path cannot be decoded, is answered with 400 ' +
      '(ERR_CONTROL_REQUEST), a method that is not listed with 405 (ERR_CONTROL_METHOD), a path that is not listed with 404 ' +
      '(ERR_CONTROL_NOT_FOUND), a request that is not complete in time with 408, headers of more than 16 KiB with 431, a mistake of the ' +
      'server or a pool with 500 (ERR_CONTROL_INTERNAL). Reading needs the token only where others than this machine can reach the server.',
    license: { name: 'MIT', identifier: 'MIT' },
  },
  // Relative to this document: behind a proxy, the server may be under a path.
  servers: [{ url: '.' }],
  paths: Object.fromEntries([...OPERATIONS_BY_PATH].map(described)) as Readonly<Record<string, object>>,
  components: {
    schemas: schemas.SCHEMAS,
    securitySchemes: { token: { type: 'http', scheme: 'bearer' } },
  },
};
