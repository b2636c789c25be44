/**
 * An operation is one value: its path, its access, its parameters and body, its responses, and its handler.
 * The router, the access check, validation, the API document, the reference and the tests of access all read
 * these values.
 *
 * The types tie the parts together. A handler sees only the members that its schemas name. It gets a caller
 * only if the operation requires one, and refuses only with listed problems. Anything else does not compile.
 */
import type { Caller } from '../auth/authenticate.ts';
import type { HttpRequest, Reply } from '../http/message.ts';
import { compileSchema, type Validate } from '../jsonschema/compile.ts';
import type { TypedSchema } from '../jsonschema/typed.ts';
import type { TokenDigest, TokenScope } from '../model/token.ts';
import type { Answers } from './answers.ts';
import { parsePath, parseQuery, type Parameter, type ParametersOf, type QueryOf } from './parameters.ts';
import { isRefusal, refuse, type ProblemName, type Refusal } from './problems.ts';
import type { Services } from './services.ts';

/** The callers: anybody, every user, administrators, or the holder of a secret that belongs to no user. */
export type Access = 'public' | 'authenticated' | 'administrator' | BearerSecret;

export interface BearerSecret {
  readonly digest: TokenDigest;
}

export type Tag = 'Tokens' | 'Users' | 'Projects' | 'Programs' | 'Audit trail' | 'Service';

/** The facts of a request that a handler gets. */
interface Call<Path, QueryValues, Body, CallerOrNone> {
  readonly path: Path;
  readonly query: QueryValues;
  readonly body: Body;
  readonly caller: CallerOrNone;
  readonly request: HttpRequest;
}

/** The names in braces of a path template. */
type NamesIn<Template extends string> =
  Template extends `${string}{${infer Name}}${infer Rest}` ? Name | NamesIn<Rest> : never;

type CallerFor<A extends Access> = A extends 'authenticated' | 'administrator' ? Caller : undefined;

interface Definition<
  Template extends string, Path extends Readonly<Record<NamesIn<Template>, Parameter<unknown>>>,
  QueryMembers extends Readonly<Record<string, Parameter<unknown>>>, Body, Result,
  Refused extends ProblemName, A extends Access,
> {
  readonly method: Method;
  /** The path as in OpenAPI: a name in braces stands for one segment. */
  readonly path: Template;
  readonly parameters?: Path;
  /** The last parameter takes all remaining segments. */
  readonly takesRest?: true;
  readonly access: A;
  /** The scopes whose tokens may call: unless given, `full`, and for GET also `read_only`. */
  readonly scopes?: readonly TokenScope[];
  /** Throttled and busy callers get 403, because nginx turns 429 and 503 of `auth_request` into 500. */
  readonly isForProxies?: true;
  /** For reads of many records: they wait for their turn in a queue. */
  readonly mayTakeLong?: true;
  /** For a POST that only reads. It costs no change of the budget, and a forged request does no harm. */
  readonly isRead?: true;
  /** Revokes tokens or replaces a password. The budget of changes never refuses it: see change-budget.ts. */
  readonly endsAccess?: true;
  readonly tag: Tag;
  /** A few words in the imperative. */
  readonly summary: string;
  /** Text in CommonMark. */
  readonly description: string;
  readonly query?: QueryMembers;
  readonly body?: BodyRule<Body>;
  readonly answers: Answers<Result>;
  /** The problems that the handler may return, besides those that the other members imply. */
  readonly refuses?: readonly Refused[];
  readonly handle: (
    services: Services, call: Call<ParametersOf<Path>, QueryOf<QueryMembers>, Body, CallerFor<A>>,
  ) => Outcome<Result, Refused> | Promise<Outcome<Result, Refused>>;
}

/**
 * The outcome of a handler. Because of `NoInfer`, TypeScript infers results from `answers` and problems from
 * `refuses`, never from the code of the handler.
 */
type Outcome<Result, Refused extends ProblemName> = NoInfer<Result> | Refusal<NoInfer<Refused>>;

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE' | 'OPTIONS';

