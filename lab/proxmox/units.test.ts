import { describe, expect, it } from 'vitest';
import {
  ago,
  formatProperties,
  formatStatus,
  formatUnitList,
  missingUnitProperties,
  readUnit,
  type Unit,
  unitName,
  unitProperties,
} from './units.ts';

const nginx: Unit = {
  name: 'nginx.service',
  description: 'A high performance web server and a reverse proxy server',
  enabled: true,
  command: 'nginx: master process /usr/sbin/nginx',
  reloadable: true,
};
const noon = Date.UTC(2026, 10, 29, 12);

describe('systemctl status', () => {
  it('of a running unit', () => {
    const known = { unit: nginx, state: { active: 'active', pid: 71, sinceMs: noon } } as const;
    expect(formatStatus(known, noon + 63_000, 'Nov 29 12:00:00 web systemd[1]: Started.\n')).toBe(
      [
        '● nginx.service - A high performance web server and a reverse proxy server',
        '     Loaded: loaded (/lib/systemd/system/nginx.service; enabled; preset: enabled)',
        '     Active: active (running) since Sun 2026-11-29 12:00:00 UTC; 1min 3s ago',
        '   Main PID: 71 (nginx)',
        '      Tasks: 1 (limit: 4915)',
        '     Memory: 3.2M',
        '        CPU: 12ms',
        '     CGroup: /system.slice/nginx.service',
        '             └─71 "nginx: master process /usr/sbin/nginx"',
        '',
        'Nov 29 12:00:00 web systemd[1]: Started.',
        '',
      ].join('\n'),
    );
  });

  it.each([
    [{ active: 'inactive' }, '○ ', 'Active: inactive (dead)\n'],
    [
      { active: 'failed', sinceMs: noon, exitStatus: 1 },
      '× ',
      'Active: failed (Result: exit-code) since Sun 2026-11-29 12:00:00 UTC; 5s ago\n',
    ],
  ] as const)('of %j', (state, dot, line) => {
    const text = formatStatus({ unit: nginx, state }, noon + 5000, '');
    expect(text.startsWith(dot)).toBe(true);
    expect(text).toContain(line);
  });
});

describe('systemctl list-units', () => {
  it('marks what failed and counts', () => {
    const list = formatUnitList([
      { unit: nginx, state: { active: 'active', pid: 71, sinceMs: noon } },
      {
        unit: { ...nginx, name: 'a.service' },
        state: { active: 'failed', sinceMs: 0, exitStatus: 1 },
      },
    ]);
    expect(list.split('\n').slice(0, 3)).toEqual([
      '  UNIT          LOAD   ACTIVE   SUB     DESCRIPTION',
      `  nginx.service loaded active   running ${nginx.description}`,
      `● a.service     loaded failed   failed  ${nginx.description}`,
    ]);
    expect(list).toMatch(/\n2 loaded units listed\.\n$/);
  });

  it('says so when there is none', () => {
    expect(formatUnitList([])).toContain('0 loaded units listed.');
  });
});

describe('systemctl show', () => {
  const known = { unit: nginx, state: { active: 'active', pid: 71, sinceMs: noon } } as const;
  it('prints the asked properties', () => {
    const properties = unitProperties(known);
    expect(formatProperties(properties, ['ActiveState', 'MainPID', 'Nope'], false)).toBe(
      'ActiveState=active\nMainPID=71\n',
    );
    expect(formatProperties(properties, ['SubState'], true)).toBe('running\n');
  });

  it('knows that a unit is not there', () => {
    expect(missingUnitProperties('x.service')).toMatchObject({ LoadState: 'not-found' });
  });
});

it('reads a unit file and fills what it leaves out', () => {
  expect(readUnit('cron.service', '{"description":"Cron","enabled":true}')).toEqual({
    name: 'cron.service',
    description: 'Cron',
    enabled: true,
    command: 'cron.service',
    reloadable: false,
  });
  expect(readUnit('x.service', '1')).toBeUndefined();
});

it('takes a bare name as a service', () => {
  expect([unitName('nginx'), unitName('apt-daily.timer')]).toEqual([
    'nginx.service',
    'apt-daily.timer',
  ]);
});

it.each([
  [4_000, '4s'],
  [63_000, '1min 3s'],
  [7_500_000, '2h 5min'],
  [90_000_000, '1 day'],
  [260_000_000, '3 days'],
])('%d ms ago reads %s', (ms, text) => {
  expect(ago(ms)).toBe(text);
});
