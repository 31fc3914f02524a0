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

// Short words only count alone: `/update` acts, `/dataset` does not.
const ACTION_WORD =
  /(^|[/_.=&?-])(quit|reload|update|log-?out|sign-?out|command|pause|resume|scan|sync|backup|kill|purge|clear|flush|restore|mode|set|rm|del|add|send|enable|disable|redirect)(?=$|[/_.=&?-])/i;
// Prometheus and its kin: what stands in the query there is only ever asked.
const ASKING = /^\/api\/v1\/(query|query_range|series|labels|label\/\w+\/values)$/;
// Well-known addresses at which a service hands out its settings, stored data or memory.
const LEAK =
  /\/actuator\/(env|heapdump|configprops|httptrace)|\/v1\/(kv|secret|sys\/raw|auth)(\/|$)|\/v1\/[\w-]+\/data\/|\/v2\/keys|\/_(search|msearch|mget|sql|source|doc)\b|\/(containers|services|images)\/[^/]+\/(json|export|archive|get)|\/services(\/|$)|\/debug\/(vars|pprof)|\/\.(env|git)|\/api\/v1\/secrets|\/secrets?(\/|$)|phpinfo/i;

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
  return refusePath(path, host);
}

function refusePath(path: string, host: string): string | undefined {
  const [place = '', query = ''] = decoded(path).split(/[?#](.*)/s);
  if (ACTION.test(place) || ACTION_WORD.test(place)) return 'the path names an action';
  if (LEAK.test(place)) return 'the path hands out settings or stored data';
  if (path.includes('?') && !isLoopback(host)) return 'the request carries values to a device';
  if (ASKING.test(place)) return undefined;
  return ACTION.test(query) || ACTION_WORD.test(query) ? 'the request names an action' : undefined;
}

/** `%72eboot` is `reboot` to the server. */
function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
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
