/**
 * What a validator must know about JSON values: their members, depth, equality, and pointers.
 *
 * A value is what `JSON.parse` returns. Only own members count, so a member called `__proto__` or
 * `toString` is one like any other, and an inherited one does not exist.
 */

/** A JSON object: neither null nor an array. */
export type JsonObject = { readonly [name: string]: unknown };

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The object's own member of that name, or undefined. */
export function ownMember(object: JsonObject, name: string): unknown {
  return Object.hasOwn(object, name) ? object[name] : undefined;
}

/** Names and values of an object's own members; other values have none. */
export function membersOf(value: unknown): readonly (readonly [string, unknown])[] {
  return isObject(value) ? Object.entries(value) : [];
}

/** The items of an array; other values have none. */
export function itemsOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/**
 * Tells whether arrays and objects are nested in more levels than allowed: a number has no level,
 * `[]` has one, `[[]]` two. Its own recursion never goes deeper than that.
 */
export function isDeeperThan(levelsMax: number, value: unknown): boolean {
  if (typeof value !== 'object' || value === null) {
    return false;
  }
  return levelsMax === 0 || Object.values(value).some((part) => isDeeperThan(levelsMax - 1, part));
}

/**
 * Tells whether two items are equal in JSON. Looks their texts up in a set, because comparing each
 * with each would let a long list take seconds.
 */
export function hasDuplicates(items: readonly unknown[]): boolean {
  return new Set(items.map(toCanonicalText)).size < items.length;
}

/**
 * A text that two values share exactly when they are equal in JSON: the order of members does not
 * matter; 1 and 1.0 are equal, 1 and true are not. The caller bounds the depth, see `isDeeperThan`.
 */
export function toCanonicalText(value: unknown): string {
  if (Array.isArray(value)) {
    return `[${value.map(toCanonicalText).join(',')}]`;
  }
  if (isObject(value)) {
    const names = Object.keys(value).sort();
    const members = names.map((name) => `${JSON.stringify(name)}:${toCanonicalText(value[name])}`);
    return `{${members.join(',')}}`;
  }
  // String, because JSON.stringify writes the Infinity that JSON.parse makes of 1e999 as null.
  return typeof value === 'string' ? JSON.stringify(value) : String(value);
}

/** Extends a JSON pointer (RFC 6901) by one step, to a member or an item. */
export function extendPointer(pointer: string, step: string | number): string {
  return `${pointer}/${String(step).replaceAll('~', '~0').replaceAll('/', '~1')}`;
}
