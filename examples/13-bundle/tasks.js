// What a worker does: transforms one module at a time. The module's text crosses, and the transformed text comes back.
export { byEsbuild, byTypescript } from './transform.js';
