/** Reading many files: what is read and in which order, what is refused, how much is ahead, and that nothing stays open. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import type { FailedFile, FileContent } from './options.js';

import { readFile, readFiles } from './read-files.js';
import { readFileNow } from './reading.js';

const folder = mkdtempSync(join(tmpdir(), 'threadwise-files-'));
after(() => rmSync(folder, { recursive: true, force: true }));

/** The size up to which files are small here. Bytes. */
const SMALL = 1000;
const options = { syncBytes: SMALL };
const OPEN_FILES = '/proc/self/fd';
const seesOpenFiles = { skip: existsSync(OPEN_FILES) ? false : `there is no ${OPEN_FILES}` };

let made = 0;
function file(bytes: number): string {
  made += 1;
  const path = join(folder, `${made}.bin`);
  writeFileSync(path, contentOf(bytes));
  return path;
}

function contentOf(bytes: number): Uint8Array {
  return Uint8Array.from({ length: bytes }, (_, i) => (i * 31 + bytes) & 255);
}

async function all<T>(items: AsyncIterable<T>): Promise<T[]> {
  const found: T[] = [];
  for await (const item of items) found.push(item);
  return found;
}

/** How many files this process has open. To list them opens one more, each time. */
function openFiles(): number {
  return readdirSync(OPEN_FILES).length;
}

describe('files, small and large', () => {
  const sizes = [10, 5000, 0, SMALL, SMALL + 1, 70_000, 3, 200_000, 1];
  const paths = sizes.map(file);
  const expected = paths.map((path, i) => [path, contentOf(sizes[i]!)] as const);
  const shown = (read: readonly FileContent[]) =>
    read.map(({ path, bytes }) => [path, Uint8Array.from(bytes)] as const);

  for (const syncBytes of [0, 1, SMALL, 2 ** 20]) {
    test(`come whole and in their order, with syncBytes ${syncBytes}`, async () => {
      assert.deepEqual(shown(await all(readFiles(paths, { syncBytes }))), expected);
    });
  }

  test('come in their order however few may be read ahead', async () => {
    for (const some of [
      { concurrency: 1 },
      { aheadBytes: 0 },
      { aheadBytes: 0, syncBytes: 0 },
      { concurrency: 1, syncBytes: 0 },
    ]) {
      assert.deepEqual(shown(await all(readFiles(paths, { ...options, ...some }))), expected);
    }
  });

  test('may come from a generator, or one that takes its time, and be URLs', async () => {
    function* urls() {
      for (const path of paths) yield pathToFileURL(path);
    }
    async function* later() {
      for (const path of paths) yield await Promise.resolve(path);
    }
    assert.deepEqual(shown(await all(readFiles(urls(), options))), expected);
    assert.deepEqual(shown(await all(readFiles(later(), options))), expected);
    assert.deepEqual(await all(readFiles([], options)), []);
  });

  test('have memory of their own, exactly as much as they need, that can be moved', async () => {
    for (const { bytes } of await all(readFiles(paths, options))) {
      const { byteLength } = bytes;
      assert.equal(bytes.buffer.byteLength, byteLength);
      const moved = structuredClone(bytes, { transfer: [bytes.buffer as ArrayBuffer] });
      assert.deepEqual([moved.byteLength, bytes.byteLength], [byteLength, 0]);
    }
  });

  test('are the same one by one', async () => {
    for (const [path, content] of expected) {
      for (const syncBytes of [0, SMALL]) {
        assert.deepEqual(Uint8Array.from(await readFile(path, { syncBytes })), content);
      }
    }
    assert.deepEqual(Uint8Array.from(await readFile(pathToFileURL(paths[0]!))), contentOf(10));
  });
});

