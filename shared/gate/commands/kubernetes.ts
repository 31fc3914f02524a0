import { given, type OptionSpec, type Parsed } from '../options.ts';
import {
  type Call,
  changes,
  checked,
  destroys,
  hasWord,
  type Match,
  operandsBeside,
  operandsOf,
  type Program,
  phrase,
  type Rule,
  reads,
  theTarget,
} from '../rule.ts';
import type { Value } from '../value.ts';
import { literal, unknownWord } from '../value.ts';
import { openContainer } from '../wrappers/guests.ts';

const FLAGS: OptionSpec = {
  short: 'Awh',
  shortValue: 'onlcL',
  long: 'all-namespaces watch show-labels no-headers previous all-containers timestamps ignore-not-found containers follow'.split(
    ' ',
  ),
  longValue:
    'namespace output selector field-selector sort-by tail since container label-columns limit timeout'.split(
      ' ',
    ),
};

const SECRET_KIND = /(^|,)secrets?(\/|,|$|\.)/i;

function printsSecret(call: Call): boolean {
  return (
    operandsOf(call).some((arg) => SECRET_KIND.test(arg.text ?? '')) &&
    hasWord(/^-o|^--output/)(call)
  );
}

function refuseOutput(parsed: Parsed): string | undefined {
  const formats = given(parsed, 'o', 'output');
  const odd = formats.some((value) => value.text === undefined || /file|\.env\b/.test(value.text));
  return odd ? 'its format reads a file or environment values' : undefined;
}

const get = reads(
  'get',
  'lists objects of the cluster',
  {
    ...FLAGS,
    staticOperands: true,
    check: (parsed, call) => {
      if (printsSecret(call)) return 'it prints a secret';
      const refusal = refuseOutput(parsed);
      if (refusal !== undefined) return refusal;
      return given(parsed, 'w', 'watch').length > 0
        ? { matches: true, flags: ['unbounded'] }
        : undefined;
    },
  },
  ['kubectl get pods -A', 'kubectl get deploy web -o yaml'],
  ['kubectl get --raw /x', 'kubectl get -f http://x'],
);

function logs(call: Call): Match {
  const follows = hasWord(/^-\w*f|^--follow/)(call);
  return { matches: true, flags: follows ? ['outside_text', 'unbounded'] : ['outside_text'] };
}

const LOOKS: readonly (readonly [string, string])[] = [
  ['describe', 'describes objects of the cluster'],
  ['top', 'shows the load of the cluster'],
  ['explain', 'explains a kind of object'],
  ['api-resources', 'lists kinds of objects'],
  ['api-versions', 'lists versions of the API'],
  ['events', 'lists events'],
  ['rollout status', 'shows a rollout'],
  ['rollout history', 'shows past rollouts'],
  ['auth can-i', 'tells what one may do'],
  ['config current-context', 'shows the context'],
  ['config get-contexts', 'lists contexts'],
  ['config get-clusters', 'lists clusters'],
];

const HARD =
  /^(ns|namespaces?|pvcs?|persistentvolumeclaims?|pvs?|persistentvolumes?|all|deploy|deployments?|svc|services?|crds?|customresourcedefinitions?|nodes?|statefulsets?|sts)(\/|$)/i;

const NAMED = operandsBeside(
  '-n --namespace --context --cluster --kubeconfig --user --as -s --server --token --timeout --grace-period --request-timeout --cascade -o --output -f --filename',
);
const FILES = /^(-f|--filename)/;

