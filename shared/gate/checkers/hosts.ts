const PRIVATE =
  /^(localhost|127(\.\d+){3}|0\.0\.0\.0|\[?::1\]?|10(\.\d+){3}|192\.168(\.\d+){2}|172\.(1[6-9]|2\d|3[01])(\.\d+){2}|100\.(6[4-9]|[7-9]\d|1[01]\d|12[0-7])(\.\d+){2}|\[?f[cd][0-9a-f]{2}:[0-9a-f:]*\]?|\[?fe80:[0-9a-f:%\w]*\]?)$/i;
const LOCAL_NAME =
  /^(?!0x)(?=[0-9_-]*[a-z])[a-z0-9_-]+$|^[a-z0-9_-]+(\.[a-z0-9_-]+)*\.(lan|local|localdomain|home|internal|intranet|home\.arpa|ts\.net|arpa)$/i;

/** Whether a host lies in the operator's own networks, by its name or address alone. */
function isOwnHost(host: string): boolean {
  return PRIVATE.test(host) || LOCAL_NAME.test(host);
}

/** Whether a host is this machine itself. */
export function isLoopback(host: string): boolean {
  return /^(localhost|127(\.\d+){3}|\[?::1\]?)$/i.test(host);
}

const URL_FORM =
  /^(?:(https?):\/\/)?([^/:?#@\s{}[\]]+|\[[0-9a-f:]+\])(?::\d+)?([/?#][^\s{}[\]]*)?$/i;
const ACTION =
  /(reboot|restart|shutdown|power|reset|delete|remove|redeploy|hook|wake|wol|toggle|relay|control|switch|exec|action|cmd|stop|start|apply|flash|upgrade|install|trigger|run|turn|open|close|unlock)(?![a-z]*stat)/i;

/**
 * Why fetching this address may do more than read from the operator's own network, or undefined.
 * Many devices act on a plain GET, so a path that names an action or carries values is refused.
 */
export function refuseUrl(url: string): string | undefined {
  const found = URL_FORM.exec(url);
  if (!found) return 'the address is not plain http';
  const host = found[2] ?? '';
  const path = found[3] ?? '';
  if (!isOwnHost(host)) return `${host} is outside the operator's networks`;
  if (ACTION.test(path.replace(/[?#].*$/, ''))) return 'the path names an action';
  if (path.includes('?') && !isLoopback(host)) return 'the request carries values to a device';
  return undefined;
}

/** Whether a word names a host or address outside the operator's networks. */
export function namesOutside(text: string): boolean {
  if (/^\d+$|^-|^[+]/.test(text)) return false;
  const url =
    /^(?:[a-z][a-z0-9+.-]*:\/\/)?(?:[^@/\s]+@)?(\[[0-9a-f:]+\]|[\w-]+(?:\.[\w-]+)+|[0-9a-f]*:[0-9a-f:]+)/i.exec(
      text,
    );
  return url?.[1] !== undefined && !isOwnHost(url[1]);
}
