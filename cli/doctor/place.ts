/** Where a URL points, without user, password and options: for people to read. */
export function placeOf(url: string): string {
  if (!URL.canParse(url)) return 'an address that cannot be read';
  const { host, pathname } = new URL(url);
  return `${host}${pathname === '/' ? '' : pathname}`;
}
