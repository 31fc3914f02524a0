import type { DecisionWay } from '../../shared/domain/approval.ts';
import type { GateFlag } from '../../shared/domain/gate-result.ts';
import type { RiskClass } from '../../shared/domain/risk.ts';

export const CLASS_WORDS: Readonly<Record<RiskClass, string>> = {
  read_only: 'only reads',
  reversible_low: 'small and easily undone',
  config_mutation: 'changes how something runs',
  destructive: 'destroys, interrupts or shows what cannot simply be taken back',
};

const INTERRUPTING = /^(?:reboot|shutdown|poweroff|halt|kexec|suspend|hibernate|stop)$/;

/** What a command that waits for its sentence does, in the first word that a phone shows. */
export function graveWord(verb: string): string {
  if (verb === 'read') return 'SHOWS A SECRET';
  return INTERRUPTING.test(verb) ? 'INTERRUPTS' : 'DESTROYS';
}

export const FLAG_WORDS: Readonly<Record<GateFlag, string>> = {
  opaque: 'the gate cannot see all that it does',
  unbounded: 'it may not end by itself',
  secret: 'it may show a secret',
  egress: 'it may send data out',
  access: 'it changes who may do what',
  self: 'it touches Oikos itself',
  outside_text: 'it shows text written by outsiders',
};

export const WAY_WORDS: Readonly<Record<DecisionWay, string>> = {
  words: 'in words',
  reaction: 'by reaction',
  reply: 'by reply',
  typed: 'by the typed sentence',
  cli: 'on the command line',
  http: 'over HTTP',
};
