/**
 * A client of W3C WebDriver (https://www.w3.org/TR/webdriver2/), with the commands that the tests need. Two
 * commands are not in the standard. The command `log` belongs to chromedriver, and `devtools` to Chromium
 * (https://chromedevtools.github.io/devtools-protocol/).
 */

/** The member that marks a JSON object as a reference to an element (§12 Elements). */
const ELEMENT_KEY = 'element-6066-11e4-a52e-4f735466cecf';

/** The reference becomes stale when the element leaves the document. */
export interface ElementReference {
  readonly [ELEMENT_KEY]: string;
}

export interface LogEntry {
  readonly message: string;
  readonly source?: string;
}

export type Session = Awaited<ReturnType<typeof createSession>>;

/** Code points that stand for keys without a character (§15.4.2 Keyboard actions). */
export const Key = {
  tab: '\uE004', enter: '\uE007', shift: '\uE008', escape: '\uE00C', space: '\uE00D', up: '\uE013',
  down: '\uE015',
} as const;

/** Starts a session (§8.1 New Session) and a browser with the given capabilities (§7). */
export async function createSession(driverUrl: string, capabilities: object) {
  const { sessionId } =
    await send('POST /session', { capabilities: { alwaysMatch: capabilities } }) as { sessionId: string };

  const get = (path: string) => send(`GET /session/${sessionId}/${path}`);
  const post = (path: string, body: object = {}) => send(`POST /session/${sessionId}/${path}`, body);
  const pathOf = (element: ElementReference) => `element/${element[ELEMENT_KEY]}`;

  /** Sends a command (§6.3). @throws Error with a code as `cause`, like `stale element reference` (§6.6). */
  async function send(command: string, body?: object): Promise<unknown> {
    const [method = '', path] = command.split(' ');
    const answer = await fetch(driverUrl + path, {
      method, body: body === undefined ? null : JSON.stringify(body),
    });
    const { value } = await answer.json() as { value: unknown };
    if (!answer.ok) {
      const { error, message } = value as { error: string; message: string };
      throw new Error(`${command}: ${error}: ${message}`, { cause: error });
    }
    return value;
  }

  return {
    end: async () => void await send(`DELETE /session/${sessionId}`),
    /** Opens a URL, and waits until the document and its resources are loaded (§10 Navigation). */
    navigate: async (url: string) => void await post('url', { url }),
    reload: async () => void await post('refresh'),
    back: async () => void await post('back'),
    url: async () => String(await get('url')),
    title: async () => String(await get('title')),
    /** @returns The handle of the current window (§11 Contexts). */
    window: async () => String(await get('window')),
    /**
     * Opens a tab with its own `sessionStorage`. The new tab does not become the current tab.
     * @returns The handle of the new tab.
     */
    newWindow: async () => (await post('window/new', { type: 'tab' }) as { handle: string }).handle,
    switchTo: async (handle: string) => void await post('window', { handle }),
    closeWindow: async () => void await send(`DELETE /session/${sessionId}/window`),
    findAll: async (selector: string, within?: ElementReference) =>
      await post(within === undefined ? 'elements' : `${pathOf(within)}/elements`, {
        using: 'css selector', value: selector,
      }) as ElementReference[],
    activeElement: async () => await get('element/active') as ElementReference,
    /** Returns the text of an element as rendered, without hidden parts (§12.4 State). */
    text: async (element: ElementReference) => String(await get(`${pathOf(element)}/text`)),
    property: (element: ElementReference, name: string) => get(`${pathOf(element)}/property/${name}`),
    computedRole: async (element: ElementReference) => String(await get(`${pathOf(element)}/computedrole`)),
    computedLabel: async (element: ElementReference) => String(await get(`${pathOf(element)}/computedlabel`)),
    /** Scrolls to an element, and clicks its centre. The click fails if the centre is covered (§12.5). */
    click: async (element: ElementReference) => void await post(`${pathOf(element)}/click`),
    clear: async (element: ElementReference) => void await post(`${pathOf(element)}/clear`),
    type: async (element: ElementReference, text: string) =>
      void await post(`${pathOf(element)}/value`, { text }),
    /** Runs a function body, and awaits the promise that the function returns (§13.2 Executing Script). */
    execute: (script: string, ...scriptArguments: readonly unknown[]) =>
      post('execute/sync', { script, args: scriptArguments }),
    /** Presses keys together, such as `[Key.shift, Key.tab]`, in the focused element (§15 Actions). */
    async press(...chord: readonly string[]) {
      const down = chord.map((value) => ({ type: 'keyDown', value }));
      const up = chord.toReversed().map((value) => ({ type: 'keyUp', value }));
      await post('actions', { actions: [{ type: 'key', id: 'keyboard', actions: [...down, ...up] }] });
    },
    log: async (type: 'browser' | 'performance') => await post('se/log', { type }) as LogEntry[],
    devtools: (command: string, parameters: object) =>
      post('goog/cdp/execute', { cmd: command, params: parameters }),
  };
}
