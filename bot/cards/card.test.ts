import { describe, expect, it } from 'vitest';
import { type CardView, renderCard } from './card.ts';

const OPTIONS = { now: new Date('2025-11-29T13:05:00Z'), timeZone: 'Europe/Berlin' };
const TOMORROW = new Date('2025-11-30T13:05:00Z');
const STARTED = new Date('2025-11-29T13:06:00Z');
const SAID_YES = {
  by: '@op:hs.lan',
  how: 'words',
  granted: true,
  at: new Date('2025-11-29T13:05:30Z'),
} as const;

const restart: CardView = {
  number: 7,
  status: 'pending_approval',
  risk: 'config_mutation',
  flags: [],
  reasons: ['restarts a service'],
  target: 'lxc:web (CT 101 "web" on host:lab)',
  command: 'systemctl restart nginx',
  purpose: 'nginx <b>hangs</b> since noon',
  phrase: null,
  expiresAt: TOMORROW,
  requestedBy: '@op:hs.lan',
};
const destroy: CardView = {
  ...restart,
  risk: 'destructive',
  reasons: ['destroys the guest and its disks'],
  target: 'host:lab',
  command: 'pct destroy 135',
  purpose: '',
  phrase: { verb: 'destroy', object: '135' },
};

const FACTS = [
  'Class: config_mutation (changes how something runs). Why: restarts a service.',
  'On lxc:web (CT 101 "web" on host:lab), asked by @op:hs.lan.',
  '```',
  'systemctl restart nginx',
  '```',
];
const SAYS = 'Nomos says: nginx <b>hangs</b> since noon';

function bodyOf(view: CardView): string[] {
  return renderCard(view, OPTIONS).body.split('\n');
}

describe('a card that waits', () => {
  it('says what it asks, why, where, what exactly, how to answer and until when', () => {
    expect(renderCard(restart, OPTIONS)).toEqual({
      body: [
        '#7 needs your yes: systemctl restart nginx on lxc:web',
        ...FACTS,
        'Say yes or go ahead, react 👍, or reply; no or 👎 denies.',
        'Waits until 14:05, 30 Nov (Europe/Berlin).',
        SAYS,
      ].join('\n'),
      formatted_body:
        '<b>#7 needs your yes: systemctl restart nginx on lxc:web</b><br>' +
        'Class: config_mutation (changes how something runs). Why: restarts a service.<br>' +
        'On lxc:web (CT 101 &quot;web&quot; on host:lab), asked by @op:hs.lan.' +
        '<pre><code>systemctl restart nginx\n</code></pre>' +
        'Say yes or go ahead, react 👍, or reply; no or 👎 denies.<br>' +
        'Waits until 14:05, 30 Nov (Europe/Berlin).<br>' +
        'Nomos says: nginx &lt;b&gt;hangs&lt;/b&gt; since noon',
    });
  });

  it('shows what the gate quotes of a command as code, whatever is in it', () => {
    const card = renderCard({ ...restart, reasons: ['`echo <b> *x*`: writes a file.'] }, OPTIONS);
    expect(card.body).toContain('Why: `echo <b> *x*`: writes a file.\n');
    expect(card.formatted_body).toContain(
      'Why: <code>echo &lt;b&gt; *x*</code>: writes a file.<br>',
    );
  });

  it.each([
    ['destroy', 'DESTROYS'],
    ['reboot', 'INTERRUPTS'],
    ['read', 'SHOWS A SECRET'],
  ])('says of %s first that it %s', (verb, says) => {
    const card = renderCard({ ...destroy, phrase: { verb, object: 'x' } }, OPTIONS);
    expect(card.body).toMatch(new RegExp(`^#7 ${says}: type "I confirm ${verb} x" to run it`));
  });

  it('asks for the typed sentence of a destructive command', () => {
    expect(renderCard(destroy, { ...OPTIONS, timeZone: 'UTC' })).toEqual({
      body: [
        '#7 DESTROYS: type "I confirm destroy 135" to run it: pct destroy 135 on host:lab',
        'Class: destructive (destroys, interrupts or shows what cannot simply be taken back). Why: destroys the guest and its disks.',
        'On host:lab, asked by @op:hs.lan.',
        '```',
        'pct destroy 135',
        '```',
        'Type exactly: I confirm destroy 135. A yes or 👍 does not run it; no or 👎 denies.',
        'Waits until 13:05, 30 Nov (UTC).',
      ].join('\n'),
      formatted_body:
        '<b>#7 DESTROYS: type &quot;I confirm destroy 135&quot; to run it: pct destroy 135 on host:lab</b><br>' +
        'Class: destructive (destroys, interrupts or shows what cannot simply be taken back). Why: destroys the guest and its disks.<br>' +
        'On host:lab, asked by @op:hs.lan.<pre><code>pct destroy 135\n</code></pre>' +
        'Type exactly: <b>I confirm destroy 135</b>. A yes or 👍 does not run it; no or 👎 denies.<br>' +
        'Waits until 13:05, 30 Nov (UTC).',
    });
  });

  it('says first what an access command gives away, and names flags and provenance', () => {
    const view: CardView = {
      ...restart,
      flags: ['access', 'egress'],
      reasons: ['lets key SHA256:abc log in as root on host:strong'],
      provenance: 'read from guest:lxc:web',
    };
    expect(bodyOf(view).slice(0, 4)).toEqual([
      '#7 needs your yes: lets key SHA256:abc log in as root on host:strong: systemctl restart nginx on lxc:web',
      'Class: config_mutation (changes how something runs), access (it changes who may do what), egress (it may send data out). Why: lets key SHA256:abc log in as root on host:strong.',
      'On lxc:web (CT 101 "web" on host:lab), asked by @op:hs.lan.',
      'Where it comes from: read from guest:lxc:web.',
    ]);
  });

  it('wants the number for a command too long for a bare yes', () => {
    const command = Array.from({ length: 41 }, (_, at) => `echo ${at}`).join('\n');
    expect(bodyOf({ ...restart, command })).toContain(
      'Say "yes #7", react 👍, or reply; it is too long for a bare yes; no or 👎 denies.',
    );
  });

  it('shows the head, the riskiest part and the hash of what is attached', () => {
    const body = bodyOf({ ...restart, command: `echo ${'a'.repeat(2_000)}` });
    expect(body[3]).toBe(
      'The first 1000 of 2005 characters; full text attached. Riskiest part: restarts a service.',
    );
    expect(body[5]).toBe(`echo ${'a'.repeat(995)}`);
    expect(body[7]).toMatch(/^sha256 [0-9a-f]{64}$/);
  });

  it('offers nothing to say for a destructive command without a sentence', () => {
    const body = bodyOf({ ...destroy, phrase: null });
    expect(body[0]).toBe(
      '#7 DESTROYS and has no sentence to confirm it: pct destroy 135 on host:lab',
    );
    expect(body).toContain(
      'Nothing runs it as it stands: ask for one step per object; no or 👎 denies.',
    );
  });
});

