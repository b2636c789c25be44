/**
 * The description of the API, in OpenAPI 3.0.4: made once, at start-up, from the routes, schemas and problems that serve
 * requests, and from what the other files of this folder say of each operation. 3.0, because its schemas are of the family
 * of draft 4; tools that check traffic against 3.1 read draft 4 wrongly.
 */
import type { ProblemType } from '../http/problem.ts';
import { toProblemPath } from '../problems.ts';
import type { OperationId, Route } from '../routes.ts';
import { listedUserSchema, projectSchema, tokenRecordSchema, userSchema, userSummarySchema } from '../schemas/records.ts';
import { auditEventOperations, auditEventSchema } from './audit-events.ts';
import { createComponents } from './components.ts';
import type { OperationDescription, Tag } from './description.ts';
import { COMMON_HEADERS } from './headers.ts';
import { toIntroduction } from './introduction.ts';
import { toOperation, type OperationContext } from './operation.ts';
import { EVERYWHERE } from './parameters.ts';
import { listProblems, type ProblemLimits } from './problems.ts';
import { projectOperations } from './projects.ts';
import type { JsonObject } from './schemas.ts';
import { serviceOperations } from './service.ts';
import { createTokenOperations } from './tokens.ts';
import { createUserOperations } from './users.ts';

/** The settings that the document depends on, besides those that made the routes. */
export interface DocumentSettings extends ProblemLimits {
  /** Such as `/rollcall`; absent for none. */
  readonly basePath?: string | undefined;
  /** Present when the service speaks TLS itself. */
  readonly tlsCertFile?: string | undefined;
  readonly registration: 'open' | 'closed';
  readonly tokenLifetimeSeconds: number;
  readonly tokenLifetimeSecondsMax: number;
}

const TAGS: Readonly<Record<Tag, string>> = {
  'Service': 'Probes, metrics, this document and static files.',
  'Tokens': 'What to sign in with instead of a password.',
  'Users': 'Accounts, and who is calling.',
  'Projects': 'What users own.',
  'Audit trail': 'Who changed what, for administrators.',
};

const NAMED_SCHEMAS = {
  UserSummary: userSummarySchema,
  Project: projectSchema,
  ListedUser: listedUserSchema,
  User: userSchema,
  TokenRecord: tokenRecordSchema,
  AuditEvent: auditEventSchema,
};

const SECURITY_SCHEMES = {
  basic: {
    type: 'http',
    scheme: 'basic',
    description: 'Username and password in UTF-8; or a token as the username and an empty password, with or without the colon.',
  },
  bearer: { type: 'http', scheme: 'bearer', description: 'A token, as `POST /api/v1/token` issues it.' },
};

/** @param version - Of the program. */
export function createDocument(routes: readonly Route[], settings: DocumentSettings, version: string): JsonObject {
  const basePath = settings.basePath ?? '';
  const toTypeUri = (type: ProblemType) => basePath + toProblemPath(type);
  const components = createComponents(NAMED_SCHEMAS);
  const context: OperationContext = {
    components,
    commonHeaders: settings.tlsCertFile === undefined ? COMMON_HEADERS : [...COMMON_HEADERS, 'Strict-Transport-Security'],
    toTypeUri,
    basePath,
    limits: settings,
  };
  const paths = toPaths(routes, describeOperations(settings), context);
  return {
    openapi: '3.0.4',
    info: {
      title: 'Rollcall',
      version,
      description: toIntroduction(toTypeUri),
      contact: { name: 'Whoever operates this service' },
    },
    servers: [{ url: basePath || '/', description: 'Where this document comes from' }],
    tags: Object.entries(TAGS).map(([name, description]) => ({ name, description })),
    paths,
    components: { ...components.collect(), securitySchemes: SECURITY_SCHEMES },
  };
}

/** @returns For each route, the types of problems that the document lists for its operation. */
export function listProblemTypes(routes: readonly Route[], settings: DocumentSettings): ReadonlyMap<Route, ReadonlySet<ProblemType>> {
  const descriptions = describeOperations(settings);
  return new Map(routes.map((route) => {
    return [route, new Set(listProblems(route, descriptions[route.operationId], settings).map(({ type }) => type))];
  }));
}

/** The type asks for a description of every operation, and the routes for one of these. */
function describeOperations(settings: DocumentSettings): Readonly<Record<OperationId, OperationDescription>> {
  return {
    ...serviceOperations,
    ...createTokenOperations(settings),
    ...createUserOperations({ isRegistrationOpen: settings.registration === 'open' }),
    ...projectOperations,
    ...auditEventOperations,
  };
}

function toPaths(
  routes: readonly Route[],
  descriptions: Readonly<Record<OperationId, OperationDescription>>,
  context: OperationContext,
): JsonObject {
  const paths: Record<string, Record<string, unknown>> = {};
  for (const route of routes) {
    const item = (paths[route.path] ??= { parameters: EVERYWHERE.map(context.components.parameter) });
    item[route.method.toLowerCase()] = toOperation(route, descriptions[route.operationId], context);
  }
  return paths;
}
