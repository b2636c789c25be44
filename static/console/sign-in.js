/**
 * The session: the signed-in user, and the forms that sign in, register and sign out. A password is exchanged
 * for a token at once and is then forgotten. The token is kept in memory, so a reload ends the session. On
 * request, it is kept in the storage of this tab (`sessionStorage`), and survives reloads. A new tab of this
 * browser then asks the tab that keeps it, so that a link in a new tab does not ask for the password; the new
 * tab has the token in memory only. The channel reaches only pages of this origin, which could read the
 * storage as well.
 */
/** @import { Call } from './api.js' */
/** @import { Field } from './form.js' */
import { button, element, storage, TOKEN_KEY } from '../shared/elements.js';
import { readDescription, REFUSED, request, setToken } from './api.js';
import { announce, draw, heading } from './dom.js';
import { forgetDrafts, openDrafts } from './drafts.js';
import { createForm, NAME, openDialog } from './form.js';

/**
 * @typedef {{ id: number, username: string, is_admin: boolean, token: { id: number, expiration_date: string }
 *   | null }} Me
 */

/**
 * The names of events, in this order: a user has signed in or out; the same user has signed in again; the
 * name or the rights of the user may have changed.
 */
export const SESSION_CHANGED = 'session-changed';
export const SIGNED_IN_AGAIN = 'signed-in-again';
export const CALLER_CHANGED = 'caller-changed';

/** The name of the tokens that sessions of the console use. */
export const SESSION_NAME = 'console';

/** An hour is enough, because drafts in forms survive the expiry of the token. */
const TOKEN_LIFETIME_SECONDS = 3600;

/** @type {Me | undefined} */
let caller;

/** The initial username of the form that asks the user to sign in again. */
let lastUsername = '';

export function me() {
  return caller;
}

/** @param {string} event */
function tell(event) {
  document.dispatchEvent(new Event(event));
}

/** How long a new tab waits for the token of another one before it shows the form to sign in. */
const OTHER_TABS_MS = 100;

/** Takes the token of another tab, if it waits for one. @type {((token: string) => void) | undefined} */
let takeAnswer;

/** Its name has the path of this service, because others may be behind the same origin. */
const tabs = new BroadcastChannel(`rollcall ${new URL('..', import.meta.url).pathname}`);
tabs.addEventListener('message', ({ data: { isAsking, token, endedToken } }) => {
  if (isAsking && caller !== undefined && isKept()) {
    tabs.postMessage({ token: readKept() });
  }
  if (token !== undefined) {
    takeAnswer?.(token);
    takeAnswer = undefined;
  }
  if (endedToken !== undefined && endedToken === caller?.token?.id) {
    leave();
  }
});

/** @returns {Promise<string | undefined>} The token of a session that another tab keeps. */
function askOtherTabs() {
  return new Promise((resolve) => {
    takeAnswer = resolve;
    setTimeout(() => {
      resolve(undefined);
      takeAnswer &&= enterLate; // a busy tab answers later
    }, OTHER_TABS_MS);
    tabs.postMessage({ isAsking: true });
  });
}

/**
 * Continues a session in place of the form to sign in, unless the user has begun to type.
 *
 * @param {string} token
 */
async function enterLate(token) {
  const fields = /** @type {NodeListOf<HTMLInputElement>} */ (
    document.querySelectorAll('.door input:not([type="checkbox"])')
  );
  const isUntouched = fields.length > 0 && [...fields].every(({ value }) => value === '');
  if (caller === undefined && isUntouched && !location.hash.startsWith('#/password')) {
    setToken(token);
    await refreshMe().then(() => tell(SESSION_CHANGED), forgetToken);
  }
}

function readKept() {
  return storage('sessionStorage')?.getItem(TOKEN_KEY);
}

/** Continues the session of this tab or of another one, if its token is still valid. */
export async function resume() {
  const kept = readKept() ?? await askOtherTabs();
  if (kept) {
    setToken(kept);
    await refreshMe().catch((error) => {
      if (error.status !== 401) {
        throw error;
      }
    });
  }
}

