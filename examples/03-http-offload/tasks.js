// The work: rendering a page. The same function serves the route that offloads it and the one that does not.
import mustache from 'mustache';

/** 30 bytes with two variables. */
const SENTENCE = '{{name}} will meet {{guest}}.\n';
/** How many sentences a page has: enough for rendering to be worth a crossing. */
const REPETITIONS = 80;
const templates = { sentence: SENTENCE, page: SENTENCE.repeat(REPETITIONS) };

/**
 * Renders a template.
 * @param name one of the templates above
 * @param data the values of its variables
 */
export function render(name, data) {
  if (!Object.hasOwn(templates, name)) throw new RangeError(`There is no template '${name}'`);
  return mustache.render(templates[name], data);
}
