/** Tables wider than the screen scroll: by keyboard, too, and with a name; one that fits is no stop for the Tab key. */

export function makeScrollable(boxes) {
  const look = ({ target: { parentElement: box } }) => mark(box);
  const observer = new ResizeObserver((entries) => entries.forEach(look));
  // The table inside, too: it grows without the box.
  for (const box of boxes) for (const inner of box.children) observer.observe(inner);
  addEventListener('resize', () => boxes.forEach(mark));
}

function mark(box) {
  const scrolls = box.scrollWidth > box.clientWidth + 1 || box.scrollHeight > box.clientHeight + 1;
  if (!scrolls) {
    for (const name of ['tabindex', 'role', 'aria-label']) box.removeAttribute(name);
    return;
  }
  box.tabIndex = 0;
  box.setAttribute('role', 'group');
  box.setAttribute('aria-label', `${box.dataset.name}; scrolls`);
}
