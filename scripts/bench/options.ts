/** The command line of the benchmark. */
import { parseArgs } from 'node:util';
import { SCALE_WORKLOAD_NAMES, WORKLOAD_NAMES, type WorkloadName } from './workloads.ts';

export interface Options {
  /** The number of users in the largest database, if there are several. */
  readonly userCount: number;
  readonly isScale: boolean;
  readonly workloadNames: readonly WorkloadName[];
  readonly seconds: number;
  readonly roundCount: number;
  readonly connectionCount: number;
  /** The file that keeps the filled database for the next run. */
  readonly databaseFile: string | undefined;
  readonly jsonFile: string | undefined;
  readonly settings: Readonly<Record<string, string>>;
  readonly isPinned: boolean;
}

type OptionsOutcome =
  | { readonly kind: 'run'; readonly options: Options }
  | { readonly kind: 'help' }
  | { readonly kind: 'wrong'; readonly mistake: string };

/**
 * The bounds of each option. The workloads need a thousand users for a full page. At most 5 million users,
 * because there are only slightly more different names.
 */
const BOUNDS = {
  users: { min: 1_000, max: 5_000_000 },
  seconds: { min: 0.1, max: 60 },
  rounds: { min: 1, max: 100 },
  connections: { min: 1, max: 1_000 },
};

export const HELP = `Usage: npm run bench -- [OPTION…]

Measures the built service, on a new database full of users and projects, next to a bare node:http server that
answers the same bytes. Both get the same load in turns; figures are medians over the rounds. Needs Linux.

  --users N          fill with N users, 1000 or more; half of them own 1 to 3 projects [100000]
  --workload NAMES   measure only these, names separated by commas [all, see below]
  --seconds S        length of a round, after a warm-up [1]
  --rounds R         rounds for each workload and server [5]
  --connections C    requests in flight at any time [16; with --scale 1]
  --scale            measure the growth from 1000 users to 1000000 (or --users), one request at a time,
                     service only
  --database FILE    keep the filled database there and use it again; each run works on a copy
  --json FILE        write all results there
  --set NAME=VALUE   a setting for the service, as in its environment; may be repeated
  --unpinned         let servers and load use all cores, for settings that start several processes
  --help             show this

Workloads: ${WORKLOAD_NAMES.join(' ')}

Exit codes: 0 measured, 1 failed, 64 wrong arguments.
`;

export function parseOptions(programArguments: readonly string[]): OptionsOutcome {
  const text = { type: 'string' } as const;
  const flag = { type: 'boolean', default: false } as const;
  try {
    const { values } = parseArgs({
      args: [...programArguments],
      options: {
        users: text,
        workload: text,
        seconds: { ...text, default: '1' },
        rounds: { ...text, default: '5' },
        connections: text,
        scale: flag,
        database: text,
        json: text,
        set: { type: 'string', multiple: true, default: [] },
        unpinned: flag,
        help: flag,
      },
    });
    if (values.help) {
      return { kind: 'help' };
    }
    const { scale, users = scale ? '1000000' : '100000', connections = scale ? '1' : '16' } = values;
    const allNames = scale ? SCALE_WORKLOAD_NAMES : WORKLOAD_NAMES;
    const options: Options = {
      userCount: toNumber('users', users),
      isScale: scale,
      workloadNames: values.workload?.split(',').map(toWorkloadName) ?? allNames,
      seconds: toNumber('seconds', values.seconds),
      roundCount: toNumber('rounds', values.rounds),
      connectionCount: toNumber('connections', connections),
      databaseFile: values.database,
      jsonFile: values.json,
      settings: Object.fromEntries(values.set.map(toSetting)),
      isPinned: !values.unpinned,
    };
    return { kind: 'run', options };
  } catch (error) {
    return { kind: 'wrong', mistake: error instanceof Error ? error.message : String(error) };
  }
}

/** Parses a number within its bounds. Only `seconds` may have decimals. */
function toNumber(name: keyof typeof BOUNDS, text: string): number {
  const { min, max } = BOUNDS[name];
  const value = /^\d+(\.\d+)?$/.test(text) ? Number(text) : NaN;
  const isRightKind = name === 'seconds' || Number.isInteger(value);
  if (!isRightKind || value < min || value > max) {
    throw new Error(`Cannot read --${name} "${text}": expected a number from ${min} to ${max}`);
  }
  return value;
}

function toWorkloadName(text: string): WorkloadName {
  const name = WORKLOAD_NAMES.find((known) => known === text);
  if (name === undefined) {
    throw new Error(`Cannot read --workload "${text}": expected some of ${WORKLOAD_NAMES.join(', ')}`);
  }
  return name;
}

function toSetting(text: string): [name: string, value: string] {
  const [, name, value] = /^([A-Z_]+)=(.*)$/s.exec(text) ?? [];
  if (name === undefined || value === undefined) {
    throw new Error(`Cannot read --set "${text}": expected NAME=VALUE`);
  }
  return [name, value];
}
