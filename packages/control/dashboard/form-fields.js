/** The questions in a dialog: groups of choices, some with numbers; real form controls with labels. */
import { element } from './dom.js';

/**
 * Puts the groups into `parent`: `{ name, legend, value, options: [{ value, label, numbers?: { name: { value, name, after } } }] }`.
 * Returns a function that reads the values: `{ [group]: value, [number]: number }`.
 */
export function makeFields(parent, groups) {
  parent.replaceChildren(...groups.map(makeGroup));
  return () => {
    const values = {};
    for (const input of parent.querySelectorAll('input')) {
      if (input.type === 'radio' && input.checked) values[input.name] = input.value;
      if (input.type === 'number') values[input.name] = input.valueAsNumber;
    }
    return values;
  };
}

function makeGroup({ name, legend, value, options }) {
  const group = element('fieldset', {}, element('legend', { text: legend }));
  // What is set now may be something that this page does not know, such as a function of the program's own.
  for (const option of options) group.append(makeOption(name, option, option.value === value));
  group.addEventListener('change', () => enableNumbers(group));
  enableNumbers(group);
  return group;
}

function makeOption(name, { value, label, numbers = {} }, isChosen) {
  const radio = element('input', { type: 'radio', name, value, required: '' });
  radio.checked = isChosen;
  const line = element('div', { class: 'option' }, element('label', {}, radio, ` ${label}`));
  for (const [numberName, { value: start, name: spoken, after }] of Object.entries(numbers)) {
    const kind = { type: 'number', min: 0, step: 1, required: '', inputmode: 'numeric' };
    const input = element('input', { ...kind, name: numberName, 'aria-label': spoken });
    input.value = start;
    line.append(input, ` ${after}`);
  }
  return line;
}

/** Only the numbers of the chosen option count, and are asked for. */
function enableNumbers(group) {
  for (const line of group.querySelectorAll('.option')) {
    const isChosen = line.querySelector('input[type=radio]').checked;
    for (const input of line.querySelectorAll('input[type=number]')) input.disabled = !isChosen;
  }
}
