/**
 * Forms, in dialogs and on pages. A form sends one request, and shows it as a curl line. What the service refuses is shown
 * at the field that a JSON pointer names, or above the fields. What has been typed stays until the service has accepted it:
 * through errors, through the end of a token, and through a change by somebody else (412).
 */
/** @import { Answer, Call } from './api.js' */
/** @import { Child, Choices } from './dom.js' */
import { announce, button, buttons, copyable, createChoice, draw, element, focusSuccessor, placeLiveRegion, soft } from './dom.js';
import { Problem, request, toCurl } from './api.js';

/** @typedef {Record<string, string>} Values By the names of fields; a checkbox is `true` or `false`. */

/**
 * The name is that of the member of the body, so that pointers lead to the field. A select begins with its first choice. A
 * field may suggest users, by what their names begin with.
 *
 * @typedef {{ name: string, label: string, type?: 'text' | 'email' | 'password' | 'number' | 'textarea' | 'select' | 'checkbox',
 *   value?: string, hint?: string, choices?: Choices, suggestsUsers?: boolean, attributes?: Record<string, unknown> }} Field
 */

/**
 * What a form changes, as it was when somebody last looked.
 *
 * @typedef {{ path: readonly (string | number)[], record: Record<string, any>, etag: string | undefined }} Target
 */

/**
 * The version of the target must still be the one that is there; after a 412 it is `reloaded`. `send` is for where one
 * request is not all, `refusal` for what a 401 means, if not that the token has ended.
 *
 * @typedef {{ fields?: readonly Field[], submit: string, isDangerous?: boolean, target?: Target, refusal?: string,
 *   toCall: (values: Values, target: Target) => Call, send?: (call: Call) => Promise<Answer>,
 *   done: (answer: Answer, values: Values) => unknown, reloaded?: (target: Target) => void, cancel?: () => void }} FormOptions
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

let lastId = 0;

/** @param {FormOptions} options */
export function createForm(options) {
  const controls = (options.fields ?? []).map(createControl);
  const box = element('div', { class: 'problem', tabindex: -1, hidden: true });
  const submit = element('button', { class: options.isDangerous ? 'danger filled' : 'primary' }, options.submit);
  const curl = createCurl(toCall);
  let target = options.target ?? { path: [], record: {}, etag: undefined };
  const form = element(
    'form', { class: 'form', submit: send, input: curl.refresh },
    box, ...controls.map(({ row }) => row),
    buttons(submit, options.cancel && button('Cancel', options.cancel, { autofocus: controls.length === 0 })), curl.details,
  );
  return form;

  function values() {
    return Object.fromEntries(controls.map(({ name, read }) => [name, read()]));
  }

  /** @returns {Call} */
  function toCall() {
    return { ...options.toCall(values(), target), ...(target.etag && { etag: target.etag }) };
  }

  /** @param {Event} event */
  async function send(event) {
    event.preventDefault();
    if (form.ariaBusy === 'true') {
      return;
    }
    setBusy('true');
    report('');
    try {
      const sent = values();
      await options.done(await (options.send ?? request)(toCall()), sent);
    } catch (error) {
      show(error);
    } finally {
      setBusy('false');
    }
  }

  /** @param {'true' | 'false'} state - The button is not disabled, as focus would be lost with it. */
  function setBusy(state) {
    form.ariaBusy = submit.ariaDisabled = state;
  }

  /** @param {...Child} content - Above the fields; those have nothing to complain of then. */
  function report(...content) {
    box.replaceChildren();
    draw(box, ...content);
    box.hidden = box.textContent === '';
    for (const { setError } of controls) {
      setError('');
    }
  }

  /** @param {unknown} failure */
  function show(failure) {
    if (!(failure instanceof Problem)) {
      throw failure;
    }
    const error = failure.status === 412 ? new Problem(412, { ...OVERTAKEN, request_id: failure.requestId })
      : failure.status === 401 ? new Problem(401, options.refusal ? { title: options.refusal } : SIGNED_OUT)
      : failure;
    const parts = error.errors.map(({ pointer, message }) => ({ names: [pointer.slice(1)], message: `It ${message}` }));
    const named = { names: FIELDS_OF_PROBLEMS[error.slug] ?? [], message: `${error.message}.` };
    report(...describeProblem(error), error.status === 412 && button('Load the current state, keep my draft', reload, { class: 'small' }));
    const placed = [...parts, named].filter(({ names, message }) => {
      const control = controls.find(({ name }) => names.includes(name));
      control?.setError(message);
      return control !== undefined;
    });
    box.hidden = placed.length > 0 && placed.length >= parts.length;
    (controls.find(({ isWrong }) => isWrong())?.input ?? box).focus();
    announce(`${error.message}. ${error.detail}`);
  }

  /** Takes over what others have changed, except where the draft differs from what it began with. */
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
    curl.refresh();
    options.reloaded?.(target);
  }
}

