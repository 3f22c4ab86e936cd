/** Tells screen readers what changed; only what somebody would want to be interrupted for, never each second's figures. */
import { byId } from './dom.js';

/** Of several things at once, the last few are said together. */
const KEPT = 4;

let waiting = [];
let isDue = false;

export function announce(text) {
  waiting = [...waiting, text].slice(-KEPT);
  if (isDue) return;
  isDue = true;
  requestAnimationFrame(() => {
    isDue = false;
    byId('announcer').textContent = waiting.join(' ');
    waiting = [];
  });
}
