/** From the texts in the tour to the lines at which they stand; what does not stand there, or not alone, is a fault. */
import { readFileSync } from 'node:fs';
import type { Section, Sentence } from './sentence.ts';
import { readTitles } from './titles.ts';

export interface Place {
  /** As below the top of the project. */
  readonly file: string;
  readonly line: number;
  readonly text: string;
}

interface FoundSentence {
  readonly number: string;
  readonly says: string;
  readonly source: readonly Place[];
  readonly tests: readonly Place[];
}

export interface FoundSection extends Pick<Section, 'number' | 'title'> {
  readonly sentences: readonly FoundSentence[];
}

/** @throws Error that lists everything that was not found. */
export async function findPlaces(sections: readonly Section[]): Promise<readonly FoundSection[]> {
  const faults: string[] = [];
  const found: FoundSection[] = [];
  for (const { number, title, sentences } of sections) {
    const places: FoundSentence[] = [];
    for (const [index, sentence] of sentences.entries()) {
      places.push(await findSentence(sentence, `${number}-${index + 1}`, faults));
    }
    found.push({ number, title, sentences: places });
  }
  if (faults.length > 0) {
    throw new Error(faults.join('\n'));
  }
  return found;
}

async function findSentence(sentence: Sentence, number: string, faults: string[]): Promise<FoundSentence> {
  const source: Place[] = [];
  for (const [name, text] of toPairs(sentence.source)) {
    const file = `src/${name}`;
    const line = findLine(readSource(file), text);
    source.push({ file, text, line: line ?? NaN });
    if (line === undefined) {
      faults.push(`${number}: ${file} does not have this once: ${text}`);
    }
  }
  const tests: Place[] = [];
  for (const [name, text] of toPairs(sentence.tests)) {
    const file = `test/${name}`;
    const line = (await readTitlesOnce(name)).get(text);
    tests.push({ file, text, line: line ?? NaN });
    if (line === undefined) {
      faults.push(`${number}: ${file} does not have one test with this title: ${text}`);
    }
  }
  if (source.length === 0 || tests.length === 0) {
    faults.push(`${number}: there is no source or no test`);
  }
  return { number, says: sentence.says, source, tests };
}

function toPairs(places: Sentence['source']): readonly (readonly [file: string, text: string])[] {
  return Object.entries(places).flatMap(([file, texts]) => [texts].flat().map((text) => [file, text] as const));
}

/** @returns The line, from 1, at which the text begins; `undefined` when it is not there, or more than once. */
function findLine(content: string, text: string): number | undefined {
  const [before = '', ...behind] = content.split(text);
  return behind.length === 1 ? before.split('\n').length : undefined;
}

function readSource(file: string): string {
  return readFileSync(new URL(`../../${file}`, import.meta.url), 'utf8');
}

const titles = new Map<string, ReturnType<typeof readTitles>>();

function readTitlesOnce(name: string): ReturnType<typeof readTitles> {
  const known = titles.get(name) ?? readTitles(name);
  titles.set(name, known);
  return known;
}
