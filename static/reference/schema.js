/** Describes schemas in words: the types and limits of values, and a list of the members of objects. */
import { element } from '../shared/elements.js';
import { toInline } from './markdown.js';
import { code } from './parts.js';

/** Members nested deeper only repeat schemas that are shown elsewhere. */
const DEPTH_MAX = 6;

/** Longer patterns are not shown, because readers understand the description better. */
const PATTERN_LENGTH_MAX = 40;

/**
 * @param {any} schema
 * @param {(node: any) => any} resolve
 */
export function showSchema(schema, resolve) {
  const resolved = resolve(schema);
  return element('div', { class: 'schema' },
    element('p', { class: 'kind' }, describe(resolved, resolve)),
    resolved.description === undefined ? undefined : element('p', {}, toInline(resolved.description)),
    showLongPattern(resolved),
    showMembers(resolved, resolve, 1),
  );
}

/** The type and the limits of a value, in one line. */
export function describe(schema, resolve) {
  const bounds = [...listTexts(schema), ...listNumbers(schema), ...listItems(schema)];
  const parts = [toType(schema, resolve), ...bounds.map((bound) => [', ', bound])];
  if (schema.nullable) {
    parts.push(', or ', code('null'));
  }
  return parts.flat();
}

function toType(schema, resolve) {
  if (schema.enum !== undefined) {
    return schema.enum.flatMap((value, index) => [index === 0 ? '' : ' or ', code(JSON.stringify(value))]);
  }
  if (schema.oneOf !== undefined) {
    return [`one of ${schema.oneOf.length} kinds`];
  }
  if (schema.type === 'array') {
    const items = resolve(schema.items ?? {});
    return ['list of ', items.refName ?? items.type ?? 'anything'];
  }
  return [[schema.refName, schema.type ?? 'anything'].filter(Boolean).join(', ')];
}

function listTexts({ type, format, minLength, maxLength, pattern, not, description }) {
  return [
    ...(format === undefined ? [] : [format]),
    ...toRange(type === 'string' ? minLength : undefined, maxLength, 'characters'),
    ...(pattern === undefined || isLong(pattern) ? [] : [element('span', {}, 'matches ', code(pattern))]),
    ...(not?.description === undefined || description !== undefined ? [] : [
      element('span', {}, 'but not: ', toInline(not.description.replace(/\.$/, ''))),
    ]),
  ];
}

function isLong(pattern) {
  return pattern.length > PATTERN_LENGTH_MAX;
}

function showLongPattern({ pattern = '' }) {
  const words = [element('summary', {}, 'Pattern'), code(pattern)];
  return isLong(pattern) ? element('details', { class: 'pattern' }, words) : undefined;
}

function listNumbers({ minimum, maximum }) {
  const isOpen = maximum === undefined || maximum >= Number.MAX_SAFE_INTEGER;
  return toRange(minimum, isOpen ? undefined : maximum, '');
}

function listItems({ minItems, maxItems }) {
  return toRange(minItems, maxItems, 'items');
}

function toRange(min, max, unit) {
  if (min === undefined && max === undefined) {
    return [];
  }
  if (min === 1 && max === undefined && unit !== '') {
    return ['not empty'];
  }
  const bounds = min === undefined ? `up to ${max}` : max === undefined ? `from ${min}` : `${min} to ${max}`;
  return [`${bounds} ${unit}`.trim()];
}

function showMembers(schema, resolve, depth) {
  if (depth > DEPTH_MAX) {
    return undefined;
  }
  if (schema.type === 'array') {
    return showMembers(resolve(schema.items ?? {}), resolve, depth);
  }
  if (schema.oneOf !== undefined) {
    return element(
      'ul', { class: 'kinds' }, schema.oneOf.map((kind) => element('li', {}, showSchema(kind, resolve))),
    );
  }
  const members = Object.entries(schema.properties ?? {});
  if (members.length === 0) {
    return undefined;
  }
  const required = new Set(schema.required ?? []);
  return element('ul', { class: 'members' }, members.map(([name, member]) => {
    const resolved = resolve(member);
    return element('li', {},
      showName(name, required.has(name), describe(resolved, resolve)),
      resolved.description && element('p', { class: 'words' }, toInline(resolved.description)),
      showLongPattern(resolved),
      showMembers(resolved, resolve, depth + 1),
    );
  }));
}

/** The line that begins the description of a member or a parameter. */
export function showName(name, isRequired, kind) {
  return element('p', {},
    element('code', { class: 'name' }, name), ' ',
    isRequired && element('span', { class: 'required' }, 'required '),
    element('span', { class: 'kind' }, kind),
  );
}
