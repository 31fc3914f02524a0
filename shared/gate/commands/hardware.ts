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
        /^((-short|-json|-businfo|-quiet|-sanitize|-numeric|-(C|class) \w+)( |$))*$/,
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
        /^(sensor( list)?|sdr( (list|elist|type \w+))?|sel (list|elist|info)|fru( print)?|chassis (status|power status)|lan print( \d)?|mc info|power status)$/,
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
  only('efibootmgr', 'lists boot entries', /^(-v)?$/, ['efibootmgr -v'], ['efibootmgr -b 1 -B']),
  only(
    'upsc',
    'shows a UPS',
    /^(-l )?[\w@.:][\w@.:-]*( [\w.]+)?$/,
    ['upsc ups@localhost'],
    ['upsc -x y'],
  ),
  only('apcaccess', 'shows a UPS', /^(status)?$/, ['apcaccess'], ['apcaccess x']),
];
