import type { Schema } from '../jsonschema/schema.ts';
import { projectNameSchema } from './names.ts';

/** The body of `POST /api/v1/projects`. */
interface NewProjectBody {
  readonly name: string;
  readonly description: string;
  /** A username; absent means the caller. */
  readonly owner: string | undefined;
}

/** SQLite takes a NUL for the end of a text in some of its functions, and so does node:sqlite up to Node.js 22. */
const descriptionSchema: Schema = {
  type: 'string',
  maxLength: 10_000,
  pattern: '^[^\\0]*$',
  title: 'text without NUL',
  description: 'Without NUL; may be empty.',
};

export const newProjectSchema: Schema = {
  type: 'object',
  required: ['name'],
  properties: {
    name: projectNameSchema,
    description: { ...descriptionSchema, description: 'Without NUL; may be empty, as it is when absent.' },
    owner: { type: 'string', description: 'A username; absent for the caller. That of somebody else is for administrators.' },
  },
};

/** Takes the members that the service knows out of a body that the schema has accepted; all others are ignored. */
export function toNewProjectBody(body: unknown): NewProjectBody {
  const { name, description = '', owner } = body as Partial<NewProjectBody> & Pick<NewProjectBody, 'name'>;
  return { name, description, owner };
}

/** The body of `PATCH /api/v1/projects/{project_name_or_id}`: what is absent stays as it is. */
interface ProjectPatch {
  readonly name?: string;
  readonly description?: string;
  /** The username of who gets the project. */
  readonly owner?: string;
}

export const projectPatchSchema: Schema = {
  type: 'object',
  properties: {
    name: projectNameSchema,
    description: descriptionSchema,
    owner: { type: 'string', description: 'The username of who gets the project.' },
  },
};

/** Takes the members that the service knows out of a body that the schema has accepted; all others are ignored. */
export function toProjectPatch(body: unknown): ProjectPatch {
  const { name, description, owner } = body as ProjectPatch;
  return {
    ...(name === undefined ? {} : { name }),
    ...(description === undefined ? {} : { description }),
    ...(owner === undefined ? {} : { owner }),
  };
}

/** The body of `GET /api/v1/projects`, which may be absent, and may be any JSON. */
export const projectFilterSchema: Schema = {};

/** @returns The `owner` of an object, where it is a string; everything else is ignored. */
export function toOwnerFilter(body: unknown): string | undefined {
  if (typeof body !== 'object' || body === null || !Object.hasOwn(body, 'owner')) {
    return undefined;
  }
  const { owner } = body as { owner: unknown };
  return typeof owner === 'string' ? owner : undefined;
}
