export const HOSTILE_TEXTS = [
  ['line ends', 'a\r\n{"level":"error","message":"forged"}\n'],
  ['quotes and backslashes', 'a","level":"error\\"'],
  ['control characters', '\0\x07\b\t\v\f\x1b[2J\x1b]0;title\x07'],
  ['delete and the second set of control characters', '\x7f\x80\x85\x9b31m\x9f'],
  ['the line ends of Unicode', '\u2028\u2029'],
  ['a right-to-left override', 'a\u202eb'],
  ['half of a surrogate pair', '\ud800'],
  ['letters beyond ASCII', 'Zoë 日本 🗝'],
  ['a space and another field', 'x status=500'],
  ['nothing', ''],
] as const;

export const ONE_LINE = /^[^\x00-\x1f\x7f-\x9f\u2028-\u202e]*\n$/;
