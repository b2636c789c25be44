/** Reads the parameters of a query, and checks them against the schemas that the API document shows. */
import type { Query } from '../http/router.ts';
import { compileSchema } from '../jsonschema/compile.ts';
import { integer, text, wordOf, type Members, type ValueOf } from '../jsonschema/schema.ts';
import { toNameKey } from '../model/name.ts';
import type { ListRequest } from '../stores/list.ts';
import { refuse, type ParameterFault, type Refusal } from './problems.ts';

export const ITEMS_PER_PAGE_MAX = 1_000;

export type QueryOf<M extends Members> = { readonly [Name in keyof M]: ValueOf<M[Name]> | undefined };

/**
 * Reads the parameters of a query, or returns all mistakes. Unknown names are ignored.
 *
 * @param ignoresEmpty - If true, an empty text parameter counts as absent, as in a form with empty fields.
 * False for operations that change data. A script with an unset variable must not change more records than
 * intended.
 */
export function compileQuery<M extends Members>(members: M, ignoresEmpty: boolean) {
  const rules = Object.entries(members).map(([name, { json }]) =>
    ({ name, isInteger: json.type === 'integer', validate: compileSchema(json) }));
  return (query: Query): QueryOf<M> | Refusal<'invalidParameter'> => {
    const values: Record<string, unknown> = {};
    const faults: ParameterFault[] = [];
    for (const { name, isInteger, validate } of rules) {
      const [given = '', ...others] = query.get(name) ?? [];
      if (others.length > 0) {
        faults.push({ parameter: name, keyword: 'maxItems', message: 'must not be repeated' });
      } else if (query.has(name) && (given !== '' || isInteger || !ignoresEmpty)) {
        // If the schema requires an integer, digits become a number, and any other text fails the check.
        values[name] = isInteger && /^-?[0-9]+$/.test(given) ? Number(given) : given;
        const complaints = validate(values[name]);
        faults.push(...complaints.map(({ pointer, ...fault }) => ({ parameter: name, ...fault })));
      }
    }
    return faults.length > 0 ? refuse('invalidParameter', faults) : (values as QueryOf<M>);
  };
}

/**
 * The parameters of every list. Without `items_per_page`, a page has the maximum size. A minus sign before
 * the key in `sort` reverses the order.
 */
export const listQuery = <const Key extends string = never>(...keys: readonly Key[]) => ({
  sort: wordOf((['id', ...keys] as const).flatMap((key) => [key, `-${key}` as const])),
  page: integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER }),
  items_per_page: integer({ minimum: 1 }),
});

export const nameSearch = { contains: text(), starts_with: text(), ends_with: text() };

/** If `contains` is given, `starts_with` and `ends_with` are ignored (specification, search rule 1). */
export function toListRequest({
  sort = 'id', page = 1, items_per_page: size = ITEMS_PER_PAGE_MAX,
  contains = '', starts_with: prefix = '', ends_with: suffix = '',
}: Partial<QueryOf<ReturnType<typeof listQuery<string>> & typeof nameSearch>>): ListRequest {
  // Ids are in the order of creation, so a sort by `date_created` is a sort by id.
  const isByKey = !/^-?(id|date_created)$/.test(sort);
  return {
    page: { number: page, sizeMax: Math.min(size, ITEMS_PER_PAGE_MAX) },
    sort: { isByKey, isDescending: sort.startsWith('-') },
    search: contains === ''
      ? { contains: '', prefix: toNameKey(prefix), suffix: toNameKey(suffix) }
      : { contains: toNameKey(contains), prefix: '', suffix: '' },
  };
}
