import assert from 'node:assert/strict';
import { startClients, type Round } from '../support/clients.ts';
import { inFull } from '../support/faults.ts';
import { startWithRoot } from '../support/filled-file.ts';
import { measuredTest, measureWorkMs, readProcessorMs } from '../support/process-use.ts';
import { inFile, run, startServer } from '../support/programs.ts';
import { until } from '../support/until.ts';

const CYCLES = inFull(200, { short: 8 });
const STARTS_KILLED_EVERY = 4;
const START_TAKES_MS = 250;
/** The limit on the processor time of a start after SIGKILL, in multiples of `measureWorkMs()`. */
const START_WORKS_MAX = 30;

const WRITERS = 4;
/** The test kills the server after this number of acknowledged writes, during further writes. */
const KILLED_AFTER = inFull(140, { short: 30 });

type Acknowledged = Readonly<Record<'created' | 'deleted', Set<string>>>;

measuredTest(`${CYCLES} times kill -9 during concurrent writes lose no acknowledged write`, async (t) => {
  const projectsMax = CYCLES * KILLED_AFTER * 2; // all projects belong to one user
  const { path, environment, as, server: first } = await startWithRoot(t, {
    MAX_PROJECTS_PER_USER: String(projectsMax),
  });
  await first.stop('SIGKILL'); // the token was issued shortly before the first kill, and survives all cycles
  const acknowledged: Acknowledged = { created: new Set(), deleted: new Set() };
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
    const clients = startClients(
      t, { port: server.port, as, count: WRITERS, prefix: `project-${cycle}` }, toRound(acknowledged),
    );
    await until(() => clients.tally.answered.size >= KILLED_AFTER, 1);
    await server.stop('SIGKILL');
    const { wrong, unknown } = await clients.stop();
    assert.deepEqual([...wrong, ...unknown.filter((request) => request.includes('"status":503'))], []);
    checkFile(path, acknowledged, `cycle ${cycle}`);
  }
  const works = longestStartMs / measureWorkMs();
  t.diagnostic(`the longest start took ${works.toFixed(1)} pieces of work`);
  assert.ok(works < START_WORKS_MAX, String(works));
});

function toRound({ created, deleted }: Acknowledged): Round {
  let rounds = 0;
  return async (ask, name) => {
    const isDeleted = (rounds += 1) % 3 === 0;
    if (!(await ask('POST /api/v1/projects', 201, { json: { name, description: name } }))) {
      return;
    }
    if (!isDeleted) {
      created.add(name);
    } else if (await ask(`DELETE /api/v1/projects/${name}`, 200)) {
      deleted.add(name);
    }
  };
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