describe('a file that changes after it was looked at', () => {
  /** What is read of a second file that changes when the first one was given: by then it was looked at. */
  async function second(bytes: number, change: (path: string) => void): Promise<Uint8Array> {
    const path = file(bytes);
    const reading = readFiles([file(1), path], options);
    await reading.next();
    change(path);
    const { value } = await reading.next();
    return (value as FileContent).bytes;
  }

  test('and has grown beyond what is small, is read as it is now', async () => {
    const bytes = await second(10, (path) => appendFileSync(path, contentOf(50_000)));
    assert.deepEqual(Uint8Array.from(bytes), Uint8Array.of(...contentOf(10), ...contentOf(50_000)));
  });

  test('and is shorter or empty, too', async () => {
    assert.equal((await second(900, (path) => truncateSync(path, 5))).byteLength, 5);
    assert.equal((await second(900, (path) => truncateSync(path, 0))).byteLength, 0);
  });

  test('and is gone, is an error with its path and cause', async () => {
    await assert.rejects(
      second(900, (path) => rmSync(path)),
      (error: { code: string; path: string; cause: { code: string }; message: string }) => {
        assert.equal(error.code, 'ERR_FILE_READ');
        assert.equal(error.cause.code, 'ENOENT');
        assert.equal(error.message, `Cannot read '${error.path}': ENOENT: no such file or directory`);
        return true;
      },
    );
  });
});

describe('what cannot be read', () => {
  test('ends the reading, or is a step of its own', async () => {
    const [first, gone, last] = [file(5), join(folder, 'gone'), file(5000)];
    const seen: string[] = [];
    await assert.rejects(
      async () => {
        for await (const { path } of readFiles([first, gone, last], options)) seen.push(path);
      },
      { code: 'ERR_FILE_READ', path: gone },
    );
    assert.deepEqual(seen, [first]);
    for (const syncBytes of [0, SMALL]) {
      const steps = await all(readFiles([first, gone, last], { syncBytes, onError: 'yield' }));
      assert.deepEqual(
        steps.map((step: FileContent | FailedFile) => step.bytes?.byteLength ?? step.path),
        [5, gone, 5000],
      );
    }
  });

  test('is a folder, a device, or a FIFO that nobody writes to: refused, and not waited for', async () => {
    const fifo = join(folder, 'fifo');
    const hasFifo = spawnSync('mkfifo', [fifo]).status === 0;
    mkdirSync(join(folder, 'inner'));
    for (const [path, expected] of [
      [join(folder, 'inner'), /it is a directory, expected a regular file/],
      ...(existsSync('/dev/zero') ? [['/dev/zero', /it is a device, expected a regular file/] as const] : []),
      ...(hasFifo ? [[fifo, /it is a FIFO, expected a regular file/] as const] : []),
    ] as const) {
      for (const syncBytes of [0, SMALL]) {
        await assert.rejects(all(readFiles([path], { syncBytes })), {
          code: 'ERR_FILE_READ',
          message: expected,
        });
        await assert.rejects(readFile(path, { syncBytes }), { code: 'ERR_FILE_READ', message: expected });
      }
    }
  });

  test('is no path at all: the programmer is told, after the files before it', async () => {
    const first = file(5);
    const seen: string[] = [];
    const wrong = [first, 7, first] as unknown as string[];
    await assert.rejects(
      async () => {
        for await (const { path } of readFiles(wrong, options)) seen.push(path);
      },
      { code: 'ERR_OPTION', message: 'Expected a path or a file URL, got 7' },
    );
    assert.deepEqual(seen, [first]);
    for (const url of ['http://example.org/a', 'file://host/x', 'file:///a%2Fb']) {
      const message = `Expected a path or a file URL, got "${url}"`;
      await assert.rejects(readFile(new URL(url)), { code: 'ERR_OPTION', message });
    }
    assert.throws(
      () => readFiles('one.txt'),
      /'paths': expected an iterable of paths, such as an array, got "one\.txt"/,
    );
    assert.throws(() => readFiles(undefined as never), { code: 'ERR_OPTION' });
  });

  test('is what an asynchronous source gives in place of a result: the reading ends, after the files before it', async () => {
    const first = file(5);
    const results: unknown[] = [{ done: false, value: first }, undefined];
    const source = { [Symbol.asyncIterator]: () => ({ next: async () => results.shift() }) };
    const reading = readFiles(source as unknown as AsyncIterable<string>, options);
    assert.equal((await reading.next()).value?.path, first);
    await assert.rejects(reading.next(), TypeError);
  });

  test('is a NUL in a name: an error as any other', async () => {
    await assert.rejects(all(readFiles(['a\0b'])), { code: 'ERR_FILE_READ' });
  });
});

