/**
 * A form sends one request, and also shows this request as a curl command. An error about a field is shown at
 * the field. Any other error is shown above the fields. The draft of a form is kept until the service accepts
 * the request. So an expired token or a conflict (412) loses no text.
 */
/** @import { Child } from '../shared/elements.js' */
/** @import { Answer, Call } from './api.js' */
/** @import { Choices } from './dom.js' */
/** @import { Values } from './drafts.js' */
import { button, element } from '../shared/elements.js';
import { me, Problem, readDescription, request, toBasic, toCurl } from './api.js';
import {
  announce, buttons, copyable, createChoice, draw, facts, focusSuccessor, placeLiveRegion,
} from './dom.js';
import { findDraft, keepDraft } from './drafts.js';

/**
 * `name` is the key in the request body, so the JSON pointer of an error names the field. With
 * `suggestsUsers`, the field suggests usernames that start with the typed text. While `applies` returns
 * false, the field is neither shown nor sent.
 *
 * @typedef {{ name: string, label: string, type?: 'text' | 'email' | 'password' | 'number' | 'textarea' |
 *   'select' | 'checkbox', value?: string, hint?: string, choices?: Choices, suggestsUsers?: boolean,
 *   applies?: (values: Values) => boolean, attributes?: Record<string, unknown> }} Field
 */

/**
 * `record` and `etag` belong to the version that the form shows.
 *
 * @typedef {{ path: readonly (string | number)[], record: Record<string, any>, etag: string | undefined }}
 *   Target
 */

/**
 * After a conflict (412), the user can load the current version. The form then passes this version to
 * `reloaded`. A form that sends several requests needs the function `send`. If `ownPassword` is true, the
 * form sends the user's password in place of the token. So a stolen token alone cannot make the change. If
 * `ownPassword` is a function, this function decides whether the password is sent. If a request with a
 * password gets 401, the form shows the text of `refusal`. The form saves and restores the draft whose name
 * is the value of `draft`.
 *
 * @typedef {{ fields?: readonly Field[], ownPassword?: boolean | Field['applies'], submit: string,
 *   isDangerous?: boolean, target?: Target, refusal?: string, toCall: (values: Values, target: Target) =>
 *   Call, send?: (call: Call) => Promise<Answer>, done: (answer: Answer, values: Values) => unknown,
 *   reloaded?: (target: Target) => void, cancel?: () => void, draft?: string }} FormOptions
 */

/** The attributes of a field for a name. Phones must not capitalize names. */
export const NAME = { required: true, autocapitalize: 'none' };

/**
 * For each type of problem, the fields to mark if the problem names no field.
 *
 * @type {Record<string, string[]>}
 */
const FIELDS_OF_PROBLEMS = {
  'username-taken': ['username'],
  'project-name-taken': ['name'],
  'unknown-owner': ['owner', 'new_owner'],
  'wrong-password': ['current_password'],
};

/** @type {Record<number, { title: string, detail: string }>} */
const WORDS_OF_STATUS = {
  401: {
    title: 'You are signed out', detail: 'Sign in again, then send this form again. Your draft is kept.',
  },
  412: {
    title: 'Somebody else has changed this record',
    detail: 'Nothing has been saved. Load the current state, then send this form again.',
  },
};

let lastId = 0;

