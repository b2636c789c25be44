/** Samples in three languages, with variables in place of secrets. */
import { BASIC, BEARER, quote, toCurl } from '../shared/curl.js';
import { kindFor } from './credentials.js';

/** @type {Readonly<Record<string, (request: any) => string>>} */
export const SAMPLES = { 'curl': toCurlLine, 'JavaScript': toJavaScript, 'Python': toPython };

function toCurlLine({ operation, method, url, headers, body }) {
  const credentials = { token: BEARER, password: BASIC, none: undefined }[kindFor(operation)];
  return toCurl({
    method, url: url.href, credentials, headers, body: body === undefined ? undefined : quote(body),
  });
}

function toJavaScript({ operation, method, url, headers, body }) {
  const authorization = {
    token: '`Bearer ${token}`', password: '`Basic ${btoa(`${username}:${password}`)}`', none: undefined,
  }[kindFor(operation)];
  const fields = [
    authorization && `    'Authorization': ${authorization},`,
    ...headers.map(([name, value]) => `    ${toWord(name)}: ${toWord(value)},`),
  ].filter(Boolean);
  const json = parseJson(body);
  const content = json === undefined ? toWord(body ?? '') : `JSON.stringify(${toIndented(json, 2)})`;
  const options = [
    method !== 'GET' && `  method: '${method}',`,
    fields.length > 0 && `  headers: {\n${fields.join('\n')}\n  },`,
    body !== undefined && `  body: ${content},`,
  ].filter(Boolean);
  const given = options.length === 0 ? '' : `, {\n${options.join('\n')}\n}`;
  return `const response = await fetch(${toWord(url.href)}${given});
console.log(response.status, await response.text());`;
}

function toPython({ operation, method, url, headers, body }) {
  const kind = kindFor(operation);
  const fields = [
    kind === 'token' && "'Authorization': f'Bearer {token}'",
    ...headers.map(([name, value]) => `${toWord(name)}: ${toWord(value)}`),
  ].filter(Boolean);
  const json = parseJson(body);
  const parts = [
    `    ${toWord(url.href)},`,
    kind === 'password' && '    auth=(username, password),',
    fields.length > 0 && `    headers={${fields.join(', ')}},`,
    json !== undefined && `    json=${toPythonLiteral(json)},`,
    json === undefined && body !== undefined && `    data=${toWord(body)}.encode(),`,
  ].filter(Boolean);
  return `import requests

response = requests.${method.toLowerCase()}(
${parts.join('\n')}
)
print(response.status_code, response.text)`;
}

export function parseJson(text) {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** All lines except for the first line get one more level of indentation. */
function toIndented(json, width) {
  return JSON.stringify(json, undefined, width).replaceAll('\n', `\n${' '.repeat(width)}`);
}

function toPythonLiteral(json) {
  const words = { true: 'True', false: 'False', null: 'None' };
  const pattern = /("(?:[^"\\]|\\.)*")|\b[a-z]+\b/g;
  return toIndented(json, 4).replace(pattern, (word, string) => string ?? words[word]);
}

/** A string literal that is valid in JavaScript and in Python. */
function toWord(text) {
  return /^[^'\\\n]*$/.test(text) ? `'${text}'` : JSON.stringify(text);
}
