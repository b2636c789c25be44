/**
 * An operation is one value: its path, access, parameters, body, replies and handler. The router, the access
 * check and the API document read the same value.
 *
 * A handler sees only the members that its schemas name. A handler gets a caller only if the operation
 * requires one, and refuses only with listed problems. Anything else does not compile. The texts about an
 * operation are in extras/documents/texts.ts.
 */
import type { Caller } from '../auth/authenticate.ts';
import type { HttpRequest, Reply } from '../http/message.ts';
import type { Members } from '../jsonschema/typed.ts';
import type { Origin } from '../model/audit.ts';
import type { TokenScope } from '../model/token.ts';
import type { BodyRule } from './body.ts';
import { originOf } from './changes.ts';
import { compileQuery, type QueryOf } from './parameters.ts';
import type { ProblemName } from './problems.ts';
import { isRefusal, type Refusal } from './refusal.ts';
import type { Replies } from './replies.ts';
import type { Services } from './services.ts';

/** `secret` is a bearer token that belongs to no user; the handler checks that token. */
type Access = 'public' | 'secret' | 'authenticated' | 'administrator';

type CallerFor<A extends Access> = A extends 'authenticated' | 'administrator' ? Caller : undefined;

/** The names in braces of a path template. */
type NamesIn<Template extends string> =
  Template extends `${string}{${infer Name}}${infer Rest}` ? Name | NamesIn<Rest> : never;

interface Definition<
  Template extends string, Query extends Members, Body, Result, Refused extends ProblemName, A extends Access,
> {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE' | 'OPTIONS';
  /** A name in braces stands for one segment. */
  readonly path: Template;
  /** The last parameter of the path stands for all remaining segments. */
  readonly rest?: true;
  readonly query?: Query;
  /** Without a rule, the body is not read. */
  readonly body?: BodyRule<Body>;
  readonly access: A;
  /** The scopes whose tokens may call. The default is `full`, and for GET `read_only` too. */
  readonly scopes?: readonly TokenScope[];
  /** Tokens for certain programs may call, with any scope. The handler decides what they may do. */
  readonly acceptsAudience?: true;
  /** For large reads, which wait for their turn in a queue. */
  readonly mayTakeLong?: true;
  /**
   * Calls take nothing from the budget of changes, and are not checked for forgery. For a POST that only
   * reads, and for calls that end access: a thief cannot keep access by spending the budget.
   */
  readonly isUncounted?: true;
  readonly replies: Replies<Result>;
  /** Every problem that the handler returns, in any order, and problems that no other member implies. */
  readonly refuses?: readonly Refused[];
  /** `NoInfer`: `replies` and `refuses` alone give the types of results and problems. */
  readonly handle: (services: Services, call: {
    readonly path: { readonly [Name in NamesIn<Template>]: string };
    readonly query: QueryOf<Query>;
    readonly body: Body;
    readonly caller: CallerFor<A>;
    readonly origin: () => Origin;
    readonly request: HttpRequest;
  }) => Awaitable<NoInfer<Result> | Refusal<NoInfer<Refused>>>;
}

type Awaitable<Value> = Value | Promise<Value>;

/** An operation whose types have been checked, and are erased. */
export interface Operation extends Omit<
  Definition<string, Members, unknown, never, ProblemName, Access>, 'handle' | 'isUncounted'
> {
  readonly query: Members;
  readonly scopes: readonly TokenScope[];
  /** Counts against the budget of changes. */
  readonly isChange: boolean;
  readonly refuses: readonly ProblemName[];
  /** @param body - As the rule of the operation has read it. */
  readonly run: (
    services: Services, request: HttpRequest, body: unknown, caller: Caller | undefined,
  ) => Promise<Reply | Refusal>;
}

export type Operations = Readonly<Record<string, Operation>>;

export function operation<
  const Template extends string, const Refused extends ProblemName, const A extends Access, Result,
  Query extends Members = {}, Body = undefined,
>({
  method, isUncounted, handle, replies, query, ...others
}: Definition<Template, Query, Body, Result, Refused, A>): Operation {
  const parseQuery = query && compileQuery(query);
  return {
    refuses: [],
    scopes: method === 'GET' ? ['full', 'read_only'] : ['full'],
    ...others,
    method,
    query: query ?? {},
    isChange: method !== 'GET' && isUncounted !== true,
    replies: replies as Replies<never>, // only `run` calls it, with results of this handler
    async run(services, request, body, caller) {
      const values = parseQuery?.(request.query);
      if (isRefusal(values)) {
        return values;
      }
      const outcome = await handle(services, {
        path: request.pathParameters as { readonly [Name in NamesIn<Template>]: string }, // it has matched
        query: values as QueryOf<Query>, // absent only if the operation has no parameters
        body: body as Body, // read by the rule of this body
        caller: caller as CallerFor<A>, // checked before against the same `access`
        origin: () => originOf(services, request, caller),
        request,
      });
      return isRefusal(outcome) ? outcome : replies.reply(outcome as Result, request);
    },
  };
}
