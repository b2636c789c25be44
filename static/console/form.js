/**
 * Forms, in dialogs and on pages. A form sends one request, and shows it as a curl line. A refusal is shown
 * at the field that its JSON pointer names, or above the fields. The draft stays until the service has
 * accepted it: through errors, through the expiry of the token, and through a change by somebody else (412).
 */
/** @import { Child } from '../shared/elements.js' */
/** @import { Answer, Call } from './api.js' */
/** @import { Choices } from './dom.js' */
import { button, element } from '../shared/elements.js';
import { Problem, request, toCurl } from './api.js';
import { announce, buttons, copyable, createChoice, draw, focusSuccessor, placeLiveRegion } from './dom.js';

/** @typedef {Record<string, string>} Values By the names of fields; a checkbox is `true` or `false`. */

/**
 * The name is that of the member of the body, so that pointers lead to the field. A select begins with its
 * first choice. A field may suggest users, by the beginnings of their names. A field that does not apply is
 * neither shown nor sent.
 *
 * @typedef {{ name: string, label: string, type?: 'text' | 'email' | 'password' | 'number' | 'textarea' |
 *   'select' | 'checkbox', value?: string, hint?: string, choices?: Choices, suggestsUsers?: boolean,
 *   applies?: (values: Values) => boolean, attributes?: Record<string, unknown> }} Field
 */

/**
 * The record that a form changes, in the version that the user saw.
 *
 * @typedef {{ path: readonly (string | number)[], record: Record<string, any>, etag: string | undefined }}
 *   Target
 */

/**
 * The version of the target must still be the current one; after a 412 the target is `reloaded`. `send` is
 * for a form that needs more than one request. `refusal` is what a 401 means if the call carries a password.
 *
 * @typedef {{ fields?: readonly Field[], submit: string, isDangerous?: boolean, target?: Target, refusal?:
 *   string, toCall: (values: Values, target: Target) => Call, send?: (call: Call) => Promise<Answer>, done:
 *   (answer: Answer, values: Values) => unknown, reloaded?: (target: Target) => void, cancel?: () => void }}
 *   FormOptions
 */

/** The attributes of a control for a name that has to be exact. */
export const NAME = { required: true, autocapitalize: 'none' };

/** @type {Record<string, string[]>} Fields of problems without a pointer. */
const FIELDS_OF_PROBLEMS = {
  'username-taken': ['username'],
  'project-name-taken': ['name'],
  'unknown-owner': ['owner', 'new_owner'],
  'wrong-password': ['current_password'],
};

const CHANGED_MEANWHILE = {
  title: 'Somebody else has changed this',
  detail: 'Nothing has been saved. Load the current state, then send again.',
};
const SIGNED_OUT = {
  title: 'You are signed out', detail: 'Sign in again, then send this form again. Your draft stays.',
};

let lastId = 0;

/** @param {FormOptions} options */
export function createForm(options) {
  const controls = (options.fields ?? []).map(createControl);
  const box = element('div', { class: 'problem', tabindex: -1, hidden: true });
  const submit = element(
    'button', { class: options.isDangerous ? 'danger filled' : 'primary' }, options.submit,
  );
  const curl = createCurl(toCall);
  let target = options.target ?? { path: [], record: {}, etag: undefined };
  const form = element(
    'form', { class: 'form', novalidate: true, submit: send, input: refresh, change: refresh },
    box, controls.map(({ row }) => row),
    buttons(
      options.cancel && button('Cancel', options.cancel, { autofocus: controls.length === 0 }), submit,
    ), curl.details,
  );
  refresh();
  return form;

  function refresh() {
    const all = Object.fromEntries(controls.map(({ name, read }) => [name, read()]));
    for (const { row, applies } of controls) {
      row.hidden = !applies(all);
    }
    curl.refresh();
  }

  function applicable() {
    return controls.filter(({ row }) => !row.hidden);
  }

  function values() {
    return Object.fromEntries(applicable().map(({ name, read }) => [name, read()]));
  }

  /** @returns {Call} */
  function toCall() {
    return { ...options.toCall(values(), target), ...(target.etag && { etag: target.etag }) };
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
      await options.done(await (options.send ?? request)(call), sent);
    } catch (error) {
      show(error, call.authorization);
    } finally {
      setBusy('false');
    }
  }

  /** Says in our words, at the fields, what the browser would say in a bubble. */
  function hasMistakes() {
    report('');
    for (const { input, label, setError } of applicable()) {
      const missing = input instanceof HTMLSelectElement ? 'Choose one.' : `${label} is missing.`;
      setError(input.validity.valueMissing ? missing : input.validationMessage);
    }
    return focusFirstMistake();
  }

  function focusFirstMistake() {
    const wrong = controls.find(({ isWrong }) => isWrong());
    wrong?.input.focus();
    return wrong !== undefined;
  }

  /** @param {'true' | 'false'} state - The button is not disabled, as focus would be lost with it. */
  function setBusy(state) {
    form.ariaBusy = submit.ariaDisabled = state;
  }

  /** @param {...Child} content - Above the fields, whose own errors are cleared. */
  function report(...content) {
    draw(box, ...content);
    box.hidden = box.textContent === '';
    for (const { setError } of controls) {
      setError('');
    }
  }

  /**
   * @param {unknown} failure
   * @param {string | null} [password] - The credentials that were sent in place of the token.
   */
  function show(failure, password) {
    if (!(failure instanceof Problem)) {
      throw failure;
    }
    const error = failure.status === 412 ? new Problem(412, {
      ...CHANGED_MEANWHILE, request_id: failure.requestId,
    })
      : failure.status === 401 ? new Problem(401, password ? { title: options.refusal ?? '' } : SIGNED_OUT)
      : failure;
    const parts = error.errors.map(({ pointer, message }) => (
      { names: [pointer.slice(1)], message: `It ${message}.` }
    ));
    const named = { names: FIELDS_OF_PROBLEMS[error.slug] ?? [], message: `${error.message}.` };
    report(
      describeProblem(error),
      error.status === 412 && button('Load the current state, keep my draft', reload, { class: 'small' }),
    );
    const placed = [...parts, named].filter(({ names, message }) => {
      const control = applicable().find(({ name }) => names.includes(name));
      control?.setError(message);
      return control !== undefined;
    });
    box.hidden = placed.length > 0 && placed.length >= parts.length;
    if (!focusFirstMistake()) {
      box.focus();
    }
    announce(placed.map(({ message }) => message).join(' ') || `${error.message}. ${error.detail}`);
  }

  /** Takes over the changes of others, except where the draft differs from its beginning. */
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

