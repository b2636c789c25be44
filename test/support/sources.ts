/** Finds lines of the source, for pages that quote these lines. */
import { readFolder } from './project.ts';

export type Files = Readonly<Record<string, string>>;

export interface Excerpt {
  /** The excerpt begins at the line that contains this text. The text occurs only once in `src/`. */
  readonly from: string;
  /**
   * The excerpt ends at the first line that contains `to`. If `to` has at most three characters, the
   * last line of the excerpt must equal `to`. Without `to`, the excerpt has one line.
   */
  readonly to?: string | undefined;
}

const EXCERPT_LINES_MAX = 45;

export function readFiles(folder: string): Files {
  return Object.fromEntries(readFolder(folder).map(({ file, text }) => [file, text]));
}

/** @throws Error if `from` does not occur exactly once, or if the excerpt has more than 45 lines. */
export function findLines({ from, to = from }: Excerpt, sources: Files) {
  const [file = '', ...others] = Object.keys(sources).filter((name) => sources[name]?.includes(from));
  if (others.length > 0) {
    throw new Error(`Expected "${from}" in one file, found it in ${file} and ${others.join(', ')}`);
  }
  const text = sources[file] ?? '';
  const [before] = splitAt(text, from, file === '' ? 'src/' : file);
  const first = text.slice(0, before.length + from.search(/\S/)).split('\n').length;
  const lines = text.split('\n').slice(first - 1, first - 1 + EXCERPT_LINES_MAX);
  const count = lines.findIndex((line) => line === to || (to.trim().length > 3 && line.includes(to))) + 1;
  if (count === 0) {
    throw new Error(`${file}:${first}: expected "${to}" within ${EXCERPT_LINES_MAX} lines`);
  }
  return { file, first, lines: lines.slice(0, count) };
}

/** @returns The text before and after `part`. @throws Error unless `part` occurs exactly once in `text`. */
export function splitAt(text: string, part: string, file: string): readonly [before: string, after: string] {
  const [before = '', after, ...more] = text.split(part);
  if (after === undefined || more.length > 0) {
    throw new Error(`Expected "${part}" once in ${file}`);
  }
  return [before, after];
}

export function urlOf(file: string, line: number): string {
  return `../../${file}#L${line}`;
}

/** @throws Error that lists the errors of all failed calls. */
export function mapAll<Value, Result>(
  values: readonly Value[], make: (value: Value, index: number) => Result,
): readonly Result[] {
  const mistakes: string[] = [];
  const results = values.flatMap((value, index) => {
    try {
      return [make(value, index)];
    } catch (error) {
      mistakes.push(error instanceof Error ? error.message : String(error));
      return [];
    }
  });
  if (mistakes.length > 0) {
    throw new Error(mistakes.join('\n'));
  }
  return results;
}
