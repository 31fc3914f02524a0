import { destroys, hasWord, type Program, phrase, reads, theTarget } from '../rule.ts';
import { only, shows } from './builders.ts';

/** Sensors, power supplies, graphics cards. */
export const HARDWARE: readonly Program[] = [
  shows('lsusb lsmod lsscsi', 'lists hardware', 'lsusb -t'),
  {
    names: ['lshw'],
    operands: 'named',
    rules: [
      phrase(
        '',
        'lists hardware',
        /^((-short|-json|-businfo|-quiet|-sanitize|-numeric|-(C|c|class) \w+)( |$))*$/,
        ['lshw -short'],
        ['lshw -dump x'],
      ),
    ],
  },
  {
    names: ['arc_summary'],
    operands: 'named',
    rules: [
      phrase(
        '',
        'shows the ZFS cache',
        /^(-[dgpa]|-s \w+|-s)?$/,
        ['arc_summary'],
        ['arc_summary -x'],
      ),
    ],
  },
  {
    names: ['sensors'],
    operands: 'named',
    rules: [
      reads('', 'shows temperatures', { short: 'Aufj', operands: 1 }, ['sensors'], ['sensors -s']),
    ],
  },
  {
    names: ['dmidecode'],
    operands: 'named',
    rules: [
      reads(
        '',
        'describes the hardware',
        { short: 'q', shortValue: 'ts', longValue: ['type', 'string'], operands: 0 },
        ['dmidecode -t memory'],
        ['dmidecode --dump-bin x'],
      ),
    ],
  },
  {
    names: ['nvidia-smi'],
    operands: 'named',
    rules: [
      phrase(
        '',
        'shows graphics cards',
        /^((-L|-q|-i \d+|--query-(gpu|compute-apps)=[\w.,]+|--format=[\w,]+|-d [A-Z_,]+)( |$))*$/,
        ['nvidia-smi', 'nvidia-smi -L'],
        ['nvidia-smi -pl 100'],
      ),
    ],
  },
  {
    names: ['ipmitool'],
    operands: 'named',
    rules: [
      phrase(
        '',
        'shows hardware sensors',
        /^(sensor( list)?|sdr( (list|elist|type \w+))?|sel (list|elist|info)|fru( print)?|chassis (status|power status)|lan print( \d)?|mc info|power status|dcmi (power reading|get_temp_reading)|user list( \d)?|bmc info|sol info( \d)?|sensor get [\w ]+|sdr get [\w ]+)$/,
        ['ipmitool sensor'],
        ['ipmitool sel clear'],
      ),
      destroys(
        '',
        'takes the machine down',
        ['ipmitool chassis power off'],
        ['ipmitool power status'],
        { if: hasWord(/^(off|cycle|reset|soft|diag)$/), confirmVerb: 'power', objects: theTarget },
      ),
    ],
  },
  only(
    'mountpoint',
    'tells whether something is mounted there',
    /^(-[qd] |-qd |-x )?\/?[\w./][\w./@:+-]*$/,
    ['mountpoint -q /mnt/nas'],
    ['mountpoint --frob /x'],
  ),
  only(
    'systool',
    'lists devices',
    /^(-[vdpD]+|-[bcmA] [\w-]+| )*$/,
    ['systool -m i915 -v'],
    ['systool -x y'],
  ),
  only(
    'mokutil',
    'shows how the machine starts',
    /^--(sb-state|list-enrolled|list-new)$/,
    ['mokutil --sb-state'],
    ['mokutil --import x'],
  ),
  only(
    'bootctl',
    'shows how the machine starts',
    /^(status|list|is-installed)?( --no-pager)?$/,
    ['bootctl status'],
    ['bootctl install'],
  ),
  only(
    'cpupower',
    'shows processors',
    /^(frequency-info|idle-info|info|monitor( -l)?)( -[a-z])*$/,
    ['cpupower frequency-info'],
    ['cpupower frequency-set -g x'],
  ),
  only(
    'ras-mc-ctl',
    'shows memory faults',
    /^--(summary|errors|status|error-count|layout|mainboard)$/,
    ['ras-mc-ctl --summary'],
    ['ras-mc-ctl --register-labels'],
  ),
  only(
    'edac-util',
    'shows memory faults',
    /^(-[svr]+|--report=\w+)?$/,
    ['edac-util -v'],
    ['edac-util x'],
  ),
  only(
    'vainfo',
    'shows video acceleration',
    /^(--display (drm|x11)( --device \/dev\/dri\/\w+)?)?$/,
    ['vainfo'],
    ['vainfo -x y'],
  ),
  only(
    'intel_gpu_top',
    'shows graphics cards',
    /^-L$/,
    ['intel_gpu_top -L'],
    ['intel_gpu_top -o x'],
  ),
  only(
    'radeontop',
    'shows graphics cards',
    /^-d - -l \d{1,2}$/,
    ['radeontop -d - -l 1'],
    ['radeontop'],
  ),
  only(
    'rocm-smi',
    'shows graphics cards',
    /^(-[aitudPfcgb]|--show\w+| )*$/,
    ['rocm-smi'],
    ['rocm-smi --setfan 1'],
  ),
  only('turbostat', 'shows its version', /^-v$/, ['turbostat -v'], ['turbostat -o x']),
  only('tlp-stat', 'shows power settings', /^(-[bcdegprstTw])*$/, ['tlp-stat -s'], ['tlp-stat x']),
  only('acpi', 'shows the battery', /^(-[abtcsV]+)?$/, ['acpi -V'], ['acpi -p x']),
  only(
    'upscmd',
    'lists what a UPS can do',
    /^-l [\w@.:][\w@.:-]*$/,
    ['upscmd -l ups@localhost'],
    ['upscmd ups@localhost load.off'],
  ),
  only(
    'upsrw',
    'shows what a UPS lets be set',
    /^[\w@.:][\w@.:-]*$/,
    ['upsrw ups@localhost'],
    ['upsrw -s x=y ups'],
  ),
  only(
    'usb-devices lscgroup lslogins lsattr-all',
    'lists hardware',
    /^$/,
    ['usb-devices'],
    ['usb-devices x'],
  ),
  only(
    'hwinfo inxi',
    'describes the hardware',
    /^(--short|--\w+( --short)?|-[A-Zabcdefimnopstvz]+)?$/,
    ['inxi -F'],
    ['inxi --export-to x'],
  ),
  only('efibootmgr', 'lists boot entries', /^(-v)?$/, ['efibootmgr -v'], ['efibootmgr -b 1 -B']),
  only(
    'upsc',
    'shows a UPS',
    /^(-[lLc]( [\w.][\w.:-]*)?|(-l )?[\w@.:][\w@.:-]*( [\w.]+)?)$/,
    ['upsc ups@localhost'],
    ['upsc -x y'],
  ),
  only('apcaccess', 'shows a UPS', /^(status)?$/, ['apcaccess'], ['apcaccess x']),
];
