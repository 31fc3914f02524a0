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
  only('smbstatus', 'shows file sharing', /^(-[SLpbv])?$/, ['smbstatus'], ['smbstatus -u x y']),
  only(
    'smbclient',
    'lists shares',
    /^-L \/{0,2}[\w.][\w.-]* -N$/,
    ['smbclient -L localhost -N'],
    ['smbclient //x/y'],
  ),
  only('nfsstat', 'shows file sharing', /^(-[mcsnr])?$/, ['nfsstat -m'], ['nfsstat -Z']),
];
