// What a worker does: blurs one tile. It reads beyond the tile's edges and writes within them.
import { blur } from './blur.js';

/** `from` and `to` are shared memory: nothing is copied, and no two tiles write the same pixel. */
export function blurTile({ from, to, ...tile }) {
  blur(new Uint8ClampedArray(from), new Uint8ClampedArray(to), tile);
}
