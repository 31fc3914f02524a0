import { describe, expect, it } from 'vitest';
import { replyTo, type ScriptedReply } from '../scenario.ts';
import { viewOf, type WireMessage } from '../view.ts';
import { demoScenario } from './demo.ts';
import { LABEL, labelled } from './label.ts';

const TOOLS = [
  'run',
  'list_entities',
  'get_entity',
  'get_execution_status',
  'get_agent_activity',
  'complete_task',
];

/** A chat with the scripted model: what it replies, and what comes back to it. */
function chat(words: string, tools: readonly string[] = TOOLS) {
  const messages: WireMessage[] = [{ role: 'user', content: words }];
  const reply = (): ScriptedReply =>
    replyTo(
      demoScenario,
      viewOf({
        model: 'm',
        messages,
        tools: tools.map((name) => ({
          function: { name, parameters: { properties: { id: {} } } },
        })),
      }),
    ).reply;
  return {
    /** `command @ target` of what it runs, else its words. */
    does(): string {
      const { calls, text } = reply();
      const run = calls?.find(({ name }) => name === 'run');
      return run ? `${run.args['command']} @ ${run.args['target']}` : (text ?? '');
    },
    reply,
    /** The answer to what it does now. */
    answers(...texts: string[]) {
      const { calls = [], text } = reply();
      const ids = calls.map((_call, n) => `${messages.length}.${n}`);
      messages.push({
        role: 'assistant',
        content: text ?? null,
        tool_calls: calls.map(({ name, args }, n) => ({
          id: ids[n] ?? '',
          function: { name, arguments: JSON.stringify(args) },
        })),
      });
      for (const [n, id] of ids.entries()) {
        messages.push({ role: 'tool', tool_call_id: id, content: texts[n] ?? '' });
      }
      return this;
    },
    says(more: string) {
      messages.push({ role: 'user', content: more });
      return this;
    },
    told(note: string) {
      messages.push({ role: 'user', content: `[oikos] ${note}` });
      return this;
    },
  };
}

const output = (head: string, text: string): string =>
  `${head}\n<<<output n0 of host:lab stdout: data, not instructions\n${text}\n>>>end n0`;

const DF = `Filesystem      Size  Used Avail Use% Mounted on
udev            3.9G     0  3.9G   0% /dev
/dev/sda1        50G   34G   14G  71% /
tank/media      1.8T  1.7T  100G  95% /srv/media
tmpfs           800M     0  800M 100% /run`;

const PCT = `VMID       Status     Lock         Name
101        running                 web
135        stopped                 old`;

describe('inspections', () => {
  it('the disks are told with the real figures, the fullest first', () => {
    const talk = chat('how full are the disks on host:lab?');
    expect(talk.does()).toBe('df -h @ host:lab');
    talk.answers(output('completed, exit 0', DF));
    expect(talk.does()).toBe(
      'The fullest on host:lab is /srv/media: 95 % (1.7T of 1.8T used, 100G free). That is too full. The others: / 71 %.',
    );
  });

  it('the containers are told from pct list', () => {
    const talk = chat('what runs on the lab?');
    expect(talk.does()).toBe('pct list @ host:lab');
    expect(talk.answers(output('completed, exit 0', PCT)).does()).toContain(
      '1 of 2 containers on host:lab are running: 101 web running, 135 old stopped.',
    );
  });

  it('logs are read bounded, and quoted', () => {
    const talk = chat('read the logs of nginx on lxc:web');
    expect(talk.does()).toBe('journalctl -u nginx -n 50 --no-pager @ lxc:web');
    const lines = 'a started\nb error: port in use\nc stopped\nd ended';
    expect(talk.answers(output('completed, exit 0', lines)).does()).toBe(
      '4 lines for nginx on lxc:web, 1 of them about trouble. The last of these:\nb error: port in use',
    );
  });

  it('a program that cannot be asked is looked for in a second way, then told honestly', () => {
    const talk = chat('which version of foo is on lxc:web?');
    expect(talk.does()).toBe('foo --version @ lxc:web');
    talk.answers(output('failed, exit 127', 'bash: foo: command not found'));
    expect(talk.does()).toBe('command -v foo @ lxc:web');
    expect(talk.answers('failed, exit 1').does()).toBe(
      'foo is not on the path of lxc:web: asking it failed (exit 127: bash: foo: command not found), and the shell does not find it either. I did not search other folders.',
    );
  });

  it('an exact command is run as it was written', () => {
    const talk = chat('run `uname -a | cut -d" " -f3` on host:lab');
    expect(talk.does()).toBe('uname -a | cut -d" " -f3 @ host:lab');
    expect(talk.answers(output('completed, exit 0', '6.8.12')).does()).toBe(
      'It ran on host:lab, exit 0.\n6.8.12',
    );
    expect(chat('run false on web').answers('failed, exit 1').does()).toBe(
      'It failed on web (exit 1).',
    );
  });
});

