import type { Context } from './context.ts';

/** Whether the input is exactly what `curl URL` fetches from an address the operator trusts. */
export function isTrustedInstaller(context: Pick<Context, 'input' | 'policy'>): boolean {
  const { input, policy } = context;
  if (input.kind !== 'pipe') return false;
  const [program, ...words] = input.from.map((value) => value.text);
  const urls = words.filter((word) => word === undefined || !word.startsWith('-'));
  const options = words.filter((word) => word?.startsWith('-'));
  const [url] = urls;
  const plain =
    program === 'curl'
      ? options.every((option) => /^-[fsSL]+$/.test(option ?? ''))
      : program === 'wget' && /^-(qO-|nv|q|O-)( -(qO-|q|O-))*$/.test(options.join(' '));
  if (!plain || urls.length !== 1 || url === undefined) return false;
  const bare = url.replace(/\/$/, '');
  return policy.trustedInstallers.some((trusted) => trusted.replace(/\/$/, '') === bare);
}
