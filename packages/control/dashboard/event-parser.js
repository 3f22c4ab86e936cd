/** Server-sent events out of a byte stream in pieces, since `EventSource` cannot send the header with the token. */

/**
 * Feed it text in any pieces; it calls `onEvent(name, data)` for each event that is complete.
 * https://html.spec.whatwg.org/multipage/server-sent-events.html#event-stream-interpretation
 */
export class EventParser {
  #onEvent;
  #rest = '';
  #name = '';
  #data = [];

  constructor(onEvent) {
    this.#onEvent = onEvent;
  }

  feed(text) {
    this.#rest += text;
    // A carriage return at the very end may be half of a line's end: it waits for what follows.
    const whole = this.#rest.endsWith('\r') ? this.#rest.slice(0, -1) : this.#rest;
    const lines = whole.split(/\r\n|\r|\n/);
    this.#rest = lines.pop() + this.#rest.slice(whole.length);
    for (const line of lines) this.#line(line);
  }

  #line(line) {
    if (line === '') return this.#dispatch();
    const colon = line.indexOf(':');
    if (colon === 0) return; // a comment, to keep the line open
    const field = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? '' : line.slice(colon + 1).replace(/^ /, '');
    if (field === 'event') this.#name = value;
    else if (field === 'data') this.#data.push(value);
  }

  #dispatch() {
    const [name, data] = [this.#name || 'message', this.#data];
    this.#name = '';
    this.#data = [];
    if (data.length > 0) this.#onEvent(name, data.join('\n'));
  }
}
