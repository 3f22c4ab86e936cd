// What it costs to have work done on another thread: calls, bytes, a blocked main thread, quiet and idle pools.
import { blockedMain } from './crossing/blocked-main.js';
import { bytes } from './crossing/bytes.js';
import { calls } from './crossing/calls.js';
import { coldStart } from './crossing/cold-start.js';
import { idle } from './crossing/idle.js';
import { quiet } from './crossing/quiet.js';
import { memory } from './crossing/memory.js';
import { page } from './crossing/page.js';

export default {
  id: 'crossing',
  title: 'What it costs to have work done on another thread',
  threads: 2,
  page,
  scenarios: [...calls, ...bytes, ...blockedMain, ...quiet, ...idle, ...memory, ...coldStart],
};
