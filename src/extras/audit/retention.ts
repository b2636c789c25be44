import { raw, sql, type Database } from '../../database/database.ts';
import type { Origin } from '../../model/audit.ts';
import { toTimestamp } from '../../model/clock.ts';
import { insertEvents } from '../../stores/audit.ts';

/** @param retentionSeconds - Events older than this are removed. With 0, no event is ever removed. */
export function createRetention(database: Database, retentionSeconds: number) {
  return {
    /**
     * Removes at most `countMax` old events, the oldest first, and records their number as an event. If all
     * removed events are about earlier removals, nothing is recorded, because otherwise the trail could never
     * become empty.
     *
     * @returns True if another call could find more old events.
     */
    async removeOldEvents(countMax: number, origin: Origin): Promise<boolean> {
      if (retentionSeconds === 0) {
        return false;
      }
      // Each removal is recorded as an event. To limit these events, `before` moves in steps of 1 % of the
      // retention time. If no other events are added, the trail has at most a hundred events about removals.
      const stepMs = retentionSeconds * 10;
      const before = toTimestamp((Math.floor(Date.parse(origin.at) / stepMs) - 100) * stepMs);
      const old = sql`SELECT id, action FROM audit_events
        WHERE occurred_at < ${before} ORDER BY occurred_at, id LIMIT ${countMax}`;
      const { length } = await database.read(old);
      if (length > 0) {
        const removal = sql`NULL, '', concat('count=', count(*), ' before=', ${before})`;
        const fromOld = sql`FROM (${old}) HAVING max(action <> 'audit.delete')`;
        await database.write([
          insertEvents('audit.delete', 'service', removal, origin, fromOld),
          sql`INSERT INTO audit_removal (before) VALUES (${before})`, // a trigger then allows the DELETE
          sql`DELETE FROM audit_events WHERE id IN (SELECT id FROM (${old}))`,
          raw('DELETE FROM audit_removal'),
        ]);
      }
      return length === countMax; // another process may have deleted some of these events already
    },
  };
}
