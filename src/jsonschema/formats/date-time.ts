/** Dates with times, as RFC 3339 §5.6 writes them: 2026-01-31T23:59:59.25+01:00. */

const DAY = String.raw`\d{4}-\d\d-\d\d`;
const CLOCK = String.raw`(?:[01]\d|2[0-3]):[0-5]\d`;
const SECOND = String.raw`[0-5]\d|60`;
const ZONE = `[Zz]|[+-]${CLOCK}`;
const DATE_TIME = new RegExp(
  `^(?<day>${DAY})[Tt](?<clock>${CLOCK}):(?<second>${SECOND})([.][0-9]+)?(?<zone>${ZONE})$`,
);

/** Beyond the syntax, the day must be in the calendar, and second 60 where one can be inserted. */
export function isDateTime(text: string): boolean {
  const parts = DATE_TIME.exec(text)?.groups;
  if (!parts) {
    return false;
  }
  const { day = '', clock = '', second, zone = '' } = parts;
  return (
    isInCalendar(day) &&
    (second !== '60' || endsMonth(`${day}T${clock}:59${zone.toUpperCase()}`))
  );
}

/** Date.parse may read February 30 as March 2; only days that exist are written as they came. */
function isInCalendar(day: string): boolean {
  const midnight = Date.parse(`${day}T00:00:00Z`);
  return !Number.isNaN(midnight) && new Date(midnight).toISOString().startsWith(day);
}

/** Leap seconds are inserted only after the last second of a month in UTC (RFC 3339 §5.7). */
function endsMonth(instant: string): boolean {
  const nextSecond = new Date(Date.parse(instant) + 1000);
  return nextSecond.toISOString().includes('-01T00:00:00');
}
