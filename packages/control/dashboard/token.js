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

byId('token-cancel').addEventListener('click', () => byId('token').close());

function ask(why) {
  const [dialog, field] = ['token', 'token-value'].map(byId);
  setText(byId('token-error'), why ?? '');
  field.value = '';
  dialog.returnValue = '';
  dialog.showModal();
  return new Promise((resolve) => {
    const onClose = () => {
      // What the button that submits the form says; nothing if the question was not answered.
      const isGiven = dialog.returnValue === 'given';
      if (isGiven) remember(field.value.trim());
      field.value = '';
      resolve(isGiven);
    };
    dialog.addEventListener('close', onClose, { once: true });
  });
}
