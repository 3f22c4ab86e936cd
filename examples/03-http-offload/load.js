// A process that sends requests to a server over several connections; each sends one as soon as the last one is answered.
import { Agent, get } from 'node:http';
import { performance } from 'node:perf_hooks';
import { text } from 'node:stream/consumers';

/** Sends `requests` requests. Resolves to how many milliseconds that took. Rejects if an answer is not a 200. */
async function load({ url, requests, connections }) {
  const agent = new Agent({ keepAlive: true, maxSockets: connections });
  let sent = 0;
  const connection = async () => {
    while (sent < requests) {
      sent++;
      const response = await request(url, agent);
      const body = await text(response);
      if (response.statusCode !== 200) throw new Error(`${url}: ${response.statusCode} ${body}`);
    }
  };
  const start = performance.now();
  await Promise.all(Array.from({ length: connections }, connection));
  const milliseconds = performance.now() - start;
  agent.destroy();
  return milliseconds;
}

function request(url, agent) {
  return new Promise((resolve, reject) => get(url, { agent }, resolve).on('error', reject));
}

process.on('message', async (order) => {
  process.send({ milliseconds: await load(order) });
});
