/** Asks before anything is changed: says what will happen, does it, and shows what the server said if it refused. */
import { poolPath, requestJson } from './api.js';
import { byId, element, nameNode, setText } from './dom.js';
import { makeFields } from './form-fields.js';

/** The server has the last word; but who reads what would happen is told that it will not. */
function hopeless({ state }) {
  return ['broken', 'closing', 'closed'].includes(state) ? [`The pool is ${state}: expect a refusal.`] : [];
}

export class ActionDialog {
  #dialog = byId('action');
  #form = byId('action-form');
  #title = byId('action-title');
  #effect = byId('action-effect');
  #request = byId('action-request');
  #error = byId('action-error');
  #apply = byId('action-apply');
  #onDone;
  #asked;

  /** `onDone(action, stats)` gets what the server answered. */
  constructor(onDone) {
    this.#onDone = onDone;
    byId('action-cancel').addEventListener('click', () => this.#dialog.close());
    this.#form.addEventListener('input', () => this.#describe());
    this.#form.addEventListener('submit', (event) => {
      event.preventDefault();
      this.#send();
    });
    this.#dialog.addEventListener('close', () => {
      this.#asked = undefined;
    });
  }

  ask(action, stats) {
    const readValues = makeFields(byId('action-fields'), action.fields?.(stats) ?? []);
    this.#asked = { action, stats, readValues };
    this.#title.replaceChildren(`${action.title}: `, nameNode(stats.name));
    setText(this.#apply, action.apply);
    this.#apply.classList.toggle('stops', action.stops === true);
    setText(this.#error, '');
    this.#apply.disabled = false;
    this.#describe();
    this.#dialog.showModal();
  }

  /** What it says must be true of what would be sent: half a form is not described. */
  #describe() {
    const { action, stats, readValues } = this.#asked;
    const values = readValues();
    setText(this.#error, '');
    if (!this.#form.checkValidity()) {
      this.#effect.replaceChildren(
        element('p', { text: 'Choose one; where there are numbers, fill them in as whole numbers.' }),
      );
      setText(this.#request, '–');
      return;
    }
    const sentences = [...hopeless(stats), ...action.effect(stats, values)];
    this.#effect.replaceChildren(...sentences.map((text) => element('p', { text })));
    const { method, rest, body } = action.request(values);
    const what = body === undefined ? '' : ` ${JSON.stringify(body)}`;
    setText(this.#request, `${method} /${poolPath(stats.name, rest)}${what}`);
  }

  async #send() {
    const asked = this.#asked;
    const { action, stats, readValues } = asked;
    const { method, rest, body } = action.request(readValues());
    setText(this.#error, '');
    this.#apply.disabled = true;
    setText(this.#apply, 'Asking the server…');
    try {
      const changed = await requestJson(poolPath(stats.name, rest), { method, body });
      if (this.#asked === asked) this.#dialog.close();
      this.#onDone(action, changed);
    } catch (error) {
      this.#refused(asked, error);
    }
  }

  #refused(asked, { code, message }) {
    const text = `Refused: ${message} (${code})`;
    // The dialog may have been closed meanwhile: then it is said on the page.
    if (this.#asked !== asked) return this.#onDone(asked.action, undefined, text);
    setText(this.#error, text);
    setText(this.#apply, asked.action.apply);
    this.#apply.disabled = false;
    byId('action-cancel').focus();
  }
}