describe('a card after its decision', () => {
  const BY = 'Approved by @op:hs.lan in words at 14:05, 29 Nov (Europe/Berlin).';
  const started = { decision: SAID_YES, startedAt: STARTED };
  const ended = { ...started, endedAt: new Date(STARTED.getTime() + 3_210) };

  it.each<[string, Partial<CardView>, string[]]>([
    [
      'proposed',
      { status: 'proposed' },
      ['#7 is being looked at: systemctl restart nginx on lxc:web', ...FACTS, SAYS],
    ],
    [
      'approved',
      { status: 'approved', decision: SAID_YES, windowUntil: TOMORROW },
      [
        '#7 is approved and starts soon: systemctl restart nginx on lxc:web',
        BY,
        'Further changes of this task run at once until 14:05, 30 Nov (Europe/Berlin).',
        ...FACTS,
        SAYS,
      ],
    ],
    [
      'running',
      { status: 'running', ...started },
      [
        '#7 runs: systemctl restart nginx on lxc:web',
        BY,
        'Started at 14:06, 29 Nov (Europe/Berlin); 🛑 stops it.',
        ...FACTS,
        SAYS,
      ],
    ],
    [
      'running on a host that is away',
      { status: 'running', ...started, unreachableSince: STARTED, quietSince: STARTED },
      [
        '#7 runs: systemctl restart nginx on lxc:web',
        BY,
        'Started at 14:06, 29 Nov (Europe/Berlin); 🛑 stops it.',
        'Its host has not answered since 14:06, 29 Nov (Europe/Berlin); the command may go on there.',
        ...FACTS,
        SAYS,
      ],
    ],
    [
      'running without a word',
      { status: 'running', ...started, quietSince: STARTED },
      [
        '#7 runs: systemctl restart nginx on lxc:web',
        BY,
        'Started at 14:06, 29 Nov (Europe/Berlin); 🛑 stops it.',
        'It has printed nothing since 14:06, 29 Nov (Europe/Berlin).',
        ...FACTS,
        SAYS,
      ],
    ],
    [
      'completed',
      { status: 'completed', ...ended, exitCode: 0, tail: 'ok\n' },
      [
        '#7 completed (exit 0, 3.2 s): systemctl restart nginx on lxc:web',
        BY,
        ...FACTS,
        'Output:',
        '```',
        'ok',
        '```',
        SAYS,
      ],
    ],
    [
      'failed',
      {
        status: 'failed',
        ...ended,
        exitCode: 1,
        outcome: 'it ended with an error',
        tail: 'no unit',
      },
      [
        '#7 failed (exit 1, 3.2 s): systemctl restart nginx on lxc:web',
        BY,
        'Reason: it ended with an error',
        ...FACTS,
        'Output:',
        '```',
        'no unit',
        '```',
        SAYS,
      ],
    ],
    [
      'refused',
      { status: 'refused', decision: SAID_YES, outcome: 'CT 101 is now "db"' },
      [
        '#7 refused, nothing ran: systemctl restart nginx on lxc:web',
        BY,
        'Reason: CT 101 is now "db"',
        ...FACTS,
        SAYS,
      ],
    ],
    [
      'lost',
      { status: 'lost', ...started, outcome: 'the host went away' },
      [
        '#7 lost, its end is not known: systemctl restart nginx on lxc:web',
        BY,
        'Reason: the host went away',
        'Started at 14:06, 29 Nov (Europe/Berlin).',
        ...FACTS,
        SAYS,
      ],
    ],
    [
      'denied',
      { status: 'denied', decision: { ...SAID_YES, how: 'reaction', granted: false } },
      [
        '#7 denied, nothing ran: systemctl restart nginx on lxc:web',
        'Denied by @op:hs.lan by reaction at 14:05, 29 Nov (Europe/Berlin).',
        ...FACTS,
        SAYS,
      ],
    ],
    [
      'expired',
      { status: 'expired' },
      ['#7 expired, nothing ran: systemctl restart nginx on lxc:web', ...FACTS, SAYS],
    ],
    [
      'cancelled before its start',
      { status: 'cancelled' },
      ['#7 cancelled, nothing ran: systemctl restart nginx on lxc:web', ...FACTS, SAYS],
    ],
    [
      'cancelled while it ran',
      { status: 'cancelled', ...ended, exitCode: 143 },
      ['#7 cancelled (exit 143, 3.2 s): systemctl restart nginx on lxc:web', BY, ...FACTS, SAYS],
    ],
  ])('%s', (_name, change, body) => {
    const card = renderCard({ ...restart, ...change }, OPTIONS);
    expect(card.body.split('\n')).toEqual(body);
    expect(card.formatted_body).toContain(`<b>${body[0]}</b>`);
  });

  it('cuts output at 25 lines and 2,000 characters and says so', () => {
    const lines = Array.from({ length: 40 }, (_, at) => `line ${at}`).join('\n');
    const body = bodyOf({ ...restart, status: 'completed', tail: lines });
    expect(body.slice(6, 9)).toEqual(['Output, only the last 25 lines:', '```', 'line 15']);
    const long = bodyOf({ ...restart, status: 'completed', tail: 'x'.repeat(5_000) });
    expect(long.slice(6, 9)).toEqual(['Output, only the last line:', '```', 'x'.repeat(2_000)]);
    const cut = bodyOf({ ...restart, status: 'completed', tail: 'end', outputCut: true });
    expect(cut[6]).toBe('Output, its end only:');
  });
});

