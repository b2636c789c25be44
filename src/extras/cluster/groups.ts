/**
 * Joins waiting items (reads, or batches of writes) into shared requests. One request carries all items that
 * arrive in one iteration of the event loop. If `requestsMax` requests are in flight, new items wait. The
 * next request carries the waiting items. No item joins a request that was sent already. So a read sees
 * every write that ended before the read began.
 */
import { DatabaseUnavailableError } from '../../database/database.ts';

interface GroupLimits {
  /** The maximum number of requests in flight. */
  readonly requestsMax: number;
  /** The maximum number of items in one request. */
  readonly itemsMax: number;
  /** The maximum number of items that wait for an outcome. While no node answers, many items wait. */
  readonly pendingMax: number;
}

export interface GroupItem {
  /** If several waiting reads have the same key, only one read is sent. All callers get its result. */
  readonly key: string;
}

export interface GroupResult<Outcome> {
  /** An outcome for each item, in order. An item without an outcome is sent again, in its own request. */
  readonly outcomes: readonly (Outcome | undefined)[];
  /** True if the cluster may have applied a write whose outcome is unknown. */
  readonly mayBeApplied: boolean;
}

interface Senders<Item, Outcome> {
  /** Never rejects. */
  readonly sendGroup: (items: readonly Item[]) => Promise<GroupResult<Outcome>>;
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
      const group = [...waiting.values()].slice(0, limits.itemsMax);
      group.forEach(({ item }) => waiting.delete(item.key));
      requests += 1;
      void send(group).finally(() => {
        requests -= 1;
        sendWaiting();
      });
    }
  }

  async function send(group: readonly Waiting<Item, Outcome>[]): Promise<void> {
    const { outcomes, mayBeApplied } = await sendGroup(group.map(({ item }) => item));
    for (const [index, { item, resolve, reject }] of group.entries()) {
      const outcome = outcomes[index];
      if (outcome !== undefined) {
        resolve(outcome);
      } else {
        sendAlone(item, { mayBeApplied }).then(resolve, reject); // no item waits for another item
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
