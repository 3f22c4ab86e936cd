/** Opens the dashboard in a real browser, and notes what it must never do: errors, and requests to anyone else. */
import { after } from 'node:test';
import { launch } from 'threadwise-test/browser';

let launched;
/** One browser for all tests of a file. */
function browser() {
  launched ??= launch();
  return launched;
}

after(async () => {
  await (await launched)?.close();
});

function stopClocks() {
  const at = Date.now();
  Date.now = () => at;
  performance.now = () => 1;
}

/** What a page wrote as an error is a failure; `expected` is for what a test provokes. */
export class Visit {
  page;
  errors = [];
  foreign = [];
  #context;

  /** `stopsClock`: by the clocks of the page no time passes; its timers run. The other options are the browser's. */
  static async to(url, { fragment = '', stopsClock = false, ...options } = {}) {
    const visit = new Visit();
    visit.#context = await (await browser()).newContext({ locale: 'en-US', ...options });
    visit.page = await visit.#context.newPage();
    visit.#listen(new URL(url).origin);
    if (stopsClock) await visit.page.addInitScript(stopClocks);
    await visit.page.goto(`${url}${fragment}`);
    return visit;
  }

  #listen(origin) {
    this.page.on('pageerror', (error) => this.errors.push(String(error)));
    this.page.on('console', (message) => {
      if (['error', 'warning'].includes(message.type())) this.errors.push(message.text());
    });
    this.page.on('request', (request) => {
      const { protocol, origin: where } = new URL(request.url());
      if (protocol !== 'data:' && where !== origin) this.foreign.push(request.url());
    });
  }

  /** Waits until the element is to be seen and has that text, or matches it. */
  async sees(selector, expected) {
    const { source, flags } =
      expected instanceof RegExp ? expected : new RegExp(escaped(expected.replaceAll(' ', '\u00a0')), '');
    await this.page
      .waitForFunction(
        ({ selector, source, flags }) => {
          const node = document.querySelector(selector);
          if (node === null) return false;
          const text = node.textContent.replaceAll(' ', '\u00a0');
          return new RegExp(source, flags).test(text) && (text === '' || node.checkVisibility());
        },
        { selector, source: source.replaceAll(' ', '\u00a0'), flags },
      )
      .catch(async (error) => {
        const text = await this.page.locator(selector).first().textContent({ timeout: 1000 }).catch(String);
        throw new Error(`waited for ${expected} in '${selector}', which is: ${text}`, { cause: error });
      });
  }

  /** Waits until that pool is opened, and what it is like has come by its stream. */
  async opens(pool) {
    await this.page.waitForFunction(
      (name) => document.getElementById('pool-name').textContent === name,
      pool,
    );
    await this.page.locator('#pool:not(.empty)').waitFor();
  }

  async close() {
    await this.#context.close();
  }
}

const escaped = (text) => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
