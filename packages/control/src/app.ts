/** The HTTP application: one route for each operation of the OpenAPI description, with the handler of the same name. */
import { METHODS } from 'node:http';
import type { AddressInfo } from 'node:net';
import {
  type FastifyInstance,
  type FastifyRequest,
  fastify,
  type HTTPMethods,
  type RouteHandlerMethod,
} from 'fastify';
import { answerOnSocket, answersErrors } from './error-answers.js';
import { RequestError } from './errors.js';
import type { Access, Guard } from './guard.js';
import type { Limits } from './limits.js';
import { type NamedOperation, type OperationId, OPERATIONS_BY_PATH } from './openapi/operations.js';

/** The name of a pool or a fleet in the path of a request, decoded by the router. */
export const nameIn = ({ params }: FastifyRequest) => (params as { readonly name: string }).name;

export type Handlers = Readonly<Record<OperationId, RouteHandlerMethod>>;

/** Headers of every answer: no other site may embed it, and nothing may store it. */
const HEADERS = {
  'content-security-policy':
    "default-src 'none'; style-src 'self' 'unsafe-inline'; script-src 'self'; connect-src 'self'; " +
    "img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cache-control': 'no-store',
};
/** As long as a URL can be (Node.js allows 16 KiB of headers): a pool's name has no limit of its own. */
const MAX_NAME_LENGTH = 16 * 1024;

declare module 'fastify' {
  interface FastifyContextConfig {
    access?: Access;
  }
}

/** Returns the application ready to answer, but not listening. */
export async function buildApp(handlers: Handlers, guard: Guard, limits: Limits): Promise<FastifyInstance> {
  const answerError = answersErrors(limits.lingerMs);
  const app = fastify({
    http: {
      headersTimeout: limits.headersTimeoutMs,
      connectionsCheckingInterval: limits.checkIntervalMs,
      // Refused below: Node.js would do it without a word.
      requireHostHeader: false,
    },
    requestTimeout: limits.requestTimeoutMs,
    keepAliveTimeout: limits.keepAliveMs,
    connectionTimeout: limits.stalledMs,
    bodyLimit: limits.bodyBytes,
    routerOptions: { maxParamLength: MAX_NAME_LENGTH },
    clientErrorHandler: answerOnSocket,
    // No hook runs for a URL that cannot be decoded, so the headers are set here.
    frameworkErrors: (error, request, reply) => answerError(error, request, reply.headers(HEADERS)),
  });
  app.server.maxConnections = limits.connections;
  // Open connections must not keep the program alive.
  app.server.on('connection', (socket) => socket.unref());
  // A timer of a main thread that was blocked fires before what came meanwhile is read: only then is it known that nothing came.
  app.server.on('timeout', (socket) => {
    const before = socket.bytesRead;
    setImmediate(() => socket.bytesRead === before && socket.destroy());
  });
  // Node.js would refuse an expectation that it does not know, without a word; a server may leave it unmet (RFC 9110, 10.1.1).
  app.server.on('checkExpectation', (...exchange) => app.server.emit('request', ...exchange));
  // Fastify knows only some methods, and would answer all others as if the path did not exist.
  for (const method of METHODS) if (!app.supportedMethods.includes(method)) app.addHttpMethod(method);
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('application/json', { parseAs: 'string' }, parseJson);
  // The address is kept, because a server that closes has none any more, and still reads requests.
  let place!: AddressInfo;
  app.server.once('listening', () => (place = app.server.address() as AddressInfo));
  app.addHook('onRequest', async ({ headers, method, routeOptions, is404, raw }, reply) => {
    reply.headers(HEADERS);
    // It names the type of no body: `curl -d ''` and wget send that of a form.
    if (headers['content-length'] === '0') delete headers['content-type'];
    const usual = method === 'GET' || method === 'HEAD' ? 'read' : 'change';
    guard(routeOptions.config?.access ?? usual, headers, place);
    // Reported before the body is read, which nobody wants.
    if (is404)
      throw new RequestError('ERR_CONTROL_NOT_FOUND', `There is nothing at ${raw.url}. See /openapi.json`);
  });
  app.setErrorHandler(answerError);
  addRoutes(app, handlers);
  await app.ready();
  return app;
}

function addRoutes(app: FastifyInstance, handlers: Handlers): void {
  for (const [path, operations] of OPERATIONS_BY_PATH) {
    const url = path.replaceAll(/\{(\w+)\}/g, ':$1');
    for (const operation of operations) {
      const { operationId, method, access } = operation;
      const exposeHeadRoute = methodsOf(operation).includes('HEAD');
      app.route({ url, method, config: { access }, exposeHeadRoute, handler: handlers[operationId] });
    }
    refuseOthers(app, url, operations.flatMap(methodsOf));
  }
}

/** HEAD is not offered for the event stream: its GET never ends. */
function methodsOf({ method, operationId }: NamedOperation): string[] {
  return method === 'GET' && operationId !== 'followPool' ? ['GET', 'HEAD'] : [method];
}

function refuseOthers(app: FastifyInstance, url: string, allowed: readonly string[]): void {
  const refuse = async ({ method }: { method: string }) => {
    const allow = allowed.join(', ');
    throw new RequestError('ERR_CONTROL_METHOD', `${method} is not possible here; possible: ${allow}`, {
      allow,
    });
  };
  const method = app.supportedMethods.filter((each) => !allowed.includes(each)) as HTTPMethods[];
  // A hook runs before the body is read: the wrong method is reported, not a wrong body.
  app.route({ url, method, onRequest: refuse, handler: refuse });
}

/** An empty body counts as no body, even if the client sends the content type JSON. */
async function parseJson(_request: unknown, body: string): Promise<unknown> {
  if (body === '') return undefined;
  try {
    return JSON.parse(body);
  } catch (error) {
    throw new RequestError('ERR_CONTROL_REQUEST', `The body is not valid JSON: ${(error as Error).message}`);
  }
}
