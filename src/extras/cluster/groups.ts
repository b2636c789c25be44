/**
 * Joins waiting items (reads, or batches of writes) into shared requests. Items that arrive in one turn of
 * the event loop share a request. Items that wait until earlier requests end also share a request. No item
 * joins a request that was sent already. So a read sees every write that ended before the read began.
 */
import { DatabaseUnavailableError } from '../../database/database.ts';

interface GroupLimits {
  /** Limits the requests in flight. */
  readonly requestsMax: number;
  /** Limits the items in one request. */
  readonly itemsMax: number;
  /** Limits the items without an outcome, for example while no node answers. */
  readonly pendingMax: number;
}

export interface GroupItem {
  /** If several reads with the same key wait, one of the reads is sent, and its result serves all of them. */
  readonly key: string;
}

export interface GroupResult<Outcome> {
  /** An outcome for each item, in order. An item without an outcome is sent again, in its own request. */
  readonly outcomes: readonly (Outcome | undefined)[];
  /** True if the cluster has perhaps applied a write whose outcome is unknown. */
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
