// Whether a pool finds its size by itself: fixed sizes beside 'auto', on loads that compute, wait, do both, and change.
import { changing, steady } from './sizing/loads.js';
import { page } from './sizing/page.js';

export default {
  id: 'sizing',
  title: 'How many threads: fixed sizes beside auto',
  threads: 2,
  page,
  scenarios: [...steady, changing],
};
