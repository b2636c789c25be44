/** What the document says before the operations, in CommonMark. */
import type { ProblemType } from '../http/problem.ts';
import { problemTypes } from '../problems.ts';

/** @param toTypeUri - The `type` of a problem. */
export function toIntroduction(toTypeUri: (type: ProblemType) => string): string {
  const rows = Object.values(problemTypes).map(
    (type) => `| ${type.status} | [${type.slug}](${toTypeUri(type)}) | ${type.title} |`,
  );
  return `Users, the projects they own, and the tokens they sign in with.

## Signing in

Credentials travel in \`Authorization\`, in one of four forms: \`Basic base64(username:password)\`, \`Basic base64(token:)\`,
\`Basic base64(token)\` and \`Bearer token\`. A token comes from \`POST /api/v1/token\` or \`POST /api/v1/tokens\`, called with a
password. Failed sign-ins are 401, whatever was wrong; after too many of them 429, for the right password too, while tokens go
on working.

## Methods

Besides the operations listed, every resource that has GET has HEAD, which is GET without the content; and every resource has
OPTIONS, which is 204 with \`Allow\` and the answer to a preflight. Any other method is 405 with \`Allow\`. Unknown paths are 404.

## Bodies

Bodies are JSON in UTF-8, declared as \`application/json\` or \`*/*+json\`, and without a content coding. Unknown members are ignored.
Text is put into Unicode's normalization form C. Paths are exact: there are no trailing slashes.

## Lists

\`page\` and \`items_per_page\` select a page; the answer has \`Count\`, \`page\`, \`items_per_page\` and \`Link\` as header fields.

## Changes

Single records carry an \`ETag\`. Sent back in \`If-Match\`, it makes a change 412 when somebody else was faster.

## Problems

Every error is \`application/problem+json\` (RFC 9457), with a \`type\` that tells programs what is wrong:

| Status | Type | Title |
|---|---|---|
${rows.join('\n')}
`;
}