describe('text from outside', () => {
  it('cannot leave its place on the card', () => {
    const { body, formatted_body } = renderCard(
      {
        ...restart,
        status: 'failed',
        purpose: 'fine\n#8 needs your yes: \u202erm',
        outcome: 'x\u001b[2J</b><script>',
        tail: '```\n</code></pre><b>#9 needs your yes</b>\u001b]0;t\u0007',
      },
      OPTIONS,
    );
    expect(body).toContain('Nomos says: fine #8 needs your yes: \\u{202e}rm');
    expect(body).toContain('````\n```\n</code></pre>');
    expect(body.replaceAll('\n', '')).not.toMatch(/[\p{Cc}\p{Cf}]/u);
    expect(formatted_body).toContain('Reason: x\\u{1b}[2J&lt;/b&gt;&lt;script&gt;');
    expect(formatted_body).toContain(
      '&lt;/code&gt;&lt;/pre&gt;&lt;b&gt;#9 needs your yes&lt;/b&gt;\\u{1b}]0;t\\u{7}',
    );
  });

  it('gives the agent 200 characters', () => {
    const last = bodyOf({ ...restart, purpose: 'p'.repeat(300) }).at(-1);
    expect(last).toBe(`Nomos says: ${'p'.repeat(199)}…`);
  });
});

it('says why a rule did not let the command run this time', () => {
  const passedBy = { number: 3, why: 'it has run 3 times in 24 hours' };
  expect(bodyOf({ ...restart, passedBy })).toContain(
    'R3 does not let it run this time: it has run 3 times in 24 hours.',
  );
});
