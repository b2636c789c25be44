/**
 * Searches over the filled users, and how many of these each finds. The selective ones find the planted twenty in a
 * population of any size, so that their costs can be compared; the others find a share of all.
 */
import { toUsername } from './population.ts';

export interface Search {
  /** As in a URL: `contains=mar`. */
  readonly query: string;
  readonly matchCount: number;
}

const PATTERNS = {
  'contains': { query: 'contains=iramoso', pattern: /iramoso/ },
  'starts-with': { query: 'starts_with=lindara', pattern: /^lindara/ },
  'ends-with': { query: 'ends_with=kiramoson', pattern: /kiramoson$/ },
  'prefix-and-suffix': { query: 'starts_with=lindar&ends_with=moson', pattern: /^lindar.*moson$/ },
  'contains-common': { query: 'contains=mar', pattern: /mar/ },
  'contains-short': { query: 'contains=an', pattern: /an/ },
};

export type SearchName = keyof typeof PATTERNS;

export function countMatches(userCount: number): Readonly<Record<SearchName, Search>> {
  const searches = Object.entries(PATTERNS).map(([name, { query, pattern }]) => ({ name, query, pattern, matchCount: 0 }));
  for (let index = 0; index < userCount; index += 1) {
    const username = toUsername(index, userCount);
    for (const search of searches) {
      search.matchCount += search.pattern.test(username) ? 1 : 0;
    }
  }
  const entries = searches.map(({ name, query, matchCount }) => [name, { query, matchCount }]);
  return Object.fromEntries(entries) as Record<SearchName, Search>; // key by key what the table says
}