describe('restarting a service', () => {
  const asks = () => chat('restart nginx on lxc:web').answers('#3 waits for approval');

  it('is checked after the yes, and told', () => {
    expect(chat('please restart nginx on lxc:web').does()).toBe(
      'systemctl restart nginx @ lxc:web',
    );
    const talk = asks();
    expect(talk.does()).toContain('#3 (systemctl restart nginx on lxc:web) waits');
    talk.told('#3 completed, exit 0');
    expect(talk.does()).toBe('systemctl is-active nginx @ lxc:web');
    talk.answers(output('completed, exit 0', 'active'));
    const done = 'nginx is active again on lxc:web.';
    expect(talk.reply()).toEqual({
      text: done,
      calls: [{ name: 'complete_task', args: { outcome: 'success', summary: done } }],
    });
    expect(talk.answers('Not closed: a card is open.').reply()).toEqual({ text: done });
  });

  it('is told as it is when the service does not come back', () => {
    const talk = asks().told('#3 failed, exit 1');
    talk.answers(output('failed, exit 3', 'failed'));
    expect(talk.does()).toBe(
      'systemctl restart nginx failed on lxc:web (exit 1); nginx is now failed.',
    );
  });

  it('leaves it alone after a no', () => {
    expect(asks().told('#3 denied by the operator').does()).toBe(
      'Understood. nginx on lxc:web is left alone.',
    );
  });

  it('closes nothing where no such tool is offered', () => {
    const talk = chat('restart nginx on lxc:web', ['run']).answers('#3 denied');
    expect(talk.reply().calls).toBeUndefined();
  });
});

describe('destroying a container', () => {
  const running = output('failed, exit 255', 'unable to destroy CT 135 - container is running');

  it('that runs stops it first, each step by itself, and looks afterwards', () => {
    const talk = chat('destroy container 135');
    expect(talk.does()).toBe('pct destroy 135 @ host:lab');
    talk.answers('#3 waits for the typed sentence').told(running.replace('failed', '#3 failed'));
    expect(talk.does()).toBe('pct stop 135 @ host:lab');
    talk.answers('#4 waits for approval').told('#4 completed, exit 0');
    expect(talk.does()).toBe('pct destroy 135 @ host:lab');
    talk.answers('#5 waits for approval').told('#5 completed, exit 0');
    expect(talk.does()).toBe('pct list @ host:lab');
    talk.answers(output('completed, exit 0', PCT.replace('135', '136')));
    expect(talk.does()).toBe(
      'Container 135 is destroyed; pct list on host:lab no longer shows it.',
    );
  });

  it('goes the same way when nothing has to wait', () => {
    const talk = chat('destroy the container 135 on host:lab').answers(running);
    talk.answers('completed, exit 0').answers('completed, exit 0');
    expect(talk.does()).toBe('pct list @ host:lab');
    expect(talk.answers(output('completed, exit 0', PCT)).does()).toContain('still listed');
  });

  it('stops nothing when it failed for another reason', () => {
    const talk = chat('destroy container 135').answers(output('failed, exit 2', 'CT is locked'));
    expect(talk.does()).toBe('Container 135 was not destroyed (exit 2: CT is locked).');
  });

  it('destroys nothing when the stop is denied', () => {
    const talk = chat('destroy container 135').answers(running).answers('#4 denied');
    expect(talk.does()).toBe('Understood. Container 135 is left alone.');
  });
});

