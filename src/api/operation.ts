/**
 * An operation is one value. Three parts use this value: the router, the function `follow` (app.ts), and the
 * API document. An operation declares its parameters, its body, its access and its problems. The type checker
 * refuses a handler that uses anything undeclared. The file extras/documents/texts.ts describes operations.
 */
import type { Caller } from '../auth/authenticate.ts';
import type { HttpRequest, Reply } from '../http/message.ts';
import type { Members } from '../jsonschema/schema.ts';
import type { Origin } from '../model/audit.ts';
import { toTimestamp } from '../model/clock.ts';
import type { TokenScope } from '../model/token.ts';
import type { BodyRule } from './body.ts';
import { compileQuery, type QueryOf } from './parameters.ts';
import { isRefusal, type ProblemName, type Refusal } from './problems.ts';
import type { Replies } from './replies.ts';
import type { Services } from './services.ts';

/** If the access is `secret`, the handler checks a bearer token that belongs to no user. */
type Access = 'public' | 'secret' | 'authenticated' | 'administrator';

type CallerFor<A extends Access> = A extends 'authenticated' | 'administrator' ? Caller : undefined;

/** The parameters of a path template: a text for each name in braces. */
type PathOf<Template> = Template extends `${string}{${infer Name}}${infer Rest}`
  ? { readonly [N in Name]: string } & PathOf<Rest>
  : {};

interface Definition<
  Template extends string, Query extends Members, Body, Result, Refused extends ProblemName, A extends Access,
> {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE' | 'OPTIONS';
  /** A template such as `/users/{id}`, in which a name in braces stands for one non-empty segment. */
  readonly path: Template;
  readonly rest?: true;
  readonly query?: Query;
  /** The rule for the body; without a rule, no body is read. */
  readonly body?: BodyRule<Body>;
  readonly access: A;
  /** The token scopes that permit the operation: by default `full`, and for a GET also `read_only`. */
  readonly scopes?: readonly TokenScope[];
  /**
   * If true, a token with an audience is accepted, and the scope of this token does not matter. The handler
   * itself restricts what the token can do.
   */
  readonly acceptsAudience?: true;
  /**
   * If true, calls do not count as changes (`isChange`). The calls spend no budget of changes, and are not
   * checked for forgery. A POST that only reads does not count. A revocation does not count: if a thief has
   * spent the budget of a user, the user can still revoke tokens.
   */
  readonly isUncounted?: true;
  /**
   * Turns results into replies. Without `replies`, the handler returns a finished reply, and the folder
   * extras/documents describes this reply for the API document.
   */
  readonly replies?: Replies<Result>;
  /** All problems of the operation, except for the problems that `access`, `body` and `query` imply. */
  readonly refuses?: readonly Refused[];
  /** With `NoInfer`, TypeScript infers types of results and problems only from `replies` and `refuses`. */
  readonly handle: (services: Services, call: {
    readonly path: PathOf<Template>;
    readonly query: QueryOf<Query>;
    readonly body: Body;
    readonly caller: CallerFor<A>;
    /** @param author - The caller who is recorded as the author of a change; by default, `caller`. */
    readonly origin: (author?: Caller) => Origin;
    readonly request: HttpRequest;
  }) => Promise<NoInfer<Result> | Refusal<NoInfer<Refused>>>;
}

export interface Operation extends Omit<
  Definition<string, Members, unknown, never, ProblemName, Access>, 'handle' | 'isUncounted' | 'replies'
> {
  readonly query: Members;
  readonly replies: Omit<Replies<never>, 'reply'> | undefined;
  readonly scopes: readonly TokenScope[];
  readonly isChange: boolean;
  readonly refuses: readonly ProblemName[];
  readonly run: (
    services: Services, request: HttpRequest, body: unknown, caller: Caller | undefined,
  ) => Promise<Reply | Refusal>;
}

export type Operations = Readonly<Record<string, Operation>>;

export function operation<
  const Template extends string, const Refused extends ProblemName, const A extends Access, Result = Reply,
  Query extends Members = {}, Body = undefined,
>({
  method, isUncounted, handle, replies, query, ...others
}: Definition<Template, Query, Body, Result, Refused, A>): Operation {
  const parseQuery = query && compileQuery(query, method === 'GET');
  return {
    refuses: [],
    scopes: method === 'GET' ? ['full', 'read_only'] : ['full'],
    ...others,
    method,
    query: query ?? {},
    isChange: method !== 'GET' && isUncounted !== true,
    replies,
    async run(services, request, body, caller) {
      const values = parseQuery?.(request.query);
      if (values !== undefined && isRefusal(values)) {
        return values;
      }
      const answer = await handle(services, {
        path: request.pathParameters as PathOf<Template>, // the path matches the template
        query: values as QueryOf<Query>, // `undefined` if the operation has no parameters
        body: body as Body, // the body rule of the operation made this value
        caller: caller as CallerFor<A>, // the app has checked the caller against `access`
        origin: (author = caller) => originOf(services, request, author),
        request,
      });
      return isRefusal(answer) ? answer
        : replies ? replies.reply(answer as Result, request)
        : answer as Reply; // the default of `Result`
    },
  };
}

function originOf({ clock }: Services, { id, address }: HttpRequest, author?: Caller): Origin {
  const { signIn = 'none', user, token, passwordVersion, visibleUserId } = author ?? {};
  const at = toTimestamp(clock());
  return { at, user, signIn, tokenId: token?.id, passwordVersion, visibleUserId, requestId: id, address };
}
