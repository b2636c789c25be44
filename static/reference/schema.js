/** Shows a schema in words: the type and the limits of a value, and the members of an object. */
import { element } from '../shared/elements.js';
import { toInline } from './markdown.js';
import { code } from './parts.js';

export function showSchema(schema) {
  return element('div', { class: 'schema' },
    element('p', { class: 'kind' }, describe(schema)),
    schema.description && element('p', {}, toInline(schema.description)),
    showMembers(schema),
  );
}

export function describe(schema) {
  const limits = [
    schema.format,
    toRange(schema.minLength, schema.maxLength, ' characters'),
    toRange(schema.minimum, schema.maximum, ''),
    toRange(schema.minItems, schema.maxItems, ' items'),
    schema.pattern && ['matches ', code(schema.pattern)],
    schema.nullable && ['or ', code('null')],
  ].filter(Boolean);
  return [toType(schema), limits.map((limit) => [', ', limit])];
}

function toType({ enum: values, type = 'anything', items, refName }) {
  if (values !== undefined) {
    return values.map((value, index) => [index > 0 && ' or ', code(JSON.stringify(value))]);
  }
  if (type === 'array') {
    return `list of ${items.refName ?? items.type}`;
  }
  return refName === undefined ? type : `${refName}, ${type}`;
}

function toRange(min, max = Infinity, unit) {
  const isOpen = max >= Number.MAX_SAFE_INTEGER;
  if (min === undefined) {
    return isOpen ? undefined : `up to ${max}${unit}`;
  }
  return isOpen ? `from ${min}${unit}` : `${min} to ${max}${unit}`;
}

function showMembers({ items, properties, required = [] }) {
  if (items !== undefined) {
    return showMembers(items);
  }
  return properties && element('ul', { class: 'members' },
    Object.entries(properties).map(([name, member]) => element('li', {},
      showName(name, required.includes(name), member),
      member.description && element('p', { class: 'words' }, toInline(member.description)),
      showMembers(member),
    )),
  );
}

/** Creates the first line about a member or a parameter. */
export function showName(name, isRequired, schema) {
  return element('p', {},
    element('code', { class: 'name' }, name), ' ',
    isRequired && element('span', { class: 'required' }, 'required '),
    element('span', { class: 'kind' }, describe(schema)),
  );
}
