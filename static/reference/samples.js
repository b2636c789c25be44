/** A request as code in three languages, with variables in place of secrets. */
import { BEARER, quote, toCurl } from '../shared/curl.js';
import { kindFor, username } from './credentials.js';

/** @type {Readonly<Record<string, (request: any) => string>>} */
export const SAMPLES = { 'curl': toCurlLine, 'JavaScript': toJavaScript, 'Python': toPython };

const CURL_CREDENTIALS = {
  token: () => BEARER,
  password: () => `-u ${username() === '' ? '"$username"' : quote(username())}`, // curl asks for the password
  none: () => undefined,
};

/** A line for a POSIX shell. */
export function toCurlLine({ operation, method, url, headers, body }) {
  const credentials = CURL_CREDENTIALS[kindFor(operation)]();
  return toCurl({
    method, url: url.href, credentials, headers, body: body === undefined ? undefined : quote(body),
  });
}

function toJavaScript({ operation, method, url, headers, body }) {
  const authorization = {
    token: ['`Bearer ${token}`'],
    password: ['`Basic ${btoa(`${username}:${password}`)}`'],
    none: [],
  }[kindFor(operation)];
  const fields = [
    ...authorization.map((value) => `    'Authorization': ${value},`),
    ...headers.map(([name, value]) => `    ${toWord(name)}: ${toWord(value)},`),
  ];
  const json = parseJson(body);
  const options = [
    ...(method === 'GET' ? [] : [`  method: '${method}',`]),
    ...(fields.length === 0 ? [] : ['  headers: {', ...fields, '  },']),
    ...(body === undefined ? [] : [
      `  body: ${json === undefined ? toWord(body) : `JSON.stringify(${toIndented(json, 2)})`},`,
    ]),
  ];
  const given = options.length === 0 ? '' : `, {\n${options.join('\n')}\n}`;
  const read = isJson(operation) ? 'json' : 'text';
  return `const response = await fetch(${toWord(url.href)}${given});
console.log(response.status, await response.${read}());`;
}

function toPython({ operation, method, url, headers, body }) {
  const kind = kindFor(operation);
  const json = parseJson(body);
  const fields = [
    ...(kind === 'token' ? ["'Authorization': f'Bearer {token}'"] : []),
    ...headers.flatMap(([name, value]) => (
      json !== undefined && name === 'Content-Type' ? [] : [`${toWord(name)}: ${toWord(value)}`]
    )),
  ];
  const lines = [
    `    ${toWord(url.href)},`,
    ...(kind === 'password' ? ['    auth=(username, password),'] : []),
    ...(fields.length === 0 ? [] : [`    headers={${fields.join(', ')}},`]),
    ...(json === undefined ? [] : [`    json=${toLiteral(json, 4)},`]),
    ...(json === undefined && body !== undefined ? [`    data=${toWord(body)}.encode(),`] : []),
  ];
  const call = `response = requests.${method.toLowerCase()}(\n${lines.join('\n')}\n)`;
  const content = isJson(operation) ? 'json()' : 'text';
  return `import requests\n\n${call}\nprint(response.status_code, response.${content})`;
}

/** Whether a successful response is JSON. */
function isJson({ answers }) {
  return answers.some(
    ({ status, content }) => status.startsWith('2') && content.some(
      ({ mediaType }) => /json/.test(mediaType),
    ),
  );
}

function parseJson(text) {
  try {
    return JSON.parse(text);
  } catch {
    return undefined; // the body is absent or not yet complete
  }
}

/** JSON as a literal of Python. */
function toLiteral(json, width) {
  const words = { true: 'True', false: 'False', null: 'None' };
  const pattern = /("(?:[^"\\]|\\.)*")|\b(?:true|false|null)\b/g;
  return toIndented(json, width).replace(pattern, (word, string) => string ?? words[word]);
}

/** A string literal that JavaScript and Python read alike. */
function toWord(text) {
  return /^[^'\\\n]*$/.test(text) ? `'${text}'` : JSON.stringify(text);
}

/** JSON text; all lines after the first get additional indentation. */
function toIndented(json, width) {
  return JSON.stringify(json, undefined, width).replaceAll('\n', `\n${' '.repeat(width)}`);
}
