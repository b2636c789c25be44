/**
 * Every route of the service, as data. The router, the access check, the validation and the tests of the documentation
 * read the same records. Access is part of a route's type: the handler of a `public` route is not told a caller, all
 * others always are, so that forgetting the check does not compile.
 */
import { listAuditEvents } from './handlers/audit-events.ts';
import { greet, greetWithOptions, reportLiveness } from './handlers/liveness.ts';
import { createProject, deleteProject, listProjects, readProject, updateProject } from './handlers/projects.ts';
import { reportMetrics } from './handlers/metrics.ts';
import { reportReadiness } from './handlers/readiness.ts';
import type { AuthenticatedHandler, PublicHandler } from './handlers/services.ts';
import { readApiDescription, readStaticFile } from './handlers/static.ts';
import { createNamedToken, deleteToken, deleteTokens, listTokens, readToken } from './handlers/token-collection.ts';
import { issueToken, revokeToken } from './handlers/tokens.ts';
import { changePassword, deleteUser, updateUser } from './handlers/user-changes.ts';
import { createUser, listUsers, readCaller, readUser } from './handlers/users.ts';
import type { RoutePattern } from './http/router.ts';
import type { Schema } from './jsonschema/schema.ts';
import { newProjectSchema, projectFilterSchema, projectPatchSchema } from './schemas/projects.ts';
import { createNewTokenSchema } from './schemas/tokens.ts';
import { createNewPasswordSchema, createNewUserSchema, userPatchSchema, type PasswordRule } from './schemas/users.ts';

/** Names every operation; `openapi/` has a description for each. */
export type OperationId =
  | 'greet' | 'greetWithOptions' | 'greetAtIndex' | 'greetAtIndexWithOptions' | 'reportLiveness' | 'reportReadiness' | 'reportMetrics'
  | 'issueToken' | 'revokeToken' | 'listTokens' | 'createToken' | 'deleteTokens' | 'readToken' | 'deleteToken'
  | 'readCaller' | 'listUsers' | 'createUser' | 'readUser' | 'updateUser' | 'deleteUser' | 'changePassword'
  | 'listProjects' | 'createProject' | 'readProject' | 'updateProject' | 'deleteProject'
  | 'listAuditEvents' | 'readApiDescription' | 'readStaticFile';

interface RouteDescription extends RoutePattern {
  readonly operationId: OperationId;
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE' | 'OPTIONS';
  readonly summary: string;
  /** A route without a body rule does not read a body. */
  readonly body?: {
    readonly presence: 'required' | 'optional';
    readonly schema: Schema;
    /** Where it is smaller than `MAX_BODY_BYTES`. */
    readonly bodyBytesMax?: number;
  };
}

/**
 * Room for two passwords of 1 024 bytes. Many programs write characters beyond ASCII as escapes, which makes
 * a text up to three times as long.
 */
const SMALL_BODY_BYTES_MAX = 8_192;

/** Room for the longest name and description, with each character as a pair of escapes (12 bytes). */
const PROJECT_BODY_BYTES_MAX = 32_768;

/** Anybody. */
interface PublicRoute extends RouteDescription {
  readonly access: 'public';
  readonly handle: PublicHandler;
}

/** Everybody who has signed in, or of those, administrators only. */
export interface RestrictedRoute extends RouteDescription {
  readonly access: 'authenticated' | 'administrator';
  readonly handle: AuthenticatedHandler;
}

export type Route = PublicRoute | RestrictedRoute;

/** The settings that routes depend on. */
export interface RouteSettings extends PasswordRule {
  readonly registration: 'open' | 'closed';
  readonly tokenLifetimeSecondsMax: number;
}

