/** The first steps of many tests of the console. */
import type { Page } from './page.ts';

export const CONSOLE = '/static/console/';

/**
 * Opens the console and signs in a user whom `service.register` created.
 *
 * @param hash - The hash of the first screen.
 * @param options - Whether the tab keeps the token, and `BASE_PATH`.
 */
export async function signIn(
  page: Page, username: string, hash = '#/users', { keep = false, base = '' } = {},
): Promise<void> {
  await page.open(`${base}${CONSOLE}${hash}`);
  if (keep) {
    await (await page.find('checkbox', 'Stay signed in until I close this tab')).click();
  }
  await enterPassword(page, username);
  await page.waitUntilGone('heading', 'Sign in');
  await waitForScreen(page);
}

/** Reloads the console with another hash, in a tab that keeps its token, and discards half-typed forms. */
export async function showAgain(page: Page, hash: string): Promise<void> {
  await page.session.execute(`sessionStorage.removeItem("rollcall-drafts");
    location.hash = arguments[0]`, hash);
  await page.session.reload();
  await waitForScreen(page);
}

/** Goes to another screen of the console. */
export async function show(page: Page, hash: string): Promise<void> {
  await page.session.execute('location.hash = arguments[0]', hash);
}

async function waitForScreen(page: Page): Promise<void> {
  await page.waitFor(
    'the screen', 'return document.querySelector("main h1") && !document.querySelector(".loading")',
  );
}

/** Fills in the sign-in form, which may be open already. */
export async function enterPassword(
  page: Page, username: string, password = `${username}-password`,
): Promise<void> {
  await (await page.find('textbox', 'Username')).fill(username);
  await (await page.find('textbox', 'Password')).fill(password);
  await (await page.find('button', 'Sign in')).click();
}
