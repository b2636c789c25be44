/** Projects, from creation to deletion, changed by one user and by two users at once. */
import assert from 'node:assert/strict';
import { browserTest } from '../../support/browser-test.ts';
import { signIn } from '../../support/console.ts';

browserTest('a project is created, found, and deleted by typing its name', {}, async ({ service, page }) => {
  const ada = await service.register('ada');
  await signIn(page, 'ada', '#/projects');
  await (await page.find('button', 'New project')).click();
  await (await page.find('textbox', 'Name')).fill('notes');
  await (await page.find('textbox', 'Description')).fill('On the Analytical Engine');
  await (await page.find('button', 'Create project')).click();
  await page.find('heading', 'notes');

  await (await page.find('link', 'Projects')).click();
  await (await page.find('link', 'notes')).click();
  await (await page.find('button', 'Delete')).click();
  await (await page.find('textbox', 'Type the name of the project')).fill('notes');
  await (await page.find('button', 'Delete project')).click();
  await page.find('heading', 'Projects');
  await page.waitForText('No projects yet.');
  assert.equal((await service.call('GET /api/v1/projects/notes', { as: ada })).status, 404);
});

browserTest('a project is not deleted while its name is mistyped', {}, async ({ service, page }) => {
  const ada = await service.register('ada');
  await service.createProject(ada, 'notes');
  await signIn(page, 'ada', '#/projects/1');
  await (await page.find('button', 'Delete')).click();
  const field = await page.find('textbox', 'Type the name of the project');
  await field.fill('note');
  await (await page.find('button', 'Delete project')).click();
  assert.equal(await page.session.execute('return arguments[0].validity.customError', field.element), true);
  assert.equal((await service.call('GET /api/v1/projects/notes', { as: ada })).status, 200);
});

browserTest('a name that is taken is told at its field, and what was typed stays', {
  provokes: [422],
}, async ({ service, page }) => {
  const ada = await service.register('ada');
  await service.createProject(ada, 'notes');
  await signIn(page, 'ada', '#/projects');
  await (await page.find('button', 'New project')).click();
  await (await page.find('textbox', 'Name')).fill('notes');
  await (await page.find('textbox', 'Description')).fill('kept');
  await (await page.find('button', 'Create project')).click();
  await page.waitForText('Project name in use');
  assert.equal(await page.focused(), 'textbox Name');
  assert.equal(await (await page.find('textbox', 'Description')).value(), 'kept');
});

browserTest('what a schema refuses is told at the field to which its JSON pointer leads', {
  provokes: [400],
}, async ({ service, page }) => {
  await service.register('ada');
  await signIn(page, 'ada', '#/projects');
  await (await page.find('button', 'New project')).click();
  const name = await page.find('textbox', 'Name');
  await name.fill('123');
  await (await page.find('button', 'Create project')).click();
  await page.waitFor('an error at the field', `
    const error = arguments[0].getAttribute('aria-describedby').split(' ').map(
      (id) => document.getElementById(id).textContent,
    ).join(' ');
    return arguments[0].getAttribute('aria-invalid') === 'true' && error.trim() !== ''`, name.element);
});

browserTest('a conflict (412) keeps the draft', { provokes: [412] }, async ({ service, page, openPage }) => {
  const ada = await service.register('ada');
  await service.createProject(ada, 'notes', 'old');
  await signIn(page, 'ada', '#/projects/1');
  await (await page.find('button', 'Edit')).click();
  await (await page.find('textbox', 'Description')).fill('mine');

  const other = await openPage();
  await signIn(other, 'ada', '#/projects/1');
  await (await other.find('button', 'Edit')).click();
  await (await other.find('textbox', 'Description')).fill('theirs');
  await (await other.find('button', 'Save')).click();
  await other.waitForText('theirs');
  await other.waitUntilGone('dialog', 'Edit notes');

  await page.focus();
  await (await page.find('button', 'Save')).click();
  await page.waitForText('Somebody else has changed this');
  assert.equal(await (await page.find('textbox', 'Description')).value(), 'mine');
  await (await page.find('button', 'Load the current state and keep my draft')).click();
  await page.waitForText('theirs');
  assert.equal(await (await page.find('textbox', 'Description')).value(), 'mine');
  await (await page.find('button', 'Save')).click();
  await page.waitUntilGone('dialog', 'Edit notes');
  assert.equal((await service.call('GET /api/v1/projects/1', { as: ada })).json['description'], 'mine');
});

