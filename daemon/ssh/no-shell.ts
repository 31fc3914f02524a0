/** Why a shell never came to its first word, from what the host printed instead. */
export function whyNoShell(complaint: string): string {
  const said = complaint.trim().split('\n').at(-1) ?? '';
  if (said === '') return 'the connection broke before the start';
  if (/^sudo: .*(password|terminal)/i.test(said)) {
    return `sudo there wants a password, which Oikos has not: allow the user NOPASSWD (${said})`;
  }
  return `the host said: ${said}`;
}
