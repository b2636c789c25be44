import assert from 'node:assert/strict';
import { assertAccessible } from '../../support/accessibility.ts';
import { consoleTest, send, show, signIn } from '../../support/console.ts';

for (const [name, words, status] of [['notes', 'Project name in use', 422], ['123', /Name/, 400]] as const) {
  consoleTest(`the name ${name} is refused at its field (${status})`, 'ada #/projects', async ({ page }) => {
    await send(page, 'New project', { Name: name, Description: 'kept' }, 'Create project');
    await page.waitForFocus('textbox Name');
    await page.waitForText(words);
    const { element } = await page.find('textbox', 'Name');
    await page.waitFor('an error at the field', `
      const ids = arguments[0].getAttribute('aria-describedby').split(' ');
      const error = ids.map((id) => document.getElementById(id).textContent).join(' ');
      return arguments[0].getAttribute('aria-invalid') === 'true' && error.trim() !== ''`, element);
    assert.equal(await (await page.find('textbox', 'Description')).value(), 'kept');
  }, { project: 'notes', provokes: [status] });
}

consoleTest('a 412 keeps the draft', 'ada #/projects/1', async ({ service, page, ada: as, openPage }) => {
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
  await assertAccessible(page, 'a form whose record was changed meanwhile');
  const readDescription = async () => (await page.find('textbox', 'Description')).value();
  assert.equal(await readDescription(), 'mine');
  await page.click('button Load the current state and keep my draft');
  await page.waitForText('theirs');
  assert.equal(await readDescription(), 'mine');
  await page.click('button Save');
  await page.waitUntilGone('dialog', 'Edit notes');
  assert.equal((await service.call('GET /api/v1/projects/1', { as })).json['description'], 'mine');
}, { project: 'notes', provokes: [412] });

consoleTest('an owner edits and deletes; after a transfer by an administrator, only the new owner may',
  'root #/projects/1', async ({ page, openPage }) => {
    const other = await openPage();
    const countActions = () =>
      Promise.all(['Edit', 'Transfer', 'Delete'].map((action) => other.count('button', action)));
    await signIn(other, 'ada', '#/projects/1');
    await other.find('heading', 'notes');
    assert.deepEqual(await countActions(), [1, 0, 1]);
    await page.focus();
    await send(page, 'Transfer', { 'New owner': 'grace' });
    await page.waitForText(/Owner\s+G\s+grace/);
    await other.focus();
    await show(other, '#/projects');
    await other.click('link notes');
    await other.waitForText('Only the owner or an administrator can change this project.');
    assert.deepEqual(await countActions(), [0, 0, 0]);
    await assertAccessible(other, 'a project of another user');
  }, { project: 'notes' });

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

consoleTest('the curl command equals the form, without secrets', 'ada #/projects', async ({ page }) => {
  await send(page, 'New project', { Name: "it's" }, 'The same with curl');
  await page.waitForText(`-H "Authorization: Bearer $token"`, `"name": "it'\\''s"`);
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
