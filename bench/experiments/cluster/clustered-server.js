// Like compute-server.js, but the requests are spread over processes that share the port, and that compute themselves. The
// first order says how many: { processes }.
import cluster from 'node:cluster';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { answerOrders } from '../../fixtures/processes.js';
import { countPrimes } from '../../driver/tasks.js';

const HOST = '127.0.0.1';

async function start({ processes }) {
  const workers = Array.from({ length: processes }, () => cluster.fork());
  const addresses = await Promise.all(workers.map((worker) => once(worker, 'listening')));
  return { port: addresses[0][0].port };
}

function serve() {
  const server = createServer((request, response) => {
    response.end(String(countPrimes(Number(request.url.slice(1)))));
  });
  // In a cluster, port 0 is the same free port for all processes.
  server.listen(0, HOST);
}

if (cluster.isPrimary) answerOrders(start);
else serve();
