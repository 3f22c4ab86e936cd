#!/usr/bin/env node
// What npm links as the command: it is there before anything is built, as npm wants it when it installs.
import { main } from '../dist/main.js';

/** How many milliseconds the command waits, after its work, for what a user's module left open in the main thread. */
const LINGER_MS = 500;

await main(process.argv.slice(2));
setTimeout(() => process.exit(), LINGER_MS).unref();