const OVERTAKEN = { title: 'Somebody else has changed this', detail: 'Nothing has been saved. Load the current state, then send again.' };
const SIGNED_OUT = { title: 'You are signed out', detail: 'Sign in again. What you have typed stays, and can be sent then.' };

/** @param {Problem} problem */
export function describeProblem({ message, detail, errors, requestId }) {
  return [
    element('p', {}, element('strong', {}, message)),
    element('p', {}, detail),
    ...errors.map(({ pointer, message: part }) => element('p', {}, `${pointer} ${part}`)),
    requestId !== '' && element('p', {}, soft('Request '), element('code', {}, requestId)),
  ];
}

/**
 * @param {Record<string, any>} before
 * @param {Record<string, any>} after
 */
function describeChanges(before, after) {
  const changed = Object.keys(after).filter((name) => JSON.stringify(before[name]) !== JSON.stringify(after[name]));
  const parts = changed.map((name) => (typeof after[name] === 'object' ? `${name} changed` : `${name} is now “${after[name]}”`));
  return element('p', {}, `${parts.join(', ') || 'Nothing that is shown here has changed'}. You can send again.`);
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
function createControl({ name, label, type = 'text', value = '', hint = '', choices = [], suggestsUsers = false, attributes = {} }) {
  const id = `${name}-${lastId += 1}`;
  const error = element('p', { class: 'error', id: `${id}-error` });
  const common = { id, name, 'aria-describedby': `${id}-hint ${id}-error`, ...attributes };
  const typed = { dir: 'auto', autocomplete: 'off', spellcheck: type === 'textarea', ...common };
  const input = type === 'textarea' ? element('textarea', { rows: 5, ...typed })
    : type === 'select' ? createChoice(choices, common)
    : element('input', { type, ...(type === 'checkbox' ? common : typed) });
  const labelled = type === 'checkbox' ? [element('label', { class: 'choice' }, input, label)] : [element('label', { for: id }, label), input];
  const row = element('div', { class: 'row' }, ...labelled, element('p', { class: 'hint', id: `${id}-hint` }, hint), error);
  input.value = value || input.value;
  if (suggestsUsers) {
    row.append(suggestUsers(/** @type {HTMLInputElement} */ (input)));
  }
  return {
    name, input, row, read,
    isWrong: () => error.textContent !== '',
    /** @param {string} message - Empty for none. */
    setError: (message) => {
      error.textContent = message;
      input.ariaInvalid = String(message !== '');
    },
    /**
     * @param {unknown} before - The member with which the draft began.
     * @param {unknown} now - What somebody else has made of it.
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
    const found = await request(call).catch(() => undefined); // suggestions are a help, not a need
    const users = /** @type {{ username: string }[]} */ (found?.body.users ?? []);
    list.replaceChildren(...users.map(({ username }) => element('option', { value: username })));
  });
  input.setAttribute('list', list.id);
  input.addEventListener('input', whenPaused);
  return list;
}

const TYPING_PAUSE_MS = 200;

/** @param {(signal: AbortSignal) => unknown} act - Begins when typing pauses, and is aborted when it goes on. */
export function createPause(act) {
  let turn = new AbortController();
  return () => {
    turn.abort();
    turn = new AbortController();
    const { signal } = turn;
    setTimeout(() => signal.aborted || act(signal), TYPING_PAUSE_MS);
  };
}

/** @param {() => Call} toCall - Asked for when somebody looks. */
export function createCurl(toCall, words = 'The same with curl') {
  const place = element('div');
  const details = element('details', { class: 'curl', toggle: refresh }, element('summary', {}, words), place);
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
  const dialog = openDialog(title, ...introduction, createForm({
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
  const dialog = element('dialog', { 'aria-labelledby': id, close }, element('h2', { id }, title), ...content);
  document.body.append(dialog);
  dialog.showModal();
  announce('', 'shown'); // what was said of the last action is over
  return dialog;

  function close() {
    placeLiveRegion();
    dialog.remove();
    if (document.querySelector('dialog[open]') === null) {
      focusSuccessor(opener);
    }
  }
}
