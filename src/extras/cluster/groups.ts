/**
 * Joins waiting items, such as questions, into shared requests: the items of one turn of the event loop, or
 * items that arrive while other requests are in flight. An item never joins a request that has been sent, so
 * no answer is older than its question. An item that gets no outcome from a shared request is sent alone, so
 * each item delays other items at most once.
 */
import { DatabaseUnavailableError } from '../../database/database.ts';

interface GroupLimits {
  /** The most requests in flight at the same time. */
  readonly requestsMax: number;
  /** The most items in one request. */
  readonly itemsMax: number;
  /** The most items without an outcome, which pile up while no node answers; further items are refused. */
  readonly pendingMax: number;
}

export interface GroupItem {
  /** Items that wait with the same key share one outcome. */
  readonly key: string;
}

export type GroupResult<Outcome> =
  | { readonly kind: 'known'; readonly outcome: Outcome }
  /** `mayBeApplied` is true if the item may have taken effect. */
  | { readonly kind: 'send-alone'; readonly mayBeApplied: boolean };

interface Senders<Item, Outcome> {
  /** Never rejects. @returns A result for each item. */
  readonly sendGroup: (items: readonly Item[]) => Promise<readonly GroupResult<Outcome>[]>;
  readonly sendAlone: (item: Item, earlier: { readonly mayBeApplied: boolean }) => Promise<Outcome>;
}

type Waiting<Item, Outcome> = PromiseWithResolvers<Outcome> & { readonly item: Item };

export function createGroups<Item extends GroupItem, Outcome>(
  limits: GroupLimits,
  { sendGroup, sendAlone }: Senders<Item, Outcome>,
): (item: Item) => Promise<Outcome> {
  const waiting = new Map<string, Waiting<Item, Outcome>>();
  let pending = 0;
  let requests = 0;

  function sendWaiting(): void {
    while (requests < limits.requestsMax && waiting.size > 0) {
      requests += 1;
      void send(takeGroup()).finally(() => {
        requests -= 1;
        sendWaiting();
      });
    }
  }

  function takeGroup(): readonly Waiting<Item, Outcome>[] {
    const group = [...waiting.values()].slice(0, limits.itemsMax);
    group.forEach(({ item }) => waiting.delete(item.key));
    return group;
  }

  async function send(group: readonly Waiting<Item, Outcome>[]): Promise<void> {
    const results = await sendGroup(group.map(({ item }) => item));
    for (const [index, { item, resolve, reject }] of group.entries()) {
      const result = results[index] ?? { kind: 'send-alone', mayBeApplied: true };
      if (result.kind === 'known') {
        resolve(result.outcome);
      } else {
        sendAlone(item, result).then(resolve, reject); // the next group need not wait for this item
      }
    }
  }

  return (item) => {
    const same = waiting.get(item.key);
    if (same !== undefined) {
      return same.promise;
    }
    if (pending >= limits.pendingMax) {
      const reason = `More than ${limits.pendingMax} requests wait for the database cluster`;
      return Promise.reject(new DatabaseUnavailableError(reason));
    }
    pending += 1;
    const entry = { item, ...Promise.withResolvers<Outcome>() };
    waiting.set(item.key, entry);
    if (waiting.size === 1) {
      setImmediate(sendWaiting);
    }
    return entry.promise.finally(() => { pending -= 1; });
  };
}
