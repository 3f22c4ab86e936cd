// Ports, paths, times and names of metrics are in several files, some of which no test can run: they must agree.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import { controlPort, DEADLINE_MS, get, here, image, read, start, TOKEN } from './image.mjs';

const page = new URL('../../docs/containers.md', import.meta.url);
/** Files that ask for metrics. */
const ASKING = ['scaling/hpa.yaml', 'scaling/prometheus-adapter.yaml', 'scaling/keda.yaml'];

describe('the files agree', { timeout: DEADLINE_MS }, () => {
  const deployment = read('kubernetes/deployment.yaml');
  /** The value of the first entry with this key after `from`. */
  const entry = (text, key, from = '') => {
    const after = text.slice(text.indexOf(from));
    const [, value] =
      new RegExp(`^[ -]*${key}: *(.+)$`, 'm').exec(after) ?? assert.fail(`no ${key} after ${from}`);
    return value.replace(/^"(.*)"$/, '$1');
  };
  const numbersOf = (text, key) =>
    [...text.matchAll(new RegExp(`^[ -]*${key}: *(.+)$`, 'gm'))].map(([, value]) => value);

  test('on the metrics: each that is asked for, or told of, is there', async (t) => {
    const { service, control } = start(t);
    await get(`${await service}/primes?below=100`);
    const { body } = await get(`${await control}/metrics`, { token: TOKEN });
    const known = new Set([...body.matchAll(/^(?:# TYPE )?(threadwise_\w+)/gm)].map(([, name]) => name));
    assert.match(body, /^threadwise_tasks_open\{pool="primes"\} 0$/m);
    for (const name of ASKING)
      assert.match(read(name), /threadwise_tasks_open[\s\S]*threadwise_queue_oldest_seconds/);
    assert.match(read('scaling/keda.yaml'), /pool="primes"/);
    for (const text of [...ASKING.map(read), readFileSync(page, 'utf8')]) {
      const unknown = [...text.matchAll(/\bthreadwise_\w+/g)].filter(([name]) => !known.has(name));
      assert.deepEqual(unknown, []);
    }
  });

  test('on the ports', () => {
    const { PORT } = image.env;
    assert.deepEqual(image.ports, [PORT, controlPort]);
    assert.equal(entry(deployment, 'containerPort', '- name: http'), PORT);
    assert.equal(entry(deployment, 'containerPort', '- name: control'), controlPort);
    assert.equal(entry(deployment, 'targetPort'), 'http');
    assert.equal(entry(read('kubernetes/monitoring.yaml'), 'port', 'podMetricsEndpoints'), 'control');
    const compose = read('compose.yaml');
    assert.deepEqual(
      [...compose.matchAll(/- 127\.0\.0\.1:(\d+):(\d+)$/gm)].flatMap(([, ...ports]) => ports),
      [PORT, PORT, controlPort, controlPort, '9090', '9090'],
    );
    assert.match(compose, new RegExp(`127.0.0.1:${PORT}/readyz`));
    assert.equal(entry(read('prometheus.yml'), 'targets'), `[${entry(compose, 'hostname')}:${controlPort}]`);
  });

  test('on the probes: each path answers on its port, without a token', async (t) => {
    const { service, control } = start(t);
    const ports = { http: service, control };
    for (const probe of ['livenessProbe', 'readinessProbe']) {
      const [path, port] = ['path', 'port'].map((key) => entry(deployment, key, `${probe}:`));
      assert.equal((await get((await ports[port]) + path)).status, 200, probe);
    }
    const scraped = entry(read('kubernetes/monitoring.yaml'), 'path');
    assert.equal((await get((await control) + scraped, { token: TOKEN })).status, 200);
  });

  test('on how long an end may take: the service gives up before it is killed', () => {
    const own = Number(image.env.SHUTDOWN_TIMEOUT_MS) / 1000;
    const preStop = Number(/sleep, "(\d+)"/.exec(deployment)[1]);
    assert.ok(own + preStop < Number(entry(deployment, 'terminationGracePeriodSeconds')));
    assert.ok(own < Number.parseFloat(entry(read('compose.yaml'), 'stop_grace_period')));
  });

  test('on the scaling: both ways have the same bounds', () => {
    const [hpa, keda] = ['scaling/hpa.yaml', 'scaling/keda.yaml'].map(read);
    for (const [a, b] of [
      ['minReplicas', 'minReplicaCount'],
      ['maxReplicas', 'maxReplicaCount'],
    ]) {
      assert.equal(entry(hpa, a), entry(keda, b));
    }
    const quantity = (text) =>
      text.endsWith('m') ? Number.parseInt(text, 10) / 1000 : Number(text.replaceAll('"', ''));
    assert.deepEqual(
      numbersOf(hpa, 'averageValue').map(quantity),
      numbersOf(keda, 'threshold').map(quantity),
    );
    assert.deepEqual(
      hpa
        .slice(hpa.indexOf('scaleUp'))
        .replace(/^ +/gm, '')
        .replace(/^#.*\n/gm, ''),
      keda.slice(keda.indexOf('scaleUp')).replace(/^ +/gm, ''),
    );
  });

  test('on who runs it: a number, and not root', () => {
    assert.match(image.user, /^[1-9]\d*$/);
    assert.match(deployment, /runAsNonRoot: true/);
  });

  test('on the configuration of Prometheus: promtool takes it', (t) => {
    const check = ['check', 'config', '--syntax-only', 'prometheus.yml'];
    const { error, status, stdout, stderr } = spawnSync('promtool', check, { cwd: here, encoding: 'utf8' });
    if (error?.code === 'ENOENT') return t.skip('no promtool');
    assert.equal(status, 0, stdout + stderr);
  });
});
