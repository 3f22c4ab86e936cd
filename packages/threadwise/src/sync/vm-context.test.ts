/** The structures in a context of node:vm, as Jest loads them. No other copy of them is in this thread: it would hear what that one does not. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { type TestContext, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { compileFunction, createContext } from 'node:vm';
import { Worker } from 'node:worker_threads';

/** The package in a context of its own, where `process` is a copy that hears of nothing. */
function inContext(): typeof import('../sync.js') {
  const file = fileURLToPath(new URL('../sync.cjs', import.meta.url));
  const outside = createRequire(file);
  const require = (id: string): unknown => (id === 'node:process' ? copy : outside(id));
  const copy: object = Object.assign(Object.create(process), { on: () => copy, getBuiltinModule: require });
  const globals = {
    Buffer,
    clearInterval,
    DOMException,
    performance,
    process: copy,
    setInterval,
    structuredClone,
  };
  const parsingContext = createContext({ ...globals });
  const module = { exports: {} };
  compileFunction(readFileSync(file, 'utf8'), ['module', 'exports', 'require'], { parsingContext })(
    module,
    module.exports,
    require,
  );
  return module.exports as typeof import('../sync.js');
}

/** A thread that holds a mutex, and its first message. */
async function holder(t: TestContext, script: string, buffer?: SharedArrayBuffer) {
  const code = `
    const { workerData, parentPort } = await import('node:worker_threads');
    const { Mutex } = await import('${new URL('./mutex.js', import.meta.url).href}');
    ${script}
    setInterval(() => undefined, 1e6);
  `;
  const worker = new Worker(new URL(`data:text/javascript,${encodeURIComponent(code)}`), {
    workerData: buffer,
  });
  t.after(() => worker.terminate());
  const [said] = await new Promise<unknown[]>((resolve, reject) => {
    worker.once('message', (value) => resolve([value]));
    worker.once('error', reject);
  });
  return { worker, said };
}

test('a holder that dies is noticed, also by copies that were loaded later; one of them listens', async (t) => {
  const [first, second] = [inContext(), inContext()];
  assert.equal(process.listenerCount('worker'), 1);
  for (const { Mutex } of [first, second]) {
    const mutex = new Mutex();
    const lock = 'Mutex.from(workerData).lockSync(); parentPort.postMessage("locked");';
    const { worker } = await holder(t, lock, mutex.buffer);
    await worker.terminate();
    assert.equal((await mutex.lock({ timeoutMs: 20_000 })).isAbandoned, true);
  }
});

test('a buffer that comes from outside of the context is opened', async (t) => {
  const { Counter, Mutex } = inContext();
  const { said } = await holder(t, 'parentPort.postMessage(new Mutex().buffer);');
  const buffer = said as SharedArrayBuffer;
  for (const mutex of [Mutex.from(buffer), new Mutex(buffer)]) (await mutex.lock()).release();
  assert.throws(() => Counter.from(buffer), { code: 'ERR_OPTION', message: /It is that of a Mutex$/ });
});
