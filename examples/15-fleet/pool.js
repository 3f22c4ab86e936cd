// The threads of this program.
import { createPool } from 'threadwise';

export const pool = createPool(new URL('./tasks.js', import.meta.url));
