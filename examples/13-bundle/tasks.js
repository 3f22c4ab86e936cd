// What a worker does: a module at a time. Its text goes there, and what became of it comes back.
export { byEsbuild, byTypescript } from './transform.js';
