import { browserTest, type Options, type World } from './browser-test.ts';
import type { Page } from './page.ts';

export const CONSOLE = '/static/console/';

/** The credentials of the administrator root (id 1), and of the users ada (id 2) and grace (id 3). */
type ConsoleWorld = World & Readonly<Record<'root' | 'ada' | 'grace', string>>;

/** @param at - The signed-in user, and the URL fragment of the first screen, such as `ada #/projects`. */
export function consoleTest(
  title: string, at: string, run: (world: ConsoleWorld) => Promise<void>,
  { project, keep = false, ...options }: Options & { project?: string; keep?: boolean } = {},
): void {
  browserTest(title, async (world) => {
    const { service, page } = world;
    const root = await service.registerAdministrator('root');
    const [ada, grace] = [await service.register('ada'), await service.register('grace')];
    if (project !== undefined) {
      await service.createProject(ada, project);
    }
    const [username = '', hash = ''] = at.split(' ');
    await signIn(page, username, hash, { keep });
    await run({ ...world, root, ada, grace });
  }, options);
}

export async function signIn(
  page: Page, username: string, hash = '#/users', { keep = false, base = '' } = {},
): Promise<void> {
  await page.open(`${base}${CONSOLE}${hash}`);
  if (keep) {
    await page.click('checkbox Stay signed in until I close this tab');
  }
  await enterPassword(page, username);
  await page.waitUntilGone('heading', 'Sign in');
  await waitForScreen(page);
}

/** Discards drafts, and reloads the console at `hash`. Works only if the user chose to stay signed in. */
export async function showAgain(page: Page, hash: string): Promise<void> {
  await page.session.execute(`sessionStorage.removeItem("rollcall-drafts");
    location.hash = arguments[0]`, hash);
  await page.session.reload();
  await waitForScreen(page);
}

export async function show(page: Page, hash: string): Promise<void> {
  await page.session.execute('location.hash = arguments[0]', hash);
}

async function waitForScreen(page: Page): Promise<void> {
  await page.waitFor(
    'the screen', 'return document.querySelector("main h1") && !document.querySelector(".loading")',
  );
}

export async function enterPassword(
  page: Page, username: string, password = `${username}-password`,
): Promise<void> {
  await page.fill({ Username: username, Password: password });
  await page.click('button Sign in');
}

/** Clicks the button `opener`, fills in the fields of the dialog, and clicks the button `sender`. */
export async function send(
  page: Page, opener: string | RegExp, fields: Readonly<Record<string, string>> = {},
  sender = String(opener),
): Promise<void> {
  await (await page.find('button', opener)).click();
  const dialog = await page.find('dialog', /./);
  await page.fill(fields);
  await (await page.find('button', sender, dialog)).click();
}

/** @returns The token or the link that a dialog shows. */
export async function readCode(page: Page, name: string | RegExp): Promise<string> {
  const { element } = await page.find('dialog', name);
  return String(await page.session.execute('return arguments[0].querySelector("code").textContent', element));
}

/**
 * Calls `act`, and holds back the first response to a request whose method and target start with `line`, such
 * as `GET /api/v1/user`.
 */
export async function holdAnswer(page: Page, line: string, act: () => Promise<void>): Promise<void> {
  await page.session.execute(`
    const [line] = arguments;
    const ask = window.fetch;
    window.isHeld = false;
    window.fetch = async (url, options) => {
      const answer = await ask(url, options);
      if (!window.isHeld && \`\${options.method} \${url.slice(location.origin.length)}\`.startsWith(line)) {
        window.isHeld = true;
        await new Promise((release) => { window.release = release; });
      }
      return answer;
    }`, line);
  await act();
  await page.waitFor('an answer that is held', 'return window.isHeld');
}

/** Gives the page time to process the response. */
export async function releaseAnswer(page: Page): Promise<void> {
  await page.session.execute('window.release(); return new Promise((resolve) => setTimeout(resolve, 200))');
}
