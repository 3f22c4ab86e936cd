/** A table that keeps the row of each item, so that what changes is text and not the table. */
import { element, nameNode, setHidden, setText } from './dom.js';

/** A column of figures, each written by `text(item)`. */
export const figures = (title, text) => ({ title, isNumber: true, text });

/** A column of names that somebody else gave. */
export const names = (title, nameOf) => ({
  title,
  make: () => nameNode(''),
  show: (node, item) => setText(node, nameOf(item)),
});

/**
 * Fills an empty table. `columns`: `{ title, text(item) }`, with `isHead` for the row's header, `isNumber`, or `make(item)` and
 * `show(node, item)` for what is more than text. `keyOf(item)` tells items apart.
 */
export function keyedRows(table, { columns, keyOf, classOf = () => '' }) {
  const body = element('tbody');
  const heads = columns.map(({ title, isNumber }) =>
    element('th', { scope: 'col', class: isNumber ? 'number' : '' }, title),
  );
  table.append(element('thead', {}, element('tr', {}, ...heads)), body);
  const rows = new Map();
  return { update };

  function update(items) {
    const gone = new Set(rows.keys());
    for (const item of items) gone.delete(keyOf(item));
    // Before the others are put in order: a row that is moved loses the focus, and one behind a row that is gone would be.
    for (const key of gone) {
      rows.get(key).node.remove();
      rows.delete(key);
    }
    let next = body.firstElementChild;
    for (const item of items) {
      const key = keyOf(item);
      const row = rows.get(key) ?? make(key, item);
      if (row.node === next) next = next.nextElementSibling;
      else body.insertBefore(row.node, next);
      show(row, item);
    }
    // A head without rows says nothing.
    setHidden(table, items.length === 0);
  }

  function make(key, item) {
    const node = element('tr');
    const cells = columns.map((column) => {
      const cell = element(column.isHead ? 'th' : 'td', column.isHead ? { scope: 'row' } : {});
      if (column.isNumber) cell.className = 'number';
      const inner = column.make?.(item);
      if (inner !== undefined) cell.append(inner);
      node.append(cell);
      return inner ?? cell;
    });
    const row = { node, cells };
    rows.set(key, row);
    return row;
  }

  function show({ node, cells }, item) {
    const kind = classOf(item);
    if (node.className !== kind) node.className = kind;
    columns.forEach(({ text, show: showIn }, i) => {
      if (showIn !== undefined) showIn(cells[i], item);
      else setText(cells[i], text(item));
    });
  }
}
