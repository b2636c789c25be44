/** Controls a page by accessible roles and names. Each search waits until the element appears. */
import { setTimeout as pause } from 'node:timers/promises';
import type { ElementReference, Session } from './webdriver.ts';

/** This timeout is shorter than the timeout of a test, so that the error message can show the page. */
const TIMEOUT_MS = 600_000;
const POLL_MS = 20;

const CANDIDATES = {
  button: 'button, summary, [role=button], input[type=submit]',
  link: 'a[href]',
  textbox:
    'input:not([role], [type=checkbox], [type=radio], [type=submit], [type=search], [type=number]), textarea',
  searchbox: 'input[type=search]',
  combobox: 'select, [role=combobox]',
  field: 'input:not([type=checkbox], [type=radio], [type=submit]), textarea, select',
  checkbox: 'input[type=checkbox]',
  heading: 'h1, h2, h3, h4',
  dialog: 'dialog',
  option: '[role=option]',
} as const;

type Role = keyof typeof CANDIDATES;
type Target = readonly [role: Role, name: string | RegExp, within?: { readonly element: ElementReference }];

/** Preselects elements by the words of a name, because asking for the name of every element is slow. */
const CANDIDATES_WITH_WORDS = `
  const [selector, words, within] = arguments;
  return [...(within ?? document).querySelectorAll(selector)].filter((element) => {
    const labelIds = element.getAttribute('aria-labelledby')?.split(' ') ?? [];
    const labels = [...(element.labels ?? []), ...labelIds.map((id) => document.getElementById(id))];
    const source = [element, ...labels].map((node) => node?.outerHTML).join('\\n');
    const isVisible = element.checkVisibility({ visibilityProperty: true });
    return isVisible && words.every((word) => source.includes(word));
  });`;

export type Page = ReturnType<typeof createPage>;

export interface Screen {
  readonly width: number;
  readonly scheme: 'light' | 'dark';
}

const FOREVER_MS = 3_600_000;

export function createPage(session: Session, origin: string, handle: string) {
  const until = <Value>(what: string, ask: () => Promise<Value | undefined>) => poll(what, ask, session);

  async function search(...[role, name, within]: Target) {
    const words = typeof name === 'string' ? name.match(/[\p{L}\p{N}]+/gu) ?? [] : [];
    const candidates = await session.execute(
      CANDIDATES_WITH_WORDS, CANDIDATES[role], words, within?.element,
    ) as ElementReference[];
    const found: ElementReference[] = [];
    for (const element of candidates) {
      const label = await session.computedLabel(element);
      if (typeof name === 'string' ? label === name : name.test(label)) {
        found.push(element);
      }
    }
    return found;
  }

  async function choose(select: ElementReference, option: string): Promise<void> {
    for (const candidate of await session.findAll('option', select)) {
      if (await session.text(candidate) === option) {
        return session.click(candidate);
      }
    }
    throw new Error(`There is no option "${option}"`);
  }

  /** If the page was redrawn, finds the element again, and retries. */
  async function act<Value>(target: Target, action: (element: ElementReference) => Promise<Value>) {
    const [role, name] = target;
    const [value] = await until(`${role} ${name}`, async () => {
      const [element] = await search(...target);
      return element && [await action(element)] as const;
    });
    return value;
  }

  const fillIn = (text: string) => async (element: ElementReference) => {
    if (await session.property(element, 'tagName') === 'SELECT') {
      return choose(element, text);
    }
    await session.clear(element);
    await session.type(element, text);
  };

  async function focused(): Promise<string> {
    const element = await session.activeElement();
    return `${await session.computedRole(element)} ${await session.computedLabel(element)}`;
  }

  const text = async () => String(await session.execute('return document.body.innerText'));

  return {
    session,
    text,
    focused,
    open: (path: string) => session.navigate(origin + path),
    focus: () => session.switchTo(handle),
    async find(...target: Target) {
      return {
        element: await act(target, async (element) => element),
        value: async () => String(await act(target, (element) => session.property(element, 'value'))),
        click: () => act(target, session.click),
        fill: (text: string) => act(target, fillIn(text)),
      };
    },
    /** Each argument is a role and a name, such as `button Sign in`. */
    async click(...controls: readonly string[]) {
      for (const control of controls) {
        const [role = '', name = ''] = control.split(/ (.*)/s);
        await act([role as Role, name], session.click);
      }
    },
    async fill(fields: Readonly<Record<string, string>>) {
      for (const [name, text] of Object.entries(fields)) {
        await act(['field', name], fillIn(text));
      }
    },
    count: (role: Role, name: string | RegExp) =>
      until(`the number of ${role} ${name}`, async () => (await search(role, name)).length),
    waitForText: (...parts: readonly (string | RegExp)[]) => until(`the text ${parts.join()}`, async () => {
      const shown = await text();
      const has = (part: string | RegExp) =>
        typeof part === 'string' ? shown.includes(part) : part.test(shown);
      return parts.every(has) || undefined;
    }),
    waitUntilGone: (role: Role, name: string | RegExp) =>
      until(`the end of ${role} ${name}`, async () => (await search(role, name)).length === 0 || undefined),
    useClipboard: () => session.devtools('Browser.grantPermissions', {
      permissions: ['clipboardReadWrite', 'clipboardSanitizedWrite'],
    }),
    /** Runs the function body `script` until the result is truthy. @returns The result. */
    waitFor: (what: string, script: string, ...scriptArguments: readonly unknown[]) =>
      until(what, async () => await session.execute(script, ...scriptArguments) || undefined),
    waitForFocus: (control: string) =>
      until(`the focus at ${control}`, async () => await focused() === control || undefined),
    press: session.press,
    async setNetwork(state: 'silent' | 'offline' | 'well') {
      const latency = state === 'silent' ? FOREVER_MS : 0;
      await session.devtools('Network.emulateNetworkConditions', {
        offline: state === 'offline', latency, downloadThroughput: -1, uploadThroughput: -1,
      });
    },
    findOverflow: async () => Number(await session.execute(
      'const page = document.documentElement; return page.scrollWidth - page.clientWidth',
    )),
    async emulate({ width, scheme }: Screen) {
      await session.devtools('Emulation.setDeviceMetricsOverride', {
        width, height: 800, deviceScaleFactor: 1, mobile: false,
      });
      await session.devtools(
        'Emulation.setEmulatedMedia', { features: [{ name: 'prefers-color-scheme', value: scheme }] },
      );
    },
  };
}

export async function poll<Value>(
  what: string, ask: () => Promise<Value | undefined>, session: Session,
): Promise<Value> {
  const endsAtMs = performance.now() + TIMEOUT_MS;
  while (performance.now() < endsAtMs) {
    const answer = await ask().catch(ignoreStale);
    if (answer !== undefined) {
      return answer;
    }
    await pause(POLL_MS);
  }
  const shown = await session.execute('return document.body.innerText');
  throw new Error(`Waited ${TIMEOUT_MS} ms in vain for ${what}; shown was:\n${shown}`);
}

/** A stale element has left the page. */
function ignoreStale(error: Error): undefined {
  if (error.cause !== 'stale element reference') {
    throw error;
  }
}