/** Reads the signed-in user again. */
export async function refreshMe() {
  caller = (await request({ path: ['user'] })).body;
  lastUsername = caller?.username ?? '';
  openDrafts(caller?.id ?? 0);
  tell(CALLER_CHANGED);
}

function forgetToken() {
  storage('sessionStorage')?.removeItem(TOKEN_KEY);
  return setToken(undefined);
}

/** Whether a reload, or a visit to another page in this tab, keeps the user signed in. */
export function isKept() {
  return Boolean(readKept());
}

/** Ends the session after the user has signed out, revoked the token in use, or deleted the account. */
export function endSession() {
  tabs.postMessage({ endedToken: caller?.token?.id });
  leave();
}

function leave() {
  takeAnswer = undefined;
  forgetToken();
  forgetDrafts();
  caller = undefined;
  tell(SESSION_CHANGED);
}

/** @type {Call} */
export const SIGN_OUT = { method: 'DELETE', path: ['token'] };

/** Forgets the token first, so that the user is signed out even if the network does not respond. */
export async function signOut() {
  const token = forgetToken();
  lastUsername = '';
  endSession();
  try {
    await request({ ...SIGN_OUT, authorization: `Bearer ${token}` });
    announce('Signed out; the token is revoked', 'shown');
  } catch {
    announce('Signed out here, but the service did not confirm that the token is revoked', 'shown');
  }
}

/**
 * @param {string} name
 * @param {string} label
 * @param {'current-password' | 'new-password'} autocomplete
 * @returns {Field}
 */
export function toPasswordField(name, label, autocomplete) {
  return { name, label, type: 'password', attributes: { required: true, autocomplete } };
}

/**
 * A read-only username, which tells password managers and the user whose password the form asks for.
 *
 * @param {string} username
 * @returns {Field}
 */
export function toAccountField(username) {
  const attributes = { readonly: true, autocomplete: 'username' };
  return { name: 'username', label: 'Account', value: username, attributes };
}

export const WRONG_PASSWORD = 'The password is wrong';

/**
 * Asks for the user's own password, for actions that a token alone may not perform, as it may be stolen.
 *
 * @param {Field['applies']} [applies]
 * @returns {readonly Field[]}
 */
export function toOwnPasswordFields(applies = () => true) {
  return [{ ...toAccountField(caller?.username ?? ''), applies }, toOwnPasswordField(applies)];
}

/**
 * Asks for the user's own password in forms that already have a field for a username.
 *
 * @param {Field['applies']} [applies]
 * @returns {Field}
 */
export function toOwnPasswordField(applies = () => true) {
  return { ...toPasswordField('own_password', 'Your password', 'current-password'), applies };
}

/**
 * The credentials that the fields above ask for; none if they do not apply.
 *
 * @param {import('./drafts.js').Values} values
 */
export function toOwnAuthorization({ own_password: password }) {
  return password === undefined ? {} : { authorization: toBasic(caller?.username, password) };
}

/** @type {readonly Field[]} */
export const NEW_USER_FIELDS = [
  {
    name: 'username', label: 'Username', hint: 'Letters, digits and . _ @ + -',
    attributes: { ...NAME, autocomplete: 'username' },
  },
  { name: 'email', label: 'Email', type: 'email', attributes: { ...NAME, autocomplete: 'email' } },
  toPasswordField('password', 'Password', 'new-password'),
];

/**
 * @param {() => void} done
 * @param {() => void} [cancel]
 */
function createSignInForm(done, cancel) {
  const password = toPasswordField('password', 'Password', 'current-password');
  return createForm({
    ...(cancel && { cancel }),
    fields: [
      {
        name: 'username', label: 'Username', value: lastUsername,
        attributes: { ...NAME, autocomplete: 'username', 'data-first': lastUsername === '' },
      },
      { ...password, attributes: { ...password.attributes, 'data-first': lastUsername !== '' } },
      { name: 'keep', label: 'Stay signed in until I close this tab', type: 'checkbox' },
    ],
    submit: 'Sign in',
    refusal: 'The username or the password is wrong',
    toCall: toSignIn,
    send: issueToken,
    done: async ({ body: { token } }, { keep }) => {
      if (cancel && !dialog?.open) {
        return; // the user has closed the dialog meanwhile
      }
      setToken(token);
      if (keep === 'true') {
        storage('sessionStorage')?.setItem(TOKEN_KEY, token);
      }
      await refreshMe();
      done();
    },
  });
}

