import { describe, expect, it } from 'vitest';
import type { CardView } from './card.ts';
import { renderPendingLines, renderProgress, renderUnaskedRun } from './lines.ts';

const UNTIL = new Date('2025-11-29T13:30:00Z');
const NOW = { now: new Date('2025-11-29T13:06:00Z'), timeZone: 'UTC' };
const run: CardView = {
  number: 8,
  status: 'running',
  risk: 'config_mutation',
  flags: [],
  reasons: ['restarts a service'],
  target: 'lxc:web (CT 101 "web" on host:lab)',
  command: 'systemctl restart nginx',
  purpose: '',
  phrase: null,
  expiresAt: null,
  requestedBy: '@op:hs.lan',
  startedAt: NOW.now,
  underWindow: { openedBy: '@op', until: UNTIL },
};

describe('renderUnaskedRun', () => {
  it('says in one line what runs, under whose yes and how long that holds', () => {
    expect(renderUnaskedRun(run, NOW)).toEqual({
      body: "#8 runs now under @op's yes (24 min left): systemctl restart nginx on lxc:web",
      formatted_body:
        "<b>#8 runs now under @op's yes (24 min left): systemctl restart nginx on lxc:web</b>",
    });
  });

  it('tells its end, with output', () => {
    const done: CardView = {
      ...run,
      status: 'completed',
      endedAt: new Date('2025-11-29T13:06:12Z'),
      exitCode: 0,
      tail: 'ok',
    };
    expect(renderUnaskedRun(done, NOW)).toEqual({
      body: "#8 completed (exit 0, 12 s) under @op's yes (24 min left): systemctl restart nginx on lxc:web\nOutput:\n```\nok\n```",
      formatted_body:
        "<b>#8 completed (exit 0, 12 s) under @op's yes (24 min left): systemctl restart nginx on lxc:web</b><br>Output:" +
        '<pre><code>ok\n</code></pre>',
    });
  });

  it.each<[CardView['status'], string]>([
    ['failed', "#8 failed under @op's yes (24 min left): systemctl restart nginx on lxc:web"],
    [
      'lost',
      "#8 lost under @op's yes (24 min left), its end is not known: systemctl restart nginx on lxc:web",
    ],
    ['refused', '#8 refused, nothing ran: systemctl restart nginx on lxc:web'],
  ])('tells that it is %s', (status, head) => {
    const view = { ...run, status, startedAt: null, outcome: 'the reason' };
    expect(renderUnaskedRun(view, NOW).body).toBe(`${head}\nReason: the reason`);
  });

  it('names the rule that it runs by, who allowed it and when', () => {
    const allowedAt = new Date('2025-11-12T23:30:00Z');
    const view = {
      ...run,
      byRule: { number: 3, allowedBy: '@op', allowedAt, use: 2, dailyCap: 3 },
    };
    expect(renderUnaskedRun(view, NOW).body).toBe(
      '#8 runs now by R3 (2 of 3 in 24 hours), allowed by @op on 12 Nov 2025: systemctl restart nginx on lxc:web',
    );
  });

  it('shows the whole command where the line does not hold it', () => {
    expect(renderUnaskedRun({ ...run, command: 'set -e\nrestart x' }, NOW).body).toBe(
      "#8 runs now under @op's yes (24 min left): set -e … on lxc:web\n```\n1  set -e\n2  restart x\n```",
    );
  });
});

describe('renderPendingLines', () => {
  it('says for each card what to say', () => {
    expect(
      renderPendingLines([
        { number: 7, summary: 'restart nginx on lxc:web', phrase: null },
        {
          number: 8,
          summary: 'pct destroy 135 on host:lab',
          phrase: { verb: 'destroy', object: '135' },
        },
      ]),
    ).toEqual({
      body:
        '2 things wait:\n#7 restart nginx on lxc:web: say yes #7, or no #7\n' +
        '#8 pct destroy 135 on host:lab: type "I confirm destroy 135", or no #8',
      formatted_body:
        '2 things wait:<br><b>#7</b> restart nginx on lxc:web: say yes #7, or no #7<br>' +
        '<b>#8</b> pct destroy 135 on host:lab: type &quot;I confirm destroy 135&quot;, or no #8',
    });
    expect(renderPendingLines([{ number: 7, summary: 'x', phrase: null }]).body).toBe(
      'One thing waits:\n#7 x: say yes #7, or no #7',
    );
  });
});

describe('renderProgress', () => {
  it('shows one line a step', () => {
    expect(
      renderProgress([
        { tool: 'run', target: 'lxc:web', command: 'df -h', state: 'done', seconds: 1.2 },
        { tool: 'run', target: 'host:lab', command: 'pct list', state: 'failed', note: 'exit 2' },
        { tool: 'look_up', state: 'running', seconds: 75 },
        { tool: 'run', command: 'rm <x>', state: 'waiting', note: '#7' },
      ]),
    ).toEqual({
      body: [
        '✓ run on lxc:web: df -h (1.2 s)',
        '✗ run on host:lab: pct list (failed, exit 2)',
        '▸ look_up (running, 1 min 15 s)',
        '… run: rm <x> (waiting, #7)',
      ].join('\n'),
      formatted_body:
        '✓ run on lxc:web: df -h (1.2 s)<br>✗ run on host:lab: pct list (failed, exit 2)<br>' +
        '▸ look_up (running, 1 min 15 s)<br>… run: rm &lt;x&gt; (waiting, #7)',
    });
  });

  it('stays short', () => {
    const steps = Array.from(
      { length: 15 },
      (_, at) => ({ tool: `t${at}`, state: 'done' }) as const,
    );
    expect(renderProgress(steps).body.split('\n').slice(0, 2)).toEqual([
      '… 3 earlier steps',
      '✓ t3',
    ]);
  });
});
