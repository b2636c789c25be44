/**
 * JSON values as `JSON.parse` returns them: types, depth, equality and pointers. Only own members count, so
 * that a member called `__proto__` or `toString` is a member like any other.
 */

/** A JSON object: neither null nor an array. */
export type JsonObject = { readonly [name: string]: unknown };

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !isArray(value);
}

export function isArray(value: unknown): value is readonly unknown[] {
  return Array.isArray(value);
}

export function isString(value: unknown): value is string {
  return typeof value === 'string';
}

export function isNumber(value: unknown): value is number {
  return typeof value === 'number';
}

export function isBoolean(value: unknown): value is boolean {
  return typeof value === 'boolean';
}

/** @returns The names and values of an object's members; no members for any other value. */
export function membersOf(value: unknown): readonly (readonly [string, unknown])[] {
  return isObject(value) ? Object.entries(value) : [];
}

/**
 * Tells whether arrays and objects are nested in more levels than allowed: `1` has no level, `[]` has one,
 * `[[]]` has two. The recursion itself never goes deeper than `levelsMax`.
 */
export function isDeeperThan(levelsMax: number, value: unknown): boolean {
  if (typeof value !== 'object' || value === null) {
    return false;
  }
  return levelsMax === 0 || Object.values(value).some((part) => isDeeperThan(levelsMax - 1, part));
}

/** Tells whether two items are equal in JSON. Takes linear time: comparing all pairs could take seconds. */
export function hasDuplicates(items: readonly unknown[]): boolean {
  return new Set(items.map(canonicalText)).size < items.length;
}

/**
 * Makes a text that is the same for two values exactly when they are equal in JSON: the order of members does
 * not matter, 1 equals 1.0, and 1 does not equal true. The function is recursive; `compileSchema` bounds the
 * depth of the value.
 */
export function canonicalText(value: unknown): string {
  if (isArray(value)) {
    return `[${value.map(canonicalText).join(',')}]`;
  }
  if (isObject(value)) {
    const names = Object.keys(value).sort();
    const members = names.map((name) => `${JSON.stringify(name)}:${canonicalText(value[name])}`);
    return `{${members.join(',')}}`;
  }
  // JSON.parse turns 1e999 into Infinity, which JSON.stringify would write as null.
  return isString(value) ? JSON.stringify(value) : String(value);
}

/** Extends a JSON pointer (RFC 6901) by the name of a member or the index of an item. */
export function extendPointer(pointer: string, step: string | number): string {
  return `${pointer}/${isNumber(step) ? step : step.replaceAll('~', '~0').replaceAll('/', '~1')}`;
}