/** The body of a request. An operation without a rule does not read a body. */
export interface BodyRule<Body> {
  readonly presence: 'required' | 'optional';
  /** `form` is an object of texts as `application/x-www-form-urlencoded`. */
  readonly format: 'json' | 'form';
  /** The name of the schema in the API document. Absent where the document cannot show the body. */
  readonly name?: string;
  readonly schema: TypedSchema<unknown>;
  /** A stricter schema for requests without credentials. */
  readonly anonymousSchema?: TypedSchema<unknown>;
  /** The size limit: as much as the largest legitimate body needs. */
  readonly bytesMax: number;
  /** Takes the members that the schema names out of a valid body. */
  readonly pick: (body: unknown) => Body;
}

/** An operation for the router and the API document: its types are checked and erased. */
export interface Operation {
  readonly method: Method;
  readonly path: string;
  readonly rest: boolean;
  readonly access: Access;
  readonly scopes: readonly TokenScope[];
  readonly isForProxies: boolean;
  readonly mayTakeLong: boolean;
  readonly isRead: boolean;
  readonly endsAccess: boolean;
  readonly tag: Tag;
  readonly summary: string;
  readonly description: string;
  readonly pathParameters: Readonly<Record<string, Parameter<unknown>>>;
  readonly queryParameters: Readonly<Record<string, Parameter<unknown>>>;
  readonly body: {
    readonly rule: BodyRule<unknown>;
    readonly validate: Validate;
    /** For requests without credentials, if they have a schema of their own. */
    readonly validateAnonymous: Validate | undefined;
  } | undefined;
  readonly answers: Answers<never>;
  readonly refuses: readonly ProblemName[];
  /**
   * @param body - A value that the schema has accepted, `undefined` without a body.
   * @param caller - Present unless the access is `public` or a bearer secret.
   */
  readonly run: (
    services: Services, request: HttpRequest, body: unknown, caller: Caller | undefined,
  ) => Promise<Reply | Refusal>;
}

/** Operations by their ids. */
export type Operations = Readonly<Record<string, Operation>>;

export function operation<
  const Template extends string, const Path extends Readonly<Record<NamesIn<Template>, Parameter<unknown>>>,
  const QueryMembers extends Readonly<Record<string, Parameter<unknown>>>, Body, Result,
  const Refused extends ProblemName, const A extends Access,
>(definition: Definition<Template, Path, QueryMembers, Body, Result, Refused, A>): Operation {
  const {
    method, path, access, tag, summary, description, body, answers, refuses = [], handle,
  } = definition;
  const pathParameters = definition.parameters ?? ({} as Path); // a template without names needs none
  const queryParameters = definition.query ?? ({} as QueryMembers); // a query may have no members
  return {
    method, path, access, tag, summary, description, pathParameters, queryParameters, refuses,
    scopes: definition.scopes ?? (method === 'GET' ? ['full', 'read_only'] : ['full']),
    isForProxies: definition.isForProxies ?? false,
    rest: definition.takesRest ?? false,
    mayTakeLong: definition.mayTakeLong ?? false,
    isRead: definition.isRead ?? method === 'GET',
    endsAccess: definition.endsAccess ?? false,
    body: body && {
      rule: body,
      validate: compileSchema(body.schema.json),
      validateAnonymous: body.anonymousSchema && compileSchema(body.anonymousSchema.json),
    },
    answers: answers as Answers<never>, // only `run` calls it, with results of this handler
    async run(services, request, value, caller) {
      const query = parseQuery(queryParameters, request.query);
      if ('faults' in query) {
        return refuse('invalidParameter', query.faults);
      }
      const outcome = await handle(services, {
        path: parsePath(pathParameters, request.pathParameters),
        query: query.values,
        body: body?.pick(value) as Body, // without a rule, `Body` is `undefined`
        caller: caller as CallerFor<A>, // checked before against the same `access`
        request,
      });
      return isRefusal(outcome) ? outcome : answers.reply(outcome as Result, request);
    },
  };
}
