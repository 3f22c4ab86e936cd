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
export class KeyedRows {
  #body = element('tbody');
  #columns;
  #keyOf;
  #classOf;
  #rows = new Map();

  constructor(table, { columns, keyOf, classOf = () => '' }) {
    const heads = columns.map(({ title, isNumber }) =>
      element('th', { scope: 'col', class: isNumber ? 'number' : '' }, title),
    );
    table.append(element('thead', {}, element('tr', {}, ...heads)), this.#body);
    this.#columns = columns;
    this.#keyOf = keyOf;
    this.#classOf = classOf;
  }

  update(items) {
    const gone = new Set(this.#rows.keys());
    let next = this.#body.firstElementChild;
    for (const item of items) {
      const key = this.#keyOf(item);
      gone.delete(key);
      const row = this.#rows.get(key) ?? this.#make(key, item);
      if (row.node === next) next = next.nextElementSibling;
      else this.#body.insertBefore(row.node, next);
      this.#show(row, item);
    }
    for (const key of gone) {
      this.#rows.get(key).node.remove();
      this.#rows.delete(key);
    }
    // A head without rows says nothing.
    setHidden(this.#body.parentElement, items.length === 0);
  }

  #make(key, item) {
    const node = element('tr');
    const cells = this.#columns.map((column) => {
      const cell = element(column.isHead ? 'th' : 'td', column.isHead ? { scope: 'row' } : {});
      if (column.isNumber) cell.className = 'number';
      const inner = column.make?.(item);
      if (inner !== undefined) cell.append(inner);
      node.append(cell);
      return inner ?? cell;
    });
    const row = { node, cells };
    this.#rows.set(key, row);
    return row;
  }

  #show({ node, cells }, item) {
    const kind = this.#classOf(item);
    if (node.className !== kind) node.className = kind;
    this.#columns.forEach(({ text, show }, i) => {
      if (show !== undefined) show(cells[i], item);
      else setText(cells[i], text(item));
    });
  }
}
