/** Checks the accessibility of a visible page with axe-core (https://github.com/dequelabs/axe-core). */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { findTool } from '../../scripts/tools.ts';
import type { Page, Screen } from './page.ts';

/** Rules with these tags check the success criteria of WCAG 2.2, levels A and AA. */
const TAGS = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22a', 'wcag22aa'];

/** The last screen is the default of the tests, so a test can continue after a check of all screens. */
const EVERY_SCREEN: readonly Screen[] = [
  { width: 360, scheme: 'light' }, { width: 1280, scheme: 'dark' },
  { width: 360, scheme: 'dark' }, { width: 1280, scheme: 'light' },
];

/**
 * Chooses screens for the page at position `index`. If `count` is 2, the two screens differ in width and in
 * colour scheme.
 */
export function takeScreens(count: 1 | 2, index: number): readonly Screen[] {
  const first = (index * count) % EVERY_SCREEN.length;
  return EVERY_SCREEN.slice(first, first + count);
}

/** Waits until all fade-ins have ended, because an element that fades in has too little contrast. */
const FADED_IN = `
  const ends = document.getAnimations()
    .filter(({ effect }) => effect.getTiming().iterations !== Infinity)
    .map(({ finished }) => finished);
  return Promise.allSettled(ends).then(() => undefined)`;

export async function assertAccessible(
  page: Page, state: string, screens: readonly Screen[] = EVERY_SCREEN,
): Promise<void> {
  const axe = readFileSync(findTool('axe'), 'utf8');
  for (const screen of screens) {
    await page.emulate(screen);
    await page.session.execute(`if (!globalThis.axe) { ${axe} }`);
    await page.session.execute(FADED_IN);
    const violations = await page.session.execute(
      "return axe.run({ runOnly: arguments[0], resultTypes: ['violations'] })" +
        '.then(({ violations }) => violations)', TAGS,
    ) as any[];
    const findings = violations.flatMap(({ id, help, nodes }) =>
      nodes.map((node: any) => `${id}: ${help}\n${node.html}\n${node.failureSummary}`));
    assert.deepEqual(findings, [], `${state}, ${screen.width} pixels wide, ${screen.scheme}`);
  }
}
