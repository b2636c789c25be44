/**
 * The people of a filled database and their projects, each a pure function of its index. So a population can
 * be made again, and searched here to know what the service must find.
 *
 *   username   <given name>.<syllable><syllable><ending>     maria.kolason planted
 *   lindara.<syllable>kiramoson                   twenty people, evenly spread over any population project
 *   <adjective>-<noun>-<index>                    amber-harbour-1042
 *
 * Names and letters repeat as they do among people, some more often than others; a permutation of the indexes
 * spreads them, so neighbours have nothing in common. The planted names exist to be searched for. Nobody else
 * shares their long parts, but any three letters of these parts are common. Every second user owns 1 to 3
 * projects.
 */

interface Person {
  readonly username: string;
  readonly email: string;
  readonly projectCount: number;
}

const GIVEN_NAMES = words(`
  ada aisha alan amara amir anders andrea anna antonio barbara bela carlos carmen chen clara daniel diego
  dmitri edith elena emil emma erik fatima felix frances george grace greta hana hassan helen henrik ines
  irene isaac ivan james jane joan jonas jorge julia kamal karin kenji lars laura leila linda luca marcus
  maria marta martin mei miguel mona nadia niels nina noor olga omar oscar paula pedro priya rania robert
  rosa ruth samir sara sofia stefan tariq tomas ursula vera victor yara yusuf zoe`);
const SYLLABLES = words(`
  ba be bo bu da de di do du fa fi ga ge go ha he hi ho ja jo ju ka ke ki ko ku la le li lo lu ma me mi mo
  mu na ne ni no pa pe pi po ra re ri ro ru sa se si so su ta te ti to tu va ve vi za`);
const ENDINGS = words(`
  son sen berg mann stein ski ova escu ides poulos wala ton field wood ford well man ley ier eau ard elli
  ini etti ado ez moto yama shvili yan`);
const ADJECTIVES = words(`
  amber brisk calm deep early fair gentle hollow inner keen late mild north open plain quiet round soft tall
  warm`);
const NOUNS = words(`
  anchor bridge candle delta engine forest garden harbour island journal kettle lantern meadow needle
  orchard`);

const PLANTED_COUNT = 20;

/** The number of different usernames, without the planted ones. */
const USERNAME_COUNT = GIVEN_NAMES.length * SYLLABLES.length * SYLLABLES.length * ENDINGS.length;

/** A prime. Multiplying an index by it, modulo `USERNAME_COUNT`, permutes the usernames. */
const SPREAD = 7_368_787;

/**
 * Searches over the filled users. The first four find the twenty planted users in a population of any size,
 * so that their costs can be compared. The other searches find a share of all users.
 */
const SEARCHES = {
  'contains': { query: 'contains=iramoso', pattern: /iramoso/ },
  'starts-with': { query: 'starts_with=lindara', pattern: /^lindara/ },
  'ends-with': { query: 'ends_with=kiramoson', pattern: /kiramoson$/ },
  'prefix-and-suffix': { query: 'starts_with=lindar&ends_with=moson', pattern: /^lindar.*moson$/ },
  'contains-common': { query: 'contains=mar', pattern: /mar/ },
  'contains-short': { query: 'contains=an', pattern: /an/ },
};

export type SearchName = keyof typeof SEARCHES;

/** @param index - The index of the person, from 0 to below `userCount`, the size of the population. */
export function toPerson(index: number, userCount: number): Person {
  const username = toUsername(index, userCount);
  const projectCount = index % 2 === 0 ? 0 : 1 + (((index * SPREAD) >>> 8) % 3);
  return { username, email: `${username}@example.org`, projectCount };
}

export function toUsername(index: number, userCount: number): string {
  const spacing = Math.floor(userCount / PLANTED_COUNT);
  const ordinal = Math.floor(index / spacing);
  const middle = ordinal * spacing + Math.floor(spacing / 2);
  const planted = middle + ((middle + ordinal) % 2); // every second planted user owns projects
  if (ordinal < PLANTED_COUNT && index === planted) {
    return `lindara.${SYLLABLES[ordinal]}kiramoson`;
  }
  let rest = (index * SPREAD) % USERNAME_COUNT;
  const [given, first, second, ending] = [GIVEN_NAMES, SYLLABLES, SYLLABLES, ENDINGS].map((parts) => {
    const part = parts[rest % parts.length];
    rest = Math.floor(rest / parts.length);
    return part;
  });
  return `${given}.${first}${second}${ending}`;
}

/** @param index - The index of the project among all projects. */
export function toProject(index: number): { readonly name: string; readonly description: string } {
  const [adjective, noun] = [ADJECTIVES, NOUNS].map((list) => list[index % list.length]);
  return { name: `${adjective}-${noun}-${index}`, description: 'A small matter, well described' };
}

/** @returns The query of a search, such as `contains=mar`, and how many users of the population match. */
export function toSearch(name: SearchName, usernames: readonly string[]) {
  const { query, pattern } = SEARCHES[name];
  return { query, matchCount: usernames.filter((username) => pattern.test(username)).length };
}

function words(text: string): readonly string[] {
  return text.trim().split(/\s+/);
}
