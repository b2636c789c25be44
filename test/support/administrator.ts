import { basic, call } from './http-client.ts';

export const ADMINISTRATOR = { ADMIN_USERNAME: 'root', ADMIN_PASSWORD: 'root-password' };

export const ROOT = basic(ADMINISTRATOR.ADMIN_USERNAME, ADMINISTRATOR.ADMIN_PASSWORD);

export async function issueRootToken(port: number): Promise<string> {
  const { json } = await call(port, 'POST /api/v1/token?expiration=86400', { as: ROOT });
  return `Bearer ${json['token']}`;
}
