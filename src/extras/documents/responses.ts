/** The responses of each kind of reply, for the API document. */
import type { Operation } from '../../api/operation.ts';
import { anything, array, object, oneOf, type TypedSchema } from '../../jsonschema/typed.ts';
import { ITEMS_PER_PAGE_MAX } from '../../model/page.ts';
import type { ContentText, OperationText, ResponseText } from './text.ts';

export function responsesOf(
  { path, replies: { kind, words = {}, listName = '' } }: Operation,
  { reply = { description: '' }, item = anything, responses = [] }: OperationText,
): readonly ResponseText[] {
  const { description, headers = [], headerExamples = {}, schema = anything } = reply;
  const replied = { description, headers, headerExamples, content: json(schema) };
  switch (kind) {
    case 'record':
      return [
        { ...replied, status: 200, headers: ['ETag', ...headers] },
        { status: 304, description: 'The client already has this state; no content.', headers: ['ETag'] },
      ];
    case 'changed':
      return [{ ...replied, status: 200, headers: ['ETag', ...headers] }];
    case 'created':
      return [{ ...replied, status: 201 }];
    case 'words': {
      const members = Object.entries(words).map(([name, word]) => [name, oneOf([word])]);
      return [{ ...replied, status: 200, content: json(object(Object.fromEntries(members))) }];
    }
    case 'list':
      return [pageOf(path, listName, item)];
    default:
      return responses;
  }
}

function json(schema: TypedSchema<unknown>): Readonly<Record<string, ContentText>> {
  return { 'application/json': { schema } };
}

function pageOf(path: string, listName: string, item: TypedSchema<unknown>): ResponseText {
  const link = (page: number, relation: string) =>
    `<${path}?page=${page}&items_per_page=1>; rel="${relation}"`;
  return {
    status: 200,
    description: 'A page of the list.',
    headers: ['Count', 'Total', 'Total-Relation', 'page', 'items_per_page'],
    headerExamples: { 'Link': `${link(1, 'first')}, ${link(2, 'next')}` },
    content: json(object({ [listName]: array(item, { maxItems: ITEMS_PER_PAGE_MAX }) })),
  };
}
