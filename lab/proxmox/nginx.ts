/** `nginx -t`, `-v`, `-s reload`: answers from the configuration files in /etc/nginx. */
import { existsSync, readdirSync } from 'node:fs';
import { type Answer, refused, SILENT } from './answer.ts';
import { type ConfigVerdict, checkConfig } from './nginx-config.ts';
import { readIfThere } from './process-table.ts';

const MAIN = '/etc/nginx/nginx.conf';
const SITES = '/etc/nginx/sites-enabled';

/** The first problem in the main file or an enabled site. */
export function checkNginx(): ConfigVerdict {
  const sites = existsSync(SITES) ? readdirSync(SITES).map((name) => `${SITES}/${name}`) : [];
  for (const path of [MAIN, ...sites]) {
    const text = readIfThere(path);
    const verdict = text === undefined ? missing(path) : checkConfig(path, text);
    if (!verdict.ok) return verdict;
  }
  return { ok: true };
}

export function nginx(args: readonly string[]): Answer {
  const [option] = args;
  switch (option) {
    case '-t':
      return testConfig();
    case '-v':
      return { code: 0, err: 'nginx version: nginx/1.26.3\n' };
    case '-s': {
      const verdict = checkNginx();
      return verdict.ok ? SILENT : refused(verdict.message, 1);
    }
    default:
      return refused(`nginx: invalid option: "${option ?? ''}"`, 1);
  }
}

function testConfig(): Answer {
  const verdict = checkNginx();
  return verdict.ok
    ? {
        code: 0,
        err: `nginx: the configuration file ${MAIN} syntax is ok\nnginx: configuration file ${MAIN} test is successful\n`,
      }
    : refused(`${verdict.message}\nnginx: configuration file ${MAIN} test failed`, 1);
}

function missing(path: string): ConfigVerdict {
  return {
    ok: false,
    message: `nginx: [emerg] open() "${path}" failed (2: No such file or directory)`,
  };
}
