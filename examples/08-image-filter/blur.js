// The filter, for a rectangle of an image. The code is the same for the whole image and for a tile.

/**
 * Blurs: each pixel becomes the mean of the square around it, as far as that lies in the image.
 * @param from RGBA, 4 bytes a pixel @param to gets the rectangle `x`, `y`, `w`, `h` @param radius pixels to each side
 */
export function blur(from, to, { width, height, radius, x, y, w, h }) {
  for (let row = y; row < y + h; row++) {
    const [top, bottom] = [Math.max(0, row - radius), Math.min(height - 1, row + radius)];
    for (let column = x; column < x + w; column++) {
      const [left, right] = [Math.max(0, column - radius), Math.min(width - 1, column + radius)];
      let [r, g, b, a] = [0, 0, 0, 0];
      for (let v = top; v <= bottom; v++) {
        for (let at = (v * width + left) * 4; at <= (v * width + right) * 4; at += 4) {
          r += from[at];
          g += from[at + 1];
          b += from[at + 2];
          a += from[at + 3];
        }
      }
      const pixels = (bottom - top + 1) * (right - left + 1);
      const at = (row * width + column) * 4;
      to[at] = r / pixels;
      to[at + 1] = g / pixels;
      to[at + 2] = b / pixels;
      to[at + 3] = a / pixels;
    }
  }
}