/** @param {Problem} problem */
export function describeProblem({ message, detail, errors, requestId, type }) {
  return [
    element('p', {}, element('strong', {}, message)),
    detail !== '' && element('p', {}, detail),
    errors.map(({ pointer, message: part }) => element('p', {}, `${pointer} ${part}`)),
    (requestId !== '' || type !== '') && element(
      'p', { class: 'hint' }, requestId !== '' && ['Request ', element('code', {}, requestId), ' '],
      type !== '' && element('a', { href: type, target: '_blank' }, 'What this means'),
    ),
  ];
}

/**
 * @param {Record<string, any>} before
 * @param {Record<string, any>} after
 */
function describeChanges(before, after) {
  const changed = Object.keys(after).filter(
    (name) => JSON.stringify(before[name]) !== JSON.stringify(after[name]),
  );
  const parts = changed.map((name) => (
    typeof after[name] === 'object' ? `${name} changed` : `${name} is now “${after[name]}”`
  ));
  return element(
    'p', {}, `${parts.join(', ') || 'Nothing that is shown here has changed'}. You can send again.`,
  );
}

/**
 * @param {Values} values - Sent where they differ from the record.
 * @param {Target} target
 * @returns {Call}
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
  const row = element(
    'div', { class: 'row' }, labelled, element('p', { class: 'hint', id: `${id}-hint` }, hint), error,
  );
  input.value = value || input.value;
  if (suggestsUsers) {
    row.append(suggestUsers(/** @type {HTMLInputElement} */ (input)));
  }
  return {
    name, label, input, row, read, applies,
    isWrong: () => error.textContent !== '',
    /** @param {string} message - Empty for none. */
    setError: (message) => {
      error.textContent = message;
      input.ariaInvalid = String(message !== '');
    },
    /**
     * @param {unknown} before - The member with which the draft began.
     * @param {unknown} now - The same member after the change of somebody else.
     */
    meet: (before, now) => {
      if (typeof now === 'string' && read() === before) {
        input.value = now;
      }
    },
  };

  function read() {
    return type === 'checkbox' ? String(/** @type {HTMLInputElement} */ (input).checked) : input.value;
  }
}

/** @param {HTMLInputElement} input - To get usernames to choose from. */
function suggestUsers(input) {
  const list = element('datalist', { id: `${input.id}-list` });
  const whenPaused = createPause(async (signal) => {
    const call = { path: ['users'], query: { starts_with: input.value, items_per_page: '8' }, signal };
    const found = await request(call).catch(() => undefined); // a form works without suggestions
    const users = /** @type {{ username: string }[]} */ (found?.body.users ?? []);
    list.replaceChildren(...users.map(({ username }) => element('option', { value: username })));
  });
  input.setAttribute('list', list.id);
  input.addEventListener('input', whenPaused);
  return list;
}

const TYPING_PAUSE_MS = 200;

/**
 * @param {(signal: AbortSignal) => unknown} act - Begins when typing pauses, and is aborted when typing goes
 *   on.
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

/** @param {() => Call} toCall - Called while the line is shown. */
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

/**
 * @param {string} title
 * @param {FormOptions} options
 * @param {...Child} introduction
 */
export function openForm(title, options, ...introduction) {
  const dialog = openDialog(title, introduction, createForm({
    ...options,
    cancel: () => dialog.close(),
    done: (answer, values) => {
      dialog.close(); // first, so that what comes next finds the page
      return options.done(answer, values);
    },
  }));
  return dialog;
}

/**
 * When it closes, focus goes back to where it was.
 *
 * @param {string} title
 * @param {...Child} content
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
  announce('', 'shown'); // the message about the last action is out of date
  return dialog;

  function close() {
    placeLiveRegion();
    dialog.remove();
    if (document.querySelector('dialog[open]') === null) {
      focusSuccessor(opener);
    }
  }
}

/** The browser chooses the first field, which may be filled in already. @param {HTMLDialogElement} dialog */
function focusField(dialog) {
  const isFilled = document.activeElement?.matches('[readonly]');
  const field = dialog.querySelector(isFilled ? 'input:not([readonly])' : '[data-first]');
  /** @type {HTMLElement | null} */ (field)?.focus();
}

/**
 * Keeps a dialog open when Escape is pressed or the address changes: what it shows cannot be shown again.
 *
 * @param {HTMLDialogElement} dialog
 * @param {() => unknown} refused - Called for each Escape.
 */
export function holdOpen(dialog, refused) {
  dialog.setAttribute('closedby', 'none');
  dialog.addEventListener('keydown', (event) => {
    if (event.key === 'Escape') {
      event.preventDefault(); // browsers without `closedby`
      refused();
    }
  });
}
