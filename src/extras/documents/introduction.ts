/** The text of the API document before its operations, in CommonMark. */
export const introduction = (basePath: string): string => `
Manage users, the projects they own, and the tokens they sign in with.
[Guides](${basePath}/static/guides/) explain signing in, lists, changes and errors, with commands to copy.

## Signing in

Send credentials in \`Authorization\`, in one of four forms: \`Basic base64(username:password)\`,
\`Basic base64(token:)\`, \`Basic base64(token)\` and \`Bearer token\`. After too many failed sign-ins, the
response is 429, even for the right password. Tokens keep working. Every signed-in user may read all users
and projects. With \`DIRECTORY=closed\`, only administrators may read other users and their projects.

## Bodies

Send JSON in UTF-8, declared as \`application/json\` or \`*/*+json\`, without a content coding such as gzip.
Unknown members of a body are ignored. Text is stored in Unicode normalization form C.

## Methods and paths

Every path that supports GET also supports HEAD, whose response has no content. Every path supports OPTIONS.
The response to OPTIONS is 204 with \`Allow\`, and also answers CORS preflights. If a path does not support
a method, the response is 405 with \`Allow\`. Paths must match exactly, without a slash at the end. For an
unknown path, the response is 404. With the \`X-Request-Id\` of a response, the operator finds the request in
the log.

## Scripts of other origins

A script of an allowed origin may call every operation, if the script itself sends the credentials in
\`Authorization\`. Do not use \`credentials: 'include'\`. Declare every body as \`application/json\`. If a
form or a \`no-cors\` request from another origin has Basic credentials, the response is 403.

## Problems

Every error is \`application/problem+json\` (RFC 9457). The \`type\` of a problem tells programs what is
wrong, and is a link to [an explanation](${basePath}/static/problems.html). If a static file is missing,
clients whose \`Accept\` begins with \`text/html,application/xhtml+xml\` get an HTML page instead.
`.trim();