export function createRoutes(settings: RouteSettings): readonly Route[] {
  return [
    { operationId: 'greet', method: 'GET', path: '/', access: 'public', handle: greet, summary: 'Confirms that the service runs' },
    { operationId: 'greetWithOptions', method: 'OPTIONS', path: '/', access: 'public', handle: greetWithOptions, summary: 'Confirms that the service runs' },
    { operationId: 'greetAtIndex', method: 'GET', path: '/index', access: 'public', handle: greet, summary: 'Confirms that the service runs' },
    { operationId: 'greetAtIndexWithOptions', method: 'OPTIONS', path: '/index', access: 'public', handle: greetWithOptions, summary: 'Confirms that the service runs' },
    { operationId: 'reportLiveness', method: 'GET', path: '/livez', access: 'public', handle: reportLiveness, summary: 'Confirms that the process answers' },
    {
      operationId: 'reportReadiness',
      method: 'GET',
      path: '/readyz',
      access: 'public',
      handle: reportReadiness,
      summary: 'Confirms that the service reaches its database and is not ending, or names what keeps it from its work',
    },
    {
      operationId: 'reportMetrics',
      method: 'GET',
      path: '/metrics',
      access: 'public',
      handle: reportMetrics,
      summary: 'Shows counts and measurements to Prometheus, where METRICS is on',
    },
    {
      operationId: 'issueToken',
      method: 'POST',
      path: '/api/v1/token',
      access: 'authenticated',
      handle: issueToken,
      summary: 'Issues a token to the caller',
    },
    {
      operationId: 'revokeToken',
      method: 'DELETE',
      path: '/api/v1/token',
      access: 'authenticated',
      handle: revokeToken,
      summary: 'Revokes the current token of the caller, or, by an administrator, of a named user',
    },
    {
      operationId: 'listTokens',
      method: 'GET',
      path: '/api/v1/tokens',
      access: 'authenticated',
      handle: listTokens,
      summary: 'Lists the valid tokens of the caller, or, for an administrator, of a named user',
    },
    {
      operationId: 'createToken',
      method: 'POST',
      path: '/api/v1/tokens',
      access: 'authenticated',
      handle: createNamedToken,
      body: {
        presence: 'optional',
        schema: createNewTokenSchema(settings.tokenLifetimeSecondsMax),
        bodyBytesMax: SMALL_BODY_BYTES_MAX,
      },
      summary: 'Issues a token with a name and a scope, and shows it this once',
    },
    {
      operationId: 'deleteTokens',
      method: 'DELETE',
      path: '/api/v1/tokens',
      access: 'authenticated',
      handle: deleteTokens,
      summary: 'Revokes all tokens of the caller, or, by an administrator, of a named user',
    },
    {
      operationId: 'readToken',
      method: 'GET',
      path: '/api/v1/tokens/{token_id}',
      access: 'authenticated',
      handle: readToken,
      summary: 'Reads what is known of a token, but not the token',
    },
    {
      operationId: 'deleteToken',
      method: 'DELETE',
      path: '/api/v1/tokens/{token_id}',
      access: 'authenticated',
      handle: deleteToken,
      summary: 'Revokes a token, by its owner or an administrator',
    },
    {
      operationId: 'readCaller',
      method: 'GET',
      path: '/api/v1/user',
      access: 'authenticated',
      handle: readCaller,
      summary: 'Tells the caller who they are and how they signed in',
    },
    {
      operationId: 'listUsers',
      method: 'GET',
      path: '/api/v1/users',
      access: 'authenticated',
      handle: listUsers,
      summary: 'Lists users, or searches them by username',
    },
    {
      operationId: 'createUser',
      method: 'POST',
      path: '/api/v1/users',
      access: settings.registration === 'open' ? 'public' : 'administrator',
      handle: createUser,
      body: {
        presence: 'required',
        schema: createNewUserSchema(settings),
        bodyBytesMax: SMALL_BODY_BYTES_MAX,
      },
      summary: 'Registers a user',
    },
    {
      operationId: 'readUser',
      method: 'GET',
      path: '/api/v1/users/{username_or_id}',
      access: 'authenticated',
      handle: readUser,
      summary: 'Reads a user with the projects that they own',
    },
    {
      operationId: 'updateUser',
      method: 'PATCH',
      path: '/api/v1/users/{username_or_id}',
      access: 'authenticated',
      handle: updateUser,
      body: { presence: 'required', schema: userPatchSchema, bodyBytesMax: SMALL_BODY_BYTES_MAX },
      summary: 'Changes a user, by themselves or an administrator',
    },
    {
      operationId: 'deleteUser',
      method: 'DELETE',
      path: '/api/v1/users/{username_or_id}',
      access: 'authenticated',
      handle: deleteUser,
      summary: 'Deletes a user, by themselves or an administrator, and their projects or hands them over',
    },
    {
      operationId: 'changePassword',
      method: 'PUT',
      path: '/api/v1/users/{username_or_id}/password',
      access: 'authenticated',
      handle: changePassword,
      body: {
        presence: 'required',
        schema: createNewPasswordSchema(settings),
        bodyBytesMax: SMALL_BODY_BYTES_MAX,
      },
      summary: 'Sets a new password and revokes the other tokens of the user, by themselves or an administrator',
    },
    {
      operationId: 'listProjects',
      method: 'GET',
      path: '/api/v1/projects',
      access: 'authenticated',
      handle: listProjects,
      body: { presence: 'optional', schema: projectFilterSchema, bodyBytesMax: SMALL_BODY_BYTES_MAX },
      summary: 'Lists projects, all or those of one owner, or searches them by name',
    },
    {
      operationId: 'createProject',
      method: 'POST',
      path: '/api/v1/projects',
      access: 'authenticated',
      handle: createProject,
      body: { presence: 'required', schema: newProjectSchema, bodyBytesMax: PROJECT_BODY_BYTES_MAX },
      summary: 'Creates a project',
    },
    {
      operationId: 'readProject',
      method: 'GET',
      path: '/api/v1/projects/{project_name_or_id}',
      access: 'authenticated',
      handle: readProject,
      summary: 'Reads a project',
    },
    {
      operationId: 'updateProject',
      method: 'PATCH',
      path: '/api/v1/projects/{project_name_or_id}',
      access: 'authenticated',
      handle: updateProject,
      body: { presence: 'required', schema: projectPatchSchema, bodyBytesMax: PROJECT_BODY_BYTES_MAX },
      summary: 'Changes a project or hands it over, by its owner or an administrator',
    },
    {
      operationId: 'deleteProject',
      method: 'DELETE',
      path: '/api/v1/projects/{project_name_or_id}',
      access: 'authenticated',
      handle: deleteProject,
      summary: 'Deletes a project, by its owner or an administrator',
    },
    {
      operationId: 'listAuditEvents',
      method: 'GET',
      path: '/api/v1/audit_events',
      access: 'administrator',
      handle: listAuditEvents,
      summary: 'Lists who changed what, and when',
    },
    {
      operationId: 'readApiDescription',
      method: 'GET',
      path: '/api/v1/openapi.json',
      access: 'public',
      handle: readApiDescription,
      summary: 'Describes all of this in OpenAPI',
    },
    {
      operationId: 'readStaticFile',
      method: 'GET',
      path: '/static/{filename}',
      rest: true,
      access: 'public',
      handle: readStaticFile,
      summary: 'Serves a file of the static folder, sub-directories included',
    },
  ];
}
