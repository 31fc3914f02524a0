import { type AccessCall, type AccessUse, gains } from './use.ts';

const POWERS =
  /^--(privileged(=true)?|(pid|net|network|ipc|uts|userns|cgroupns)=host|(cap-add|device|device-cgroup-rule|security-opt|volumes-from|gpus)(=.*)?)$/;
const SPLIT_POWERS = /^--(pid|net|network|ipc|uts|userns|cgroupns)$/;
const MOUNTS = /^(-v|--volume|--mount|--volumes-from)$/;
const STARTS = /^(run|create)$/;
// Mounted read-only these say no more than the time of day.
const CLOCK = /^\/etc\/(localtime|timezone)(:|$)/;
const OWN_TREES =
  /^\/(opt|srv|home\/[^/]+|mnt|data|tank|media|var\/lib|volume\d+|docker|root)\/(.+)$/;

interface Options {
  readonly words: readonly string[];
  /** What the call is about: the name it is given and the image. */
  readonly names: readonly string[];
}

/** The words between `run` and the command inside, and what the container is called. */
function optionsOf(call: AccessCall): Options | undefined {
  const texts = call.args.map((arg) => arg.text ?? '…');
  const at = texts.findIndex((text) => STARTS.test(text));
  if (at < 0 || !/^(container|service|compose|-.*|\S*\.ya?ml)?$/.test(texts[at - 1] ?? ''))
    return undefined;
  const words = texts.slice(at + 1);
  const name = words.find((_, i) => words[i - 1] === '--name') ?? '';
  const glued = words.find((word) => word.startsWith('--name='))?.slice(7) ?? '';
  const images = words.filter((word, i) => isNoOptionText(word) && !/^-/.test(words[i - 1] ?? 'x'));
  const image =
    (images[0] ?? words.at(-1) ?? '')
      .replace(/[:@].*$/, '')
      .split('/')
      .pop() ?? '';
  return { words, names: [name, glued, image].filter((known) => known !== '') };
}

const isNoOptionText = (text: string): boolean => !text.startsWith('-');

function hasPower(call: AccessCall): boolean {
  const options = optionsOf(call)?.words;
  return (
    options?.some(
      (word, i) => POWERS.test(word) || (SPLIT_POWERS.test(word) && options[i + 1] === 'host'),
    ) ?? false
  );
}

function mountsHost(call: AccessCall): boolean {
  const options = optionsOf(call);
  return (
    options?.words.some((word, i) =>
      reachesOut(sourceOf(word, options.words[i - 1]), options.names),
    ) ?? false
  );
}

/** The host side of a mount: before the colon, or `source=` of --mount. */
function sourceOf(word: string, before: string | undefined): string {
  const glued = /^(?:-v|--volume=|--mount=)(.+)$/.exec(word)?.[1];
  const mount = glued ?? (MOUNTS.test(before ?? '') ? word : '');
  const named = /(?:^|,)(?:source|src)=([^,]+)/.exec(mount)?.[1];
  return named ?? mount.split(':')[0] ?? '';
}

function reachesOut(source: string, names: readonly string[]): boolean {
  if (!/^[/~$…]/.test(source) || CLOCK.test(source)) return false;
  const own = OWN_TREES.exec(source.replace(/\/\.\.(?=\/|$)/g, '/**'));
  const folders = own?.[2]?.toLowerCase().split('/') ?? [];
  const isOwn = names.some((name) => folders.includes(name.toLowerCase()));
  return !isOwn || source.includes('..');
}

/** Containers that reach the host. */
export const CONTAINER_USES: readonly AccessUse[] = [
  gains(
    'docker podman nerdctl docker-compose podman-compose',
    'gives a container powers over the host',
    hasPower,
    ['docker run --privileged x', 'docker run --pid host x', 'docker create --cap-add=SYS_ADMIN x'],
    ['docker run --rm x', 'docker run --network web x', 'docker run x --privileged-looking'],
  ),
  gains(
    'docker podman nerdctl docker-compose podman-compose',
    'gives a container files of the host, or the Docker socket',
    mountsHost,
    [
      'docker run -v /:/host x',
      'docker run -v /var/run/docker.sock:/var/run/docker.sock x',
      'docker run --mount type=bind,source=/etc,target=/e x',
      'docker run --name a -v/root/.ssh:/k x',
    ],
    [
      'docker run -v data:/data x',
      'docker run -v ./conf:/conf x',
      'docker run --name web -v /opt/web/conf:/conf nginx',
      'docker run -v /etc/localtime:/etc/localtime:ro x',
      'docker run -v /srv/nginx:/x nginx:1',
    ],
  ),
  gains(
    'docker podman',
    'runs a command in a container with powers over the host',
    /^(container )?exec( \S+)* --privileged/,
    ['docker exec --privileged web sh'],
    ['docker exec web ls'],
  ),
  gains(
    'docker',
    'lets another machine decide what runs here',
    /^swarm (join|init|ca|unlock)|^context (create|use|update)|^trust /,
    ['docker swarm join --token x y'],
    ['docker context ls'],
  ),
  gains(
    'dockerd containerd podman',
    'opens the socket of the containers',
    /(-H|--host)[= ]?tcp|system service .*tcp/,
    ['dockerd -H tcp://0.0.0.0:2375'],
    ['podman ps'],
  ),
  gains(
    'kubectl k3s',
    'gives a container powers over the host',
    /(^| )debug( \S+)* node\/|--privileged|hostPID|hostNetwork|hostPath|"privileged"/,
    ['kubectl debug node/x -it --image=y'],
    ['kubectl debug pod/x'],
  ),
  gains(
    'systemd-nspawn',
    'gives a container files or powers of the host',
    /--bind|--capability|--private-users=no|--property/,
    ['systemd-nspawn --bind=/ -D x'],
    ['systemd-nspawn -D x'],
  ),
];
