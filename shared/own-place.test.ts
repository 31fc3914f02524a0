import { expect, it } from 'vitest';
import { ownFolders } from './own-place.ts';

it.each([
  ['/opt/oikos', '/opt/oikos', ['/opt/oikos']],
  ['/home/me/oikos', '/srv/steward', ['/home/me/oikos', '/srv/steward']],
  ['/opt/oikos', '/', ['/opt/oikos', '/.env', '/fleet.yaml']],
  ['/app', '/app', ['/app/.env', '/app/fleet.yaml']],
  ['/opt/oikos', '/root', ['/opt/oikos', '/root/.env', '/root/fleet.yaml']],
  ['/opt/oikos', '/home/me', ['/opt/oikos', '/home/me/.env', '/home/me/fleet.yaml']],
])('installed in %s and started in %s, it owns %j', (installed, working, folders) => {
  expect(ownFolders(installed, working)).toEqual(folders);
});
