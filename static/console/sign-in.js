/**
 * Who is signed in, and the forms that change it. A password is exchanged for a token at once and is then forgotten. The
 * token is kept in memory, so that it ends with the page, or on request in the storage of this tab (`sessionStorage`).
 */
/** @import { Call } from './api.js' */
/** @import { Field } from './form.js' */
import { REFUSED, request, setToken } from './api.js';
import { announce, button, draw, element, heading, storage } from './dom.js';
import { createForm, NAME, openDialog } from './form.js';

/** @typedef {{ id: number, username: string, is_admin: boolean, token: { id: number } | null }} Me With the token in use. */

const STORAGE_KEY = 'rollcall-token';

/** Events: somebody has signed in or out; the same person has, and can go on; their name or rights may be others now. */
export const SESSION_CHANGED = 'session-changed';
export const SIGNED_IN_AGAIN = 'signed-in-again';
export const CALLER_CHANGED = 'caller-changed';

/** When it ends, drafts stay. */
const TOKEN_LIFETIME_SECONDS = 3600;

/** @type {Me | undefined} */
let caller;

/** For the form that asks again. */
let lastUsername = '';

export function me() {
  return caller;
}

/** @param {string} event */
function tell(event) {
  document.dispatchEvent(new Event(event));
}

/** Takes up the token of this tab, if it still counts. */
export async function resume() {
  const kept = storage('sessionStorage')?.getItem(STORAGE_KEY);
  if (kept) {
    setToken(kept);
    await refreshMe().catch((error) => {
      if (error.status !== 401) {
        throw error;
      }
    });
  }
}

/** Reads anew who is signed in. */
export async function refreshMe() {
  caller = (await request({ path: ['user'] })).body;
  lastUsername = caller?.username ?? '';
  tell(CALLER_CHANGED);
}

function forgetToken() {
  storage('sessionStorage')?.removeItem(STORAGE_KEY);
  return setToken(undefined);
}

/** The token is gone, and the user knows. */
export function endSession() {
  forgetToken();
  caller = undefined;
  tell(SESSION_CHANGED);
}

/** @type {Call} */
export const SIGN_OUT = { method: 'DELETE', path: ['token'] };

/** Forgets the token first: a network that is silent keeps nobody signed in. */
export async function signOut() {
  const token = forgetToken();
  lastUsername = '';
  endSession();
  try {
    await request({ ...SIGN_OUT, authorization: `Bearer ${token}` });
    announce('Signed out; the token is revoked', 'shown');
  } catch {
    announce('Signed out here; the service did not confirm that the token is revoked', 'shown');
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

/** @type {readonly Field[]} */
export const NEW_USER_FIELDS = [
  { name: 'username', label: 'Username', hint: 'Letters, digits and . _ @ + -', attributes: { ...NAME, autocomplete: 'username' } },
  { name: 'email', label: 'Email', type: 'email', attributes: { ...NAME, autocomplete: 'email' } },
  toPasswordField('password', 'Password', 'new-password'),
];

/**
 * @param {() => void} done
 * @param {() => void} [cancel]
 */
function createSignInForm(done, cancel) {
  return createForm({
    ...(cancel && { cancel }),
    fields: [
      { name: 'username', label: 'Username', value: lastUsername, attributes: { ...NAME, autocomplete: 'username' } },
      toPasswordField('password', 'Password', 'current-password'),
      { name: 'keep', label: 'Keep me signed in in this tab', type: 'checkbox', hint: 'The token then survives a reload, and ends with the tab.' },
    ],
    submit: 'Sign in',
    refusal: 'The username or the password is not right',
    toCall: ({ username, password }) => ({
      method: 'POST',
      path: ['tokens'],
      body: { name: 'console', expiration: TOKEN_LIFETIME_SECONDS },
      authorization: `Basic ${toBase64(`${username}:${password}`)}`,
    }),
    send: issueToken,
    done: async ({ body: { token } }, { keep }) => {
      if (cancel && !dialog?.open) {
        return; // put off since
      }
      setToken(token);
      if (keep === 'true') {
        storage('sessionStorage')?.setItem(STORAGE_KEY, token);
      }
      await refreshMe();
      done();
    },
  });
}

/** @param {Call} call - Where tokens must be shorter than ours, the service decides how long one lives. */
async function issueToken(call) {
  return request(call).catch((error) => {
    if (error.status === 400) {
      return request({ ...call, body: { name: 'console' } });
    }
    throw error;
  });
}

/** @param {string} text - `btoa` takes bytes; credentials are UTF-8. */
function toBase64(text) {
  return btoa(String.fromCharCode(...new TextEncoder().encode(text)));
}

/** @param {HTMLElement} page */
export function showSignIn(page) {
  const register = element('p', { hidden: true }, 'Nobody here knows you yet? ', button('Register', () => showRegistration(page), { class: 'small' }));
  draw(
    page,
    heading('Sign in'),
    element('p', { class: 'lede' }, 'Users, the projects they own, and the tokens they sign in with.'),
    element('div', { class: 'card' }, createSignInForm(() => tell(SESSION_CHANGED))),
    register,
  );
  request({ path: ['openapi.json'], authorization: null }).then(({ body: { paths } }) => {
    register.hidden = paths['/api/v1/users'].post.security.length > 0; // not everybody may
  }, () => undefined); // whoever knows no more than this form can still sign in
}

/** @param {HTMLElement} page */
function showRegistration(page) {
  const form = createForm({
    fields: NEW_USER_FIELDS,
    submit: 'Register',
    toCall: (body) => ({ method: 'POST', path: ['users'], body, authorization: null }),
    done: ({ body: { username } }) => {
      lastUsername = username;
      tell(SESSION_CHANGED);
      announce(`${username} is registered and can sign in now`, 'shown');
    },
  });
  draw(
    page,
    heading('Register'),
    element('div', { class: 'card' }, form),
    element('p', {}, 'You have an account? ', button('Sign in', () => tell(SESSION_CHANGED), { class: 'small' })),
  );
}

/** @type {HTMLDialogElement | undefined} */
let dialog;

/** Asks for the password over what is being done, which stays. Who puts it off is asked again with the next request. */
export function askAgain() {
  const before = caller;
  forgetToken();
  if (before === undefined || dialog?.open) {
    return;
  }
  dialog = openDialog(
    'Sign in again',
    element('p', {}, 'Your token has expired or was revoked. What you have typed stays.'),
    createSignInForm(() => {
      dialog?.close();
      if (caller?.id === before.id && caller.is_admin === before.is_admin) {
        tell(SIGNED_IN_AGAIN);
      } else {
        tell(SESSION_CHANGED); // somebody else, or with other rights: what is on the screen is not theirs
      }
      announce(`Signed in as ${caller?.username}`, 'shown');
    }, () => dialog?.close()),
  );
}

document.addEventListener(REFUSED, askAgain);
