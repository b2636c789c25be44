/** Tests projects from creation to deletion, with changes by one user and by two users at once. */
import assert from 'node:assert/strict';
import { consoleTest, send, show, signIn } from '../../support/console.ts';

consoleTest('a project is created, found, and deleted by typing its name',
  'ada #/projects', async ({ service, page, ada: as }) => {
    const fields = { Name: 'notes', Description: 'On the Analytical Engine' };
    await send(page, 'New project', fields, 'Create project');
    await page.find('heading', 'notes');
    await page.click('link Projects', 'link notes');
    await send(page, 'Delete', { 'Type the name of the project': 'notes' }, 'Delete project');
    await page.find('heading', 'Projects');
    await page.waitForText('No projects yet.');
    await service.expect(404, 'GET /api/v1/projects/notes', { as });
  });

consoleTest('a project is not deleted while its name is mistyped',
  'ada #/projects/1', async ({ service, page, ada: as }) => {
    await send(page, 'Delete', { 'Type the name of the project': 'note' }, 'Delete project');
    const { element } = await page.find('textbox', 'Type the name of the project');
    assert.equal(await page.session.execute('return arguments[0].validity.customError', element), true);
    await service.expect(200, 'GET /api/v1/projects/notes', { as });
  }, { project: 'notes' });

consoleTest('a taken name is reported at its field, and the form keeps its text',
  'ada #/projects', async ({ page }) => {
    await send(page, 'New project', { Name: 'notes', Description: 'kept' }, 'Create project');
    await page.waitForText('Project name in use');
    assert.equal(await page.focused(), 'textbox Name');
    assert.equal(await (await page.find('textbox', 'Description')).value(), 'kept');
  }, { project: 'notes', provokes: [422] });

consoleTest('a mistake against the schema is reported at the field of its JSON pointer',
  'ada #/projects', async ({ page }) => {
    await send(page, 'New project', { Name: '123' }, 'Create project');
    const { element } = await page.find('textbox', 'Name');
    await page.waitFor('an error at the field', `
      const error = arguments[0].getAttribute('aria-describedby').split(' ').map(
        (id) => document.getElementById(id).textContent,
      ).join(' ');
      return arguments[0].getAttribute('aria-invalid') === 'true' && error.trim() !== ''`, element);
  }, { provokes: [400] });

consoleTest('a conflict (412) keeps the draft',
  'ada #/projects/1', async ({ service, page, ada: as, openPage }) => {
    await page.click('button Edit');
    await page.fill({ Description: 'mine' });

    const other = await openPage();
    await signIn(other, 'ada', '#/projects/1');
    await send(other, 'Edit', { Description: 'theirs' }, 'Save');
    await other.waitForText('theirs');
    await other.waitUntilGone('dialog', 'Edit notes');

    await page.focus();
    await page.click('button Save');
    await page.waitForText('Somebody else has changed this');
    const readDescription = async () => (await page.find('textbox', 'Description')).value();
    assert.equal(await readDescription(), 'mine');
    await page.click('button Load the current state and keep my draft');
    await page.waitForText('theirs');
    assert.equal(await readDescription(), 'mine');
    await page.click('button Save');
    await page.waitUntilGone('dialog', 'Edit notes');
    assert.equal((await service.call('GET /api/v1/projects/1', { as })).json['description'], 'mine');
  }, { project: 'notes', provokes: [412] });

consoleTest('only the new owner may change a transferred project',
  'root #/projects/1', async ({ page, openPage }) => {
    await send(page, 'Transfer', { 'New owner': 'grace' });
    await page.waitForText(/Owner\s+G\s+grace/);
    const other = await openPage();
    await signIn(other, 'ada', '#/projects/1');
    await other.waitForText('Only the owner or an administrator can change this project.');
  }, { project: 'notes' });

for (const [username, expected] of [['ada', [1, 0, 1]], ['grace', [0, 0, 0]]] as const) {
  consoleTest(`the project of ada offers ${username} ${expected.join(', ')} of: edit, transfer, delete`,
    `${username} #/projects/1`, async ({ page }) => {
      await page.find('heading', 'notes');
      const counts = [];
      for (const action of ['Edit', 'Transfer', 'Delete']) {
        counts.push(await page.count('button', action));
      }
      assert.deepEqual(counts, expected);
    }, { project: 'notes' });
}

const HOSTILE = '<img src=x onerror="document.title=\'taken over\'">';

consoleTest('markup in names and descriptions is shown as text',
  'ada #/overview', async ({ service, page, ada }) => {
    await service.createProject(ada, HOSTILE, `<script>document.title='taken over'</script>${HOSTILE}`);
    await page.click('link Projects', `link ${HOSTILE}`);
    await page.find('heading', HOSTILE);
    assert.ok((await page.text()).includes(`<script>document.title='taken over'</script>${HOSTILE}`));
    await page.click('button Delete');
    await page.find('dialog', `Delete ${HOSTILE}`);
    const count = 'return document.querySelectorAll("main img, dialog img, script:not([src])").length';
    assert.equal(await page.session.execute(count), 0);
    assert.doesNotMatch(await page.session.title(), /^taken over/);
  });

consoleTest('the command for curl does what the form does, without secrets',
  'ada #/projects', async ({ page }) => {
    await send(page, 'New project', { Name: "it's" }, 'The same with curl');
    await page.waitForText(`-H "Authorization: Bearer $token"`);
    await page.waitForText(`"name": "it'\\''s"`);
  });

for (const [title, hash] of [
  ['a search for', '#/projects?contains=payroll'], ['the address of', '#/projects/payroll'],
] as const) {
  consoleTest(`${title} a deleted project leads administrators to the event of its deletion`,
    'root #/users', async ({ service, page, root: as }) => {
      await service.expect(200, 'DELETE /api/v1/projects/payroll', { as });
      await show(page, hash);
      await page.click('link See who deleted a project');
      await page.waitForText('root deleted project payroll');
    }, { project: 'payroll', provokes: [404] });
}