test(
  'a file of /proc that turns out to be larger than `syncBytes` is not read synchronously',
  seesOpenFiles,
  () => {
    assert.equal(readFileNow('/proc/self/status', 10), undefined);
    assert.match(String(readFileNow('/proc/self/status', 2 ** 16)), /^Name:\s/);
  },
);

test('files of /proc say that they are empty, and are not', seesOpenFiles, async () => {
  const read = await all(readFiles(['/proc/self/status', '/proc/self/cmdline'], options));
  assert.match(Buffer.from(read[0]!.bytes).toString(), /^Name:\s/);
  assert.ok(Buffer.from(read[1]!.bytes).includes('node'));
  assert.match(Buffer.from(await readFile('/proc/self/status', { syncBytes: 0 })).toString(), /^Name:\s/);
});

describe('what is ahead', () => {
  test(
    'is bounded: a source is not asked for more than some paths, nor are more files open than allowed',
    {
      ...seesOpenFiles,
    },
    async () => {
      const [small, large] = [file(1), file(300_000)];
      const before = openFiles();
      let asked = 0;
      let taken = 0;
      function* endless() {
        for (;;) {
          asked += 1;
          yield asked % 3 === 0 ? small : large;
        }
      }
      for await (const _ of readFiles(endless(), { ...options, concurrency: 2 })) {
        taken += 1;
        assert.ok(asked <= taken + 16, `${asked} asked for, ${taken} taken`);
        assert.ok(openFiles() - before <= 2, `${openFiles() - before} are open`);
        if (taken === 100) break;
      }
      assert.equal(openFiles(), before);
    },
  );

  test('does not hold back what is there: a file comes before the next path does', async () => {
    const path = file(5000);
    let giveNext: () => void = () => {};
    async function* slow() {
      yield path;
      await new Promise<void>((resolve) => {
        giveNext = resolve;
      });
      yield path;
    }
    const reading = readFiles(slow(), options);
    assert.equal((await reading.next()).value?.path, path);
    giveNext();
    assert.equal((await reading.next()).value?.path, path);
    assert.equal((await reading.next()).done, true);
  });
});

