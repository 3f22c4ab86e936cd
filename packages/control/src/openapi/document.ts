/** The description of the HTTP interface: OpenAPI 3.1, as it is served at /openapi.json. */
import { createRequire } from 'node:module';
import type { Access } from '../guard.js';
import { type OperationId, PATHS } from './paths.js';
import { SCHEMAS } from './schemas.js';

const { version } = createRequire(import.meta.url)('../../package.json') as { version: string };

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
  paths: PATHS,
  components: {
    schemas: SCHEMAS,
    securitySchemes: { token: { type: 'http', scheme: 'bearer' } },
  },
} as const;

export interface Operation {
  readonly operationId: OperationId;
  readonly method: 'GET' | 'PATCH' | 'POST';
  /** As fastify writes it: `/api/pools/:name`. */
  readonly url: string;
  readonly access: Access;
}

const METHODS = { get: 'GET', patch: 'PATCH', post: 'POST' } as const;
interface Described {
  readonly operationId: OperationId;
  readonly security: readonly Readonly<Record<string, unknown>>[];
}
type PathItem = Partial<Record<keyof typeof METHODS, Described>>;

/** Every operation that the description lists. */
export function operations(): readonly Operation[] {
  return Object.entries(PATHS).flatMap(([path, item]) =>
    (['get', 'patch', 'post'] as const).flatMap((method) => {
      const described = (item as PathItem)[method];
      if (described === undefined) return [];
      const { operationId, security } = described;
      const url = path.replaceAll(/\{(\w+)\}/g, ':$1');
      return [{ operationId, method: METHODS[method], url, access: accessOf(security) }];
    }),
  );
}

/** As OpenAPI has it: no entry is "nothing is needed", an empty one "nothing may be needed". */
function accessOf(security: Described['security']): Access {
  if (security.length === 0) return 'open';
  return security.some((each) => Object.keys(each).length === 0) ? 'read' : 'change';
}
