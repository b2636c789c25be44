/** `/api/v1/summary`: the numbers of an overview page. An operation of its own, on a store of its own. */
import type { Database } from '../../database/database.ts';
import {
  array, describe, integer, object, oneOf, optional, text, type ValueOf,
} from '../../jsonschema/typed.ts';
import { toTimestamp } from '../../model/clock.ts';
import { read, tagged } from '../../resources/answers.ts';
import { operation } from '../../resources/operation.ts';
import { createSummaryStore, type SummaryTimes } from './store.ts';

const DAY_MS = 86_400_000;
const DAYS_SHOWN = 14;
const SOON_DAYS = 7;

const totalMembers = {
  count: integer({ minimum: 0, example: 3 }),
  relation: oneOf(['exact', 'at_least'], {
    description: '`at_least` if counting stopped at a limit, so that the real number may be higher.',
  }),
};

export const total = object(totalMembers, { description: 'A number, and whether it is exact.' });

const registrations = object({
  date: text({
    pattern: '^\\d{4}-\\d{2}-\\d{2}$', description: 'A day in UTC.', example: '2026-01-31',
  }),
  ...totalMembers,
});

const tokens = describe(total, { description: 'Valid tokens.' });
const tokensExpiring = describe(total, { description: 'Valid tokens that expire within seven days.' });

const summary = object({
  own: object({
    projects: total, tokens, tokens_expiring: tokensExpiring,
  }, { description: 'The projects and tokens of the caller.' }),
  service: optional(object({
    users: total,
    administrators: total,
    disabled_users: total,
    projects: total,
    tokens,
    tokens_expiring: tokensExpiring,
    failed_sign_ins: describe(total, {
      description: 'Failed sign-ins since midnight UTC, possibly without the last minute.',
    }),
    registrations: array(registrations, {
      maxItems: DAYS_SHOWN,
      description:
        'Users who registered on each of the last 14 days and still exist. The oldest day comes first, and ' +
        'the last is today.',
    }),
  }, { description: 'Totals over all users, for administrators only.' })),
});

export function summaryOperations(database: Database) {
  const summaries = createSummaryStore(database);
  return {
    readSummary: operation({
      method: 'GET',
      path: '/api/v1/summary',
      access: 'authenticated',
      tag: 'Service',
      summary: 'Get an overview in numbers',
      description:
        'The numbers of your projects and tokens; for an administrator also those of the service. Each ' +
        'number says whether it is exact.',
      answers: read(summary, 'The numbers.'),
      async handle({ clock }, { caller }) {
        const times = toTimes(clock());
        const own = await summaries.ofUser(caller.user.id, times);
        const service = caller.user.isAdmin ? await summaries.ofService(times) : undefined;
        const shown: ValueOf<typeof summary> = {
          own,
          ...(service && {
            service: {
              ...service,
              registrations: service.registrations.map(
                ({ day, count }) => ({ date: day.slice(0, 10), count, relation: 'exact' as const }),
              ),
            },
          }),
        };
        return tagged({ json: JSON.stringify(shown) });
      },
    }),
  };
}

function toTimes(nowMs: number): SummaryTimes {
  const todayMs = nowMs - nowMs % DAY_MS;
  return {
    now: toTimestamp(nowMs),
    soon: toTimestamp(nowMs + SOON_DAYS * DAY_MS),
    days: Array.from(
      { length: DAYS_SHOWN }, (_, index) => toTimestamp(todayMs - (DAYS_SHOWN - 1 - index) * DAY_MS),
    ),
  };
}
