/**
 * The console exchanges a password for a token immediately, and then forgets the password. The token is kept
 * in memory, so a reload ends the session. If the user chooses to stay signed in, `sessionStorage` also keeps
 * the token for this tab. A new tab asks older tabs of the browser for a stored token, and keeps this token
 * only in memory. Only pages of the same origin can use the channel between the tabs.
 */
/** @import { Call } from './api.js' */
/** @import { Values } from './drafts.js' */
/** @import { Field } from './form.js' */
import { button, element, storage, TOKEN_KEY } from '../shared/elements.js';
import { me, readDescription, REFUSED, request, setMe, setToken, toBasic } from './api.js';
import { announce, draw, heading } from './dom.js';
import { forgetDrafts, keepDraft, openDrafts, REGISTRATION } from './drafts.js';
import { createForm, NAME, openDialog, toPasswordField } from './form.js';

/** Dispatched after a sign-in or a sign-out. */
export const SESSION_CHANGED = 'session-changed';
/** Dispatched after the same user has signed in again. */
export const SIGNED_IN_AGAIN = 'signed-in-again';
/** Dispatched after the name or the rights of the signed-in user were read again. */
export const CALLER_CHANGED = 'caller-changed';

/** Every token of a console session has this name. */
export const SESSION_NAME = 'console';

/** This lifetime can be short, because the drafts of forms are kept when a token expires. */
const TOKEN_LIFETIME_SECONDS = 3600;

/** A new tab waits this long for the token of another tab. */
const OTHER_TABS_MS = 100;

let lastUsername = '';

/** True while this tab has no session, and would sign in with the token of another tab. */
let isWaiting = false;

/** @param {string} event */
function tell(event) {
  document.dispatchEvent(new Event(event));
}

/** The name of the channel contains the path of this service, because other services can share the origin. */
const tabs = new BroadcastChannel(`rollcall ${new URL('..', import.meta.url).pathname}`);
tabs.addEventListener('message', ({ data: { isAsking, token, endedToken } }) => {
  if (isAsking && me() !== undefined && isKept()) {
    tabs.postMessage({ token: readKept() });
  }
  if (token !== undefined && isWaiting && isUntouched()) {
    isWaiting = false;
    setToken(token);
    refreshMe().then(() => tell(SESSION_CHANGED), forgetToken);
  }
  if (endedToken !== undefined && endedToken === me()?.token?.id) {
    leave();
  }
});

/** True if no field contains text and no password link is open. Then this tab can use another tab's token. */
function isUntouched() {
  /** @type {NodeListOf<HTMLInputElement>} */
  const fields = document.querySelectorAll('.door input:not([type="checkbox"])');
  return [...fields].every(({ value }) => value === '') && !location.hash.startsWith('#/password');
}

function readKept() {
  return storage('sessionStorage')?.getItem(TOKEN_KEY);
}

/** Signs in with a stored token that is still valid. Without a stored token, asks other tabs for a token. */
export async function resume() {
  const kept = readKept();
  if (!kept) {
    isWaiting = true;
    tabs.postMessage({ isAsking: true });
    await new Promise((resolve) => setTimeout(resolve, OTHER_TABS_MS));
    return;
  }
  setToken(kept);
  await refreshMe().catch((error) => {
    if (error.status !== 401) {
      throw error;
    }
  });
}

export async function refreshMe() {
  const { body } = await request({ path: ['user'] });
  isWaiting = false;
  setMe(body);
  lastUsername = body.username;
  openDrafts(body.id);
  tell(CALLER_CHANGED);
}

function forgetToken() {
  storage('sessionStorage')?.removeItem(TOKEN_KEY);
  return setToken(undefined);
}

/** True if the session survives both a reload and a visit to another page in this tab. */
export function isKept() {
  return Boolean(readKept());
}

/** Ends the session in every tab that uses the same token. */
export function endSession() {
  tabs.postMessage({ endedToken: me()?.token?.id });
  leave();
}

function leave() {
  isWaiting = false;
  forgetToken();
  forgetDrafts();
  setMe(undefined);
  tell(SESSION_CHANGED);
}

/** @type {Call} */
export const SIGN_OUT = { method: 'DELETE', path: ['token'] };

