/** The name of a pool or a fleet in the path of a request, decoded by the router. */
import type { FastifyRequest } from 'fastify';

export function nameIn(request: FastifyRequest): string {
  return (request.params as { name: string }).name;
}