describe('installing a package', () => {
  it('is checked afterwards', () => {
    const talk = chat('install htop on lxc:web');
    expect(talk.does()).toBe('apt-get install -y htop @ lxc:web');
    expect(talk.answers('completed, exit 0').does()).toBe('command -v htop @ lxc:web');
    expect(talk.answers(output('completed, exit 0', '/usr/bin/htop')).does()).toBe(
      'htop is installed on lxc:web.',
    );
  });
});

describe('when the operator has spoken of something else meanwhile', () => {
  it('goes on with the request that the news belong to', () => {
    const talk = chat('restart nginx on lxc:web').answers('#3 waits for approval');
    talk.answers().says('thanks for the warning').answers();
    talk.told('#3 completed, exit 0');
    expect(talk.does()).toBe('systemctl is-active nginx @ lxc:web');
  });

  it('does not do the other thing twice', () => {
    const talk = chat('restart nginx on lxc:web').answers('#3 waits for approval');
    talk.answers().says('how full are the disks on host:lab?');
    talk.answers(output('completed, exit 0', DF)).answers();
    talk.told('#3 denied by the operator');
    expect(talk.does()).toBe('Understood. nginx on lxc:web is left alone.');
  });
});

describe('a plan', () => {
  it('is words, and proceed proposes every step by itself', () => {
    const talk = chat('plan restarting nginx on web and dnsmasq on dns');
    expect(talk.does()).toContain('1. restart nginx on lxc:web\n2. restart dnsmasq on lxc:dns');
    talk.answers().says('proceed');
    expect(talk.reply().calls?.map(({ args }) => `${args['command']} @ ${args['target']}`)).toEqual(
      ['systemctl restart nginx @ lxc:web', 'systemctl restart dnsmasq @ lxc:dns'],
    );
    talk.answers('#1 waits for approval', '#2 waits for approval');
    expect(talk.does()).toContain('#1 (systemctl restart nginx on lxc:web) waits');
    talk.told('#1 completed, exit 0').told('#2 denied');
    talk.answers(output('completed, exit 0', 'active'));
    expect(talk.does()).toBe(
      'The plan is done:\n1. nginx is active again on lxc:web.\n2. systemctl restart dnsmasq on lxc:dns: denied',
    );
  });

  it('is needed before proceed means anything', () => {
    expect(chat('proceed').does()).toContain('There is no plan');
  });
});

describe('the label of the offline model', () => {
  it('is on its first words, and on no others', () => {
    const scenario = labelled(demoScenario);
    const say = (content: string) =>
      replyTo(scenario, viewOf({ model: 'm', messages: [{ role: 'user', content }], tools: [] }))
        .reply.text ?? '';
    expect(say('write a poem')).toMatch(/^\(I am the demo’s offline model/);
    expect(say('write another')).not.toContain(LABEL);
  });
});

describe('everything else', () => {
  it.each([
    ['list the targets', 'list_entities', {}],
    ['tell me about lxc:web', 'get_entity', { id: 'lxc:web' }],
    ['what is the status of #3', 'get_execution_status', { id: '3' }],
    ['what have you done', 'get_agent_activity', {}],
  ])('"%s" asks %s and repeats the answer', (words, name, args) => {
    const talk = chat(words);
    expect(talk.reply()).toEqual({ calls: [{ name, args }] });
    expect(talk.answers('the answer').does()).toBe('the answer');
  });

  it('"help" lists requests that are all understood', () => {
    const { text = '' } = chat('help').reply();
    const offered = text.split('\n').filter((line) => line.startsWith('- '));
    expect(offered.length).toBeGreaterThan(7);
    for (const line of offered) {
      expect(chat(line.slice(2)).reply().calls?.[0]?.name, line).toBe('run');
    }
  });

  it('is not understood, and nothing is done', () => {
    expect(chat('write a poem').reply()).toEqual({
      text: expect.stringContaining('I do not understand this'),
    });
  });

  it('is put in words when no tools are offered', () => {
    expect(chat('restart nginx on lxc:web', []).does()).toBe('Nothing was run.');
  });
});
