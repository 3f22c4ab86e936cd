/** Asks before anything is changed: says what will happen, does it, and shows what the server said if it refused. */
import { poolPath, requestJson } from './api.js';
import { byId, element, nameNode, setText } from './dom.js';
import { makeFields } from './form-fields.js';

/** The server has the last word; but who reads what would happen is told that it will not. */
function hopeless({ state }) {
  return ['broken', 'closing', 'closed'].includes(state) ? [`The pool is ${state}: expect a refusal.`] : [];
}

/** `onDone(action, name, stats, refusal)` gets the pool's name and what the server answered. Returns what asks for an action on a pool. */
export function makeActionDialog(onDone) {
  const dialog = byId('action');
  const form = byId('action-form');
  const effect = byId('action-effect');
  const request = byId('action-request');
  const error = byId('action-error');
  const apply = byId('action-apply');
  let asked;
  byId('action-cancel').addEventListener('click', () => dialog.close());
  form.addEventListener('input', describe);
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    send();
  });
  dialog.addEventListener('close', () => {
    asked = undefined;
  });

  return function ask(action, stats) {
    asked = { action, stats, readValues: makeFields(byId('action-fields'), action.fields?.(stats) ?? []) };
    byId('action-title').replaceChildren(`${action.title}: `, nameNode(stats.name));
    setText(apply, action.apply);
    apply.classList.toggle('stops', action.stops === true);
    apply.disabled = false;
    describe();
    dialog.showModal();
  };

  /** What it says must be true of what would be sent: half a form is not described. */
  function describe() {
    const { action, stats, readValues } = asked;
    const values = readValues();
    setText(error, '');
    const show = (sentences) => effect.replaceChildren(...sentences.map((text) => element('p', { text })));
    if (!form.checkValidity()) {
      show(['Choose one, and fill in its numbers as whole numbers.']);
      setText(request, '–');
      return;
    }
    show([...hopeless(stats), ...action.effect(stats, values)]);
    const { method, rest, body } = action.request(values);
    const what = body === undefined ? '' : ` ${JSON.stringify(body)}`;
    setText(request, `${method} /${poolPath(stats.name, rest)}${what}`);
  }

  async function send() {
    const sent = asked;
    const { action, stats, readValues } = sent;
    const { method, rest, body } = action.request(readValues());
    setText(error, '');
    apply.disabled = true;
    setText(apply, 'Asking the server…');
    try {
      const changed = await requestJson(poolPath(stats.name, rest), { method, body });
      if (asked === sent) dialog.close();
      onDone(action, stats.name, changed);
    } catch (refusal) {
      refused(sent, refusal);
    }
  }

  function refused(sent, { code, message }) {
    const text = `Refused: ${message} (${code})`;
    // The dialog may have been closed meanwhile: then it is said on the page.
    if (asked !== sent) return onDone(sent.action, sent.stats.name, undefined, text);
    setText(error, text);
    setText(apply, sent.action.apply);
    apply.disabled = false;
    byId('action-cancel').focus();
  }
}