/** @param {FormOptions} options */
export function createForm(options) {
  const { draft = '', refusal = 'The password is wrong', ownPassword = false } = options;
  const fields = [...options.fields ?? [], ...ownPassword ? toOwnPasswordFields(ownPassword) : []];
  const controls = fields.map(createControl);
  const found = findDraft(draft);
  const box = element('div', { class: 'problem', tabindex: -1, hidden: true });
  const submit = element(
    'button', { class: options.isDangerous ? 'danger filled' : 'primary' }, options.submit,
  );
  const curl = createCurl(toCall);
  let target = options.target ?? { path: [], record: {}, etag: undefined };
  const form = element(
    'form', { class: 'form', novalidate: true, submit: send, input: refresh, change: refresh }, box,
    found && element('p', { class: 'hint' }, 'The form has your earlier draft. “Cancel” discards the draft.'),
    controls.map(({ row }) => row),
    buttons(options.cancel && button('Cancel', cancel, { autofocus: controls.length === 0 }), submit),
    curl.details,
  );
  for (const { name, input } of controls) {
    input.value = found?.[name] ?? input.value;
  }
  refresh();
  return form;

  function cancel() {
    keepDraft(draft, undefined);
    options.cancel?.();
  }

  function refresh() {
    const current = values();
    for (const { row, input, applies } of controls) {
      row.hidden = input.disabled = !applies(current);
    }
    const typed = controls.filter(({ isTyped }) => isTyped()).map(({ name, input }) => [name, input.value]);
    keepDraft(draft, typed.length > 0 ? Object.fromEntries(typed) : undefined);
    curl.refresh();
  }

  /** @returns {Values} Hidden fields are disabled, so `FormData` leaves them out. */
  function values() {
    return /** @type {Values} */ (Object.fromEntries(new FormData(form)));
  }

  /** @returns {Call} */
  function toCall() {
    const { own_account: _, own_password: password, ...members } = values();
    return {
      ...options.toCall(members, target),
      ...(target.etag && { etag: target.etag }),
      ...(password !== undefined && { authorization: toBasic(me()?.username, password) }),
    };
  }

  /** @param {Event} event */
  async function send(event) {
    event.preventDefault();
    if (form.ariaBusy === 'true' || hasMistakes()) {
      return;
    }
    const call = toCall();
    setBusy('true');
    report('');
    try {
      const sent = values();
      const answer = await (options.send ?? request)(call);
      keepDraft(draft, undefined);
      await options.done(answer, sent);
    } catch (error) {
      show(error, call.authorization);
    } finally {
      setBusy('false');
    }
  }

  /** Shows mistakes next to the fields. The form is `novalidate`, so the browser shows no pop-ups. */
  function hasMistakes() {
    report('');
    for (const { input, label, setError } of controls) {
      const missing = input instanceof HTMLSelectElement ? 'Choose an option.' : `${label} is missing.`;
      setError(input.validity.valueMissing ? missing : input.validationMessage);
    }
    return focusFirstMistake();
  }

  function focusFirstMistake() {
    const wrong = controls.find(({ input }) => input.ariaInvalid === 'true');
    wrong?.input.focus();
    return wrong !== undefined;
  }

  /** @param {'true' | 'false'} state - Unlike `disabled`, `ariaDisabled` lets the button keep the focus. */
  function setBusy(state) {
    form.ariaBusy = submit.ariaDisabled = state;
  }

  /** @param {...Child} content - Shown above the fields. All earlier messages disappear. */
  function report(...content) {
    draw(box, ...content);
    box.hidden = box.textContent === '';
    for (const { setError } of controls) {
      setError('');
    }
  }

  /**
   * @param {unknown} failure
   * @param {string | null} [password] - The Basic credentials, if the request had any.
   */
  function show(failure, password) {
    if (!(failure instanceof Problem)) {
      throw failure;
    }
    const { status, requestId } = failure;
    const words = status === 401 && password ? { title: refusal } : WORDS_OF_STATUS[status];
    const error = words ? new Problem(status, { ...words, request_id: requestId }) : failure;
    const parts = error.errors.map(({ pointer, message }) => (
      { names: [pointer?.slice(1) ?? ''], message: `It ${message}.` }
    ));
    const named = { names: FIELDS_OF_PROBLEMS[error.slug] ?? [], message: `${error.message}.` };
    report(
      describeProblem(error),
      error.status === 412 && button('Load the current state and keep my draft', reload, { class: 'small' }),
    );
    const placed = [...parts, named].filter(({ names, message }) => {
      const control = controls.find(({ name, input }) => names.includes(name) && !input.disabled);
      control?.setError(message);
      return control !== undefined;
    });
    box.hidden = placed.length > 0 && placed.length >= parts.length;
    if (!focusFirstMistake()) {
      box.focus();
    }
    announce(placed.map(({ message }) => message).join(' ') || `${error.message}. ${error.detail}`);
  }

  /** Puts the new values only into fields that the user has not edited. */
  async function reload() {
    const before = target.record;
    try {
      const { body: record, etag } = await request({ path: target.path });
      target = { ...target, record, etag };
    } catch (error) {
      show(error);
      return;
    }
    report(describeChanges(before, target.record));
    for (const { name, meet } of controls) {
      meet(before[name], target.record[name]);
    }
    box.focus();
    refresh();
    options.reloaded?.(target);
  }
}