/** `delete ns media`, `delete deploy/web svc/x`, `delete -f x.yaml`; never all of a kind. */
function deleted(call: Call): readonly Value[] {
  const all = /^(--all|-A|--all-namespaces|-l|--selector|--field-selector|-k|--kustomize|--raw)/;
  if (hasWord(all)(call)) return [];
  const words = NAMED(call);
  const files = call.args.flatMap((arg, at) => (FILES.test(arg.text ?? '') ? [at] : []));
  if (files.length > 0) return [...words, ...files.map((at) => fileOf(call.args, at))];
  // Each `deploy/web` is a kind and a name; `deploy,svc web` are two things of one name.
  if (words.some((word) => /\//.test(word.text ?? '/'))) return words;
  const [kind, ...names] = words;
  return kind?.text?.includes(',') ? [] : names;
}

/** The file after `-f`; a folder or a list of files is many things. */
function fileOf(args: readonly Value[], at: number): Value {
  const file = /^(-f|--filename)$/.test(args[at]?.text ?? '') ? args[at + 1] : undefined;
  return file?.text !== undefined && /^[\w./-]+\.(ya?ml|json)$/.test(file.text)
    ? file
    : unknownWord('any');
}

const kubectl: Program = {
  names: ['kubectl', 'oc'],
  globals: { shortValue: 'n', longValue: ['namespace'] },
  operands: 'named',
  launches: true,
  rules: [
    get,
    ...LOOKS.map(
      ([verb, why]): Rule =>
        reads(verb, why, FLAGS, [`kubectl ${verb}`], [`kubectl ${verb} --kubeconfig=/x`]),
    ),
    checked(
      'logs',
      'shows the output of a pod',
      (call) => {
        const known = call.args.every((arg) =>
          arg.text === undefined
            ? arg.words === 'one'
            : !arg.text.startsWith('-') ||
              /^-[fpncl]$|^--(tail|since|since-time|container|namespace|previous|timestamps|follow|all-containers|selector|prefix|max-log-requests)(=|$)/.test(
                arg.text,
              ),
        );
        return known
          ? logs(call)
          : { matches: false, because: 'an option is not known to be harmless' };
      },
      ['kubectl logs --tail=50 web'],
      ['kubectl logs --kubeconfig=/x web'],
    ),
    reads(
      'version',
      'shows versions',
      {
        shortValue: 'o',
        longValue: ['output'],
        longMaybe: ['client'],
        long: ['short'],
        operands: 0,
      },
      ['kubectl version'],
      ['kubectl version --frob'],
    ),
    reads(
      'cluster-info',
      'shows where the cluster is',
      { operands: 0 },
      ['kubectl cluster-info'],
      ['kubectl cluster-info dump'],
    ),
    reads(
      'config view',
      'shows settings',
      { shortValue: 'o', long: ['minify'], operands: 0 },
      ['kubectl config view'],
      ['kubectl config view --raw'],
    ),
    checked(
      'exec',
      'runs a command in a pod',
      openContainer(['-i', '-t', '-it'], ['-c', '--container', '-n', '--namespace']),
      ['kubectl exec web-0 -- df -h'],
      ['kubectl exec --kubeconfig=/x web ls'],
    ),
    destroys(
      'config view',
      'prints credentials of the cluster',
      ['kubectl config view --raw'],
      ['kubectl config view'],
      { if: hasWord(/^--raw(=|$)/), flags: ['secret'], objects: theTarget },
    ),
    destroys(
      'get',
      'prints a secret',
      ['kubectl get --raw /api/v1/secrets'],
      ['kubectl get --raw /healthz'],
      { if: (call) => hasWord(/^--raw/)(call) && hasWord(/secrets?\b/i)(call), flags: ['secret'] },
    ),
    destroys(
      'get',
      'prints a secret',
      ['kubectl get secret x -o yaml'],
      ['kubectl get pods -o yaml'],
      { if: printsSecret, flags: ['secret'] },
    ),
    destroys(
      'delete',
      'deletes objects of the cluster',
      ['kubectl delete ns media', 'kubectl delete -f x.yaml'],
      ['kubectl delete pod web-0'],
      {
        if: (call) =>
          HARD.test(operandsOf(call)[0]?.text ?? '') || hasWord(/^(-f|--filename|-k|--all)/)(call),
        objects: deleted,
      },
    ),
    changes(
      'create token',
      'makes a credential',
      ['kubectl create token x'],
      ['kubectl get pods'],
      { flags: ['access'] },
    ),
  ],
};

const wrapK3s: Rule = checked(
  'kubectl',
  'works on the cluster',
  (call) => ({
    matches: true,
    opens: [{ kind: 'argv', argv: [literal('kubectl'), ...call.args] }],
  }),
  ['k3s kubectl get nodes'],
  ['k3s server'],
);

const wrapCrictl: Rule = checked(
  'crictl',
  'looks at containers of the cluster',
  (call) => ({
    matches: true,
    opens: [{ kind: 'argv', argv: [literal('crictl'), ...call.args] }],
  }),
  ['k3s crictl ps'],
  ['k3s ctr x'],
);

const HELM: OptionSpec = {
  short: 'Aaq',
  shortValue: 'no',
  long: ['all-namespaces', 'all'],
  longValue: ['namespace', 'output'],
};

export const KUBERNETES: readonly Program[] = [
  kubectl,
  {
    names: ['k3s', 'microk8s'],
    operands: 'named',
    launches: true,
    rules: [
      wrapK3s,
      wrapCrictl,
      phrase(
        'check-config',
        'checks the machine',
        /^$/,
        ['k3s check-config'],
        ['k3s check-config x'],
      ),
      phrase('', 'shows the version', /^--version$/, ['k3s --version'], ['k3s server']),
    ],
  },
  {
    names: ['helm'],
    operands: 'named',
    rules: [
      ...['list', 'ls', 'status', 'history', 'version', 'search repo', 'repo list'].map((verb) =>
        reads(verb, 'shows releases', HELM, [`helm ${verb}`], [`helm ${verb} --kubeconfig x`]),
      ),
      ...['uninstall', 'delete'].map((verb) =>
        destroys(verb, 'removes a release', [`helm ${verb} x`], ['helm list'], {
          objects: operandsBeside(
            '-n --namespace --kube-context --timeout --cascade --description',
          ),
        }),
      ),
    ],
  },
  ...['k3s-uninstall.sh', 'k3s-agent-uninstall.sh', 'k3s-killall.sh'].map(
    (name): Program => ({
      names: [name],
      operands: 'named',
      rules: [
        destroys('', 'takes the cluster down', [name], ['k3s --version'], {
          objects: theTarget,
          confirmVerb: 'uninstall',
        }),
      ],
    }),
  ),
  {
    names: ['terraform', 'tofu'],
    operands: 'read',
    rules: [
      phrase(
        '',
        'shows the version',
        /^(version|-version)$/,
        ['terraform version'],
        ['terraform plan'],
      ),
      destroys(
        'destroy',
        'destroys everything it has made',
        ['terraform destroy'],
        ['terraform plan'],
        { objects: theTarget },
      ),
    ],
  },
  {
    names: ['talosctl'],
    operands: 'named',
    rules: [
      phrase(
        '',
        'shows nodes',
        /^(-n [\d.,]+ )?(version|services?|health|get \w+|dmesg|memory|mounts|stats|containers|processes|disks|netstat|etcd (members|status))( \w+)?( -n [\d.,]+)?$/,
        ['talosctl version', 'talosctl -n 10.0.0.5 services'],
        ['talosctl reboot'],
      ),
      destroys('reset', 'wipes a node', ['talosctl reset'], ['talosctl version']),
    ],
  },
];