/** The tab forgets the token first, so the user is signed out even without a response. */
export async function signOut() {
  const token = forgetToken();
  lastUsername = '';
  endSession();
  try {
    await request({ ...SIGN_OUT, authorization: `Bearer ${token}` });
    announce('You have signed out. Your token is revoked', 'shown');
  } catch {
    announce('You have signed out here, but the service did not confirm that your token is revoked', 'shown');
  }
}

/** @type {readonly [username: Field, email: Field, password: Field]} */
export const NEW_USER_FIELDS = [
  {
    name: 'username', label: 'Username', hint: 'Letters, digits and . _ @ + -',
    attributes: { ...NAME, autocomplete: 'username' },
  },
  { name: 'email', label: 'Email', type: 'email', attributes: { ...NAME, autocomplete: 'email' } },
  toPasswordField('password', 'Password', 'new-password'),
];

/** @type {(done: () => void, cancel?: () => void) => HTMLFormElement} */
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
        return; // the user closed the dialog before the service responded
      }
      setToken(token);
      if (keep) {
        storage('sessionStorage')?.setItem(TOKEN_KEY, token);
      }
      await refreshMe();
      done();
    },
  });
}

/** @type {(values: Values) => Call} */
function toSignIn({ username, password }) {
  return {
    method: 'POST',
    path: ['tokens'],
    body: { name: SESSION_NAME, expiration: TOKEN_LIFETIME_SECONDS },
    authorization: toBasic(username, password),
  };
}

/**
 * Signs in a user who has just chosen a password. If the sign-in fails, the sign-in form shows the username.
 *
 * @type {(username: string, password: string) => Promise<void>}
 */
export async function enter(username, password) {
  lastUsername = username;
  await issueToken(toSignIn({ username, password })).then(({ body: { token } }) => {
    setToken(token);
    return refreshMe();
  }).catch(() => undefined);
  tell(SESSION_CHANGED);
  announce(me() ? `Signed in as ${username}` : 'Sign in with your new password', 'shown');
}

/** @param {Call} call - If the service refuses the lifetime, a second request omits the lifetime. */
async function issueToken(call) {
  return request(call).catch((error) => {
    if (error.status === 400) {
      return request({ ...call, body: { name: SESSION_NAME } });
    }
    throw error;
  });
}

/** @type {(page: HTMLElement, title: string, form: HTMLElement, other: HTMLElement) => void} */
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
    // The button to register is hidden if only administrators can create users.
    register.hidden = paths['/api/v1/users']?.post['x-access'] !== 'public';
  });
}

/** @param {HTMLElement} page */
function showRegistration(page) {
  const form = createForm({
    draft: REGISTRATION,
    fields: NEW_USER_FIELDS,
    submit: 'Register',
    cancel: () => showSignIn(page),
    toCall: (body) => ({ method: 'POST', path: ['users'], body, authorization: null }),
    done: ({ body: { username } }, { password = '' }) => enter(username, password),
  });
  const signIn = button('Sign in', () => {
    keepDraft(REGISTRATION, undefined);
    tell(SESSION_CHANGED);
  }, { class: 'small' });
  drawDoor(page, 'Register', form, element('p', {}, 'Do you have an account? ', signIn));
}

/** @type {HTMLDialogElement | undefined} */
let dialog;

/** Opens a dialog with a sign-in form. If the user closes the dialog, the next 401 opens a new dialog. */
export function askAgain() {
  const before = me();
  forgetToken();
  if (before === undefined || dialog?.open) {
    return;
  }
  dialog = openDialog(
    'Sign in again',
    element('p', {}, 'Your session has expired or was revoked. Your draft is kept.'),
    createSignInForm(() => {
      dialog?.close();
      const isSame = me()?.id === before.id && me()?.is_admin === before.is_admin;
      // A different user, or the same user with changed rights, is perhaps not allowed to see the screen.
      tell(isSame ? SIGNED_IN_AGAIN : SESSION_CHANGED);
      for (const box of document.querySelectorAll('form > .problem')) {
        box.toggleAttribute('hidden', true); // hides messages such as "You are signed out"
      }
      announce(`Signed in as ${me()?.username}`, 'shown');
    }, () => dialog?.close()),
  );
}

document.addEventListener(REFUSED, askAgain);
