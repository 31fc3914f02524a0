import { type Program, phrase } from '../rule.ts';
import { only } from './builders.ts';

/** File shares in the network. */
export const SHARES: readonly Program[] = [
  only('exportfs', 'lists shares', /^(-v|-s)?$/, ['exportfs -v'], ['exportfs -ra']),
  only(
    'showmount',
    'lists shares',
    /^-[ead] ?([\w.][\w.-]*)?$/,
    ['showmount -e nas.lan'],
    ['showmount -x'],
  ),
  {
    names: ['testparm'],
    operands: 'read',
    rules: [phrase('', 'checks file sharing', /^-s( \/\S+)?$/, ['testparm -s'], ['testparm'])],
  },
  only(
    'smbstatus',
    'shows file sharing',
    /^(-[SLpbvNn]|--(shares|processes|locks|brief|verbose|notify|numeric)|-S -n| )*$/,
    ['smbstatus'],
    ['smbstatus -u x y'],
  ),
  only(
    'smbclient',
    'lists shares',
    /^-L \/{0,2}[\w.][\w.-]* -N$/,
    ['smbclient -L localhost -N'],
    ['smbclient //x/y'],
  ),
  only(
    'rpcinfo',
    'lists services of a host',
    /^-[ps]( [\w.][\w.-]*)?$/,
    ['rpcinfo -p nas.lan'],
    ['rpcinfo -d x 1'],
  ),
  only(
    'nfsiostat',
    'shows the load of file shares',
    /^( ?\d{1,2} \d{1,2})?$/,
    ['nfsiostat 1 3'],
    ['nfsiostat x'],
  ),
  only('nfsstat', 'shows file sharing', /^(-[mcsnr]+|-o \w+| )*$/, ['nfsstat -m'], ['nfsstat -Z']),
];
