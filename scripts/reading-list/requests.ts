/** Each of the 14 operations of the specification succeeds at least once, and fails for each main reason. */
import { basic, call, type Answer, type CallOptions } from '../../test/support/http-client.ts';

/** @param round - A word that is added to names, so that each round uses new names. */
export async function sendRequests(port: number, root: string, round: string): Promise<void> {
  const send = async (status: number, line: string, options?: CallOptions): Promise<Answer> => {
    const answer = await call(port, line, options);
    if (answer.status !== status) {
      throw new Error(`${line} answered ${answer.status} ${answer.text}, expected ${status}`);
    }
    return answer;
  };
  const [username, password] = [`ada-${round}`, 'a long phrase only Ada knows'];
  const account = { username, password, email: 'ada@example.org' };
  const ada = basic(username, password);

  for (const path of ['/', '/index']) {
    await send(200, `GET ${path}`);
    await send(200, `OPTIONS ${path}`);
    await send(405, `POST ${path}`);
  }
  await send(404, 'GET /nothing');

  await send(201, 'POST /api/v1/users', { json: account });
  await send(422, 'POST /api/v1/users', { json: account });
  await send(400, 'POST /api/v1/users', { json: { username: 'b' } });
  await send(400, 'POST /api/v1/users', { body: '{' });

  const { json } = await send(201, 'POST /api/v1/token?expiration=60', { as: ada });
  const token = `Bearer ${json['token']}`;
  await send(400, 'POST /api/v1/token?expiration=soon', { as: ada });
  await send(401, 'POST /api/v1/token', { as: basic(username, 'wrong') });
  await send(401, 'POST /api/v1/token');

  const search = 'starts_with=a&ends_with=a&contains=d&page=1&items_per_page=2';
  await send(200, `GET /api/v1/users?${search}`, { as: token });
  await send(200, 'GET /api/v1/users', { as: token });
  await send(400, 'GET /api/v1/users?page=0', { as: token });
  await send(401, 'GET /api/v1/users');
  await send(200, `GET /api/v1/users/${username}`, { as: token });
  await send(404, 'GET /api/v1/users/nobody', { as: token });
  await send(401, 'GET /api/v1/users/1', { as: 'Bearer wrong' });

  const name = `notes of ${round}`;
  const path = `/api/v1/projects/${encodeURIComponent(name)}`;
  await send(201, 'POST /api/v1/projects', { as: token, json: { name, description: 'On engines' } });
  await send(422, 'POST /api/v1/projects', { as: token, json: { name } });
  await send(400, 'POST /api/v1/projects', { as: token, body: '{' });
  await send(403, 'POST /api/v1/projects', { as: token, json: { name: `${name}!`, owner: 'root' } });
  await send(200, 'GET /api/v1/projects', { as: token });
  await send(200, `GET /api/v1/projects?owner=${username}`, { as: token });
  await send(400, 'GET /api/v1/projects?owner=nobody', { as: token });
  await send(400, 'GET /api/v1/projects', { as: token, body: '{' });
  await send(200, `GET ${path}`, { as: token });
  await send(200, `DELETE ${path}`, { as: token });
  await send(404, `GET ${path}`, { as: token });
  await send(404, `DELETE ${path}`, { as: token });

  await send(404, 'DELETE /api/v1/token?username=nobody', { as: root });
  await send(200, 'DELETE /api/v1/token', { as: token });
  await send(401, 'DELETE /api/v1/token', { as: token });

  await send(200, 'GET /static/index.html');
  await send(404, 'GET /static/nothing.html');
}
