/**
 * Joins items that wait at the same time into one request. An item that arrives while all requests are on the
 * way waits for the next one; it never joins a request that has been sent. Without other items it is sent at
 * once.
 *
 * A request is tried once. Each item that it leaves without an outcome is then sent alone, so an item that
 * cannot be answered delays the others at most once.
 */
import { DatabaseUnavailableError } from '../../database/database.ts';

interface GroupLimits {
  /** Requests on the way at any time. */
  readonly requestsMax: number;
  /** Items in a request. */
  readonly itemsMax: number;
  /** Characters of a request; an item that is longer is sent alone. */
  readonly charactersMax: number;
  /** Items that wait for a request; more are turned away. */
  readonly waitingMax: number;
}

export interface GroupItem {
  /** Items with the same key are the same: while one waits, another is given its outcome. */
  readonly key: string;
  /** As it is sent. */
  readonly text: string;
}

export type GroupResult<Outcome> =
  | { readonly kind: 'known'; readonly outcome: Outcome }
  /** Whether the item may have taken effect. */
  | { readonly kind: 'send-alone'; readonly mayBeApplied: boolean };

interface Senders<Item, Outcome> {
  /** @returns A result for each item. It does not reject. */
  readonly sendGroup: (items: readonly Item[]) => Promise<readonly GroupResult<Outcome>[]>;
  readonly sendAlone: (item: Item, earlier: { readonly mayBeApplied: boolean }) => Promise<Outcome>;
}

interface Waiting<Item, Outcome> extends PromiseWithResolvers<Outcome> {
  readonly item: Item;
}

/** @returns Sends an item in a group, and gives its outcome. */
export function createGroups<Item extends GroupItem, Outcome>(
  limits: GroupLimits,
  { sendGroup, sendAlone }: Senders<Item, Outcome>,
): (item: Item) => Promise<Outcome> {
  const waiting = new Map<string, Waiting<Item, Outcome>>();
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
    const group: Waiting<Item, Outcome>[] = [];
    let characters = 0;
    for (const [key, entry] of waiting) {
      characters += entry.item.text.length;
      if (group.length > 0 && (group.length >= limits.itemsMax || characters > limits.charactersMax)) {
        break;
      }
      waiting.delete(key);
      group.push(entry);
    }
    return group;
  }

  async function send(group: readonly Waiting<Item, Outcome>[]): Promise<void> {
    const results = await sendGroup(group.map(({ item }) => item));
    for (const [index, { item, resolve, reject }] of group.entries()) {
      const result = results[index] ?? { kind: 'send-alone', mayBeApplied: true };
      if (result.kind === 'known') {
        resolve(result.outcome);
      } else {
        sendAlone(item, result).then(resolve, reject); // not awaited: the next group need not wait for it
      }
    }
  }

  return (item) => {
    const same = waiting.get(item.key);
    if (same !== undefined) {
      return same.promise;
    }
    if (waiting.size >= limits.waitingMax) {
      const reason = `More than ${limits.waitingMax} requests wait for the database cluster`;
      return Promise.reject(new DatabaseUnavailableError(reason));
    }
    const entry = { item, ...Promise.withResolvers<Outcome>() };
    waiting.set(item.key, entry);
    sendWaiting();
    return entry.promise;
  };
}
