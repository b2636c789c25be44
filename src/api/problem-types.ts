/**
 * The types of problems by their slugs. A slug is the anchor on the page of problems, and so the end of a
 * problem's `type`. All problems of a type share its status and title.
 */
export const problemTypes = {
  'malformed-request': { status: 400, title: 'Malformed request' },
  'malformed-body': { status: 400, title: 'The body is not well-formed JSON' },
  'invalid-body': { status: 400, title: 'The body has invalid values' },
  'invalid-parameter': { status: 400, title: 'A query parameter has an invalid value' },
  'unknown-owner': { status: 400, title: 'Unknown owner' },
  'unauthenticated': { status: 401, title: 'Sign-in required' },
  'forbidden': { status: 403, title: 'You are signed in but not allowed to do this' },
  'token-for-programs': { status: 403, title: 'The token is for certain programs' },
  'sign-in-postponed': { status: 403, title: 'Sign-ins are paused' },
  'password-needed': { status: 403, title: 'The password is needed' },
  'wrong-password': { status: 403, title: 'The current password is wrong' },
  'not-found': { status: 404, title: 'Not found' },
  'method-not-allowed': { status: 405, title: 'Method not allowed' },
  'request-timeout': { status: 408, title: 'The request took too long to arrive' },
  'projects-owned': { status: 409, title: 'The user still owns projects' },
  'last-administrator': { status: 409, title: "You can't remove the last administrator" },
  'precondition-failed': { status: 412, title: 'The resource has changed since you read it' },
  'body-too-large': { status: 413, title: 'The body is too large' },
  'target-too-long': { status: 414, title: 'The URL is too long' },
  'unsupported-media-type': { status: 415, title: 'The body has the wrong media type' },
  'range-not-satisfiable': { status: 416, title: 'The range lies outside the file' },
  'expectation-failed': { status: 417, title: 'The expectation cannot be met' },
  'username-taken': { status: 422, title: 'Username in use' },
  'project-name-taken': { status: 422, title: 'Project name in use' },
  'too-many-projects': { status: 422, title: 'The user owns too many projects' },
  'too-many-tokens': { status: 422, title: 'The user has too many tokens' },
  'too-many-attempts': { status: 429, title: 'Too many failed attempts' },
  'too-many-changes': { status: 429, title: 'Too many changes' },
  'headers-too-large': { status: 431, title: 'Too many header fields, or too large ones' },
  'internal-error': { status: 500, title: 'Something failed inside the service' },
  'busy': { status: 503, title: 'The service is busy' },
  'database-unavailable': { status: 503, title: 'The database did not respond' },
  'not-ready': { status: 503, title: 'The service is not ready' },
  'storage-full': { status: 507, title: 'The disk is full' },
} as const;

export type ProblemSlug = keyof typeof problemTypes;
