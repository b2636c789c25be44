/** A test fails if the browser logs an unexpected message, or sends a request to another origin. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Config } from '../../src/config.ts';
import { skipWithoutBrowser, useBrowser } from './browser.ts';
import { withEach } from './each.ts';
import { createPage, type Page } from './page.ts';
import { startService, type TestService } from './service.ts';
import type { LogEntry, Session } from './webdriver.ts';

export interface World {
  readonly service: TestService;
  readonly page: Page;
  openPage(): Promise<Page>;
  takeRequests(): Promise<readonly string[]>;
  /** If a part of a test fails, the next parts still run. */
  part(title: string, run: () => Promise<void>): Promise<void>;
}

export interface Options {
  readonly settings?: Partial<Config>;
  /** The test causes these errors, so it accepts them on the browser's console. */
  readonly provokes?: readonly (number | 'no answer')[];
}

export const browserTest = withEach<World, Options>((title, run, { settings = {}, provokes = [] } = {}) => {
  test(title, { skip: skipWithoutBrowser }, async (context) => {
    const service = await startService(context, settings);
    const { session, home } = await useBrowser();
    const origin = `http://127.0.0.1:${service.port}`;
    const windows: string[] = [];

    async function openPage(): Promise<Page> {
      const handle = await session.newWindow();
      windows.push(handle);
      await session.switchTo(handle);
      const page = createPage(session, origin, handle);
      await page.emulate({ width: 1280, scheme: 'light' });
      return page;
    }

    /** Chromium logs `http://… - Failed to load resource: … a status of 401 (Unauthorized)`. */
    const isUnexpected = ({ source, message }: LogEntry) =>
      source !== 'network' || !message.startsWith(`${origin}/`) || !provokes.some((what) => (
        message.includes(what === 'no answer' ? 'net::ERR_INTERNET_DISCONNECTED' : `status of ${what} `)
      ));

    async function takeRequests(): Promise<readonly string[]> {
      const requests = await readRequests(session);
      const foreign = requests.filter((url) => !url.startsWith(`${origin}/`));
      assert.deepEqual(foreign, [], 'no request leaves the origin');
      return requests;
    }

    try {
      const page = await openPage();
      await readRequests(session); // discards the requests of earlier tests
      await session.log('browser');
      const part: World['part'] = (title, run) => context.test(title, run);
      await run({ service, page, openPage, takeRequests, part }, context);
      assert.deepEqual((await session.log('browser')).filter(isUnexpected), [], 'nothing on the console');
      await takeRequests();
    } catch (error) {
      for (const { message } of await session.log('browser')) {
        context.diagnostic(message);
      }
      throw error;
    } finally {
      for (const handle of windows) {
        await session.switchTo(handle);
        await session.closeWindow();
      }
      await session.switchTo(home);
    }
  });
});

/** The browser sends no request for `data:` URLs. */
async function readRequests(session: Session): Promise<readonly string[]> {
  const events = (await session.log('performance')).map(({ message }) => JSON.parse(message).message);
  return events.flatMap(({ method, params }): string[] => {
    const url = method === 'Network.requestWillBeSent' ? params.request.url
      : method === 'Network.webSocketCreated' ? params.url : '';
    return /^(https?|wss?):/.test(url) ? [url] : [];
  });
}
