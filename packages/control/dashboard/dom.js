/** The few ways in which this page touches its document; what comes from the server goes in as text, never as markup. */

export function byId(id) {
  const found = document.getElementById(id);
  if (found === null) throw new Error(`the page has no element '${id}'`);
  return found;
}

/** Changes the text in place, and only if it is another one: what is on the screen each second must cost nothing. */
export function setText(node, text) {
  const only = node.firstChild;
  if (only instanceof Text && only.nextSibling === null) {
    if (only.data !== text) only.data = text;
  } else if (node.textContent !== text) node.textContent = text;
}

/** Attributes are set as such; `text` is the content. */
export const element = (tag, ...rest) => filled(document.createElement(tag), ...rest);

/** The same for a drawing. */
export const drawing = (tag, ...rest) =>
  filled(document.createElementNS('http://www.w3.org/2000/svg', tag), ...rest);

function filled(made, { text, ...attributes } = {}, ...children) {
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  if (text !== undefined) made.textContent = text;
  made.append(...children);
  return made;
}

/** A name that somebody else gave: isolated, so that its writing direction does not reorder what stands beside it. */
export function nameNode(name) {
  return element('bdi', { class: 'name', text: name });
}

export function setHidden(node, isHidden) {
  if (node.hidden !== isHidden) node.hidden = isHidden;
}

/** Sets or, with undefined, removes. */
export function setAttribute(node, name, value) {
  if (value === undefined) node.removeAttribute(name);
  else if (node.getAttribute(name) !== value) node.setAttribute(name, value);
}
