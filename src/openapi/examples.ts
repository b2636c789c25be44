/** The world of the examples: ada owns the project "notes" and has a token; root is an administrator. */

export const USERNAME = 'ada';
export const PASSWORD = 'a long phrase only Ada knows';
const EMAIL = 'ada@example.org';
const CREATED = '2026-01-31T12:00:00.000Z';
const TOKEN = 'rollcall_YW4gZXhhbXBsZSBmb3IgZG9jdW1lbnRzLCAzMiBieS4TRNNYw';

export const project = {
  id: 1,
  name: 'notes',
  description: 'On the Analytical Engine',
  date_created: '2026-01-31T12:05:00.000Z',
  owner: { username: USERNAME, email: EMAIL },
};

export const listedUser = {
  id: 2,
  username: USERNAME,
  email: EMAIL,
  date_created: CREATED,
  is_admin: false,
  projects_total: 1,
  projects: [project],
};

export const user = {
  id: 2,
  username: USERNAME,
  email: EMAIL,
  date_created: CREATED,
  is_admin: false,
  disabled: false,
  projects_total: 1,
  projects: [project],
};

export const createdUser = { username: USERNAME, email: EMAIL, id: 2, date_created: CREATED };

export const tokenRecord = {
  id: 7,
  name: 'laptop',
  last_four: 'NNYw',
  scope: 'full',
  date_created: '2026-01-31T12:10:00.000Z',
  expiration_date: '2026-01-31T13:10:00.000',
  last_used: '2026-01-31T12:20:00.000Z',
};

export const issuedToken = { token: TOKEN, expiration_date: tokenRecord.expiration_date };

export const createdToken = { token: TOKEN, ...tokenRecord, last_used: null };

export const auditEvent = {
  id: 12,
  date_created: project.date_created,
  action: 'project.create',
  resource: { type: 'project', id: project.id, name: project.name },
  details: '',
  user: { id: 2, username: USERNAME },
  sign_in: 'password',
  token_id: null,
  request_id: '6f1c1c3e-5b0e-4a57-9d4f-0d6a3c6b8f52',
  address: '192.0.2.7',
};