/**
 * @param {import('./drafts.js').Values} values
 * @returns {Call}
 */
function toSignIn({ username, password }) {
  return {
    method: 'POST',
    path: ['tokens'],
    body: { name: SESSION_NAME, expiration: TOKEN_LIFETIME_SECONDS },
    authorization: toBasic(username, password),
  };
}

/**
 * Signs in a user who has just chosen a password. If that fails, the form to sign in has the username.
 *
 * @param {string} username
 * @param {string} password
 */
export async function enter(username, password) {
  lastUsername = username;
  await issueToken(toSignIn({ username, password })).then(({ body: { token } }) => {
    setToken(token);
    return refreshMe();
  }).catch(() => undefined);
  tell(SESSION_CHANGED);
  announce(caller ? `Signed in as ${username}` : 'Sign in with your new password', 'shown');
}

/** @param {Call} call - If the service refuses its lifetime, a second call uses the default. */
async function issueToken(call) {
  return request(call).catch((error) => {
    if (error.status === 400) {
      return request({ ...call, body: { name: SESSION_NAME } });
    }
    throw error;
  });
}

/**
 * @param {string | undefined} username
 * @param {string | undefined} password
 * @returns {string} Basic credentials (RFC 7617) in UTF-8, as bytes, because `btoa` accepts only bytes.
 */
export function toBasic(username, password) {
  return `Basic ${btoa(String.fromCharCode(...new TextEncoder().encode(`${username}:${password}`)))}`;
}

/**
 * @param {HTMLElement} page
 * @param {string} title
 * @param {HTMLFormElement} form
 * @param {HTMLElement} other - Leads to the other form.
 */
function drawDoor(page, title, form, other) {
  const mark = document.querySelector('.brand svg')?.cloneNode(true);
  draw(page, element('div', { class: 'door' }, mark, heading(title), form, other));
}

/** @param {HTMLElement} page */
export function showSignIn(page) {
  const register = element(
    'p', { hidden: true }, 'New here? ', button('Register', () => showRegistration(page), { class: 'small' }),
  );
  drawDoor(page, 'Sign in', createSignInForm(() => tell(SESSION_CHANGED)), register);
  readDescription().then(({ paths }) => {
    // Hidden if only administrators may create users.
    register.hidden = paths['/api/v1/users']?.post.security.length !== 0;
  });
}

/** @param {HTMLElement} page */
function showRegistration(page) {
  const form = createForm({
    fields: NEW_USER_FIELDS,
    submit: 'Register',
    toCall: (body) => ({ method: 'POST', path: ['users'], body, authorization: null }),
    done: ({ body: { username } }, { password = '' }) => enter(username, password),
  });
  drawDoor(
    page, 'Register', form,
    element(
      'p', {}, 'You have an account? ', button('Sign in', () => tell(SESSION_CHANGED), { class: 'small' }),
    ),
  );
}

/** @type {HTMLDialogElement | undefined} */
let dialog;

/**
 * Asks for the password in a dialog above the current screen. If the user closes the dialog, the next refused
 * request opens it again.
 */
export function askAgain() {
  const before = caller;
  forgetToken();
  if (before === undefined || dialog?.open) {
    return;
  }
  dialog = openDialog(
    'Sign in again',
    element('p', {}, 'Your session has expired or was revoked. Your draft stays.'),
    createSignInForm(() => {
      dialog?.close();
      if (caller?.id === before.id && caller.is_admin === before.is_admin) {
        tell(SIGNED_IN_AGAIN);
        clearSignedOut();
      } else {
        tell(SESSION_CHANGED); // another user, or other rights: leave the screen
      }
      announce(`Signed in as ${caller?.username}`, 'shown');
    }, () => dialog?.close()),
  );
}

/** Hides the messages of forms that a request without a valid token left, because they are out of date. */
function clearSignedOut() {
  for (const box of document.querySelectorAll('form > .problem')) {
    box.toggleAttribute('hidden', true);
  }
}

document.addEventListener(REFUSED, askAgain);
