// The command: `node main.js --help` lists its arguments.
import { parseArgs } from 'node:util';
import { compare } from './compare.js';
import { buildServer, createRenderPool } from './server.js';

const HELP = `node main.js [--requests 5000] [--connections 50] [--threads 4]
Loads the route that renders on the main thread, then the one that renders through a pool, and prints what each served.

node main.js --port 3000 [--threads 4]
Serves both until Ctrl-C: /main and /pool (?name=…&guest=…), /stats.
`;

function readArguments() {
  const { values } = parseArgs({
    options: {
      requests: { type: 'string', default: '5000' },
      connections: { type: 'string', default: '50' },
      threads: { type: 'string', default: '4' },
      port: { type: 'string' },
      help: { type: 'boolean', short: 'h' },
    },
  });
  const number = (name, min) => {
    const value = Number(values[name] ?? Number.NaN);
    if (Number.isInteger(value) && value >= min) return value;
    throw new Error(`--${name}: a number from ${min}, not '${values[name]}'`);
  };
  return {
    help: values.help,
    requests: number('requests', 1),
    connections: number('connections', 1),
    threads: number('threads', 1),
    port: values.port === undefined ? undefined : number('port', 0),
  };
}

async function serve({ port, threads }) {
  const server = buildServer({ pool: createRenderPool({ threads }) });
  const address = await server.listen({ port, host: '127.0.0.1' });
  console.log(`${address}/main  ${address}/pool  ${address}/stats   Ctrl-C ends`);
  for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => void server.close());
}

async function main() {
  const options = readArguments();
  if (options.help) return void process.stdout.write(HELP);
  if (options.port !== undefined) return serve(options);
  const rows = Object.entries(await compare(options)).map(
    ([route, { requestsPerSecond, eventLoopDelayMs }]) => [
      route,
      {
        'requests/s': Math.round(requestsPerSecond),
        'event loop delay (us)': Math.round(eventLoopDelayMs * 1000),
      },
    ],
  );
  console.table(Object.fromEntries(rows));
}

await main();
