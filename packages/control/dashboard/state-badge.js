/** The state of a pool as a sign and a word: never by colour alone. */
import { element, setText } from './dom.js';

const SIGNS = { open: '●', paused: '‖', draining: '▼', broken: '✕', closing: '◌', closed: '○' };

export function stateBadge() {
  const sign = element('span', { 'aria-hidden': 'true', class: 'sign' });
  return element('span', { class: 'state' }, sign, element('span', { class: 'word' }));
}

export function showState(badge, state) {
  const [sign, word] = badge.children;
  setText(sign, SIGNS[state] ?? '?');
  setText(word, state);
  if (badge.dataset.state !== state) badge.dataset.state = state;
}