describe('to leave early', () => {
  test('closes all files and tells the source', seesOpenFiles, async () => {
    const large = Array.from({ length: 8 }, () => file(500_000));
    const before = openFiles();
    for (const paths of [sourceOf(large), laterSourceOf(large)]) {
      for await (const _ of readFiles(paths.source, { ...options, concurrency: 8 })) break;
      assert.equal(openFiles(), before);
      assert.equal(paths.ended(), true);
    }
  });

  test('does not wait for a source that will never give another path', async () => {
    async function* stuck() {
      yield file(5);
      await new Promise<never>(() => {});
    }
    for await (const _ of readFiles(stuck(), options)) break;
  });

  test('a source that fails while it is told does not hide what has failed, nor keep files open', async () => {
    const failing = (value: string) => {
      const end = () => assert.fail('from the source');
      return { [Symbol.iterator]: () => ({ next: () => ({ done: false, value }), return: end }) };
    };
    const missing = join(folder, 'missing');
    await assert.rejects(all(readFiles(failing(missing), options)), { code: 'ERR_FILE_READ' });
    const before = seesOpenFiles.skip === false ? openFiles() : 0;
    for await (const _ of readFiles(failing(file(500_000)), { ...options, concurrency: 8 })) break;
    if (seesOpenFiles.skip === false) assert.equal(openFiles(), before);
  });

  async function* stuck(): AsyncGenerator<string> {
    yield await new Promise<never>(() => {});
  }

  test('by a signal: what waits for the disk, or for a path, rejects with the reason', async () => {
    for (const paths of [stuck(), [file(5), file(5000)]]) {
      const controller = new AbortController();
      const reading = readFiles(paths, { ...options, signal: controller.signal });
      const next = reading.next();
      controller.abort('enough');
      await assert.rejects(
        async () => {
          await next;
          await reading.next();
        },
        { code: 'ERR_TASK_ABORTED', name: 'AbortError', cause: 'enough' },
      );
    }
    const signal = AbortSignal.abort('before');
    await assert.rejects(readFiles([], { signal }).next(), { code: 'ERR_TASK_ABORTED', cause: 'before' });
    await assert.rejects(readFile(file(5), { signal }), { code: 'ERR_TASK_ABORTED', cause: 'before' });
  });

  test('by a signal: a file that waits for its turn of the event loop is not read', async () => {
    const path = file(5);
    const controller = new AbortController();
    const before = readFile(path, { loopBudgetMs: 1e-6 }); // which any read uses up
    const reading = readFile(path, { loopBudgetMs: 1e-6, signal: controller.signal });
    controller.abort('enough');
    await before;
    rmSync(path);
    await assert.rejects(reading, { code: 'ERR_TASK_ABORTED', cause: 'enough' });
  });

  test('by one signal for many readers: all end, and the runtime warns of no leak', async (t) => {
    const warnings: string[] = [];
    const onWarning = ({ message }: Error) => warnings.push(message);
    process.on('warning', onWarning);
    t.after(() => process.off('warning', onWarning));
    const controller = new AbortController();
    const { signal } = controller;
    const readers = Array.from({ length: 20 }, () => readFiles(stuck(), { signal }));
    const waiting = Promise.allSettled(readers.map((reader) => reader.next()));
    controller.abort('enough');
    for (const { status } of await waiting) assert.equal(status, 'rejected');
    await new Promise((resolve) => setImmediate(resolve)); // warnings are emitted in the next tick
    assert.deepEqual(warnings, []);
  });

  test('is what a source does that throws: its own error, after the files before it', async () => {
    const path = file(5);
    const broken = new Error('no more');
    function* one() {
      yield path;
      throw broken;
    }
    async function* oneLater() {
      yield path;
      throw broken;
    }
    for (const source of [one(), oneLater()]) {
      const reading = readFiles(source, options);
      assert.equal((await reading.next()).value?.path, path);
      await assert.rejects(reading.next(), (error) => error === broken);
    }
  });

  function sourceOf(paths: readonly string[]) {
    let ended = false;
    function* source() {
      try {
        yield* paths;
      } finally {
        ended = true;
      }
    }
    return { source: source(), ended: () => ended };
  }

  function laterSourceOf(paths: readonly string[]) {
    let ended = false;
    async function* source() {
      try {
        for (const path of paths) yield path;
        yield* paths;
      } finally {
        ended = true;
      }
    }
    return { source: source(), ended: () => ended };
  }
});

describe('the event loop', () => {
  /** A budget that any read uses up, so that each is followed by a turn. Milliseconds. */
  const loopBudgetMs = 1e-6;

  test('has its turn when the budget is spent, between any two files', async () => {
    const paths = Array.from({ length: 20 }, () => file(50));
    let turns = 0;
    let isOver = false;
    const count = (): void => {
      turns += 1;
      if (!isOver) setImmediate(count);
    };
    setImmediate(count);
    await all(readFiles(paths, { ...options, loopBudgetMs }));
    isOver = true;
    assert.ok(turns >= paths.length - 1, `${turns} turns`);
  });

  test('and readers that run at the same time share the budget', async () => {
    const path = file(50);
    let turns = 0;
    let isOver = false;
    const count = (): void => {
      turns += 1;
      if (!isOver) setImmediate(count);
    };
    setImmediate(count);
    await Promise.all(Array.from({ length: 10 }, () => readFile(path, { loopBudgetMs })));
    isOver = true;
    assert.ok(turns >= 9, `${turns} turns`);
  });
});
