/** Measures the contrast of a page's texts with what is behind them, as WCAG 2 defines it. */

/** Runs in the page: the texts below `selector` whose contrast is below AA, with their contrast. */
export function unreadable(selector) {
  const AA = 4.5;
  const context = document.createElement('canvas').getContext('2d', { willReadFrequently: true });
  const pixel = (color) => {
    context.clearRect(0, 0, 1, 1);
    context.fillStyle = color;
    context.fillRect(0, 0, 1, 1);
    return [...context.getImageData(0, 0, 1, 1).data];
  };
  const luminance = ([r, g, b]) => {
    const [red, green, blue] = [r, g, b].map((value) => {
      const share = value / 255;
      return share <= 0.03928 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  };
  const groundOf = (node) => {
    for (let at = node; at !== null; at = at.parentElement) {
      const ground = pixel(getComputedStyle(at).backgroundColor);
      if (ground[3] === 255) return ground;
    }
    return [255, 255, 255, 255];
  };
  const contrast = (a, b) => {
    const [light, dark] = [luminance(a), luminance(b)].sort((x, y) => y - x);
    return (light + 0.05) / (dark + 0.05);
  };
  const found = [];
  let looked = 0;
  for (const node of document.querySelectorAll(`${selector} *`)) {
    const hasText = [...node.childNodes].some((child) => child.nodeType === 3 && child.data.trim() !== '');
    if (!hasText || !node.checkVisibility({ visibilityProperty: true })) continue;
    looked++;
    const ratio = contrast(pixel(getComputedStyle(node).color), groundOf(node));
    if (ratio < AA) found.push(`${node.textContent.trim()}: ${ratio.toFixed(2)}`);
  }
  return looked === 0 ? ['no text was found'] : found;
}