/** @param {Problem} problem - The `detail` names only the first mistake. The form shows each mistake. */
export function describeProblem({ message, detail, requestId, type }) {
  return [
    element('p', {}, element('strong', {}, message)),
    detail !== '' && element('p', {}, detail),
    (requestId !== '' || type !== '') && element(
      'p', { class: 'hint' }, requestId !== '' && ['Request ', element('code', {}, requestId), ' '],
      type !== '' && element('a', { href: type, target: '_blank' }, 'Explanation of this problem'),
    ),
  ];
}

/** @type {(before: Record<string, any>, after: Record<string, any>) => HTMLElement} */
function describeChanges(before, after) {
  const changed = Object.keys(after).filter(
    (name) => JSON.stringify(before[name]) !== JSON.stringify(after[name]),
  );
  const parts = changed.map((name) => (
    typeof after[name] === 'object' ? `${name} changed` : `${name} is now “${after[name]}”`
  ));
  return element(
    'p', {}, `${parts.join(', ') || 'No field of this form has changed'}. You can send this form again.`,
  );
}

/**
 * The request contains only values that differ from the record.
 *
 * @type {(values: Values, target: Target) => Call}
 */
export function toPatch(values, { path, record }) {
  const changed = Object.entries(values).filter(([name, value]) => record[name] !== value);
  return { method: 'PATCH', path, body: Object.fromEntries(changed) };
}

/** @param {Field} field */
function createControl(field) {
  const { name, label, type = 'text', value = '', hint = '', choices = [], attributes = {} } = field;
  const { suggestsUsers = false, applies = () => true } = field;
  const id = `${name}-${lastId += 1}`;
  const error = element('p', { class: 'error', id: `${id}-error` });
  const common = { id, name, 'aria-describedby': `${id}-hint ${id}-error`, ...attributes };
  const typed = { dir: 'auto', autocomplete: 'off', spellcheck: String(type === 'textarea'), ...common };
  const input = type === 'textarea' ? element('textarea', { rows: 5, ...typed })
    : type === 'select' ? createChoice(choices, common)
    : element('input', { type, ...(type === 'checkbox' ? common : typed) });
  const labelled = type === 'checkbox' ? element('label', { class: 'choice' }, input, label) : [
    element('label', { for: id }, label), input,
  ];
  const below = element('p', { class: 'hint', id: `${id}-hint` }, hint);
  const row = element('div', { class: 'row' }, labelled, below, error);
  input.value = value || input.value;
  let initial = input.value;
  if (attributes['autocomplete'] === 'new-password') {
    readPasswordRule().then((words) => { below.textContent = words; });
  }
  if (suggestsUsers) {
    row.append(suggestUsers(/** @type {HTMLInputElement} */ (input)));
  }
  return {
    name, label, input, row, applies,
    isTyped: () => type !== 'password' && !input.matches('[readonly]') && input.value !== initial,
    /** @param {string} message */
    setError: (message) => {
      error.textContent = message;
      input.ariaInvalid = String(message !== '');
    },
    /** @type {(before: unknown, now: unknown) => void} The values before and after another user's change. */
    meet: (before, now) => {
      if (typeof now === 'string' && input.value === before) {
        input.value = initial = now;
      }
    },
  };
}

/** @type {(name: string, label: string, autocomplete: 'current-password' | 'new-password') => Field} */
export function toPasswordField(name, label, autocomplete) {
  return { name, label, type: 'password', attributes: { required: true, autocomplete } };
}

/**
 * This field tells users and password managers whose password is needed.
 *
 * @type {(name: string, label: string, username: string) => Field}
 */
export function toAccountField(name, label, username) {
  return { name, label, value: username, attributes: { readonly: true, autocomplete: 'username' } };
}

/** @type {(ownPassword: true | Field['applies']) => readonly Field[]} */
function toOwnPasswordFields(ownPassword) {
  const applies = typeof ownPassword === 'function' ? ownPassword : () => true;
  return [
    { ...toAccountField('own_account', 'Your account', me()?.username ?? ''), applies },
    { ...toPasswordField('own_password', 'Your password', 'current-password'), applies },
  ];
}

