import { expect, it } from 'vitest';
import { checkConfig } from './nginx-config.ts';

it('accepts a sound file', () => {
  const text =
    'events { }\nhttp {\n  # a } in a comment\n  server { listen 80; return 200 "a;b{"; }\n}\n';
  expect(checkConfig('/etc/nginx/nginx.conf', text)).toEqual({ ok: true });
});

it.each([
  ['http {\n  listen 80\n}\n', 'unexpected "}" in /x.conf:3'],
  ['}\n', 'unexpected "}" in /x.conf:1'],
  ['http {\n  ;\n}\n', 'unexpected ";" in /x.conf:2'],
  ['http {\n', 'unexpected end of file, expecting "}" in /x.conf:2'],
  ['user www-data\n', 'unexpected end of file, expecting ";" or "}" in /x.conf:2'],
])('refuses %j', (text, message) => {
  expect(checkConfig('/x.conf', text)).toEqual({ ok: false, message: `nginx: [emerg] ${message}` });
});
