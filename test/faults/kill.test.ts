import assert from 'node:assert/strict';
import { inFull } from '../support/faults.ts';
import { call } from '../support/http-client.ts';
import { measuredTest, measureWorkMs, readProcessorMs } from '../support/process-use.ts';
import { inFile, run, startServer, type RunningServer } from '../support/programs.ts';
import { startWithRoot } from '../support/stored-user.ts';

const CYCLES = inFull(200, { short: 8 });
/** In every fourth cycle, the process is killed while it starts. */
const STARTS_KILLED_EVERY = 4;
const START_TAKES_MS = 250;
/** The maximum duration of a start after a kill, divided by the result of `measureWorkMs`. */
const START_WORKS_MAX = 30;

const WRITERS = 4;
/** The number of acknowledged writes after which the process is killed, while more writes are in flight. */
const KILLED_AFTER = inFull(140, { short: 30 });

type Acknowledged = Readonly<Record<'created' | 'deleted', Set<string>>>;

measuredTest(`${CYCLES} times kill -9 during concurrent writes lose no acknowledged write`, async (t) => {
  const projectsMax = CYCLES * KILLED_AFTER * 2; // all projects belong to one user
  const { path, environment, as, server: first } = await startWithRoot(t, {
    MAX_PROJECTS_PER_USER: String(projectsMax),
  });
  await first.stop('SIGKILL'); // the token was issued just before the first kill, and survives all cycles
  const acknowledged: Acknowledged = { created: new Set(), deleted: new Set() };
  let writes = 0;
  let longestStartMs = 0;

  for (let cycle = 1; cycle <= CYCLES; cycle += 1) {
    if (cycle % STARTS_KILLED_EVERY === 0) {
      const { code } = await run('server.js', [], {
        environment: { ...environment, PORT: '0' }, killAfterMs: 1 + ((cycle * 37) % START_TAKES_MS),
      });
      assert.equal(code, null);
      checkFile(path, acknowledged, `a start killed in cycle ${cycle}`);
    }
    const server = await startServer(t, environment);
    longestStartMs = Math.max(longestStartMs, readProcessorMs(server.process.pid));
    writes += await writeUntilKilled(server, { as, prefix: `project-${cycle}` }, acknowledged);
    checkFile(path, acknowledged, `cycle ${cycle}`);
  }
  const works = longestStartMs / measureWorkMs();
  t.diagnostic(`${writes} writes acknowledged; the longest start took ${works.toFixed(1)} pieces of work`);
  assert.ok(writes >= CYCLES * KILLED_AFTER);
  assert.ok(works < START_WORKS_MAX, String(works));
});

async function writeUntilKilled(
  server: RunningServer,
  { as, prefix }: { readonly as: string; readonly prefix: string },
  { created, deleted }: Acknowledged,
): Promise<number> {
  let writes = 0;
  const ask = async (line: string, json?: object): Promise<boolean> => {
    const answer = await call(server.port, line, { as, json }).catch(() => undefined);
    if (answer === undefined) {
      return false; // the outcome of a request is unknown if its connection broke
    }
    assert.ok(answer.status < 300, answer.text);
    writes += 1;
    if (writes >= KILLED_AFTER) {
      await server.stop('SIGKILL');
    }
    return true;
  };
  await Promise.all(Array.from({ length: WRITERS }, async (_, writer) => {
    for (let index = 1; server.process.signalCode === null; index += 1) {
      const name = `${prefix}-${writer}-${index}`;
      if (!(await ask('POST /api/v1/projects', { name, description: name }))) {
        continue;
      }
      if (index % 3 !== 0) {
        created.add(name);
      } else if (await ask(`DELETE /api/v1/projects/${name}`)) {
        deleted.add(name);
      }
    }
  }));
  return writes;
}

function checkFile(path: string, { created, deleted }: Acknowledged, when: string): void {
  inFile(path, (database) => {
    const ask = (sql: string) => database.prepare(sql).all().map((row) => Object.values(row));
    assert.deepEqual(ask('PRAGMA integrity_check'), [['ok']], when);
    assert.deepEqual(ask('PRAGMA foreign_key_check'), [], when);
    const rows = ask('SELECT name, description FROM projects');
    const present = new Set(rows.map(([name]) => name));
    assert.deepEqual([...created].filter((name) => !present.has(name)), [], `lost after ${when}`);
    assert.deepEqual([...deleted].filter((name) => present.has(name)), [], `not deleted after ${when}`);
    assert.ok(rows.every(([name, description]) => name === description), `by half after ${when}`);
    const changes =
      ask("SELECT total(action = 'project.create') - total(action = 'project.delete') FROM audit_events");
    assert.deepEqual(changes, [[rows.length]], `not as in the audit trail after ${when}`);
  });
}
