/** Creates random requests: valid requests with changes in their bytes, lines, numbers and JSON. */

type Random = ReturnType<typeof createRandom>;

/** Mulberry32 is small, fast, and random enough for tests. The numbers are repeatable. */
export function createRandom(seed: number) {
  let state = seed >>> 0;
  function below(limit: number): number {
    state = (state + 0x6d2b79f5) >>> 0;
    let bits = Math.imul(state ^ (state >>> 15), state | 1);
    bits ^= bits + Math.imul(bits ^ (bits >>> 7), bits | 61);
    return Math.floor((((bits ^ (bits >>> 14)) >>> 0) / 4_294_967_296) * limit);
  }
  return {
    below,
    pick<Value>(values: readonly Value[]): Value {
      return values[below(values.length)] as Value;
    },
  };
}

/** Some random requests revoke the token `spare`. */
type Credentials = Readonly<Record<'token' | 'spare' | 'password', string>>;
type Mutation = (bytes: Buffer, random: Random) => Buffer;

const MUTATIONS_MAX = 4;
const RUN_MAX = 64;

const TREASURES = [
  '\r\n', '\r\n\r\n', '\n', '\r', ' ', '\t', '\0', ':', ';', ',', '"', '\\', '//', '/*', '?', '#', '&', '=',
  '%', '%00', '%2e%2e%2f', '%ff', '%c0%ae', '../', '..%2f',
  '0', '-1', '+1', '1e9', '0x10', '2147483648', '9007199254740993', '9223372036854775808',
  '18446744073709551616', '1'.repeat(400), 'NaN', 'Infinity', '٣',
  '{', '}', '[', ']', '[[[[[[[[', '{"a":'.repeat(80), 'null', 'true', '__proto__', 'constructor', 'toString',
  '\\ud800', '\\u0000', '\ud83d', '\u202e', 'é', 'e\u0301'.repeat(40), 'İ',
  'chunked', 'identity', 'gzip, br;q=0', 'bytes=0-0,1-1', 'bytes=-', 'W/"', '*', '100-continue', 'close',
  'upgrade', 'h2c', 'HTTP/1.0', 'HTTP/9.9', 'HTTP/2.0',
  'Transfer-Encoding: chunked\r\n', 'Content-Length: 5\r\n', 'Content-Length: -5\r\n', 'Host: a\r\n',
  'Host:\r\n', 'Authorization: Basic ////\r\n', 'Authorization: Bearer\r\n', 'Expect: 100-continue\r\n',
  '__proto__: x\r\n', 'Connection: upgrade\r\nUpgrade: websocket\r\n', 'If-Match: *\r\n',
  'If-None-Match: W/\r\n', 'Range: bytes=5-1\r\n', 'X-Forwarded-For: ::1\r\n', 'Origin: null\r\n',
  'Accept-Encoding: br;q=1.0001\r\n', `X-Long: ${'x'.repeat(20_000)}\r\n`, 'X-Many: y\r\n'.repeat(300),
  "' OR 1=1 --", '%\' ESCAPE', 'sort=-', 'page=0', 'items_per_page=1001', 'since=9999-99-99',
  'expiration=31536001',
].map((text) => Buffer.from(text));

const MUTATIONS: readonly Mutation[] = [
  (bytes, random) => splice(bytes, random.below(bytes.length), 1, Buffer.of(random.below(256))),
  (bytes, random) => splice(bytes, random.below(bytes.length), 0, random.pick(TREASURES)),
  (bytes, random) => splice(bytes, random.below(bytes.length), random.below(RUN_MAX), random.pick(TREASURES)),
  (bytes, random) => splice(bytes, random.below(bytes.length), random.below(RUN_MAX), Buffer.alloc(0)),
  (bytes, random) => bytes.subarray(0, random.below(bytes.length)),
  repeatRun,
  replaceNumber,
  swapLines,
];

/** Half of the requests stay valid HTTP, so that changed targets and bodies reach the API. */
export function createRequest(random: Random, credentials: Credentials): Buffer {
  const change = (bytes: Buffer) => mutate(bytes, random);
  const template = pickTemplate(random, credentials);
  return random.below(2) === 0
    ? change(toBytes(template, random, (bytes) => bytes))
    : toBytes(template, random, change);
}

function mutate(bytes: Buffer, random: Random): Buffer {
  let mutated = bytes;
  for (let rest = random.below(MUTATIONS_MAX + 1); rest > 0 && mutated.length > 0; rest -= 1) {
    mutated = random.pick(MUTATIONS)(mutated, random);
  }
  return mutated;
}

type Template = readonly [line: string, body?: object | undefined, authorization?: string];

