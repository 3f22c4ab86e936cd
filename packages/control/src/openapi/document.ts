/** The OpenAPI 3.1 description of the HTTP interface, served at /openapi.json. */
import { createRequire } from 'node:module';
import type { Access } from '../guard.js';
import { type NamedOperation, OPERATIONS_BY_PATH } from './operations.js';
import { CHANGES_BODY, SCHEMAS } from './schemas.js';

const { version } = createRequire(import.meta.url)('../../package.json') as { version: string };

/** In OpenAPI an empty list means that no token is needed; an empty entry means that a token may be optional. */
const SECURITY: Readonly<Record<Access, readonly object[]>> = {
  open: [],
  read: [{}, { token: [] }],
  change: [{ token: [] }],
};

/** The path parameter of an operation, by the path before its brace. */
const PARAMETERS: Readonly<Record<string, object>> = {
  '/assets/': { name: 'file' },
  '/api/pools/': { name: 'name', description: 'Of a pool, as the list of pools has it, percent-encoded' },
  '/api/fleets/': { name: 'name', description: 'Of a fleet, as the list of fleets has it' },
};
const REQUEST_BODY = { required: true, content: { 'application/json': { schema: CHANGES_BODY } } };

function described([path, operations]: readonly [string, readonly NamedOperation[]]) {
  const parameter = PARAMETERS[path.split('{')[0]!];
  const parameters = [{ ...parameter, in: 'path', required: true, schema: { type: 'string' } }];
  const byMethod = operations.map(({ method, operationId, summary, access, responses }) => [
    method.toLowerCase(),
    {
      operationId,
      summary,
      security: SECURITY[access],
      ...(method === 'PATCH' && { requestBody: REQUEST_BODY }),
      responses,
    },
  ]);
  return [path, { ...(parameter && { parameters }), ...Object.fromEntries(byMethod) }];
}

export const DOCUMENT = {
  openapi: '3.1.0',
  info: {
    title: 'threadwise control',
    version,
    summary: 'Watch and steer the pools of a running program',
    description:
      'Every GET but the one of events can be made as HEAD. Another method than those listed is answered with 405 ' +
      '(ERR_CONTROL_METHOD), another path with 404 (ERR_CONTROL_NOT_FOUND), a request that does not come to its end ' +
      'with 408, headers of more than 16 KiB with 431, a mistake of the server or a pool with 500 ' +
      '(ERR_CONTROL_INTERNAL). Reading needs the token only where others than this machine can reach the server.',
    license: { name: 'MIT', identifier: 'MIT' },
  },
  servers: [{ url: '/' }],
  paths: Object.fromEntries([...OPERATIONS_BY_PATH].map(described)) as Readonly<Record<string, object>>,
  components: {
    schemas: SCHEMAS,
    securitySchemes: { token: { type: 'http', scheme: 'bearer' } },
  },
};