browserTest('a transferred project has a new owner only', {}, async ({ service, page, openPage }) => {
  await service.registerAdministrator('root');
  const ada = await service.register('ada');
  await service.register('grace');
  await service.createProject(ada, 'notes');
  await signIn(page, 'root', '#/projects/1');
  await (await page.find('button', 'Transfer')).click();
  await (await page.find('textbox', 'New owner')).fill('grace');
  await (await page.find('button', 'Transfer', await page.find('dialog', /Transfer/))).click();
  await page.waitForText(/Owner\s+G\s+grace/);
  const other = await openPage();
  await signIn(other, 'ada', '#/projects/1');
  await other.waitForText('Only the owner or an administrator can change this project.');
});

browserTest('the owner of a project is not offered to transfer it', {}, async ({ service, page }) => {
  const ada = await service.register('ada');
  await service.createProject(ada, 'notes');
  await signIn(page, 'ada', '#/projects/1');
  await page.find('button', 'Edit');
  assert.equal(await page.count('button', 'Transfer'), 0);
});

browserTest("somebody else's project is shown without its actions", {}, async ({ service, page }) => {
  const ada = await service.register('ada');
  await service.register('grace');
  await service.createProject(ada, 'notes');
  await signIn(page, 'grace', '#/projects/1');
  await page.find('heading', 'notes');
  for (const action of ['Edit', 'Transfer', 'Delete']) {
    assert.equal(await page.count('button', action), 0, action);
  }
});

const HOSTILE = '<img src=x onerror="document.title=\'taken over\'">';

browserTest('markup in names and descriptions is shown as text', {}, async ({ service, page }) => {
  const ada = await service.register('ada');
  await service.createProject(ada, HOSTILE, `<script>document.title='taken over'</script>${HOSTILE}`);
  await signIn(page, 'ada', '#/projects');
  await (await page.find('link', HOSTILE)).click();
  await page.find('heading', HOSTILE);
  assert.ok((await page.text()).includes(`<script>document.title='taken over'</script>${HOSTILE}`));
  await (await page.find('button', 'Delete')).click();
  await page.find('dialog', `Delete ${HOSTILE}`);
  assert.equal(
    await page.session.execute(
      'return document.querySelectorAll("main img, dialog img, script:not([src])").length',
    ),
    0,
  );
  assert.doesNotMatch(await page.session.title(), /^taken over/);
});

browserTest('the same with curl does what the form does, without secrets', {}, async ({ service, page }) => {
  await service.register('ada');
  await signIn(page, 'ada', '#/projects');
  await (await page.find('button', 'New project')).click();
  await (await page.find('textbox', 'Name')).fill("it's");
  const dialog = await page.find('dialog', 'New project');
  await (await page.find('button', 'The same with curl', dialog)).click();
  await page.waitForText(`-H "Authorization: Bearer $token"`);
  await page.waitForText(`"name": "it'\\''s"`);
});

browserTest('a search for a deleted project leads administrators to its deletion', {}, async ({
  service, page,
}) => {
  const as = await service.registerAdministrator('root');
  await service.createProject(as, 'payroll');
  await service.call('DELETE /api/v1/projects/payroll', { as });
  await signIn(page, 'root', '#/projects');
  await (await page.find('searchbox', 'Name to search')).fill('payroll');
  await (await page.find('link', 'See who deleted a project')).click();
  await page.waitForText('root deleted project payroll');
});

browserTest('the address of a deleted project leads administrators to its deletion', {
  provokes: [404],
}, async ({ service, page }) => {
  const as = await service.registerAdministrator('root');
  await service.createProject(as, 'payroll');
  await service.call('DELETE /api/v1/projects/payroll', { as });
  await signIn(page, 'root', '#/projects/payroll');
  await (await page.find('link', 'See who deleted a project')).click();
  await page.waitForText('root deleted project payroll');
});
