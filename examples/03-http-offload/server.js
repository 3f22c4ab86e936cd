// A server with two routes that render the same page: one on the main thread, one through a pool.
import Fastify from 'fastify';
import { createPool } from 'threadwise';
import { render } from './tasks.js';

/** A pool for the server's pages. */
export function createRenderPool({ threads = 4 } = {}) {
  return createPool(new URL('./tasks.js', import.meta.url), {
    threads,
    choose: 'least-busy',
    name: 'render',
  });
}

const query = {
  type: 'object',
  properties: {
    name: { type: 'string', maxLength: 100, default: 'Ada' },
    guest: { type: 'string', maxLength: 100, default: 'Grace' },
  },
};

/** Makes the server. It owns the pool, and closes the pool when it is closed. */
export function buildServer({ pool = createRenderPool(), ...options } = {}) {
  const server = Fastify(options);
  // The server listens only once the workers are ready.
  server.addHook('onReady', () => pool.ready);
  server.addHook('onClose', () => pool.close());

  const schema = { querystring: query };
  server.get('/main', { schema }, (request) => render('page', request.query));
  server.get('/pool', { schema }, (request) => pool.run('render', ['page', request.query]));
  server.get('/stats', () => pool.stats());
  return server;
}
