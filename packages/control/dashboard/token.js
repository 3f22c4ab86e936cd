/** The token: out of the address, or asked for; kept as long as the tab, and only there. */
import { byId, setText } from './dom.js';

const KEY = 'threadwise.token';

/** Where the browser forbids storage, the page itself remembers. */
let remembered;
/** The question that is being asked: two requests that are refused at once ask one question. */
let question;

export function currentToken() {
  if (remembered !== undefined) return remembered;
  try {
    return sessionStorage.getItem(KEY) ?? undefined;
  } catch {
    return undefined;
  }
}

function remember(token) {
  remembered = token;
  try {
    sessionStorage.setItem(KEY, token);
  } catch {
    // It is remembered until the page is loaded again.
  }
}

/** Takes `token=…` out of the address's fragment, and out of the address bar and the history with it. */
export function takeTokenFromAddress() {
  const fragment = new URLSearchParams(location.hash.slice(1));
  const token = fragment.get('token');
  if (token === null) return;
  fragment.delete('token');
  const rest = fragment.toString();
  history.replaceState(null, '', `${location.pathname}${location.search}${rest === '' ? '' : `#${rest}`}`);
  if (token !== '') remember(token);
}

/** Resolves to whether there is another token now; `why` is what the server said to the one before. */
export function askForToken(why) {
  question ??= ask(why).finally(() => {
    question = undefined;
  });
  return question;
}

function ask(why) {
  const [dialog, form, field] = ['token', 'token-form', 'token-value'].map(byId);
  setText(byId('token-error'), why ?? '');
  field.value = '';
  const cancel = byId('token-cancel');
  return new Promise((resolve) => {
    const answered = new AbortController();
    const { signal } = answered;
    let isGiven = false;
    form.addEventListener(
      'submit',
      (event) => {
        event.preventDefault();
        remember(field.value.trim());
        isGiven = true;
        dialog.close();
      },
      { signal },
    );
    cancel.addEventListener('click', () => dialog.close(), { signal });
    dialog.addEventListener(
      'close',
      () => {
        answered.abort();
        field.value = '';
        resolve(isGiven);
      },
      { signal },
    );
    dialog.showModal();
  });
}
