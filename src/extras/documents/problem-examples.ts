/** An example of each problem, for the API document. */
import { refuse, type FactsOf, type ProblemName, type Refusal } from '../../api/problems.ts';

/** The compiler demands the facts that the detail of a problem mentions. */
const FACTS: {
  readonly [Name in ProblemName as FactsOf<Name> extends readonly [] ? never : Name]: FactsOf<Name>;
} = {
  malformedRequest: ['the target is not a path in percent-encoded UTF-8'],
  malformedBody: ['it is not well-formed JSON'],
  invalidBody: [[{ pointer: '/email', keyword: 'format', message: 'must be an email address' }]],
  invalidParameter: [[{ parameter: 'items_per_page', keyword: 'minimum', message: 'must be at least 1' }]],
  unknownOwner: ['grace'],
  scopeTooNarrow: ['read_only'],
  signInPostponed: [240],
  methodNotAllowed: [['GET', 'POST', 'HEAD', 'OPTIONS']],
  bodyTooLarge: [8_192],
  targetTooLong: [12_288],
  rangeNotSatisfiable: [2_048],
  usernameTaken: ['ada'],
  projectNameTaken: ['notes'],
  tooManyAttempts: [240],
  tooManyChanges: [1],
  busy: [6],
  databaseUnavailable: [false],
  notReady: [['database']],
};

export function exampleOf(name: ProblemName): Refusal {
  const facts: { readonly [Each in ProblemName]?: readonly unknown[] } = FACTS;
  const describe: (name: ProblemName, ...facts: never) => Refusal = refuse;
  return describe(name, ...((facts[name] ?? []) as never));
}
