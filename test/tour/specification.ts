/** Takes a specification apart into sentences, by the rules that the page of the tour states, to lay it beside the tour. */

/** @param text - In Markdown. @returns The sentences, by number: `4.3-2`. */
export function splitSpecification(text: string): ReadonlyMap<string, string> {
  const sentences = new Map<string, string>();
  let levels = [0, 0];
  let count = 0;
  for (const block of toBlocks(text)) {
    const [, marks = ''] = /^(#{1,3}) /.exec(block) ?? [];
    if (marks.length > 1) {
      const [first = 0, second = 0] = levels;
      levels = marks.length === 2 ? [first + 1, 0] : [first, second + 1];
      count = 0;
    } else if (marks === '') {
      for (const sentence of toSentences(block)) {
        count += 1;
        sentences.set(`${levels.filter((level, index) => index === 0 || level > 0).join('.')}-${count}`, sentence);
      }
    }
  }
  return sentences;
}

/** Headings, paragraphs, items of lists, and rows of tables without their heads. */
function toBlocks(text: string): readonly string[] {
  const apart = text.replace(/^\|.*\n\|[-| ]+\|$/gm, '').replace(/^#.*$/gm, '$&\n');
  return apart.split(/\n\s*\n|\n(?=\s*(?:[-|#]|\d+\. ))/).map((block) => block.replace(/\s+/g, ' ').trim()).filter((block) => block !== '');
}

function toSentences(block: string): readonly string[] {
  if (block.startsWith('|')) {
    return [block];
  }
  const isAnnouncement = block.endsWith(':');
  return isAnnouncement ? [] : block.replace(/^(?:-|\d+\.) /, '').split(/(?<=\.) (?=[A-Z0-9`])/);
}