function pickTemplate(random: Random, { token, spare, password }: Credentials): Template {
  const name = `m${random.below(1_000)}`;
  const [line, body, authorization = `Bearer ${token}`] = random.pick<Template>([
    ['GET /'], ['OPTIONS /api/v1/users'], ['OPTIONS *'], ['GET /livez'], ['GET /readyz'], ['GET /metrics'],
    ['HEAD /index'], ['GET /static/index.html'], ['GET /static/css/site.css?v=1'],
    ['GET /static/../package.json'], ['GET /api/v1/user'],
    ['GET /api/v1/user', undefined, `Basic ${Buffer.from(`${token}:`).toString('base64')}`],
    ['GET /api/v1/users?contains=a&page=1&items_per_page=10&sort=-username'],
    ['GET /api/v1/users?starts_with=a&ends_with=z'],
    ['GET /api/v1/users/root'], ['GET /api/v1/users/1'], [`GET /api/v1/users/${name}`],
    ['PATCH /api/v1/users/2', { email: `${name}@example.org` }],
    ['PATCH /api/v1/users/2', { is_admin: false, disabled: false }],
    ['GET /api/v1/projects?owner=root&sort=name'], ['GET /api/v1/projects', { owner: 'root' }],
    [`GET /api/v1/projects/${name}`],
    ['POST /api/v1/projects', { name, description: 'a description', owner: 'root' }],
    ['POST /api/v1/projects', { name }],
    [`PATCH /api/v1/projects/${name}`, { description: name, owner: 'other' }],
    [`DELETE /api/v1/projects/${name}`],
    ['POST /api/v1/token?expiration=60'],
    ['DELETE /api/v1/token?username=nobody', undefined, `Bearer ${spare}`],
    ['GET /api/v1/tokens?page=1'], ['POST /api/v1/tokens', { name, expiration: 60, scope: 'read_only' }],
    ['GET /api/v1/tokens/1'], ['DELETE /api/v1/tokens/3', undefined, `Bearer ${spare}`],
    ['GET /api/v1/audit_events?action=user.create&username=root&since=2026-01-01T00:00:00.000Z'],
    ['DELETE /api/v1/users/nobody?owned_projects=transfer&new_owner=root'],
    ...(random.below(20) === 0 // rare, because the service hashes a password for each of these requests
      ? [['POST /api/v1/users', { username: name, password: 'a long phrase', email: 'a@example.org' }, ''],
        ['POST /api/v1/token', undefined, password]] as const
      : []),
  ]);
  return [line, body, authorization];
}

/** @param change - Changes the raw target and the raw body. `Content-Length` fits the changed body. */
function toBytes(
  [line, body, authorization]: Template, random: Random, change: (bytes: Buffer) => Buffer,
): Buffer {
  const [method, target = ''] = line.split(' ');
  const encoded = encodeTarget(change(Buffer.from(target)));
  const content = body === undefined ? Buffer.alloc(0) : change(Buffer.from(JSON.stringify(body)));
  const isChunked = content.length > 0 && random.below(4) === 0;
  const fields = [
    'Host: 127.0.0.1', authorization && `Authorization: ${authorization}`,
    content.length > 0 && 'Content-Type: application/json',
    isChunked ? 'Transfer-Encoding: chunked' : content.length > 0 && `Content-Length: ${content.length}`,
    random.below(4) === 0 && 'If-None-Match: "x"\r\nRange: bytes=0-9\r\nAccept-Encoding: br, gzip',
  ].filter(Boolean);
  const head = `${method} ${encoded} HTTP/1.1\r\n${fields.join('\r\n')}\r\n\r\n`;
  return Buffer.concat(isChunked
    ? [Buffer.from(`${head}${content.length.toString(16)};a=b\r\n`), content, Buffer.from('\r\n0\r\n\r\n')]
    : [Buffer.from(head), content]);
}

/** Percent-encodes every character that would end the target in the request line. */
function encodeTarget(bytes: Buffer): string {
  return bytes.toString('latin1').replace(
    /[^!-~]/g, (character) => `%${Buffer.from(character, 'latin1').toString('hex')}`,
  );
}

function splice(bytes: Buffer, at: number, removed: number, inserted: Buffer): Buffer {
  return Buffer.concat([bytes.subarray(0, at), inserted, bytes.subarray(at + removed)]);
}

function repeatRun(bytes: Buffer, random: Random): Buffer {
  const at = random.below(bytes.length);
  const run = bytes.subarray(at, at + 1 + random.below(RUN_MAX));
  return splice(bytes, at, 0, Buffer.concat(Array<Buffer>(1 + random.below(RUN_MAX)).fill(run)));
}

function replaceNumber(bytes: Buffer, random: Random): Buffer {
  const numbers = [...bytes.toString('latin1').matchAll(/\d+/g)];
  const number = numbers[random.below(numbers.length)];
  return number === undefined ? bytes : splice(bytes, number.index, number[0].length, random.pick(TREASURES));
}

function swapLines(bytes: Buffer, random: Random): Buffer {
  const lines = bytes.toString('latin1').split('\r\n');
  const [left, right] = [random.below(lines.length), random.below(lines.length)];
  [lines[left], lines[right]] = [lines[right] ?? '', lines[left] ?? ''];
  return Buffer.from(lines.join('\r\n'), 'latin1');
}