async function readPasswordRule() {
  const { components } = await readDescription();
  const { minLength = 1, description = '' } = components?.schemas.NewUser?.properties.password ?? {};
  const length = minLength > 1 ? `At least ${minLength} characters. A long phrase is best. ` : '';
  return length + description;
}

/** @param {HTMLInputElement} input - The input must have an id. */
export function suggestUsers(input) {
  const list = element('datalist', { id: `${input.id}-list` });
  const whenPaused = createPause(async (signal) => {
    const call = { path: ['users'], query: { starts_with: input.value, items_per_page: '8' }, signal };
    const found = await request(call).catch(() => undefined); // without suggestions, the field still works
    const users = /** @type {{ username: string }[]} */ (found?.body.users ?? []);
    list.replaceChildren(...users.map(({ username }) => element('option', { value: username })));
  });
  input.setAttribute('list', list.id);
  input.addEventListener('input', whenPaused);
  return list;
}

const TYPING_PAUSE_MS = 200;

/**
 * @param {(signal: AbortSignal) => unknown} act - Called when the user stops typing. The signal aborts when
 *   the user types again.
 */
export function createPause(act) {
  let turn = new AbortController();
  return () => {
    turn.abort();
    turn = new AbortController();
    const { signal } = turn;
    setTimeout(() => signal.aborted || act(signal), TYPING_PAUSE_MS);
  };
}

/** @param {() => Call} toCall - This function is called only while the curl command is visible. */
export function createCurl(toCall, words = 'The same with curl') {
  const place = element('div');
  const details = element(
    'details', { class: 'curl', toggle: refresh }, element('summary', {}, words), place,
  );
  return { details, refresh };

  function refresh() {
    if (details.open) {
      place.replaceChildren(copyable(toCurl(toCall()), 'the curl command'));
    }
  }
}

/** @type {(title: string, options: FormOptions, ...introduction: Child[]) => HTMLDialogElement} */
export function openForm(title, options, ...introduction) {
  const words = introduction.map((part) => part && element('p', {}, part));
  const dialog = openDialog(title, words, createForm({
    draft: options.isDangerous ? '' : `${title} ${options.target?.path.join('/') ?? ''}`,
    ...options,
    cancel: () => dialog.close(),
    done: (answer, values) => {
      dialog.close(); // the dialog closes first, because `done` can focus an element outside the dialog
      return options.done(answer, values);
    },
  }));
  return dialog;
}

/**
 * When the dialog closes, the focus returns to the element that had the focus before.
 *
 * @type {(title: string, ...content: Child[]) => HTMLDialogElement}
 */
export function openDialog(title, ...content) {
  const opener = document.activeElement;
  const id = `dialog-${lastId += 1}`;
  const dialog = element(
    'dialog', { 'aria-labelledby': id, close }, element('h2', { id }, title), ...content,
  );
  document.body.append(dialog);
  dialog.showModal();
  focusField(dialog);
  announce('', 'shown'); // removes the message about the last action
  return dialog;

  function close() {
    placeLiveRegion();
    dialog.remove();
    if (document.querySelector('dialog[open]') === null) {
      focusSuccessor(opener);
    }
  }
}

/** Focuses the first field that the user can fill in. @param {HTMLDialogElement} dialog */
function focusField(dialog) {
  const isFilled = document.activeElement?.matches('[readonly]');
  const field = dialog.querySelector(isFilled ? 'input:not([readonly])' : '[data-first]');
  /** @type {HTMLElement | null} */ (field)?.focus();
}

/**
 * The secret is shown only once, so neither the key Escape nor a change of the URL closes the dialog.
 *
 * @type {(title: string, words: string, secret: string, what: string,
 *   ...entries: (readonly [name: string, value: Child])[]) => void}
 */
export function showSecret(title, words, secret, what, ...entries) {
  const warning = element('p', { class: 'hint', role: 'status' });
  const dialog = openDialog(
    title, element('p', {}, words), copyable(secret, what), facts(...entries), warning,
    buttons(button('Done', () => dialog.close(), { class: 'primary' })),
  );
  dialog.setAttribute('closedby', 'none');
  dialog.addEventListener('keydown', (event) => {
    if (event.key === 'Escape') {
      event.preventDefault(); // keeps the dialog open in browsers without `closedby`
      warning.textContent = `Copy ${what} first, then choose Done.`;
    }
  });
}
