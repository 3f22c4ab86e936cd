// All functions that experiments run on a contender's threads. Other modules are loaded only when a task needs them: what a
// scenario does not use must count neither for its memory nor for its start.
import { threadId as ownThreadId } from 'node:worker_threads';
import { sharedNow } from './clock.js';

const pause = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));

/** The trivial task, to measure the crossing alone. */
export function increment(x) {
  return x + 1;
}

export function echo(value) {
  return value;
}

/** A task that refuses what it is given. */
export function fail(text) {
  throw new TypeError(text);
}

/** The number of the thread that runs this; 0 is the main thread. */
export function threadId() {
  return ownThreadId;
}

/** Returns the number of its thread after a while, so that other threads get their share of such calls. */
export async function stay(milliseconds) {
  await pause(milliseconds);
  return ownThreadId;
}

/** The same for workers in processes: returns the process's id. */
export async function stayInProcess(milliseconds) {
  await pause(milliseconds);
  return process.pid;
}

/** Reads only three of the bytes, to measure how they got here. */
export function checksum(bytes) {
  const { length } = bytes;
  return length + bytes[0] + bytes[length >> 1] + bytes[length - 1];
}

const made = new Map();

/** Returns `length` bytes of `value`, made once for all calls. */
export function makeBytes({ length, value }) {
  const key = `${length} ${value}`;
  if (!made.has(key)) made.set(key, new Uint8Array(length).fill(value));
  return made.get(key);
}

let crypto;

/** SHA-256, hexadecimal. */
export function hash(bytes) {
  crypto ??= process.getBuiltinModule('node:crypto');
  return crypto.hash('sha256', bytes, 'hex');
}

/** Returns the hash, and when it was done, by the clock that all threads share. */
export function hashTimed(bytes) {
  return { digest: hash(bytes), ended: sharedNow() };
}

let fs;
let room = Buffer.alloc(0);

/** Reads a file of `length` bytes, and hashes it. */
export function hashFile({ path, length }) {
  fs ??= process.getBuiltinModule('node:fs');
  if (room.length < length) room = Buffer.allocUnsafeSlow(length);
  const file = fs.openSync(path, 'r');
  const count = fs.readSync(file, room, 0, length, 0);
  fs.closeSync(file);
  return hash(room.subarray(0, count));
}

/**
 * Computes for that many milliseconds. Returns when it began and ended, by the clock that all threads share. Reading the
 * clock leaves garbage, whose collection between tasks would count as the pool's time, so it is read only after each `compute`.
 */
export function busy(milliseconds) {
  const began = sharedNow();
  let ended = began;
  while (ended - began < milliseconds) {
    compute();
    ended = sharedNow();
  }
  return { began, ended };
}

let computed = 1;

/** Takes about two microseconds. The local variable keeps each step from writing to memory. */
function compute() {
  let value = computed;
  for (let i = 0; i < 2000; i++) value = (Math.imul(value, 1664525) + 1013904223) | 0;
  computed = value;
}

/** About how many times `compute` runs in a millisecond. */
const UNITS_PER_MS = 500;

/**
 * Computes for about that many milliseconds: a fixed amount of work, not of time. With `busy`, threads that share a core
 * would seem to get more done together than the core can do, for the time passes for each of them.
 */
export function work(milliseconds) {
  for (let i = 0; i < milliseconds * UNITS_PER_MS; i++) compute();
}

/** Waits for a timer. Returns when it began and ended, by the clock that all threads share. */
export async function wait(milliseconds) {
  const began = sharedNow();
  await pause(milliseconds);
  return { began, ended: sharedNow() };
}

/** The Fibonacci number at `index`: the last of an array of all up to it. Takes half a microsecond for 100. */
export function fibonacci(index) {
  const numbers = [0, 1];
  for (let i = 2; i <= index; i++) numbers[i] = numbers[i - 1] + numbers[i - 2];
  return numbers[index];
}

/** Makes the bill for an order: about two microseconds of work. */
export function bill({ id, lines, customer }) {
  let total = 0;
  let text = `${customer.name}, ${customer.zip} ${customer.city}`;
  for (const { sku, title, count, price } of lines) {
    total += count * price;
    text += `\n${count} x ${sku} ${title}: ${(count * price).toFixed(2)}`;
  }
  return { id, total, length: text.length };
}

/** Computes many numbers in one call, which spreads the cost of a crossing over them. */
export function fibonacciAll(indices) {
  return indices.map(fibonacci);
}

/** Counts the prime numbers up to `limit` by trying divisors: takes about 10 ms for 270,000. */
export function countPrimes(limit) {
  let count = limit >= 2 ? 1 : 0;
  for (let number = 3; number <= limit; number += 2) if (isPrime(number)) count++;
  return count;
}

function isPrime(odd) {
  for (let divisor = 3; divisor * divisor <= odd; divisor += 2) if (odd % divisor === 0) return false;
  return true;
}

/** Thirty bytes with two variables. */
const SENTENCE = '{{name}} will meet {{guest}}.\n';

/** The templates by their number of sentences. One of a single sentence is rendered in about 1 us, one of eighty in about 25 us. */
const templates = {};
let mustache;

/** Renders so many sentences to text. */
export function render({ sentences, name, guest }) {
  mustache ??= process.getBuiltinModule('node:module').createRequire(import.meta.url)('mustache');
  templates[sentences] ??= SENTENCE.repeat(sentences);
  return mustache.render(templates[sentences], { name, guest });
}

const nobody = new Int32Array(new SharedArrayBuffer(4));

/** Blocks its thread without computing, as a slow synchronous call does. */
export function block(milliseconds) {
  Atomics.wait(nobody, 0, 0, milliseconds);
}

export function workThenBlock({ workMs, blockMs }) {
  work(workMs);
  block(blockMs);
}

let genotypes;

/** Counts and searches a part of a genotype file: see experiments/snp/genotypes.js. */
export async function studyGenotypes(part) {
  genotypes ??= await import('../experiments/snp/genotypes.js');
  return genotypes.study(part);
}

/** Reads a whole file `times` times. Returns how many bytes that was. */
export function readManyTimes({ path, times }) {
  fs ??= process.getBuiltinModule('node:fs');
  let byteLength = 0;
  for (let i = 0; i < times; i++) byteLength += fs.readFileSync(path).length;
  return byteLength;
}
