import { describe, expect, it } from 'vitest';
import type { OpenCard } from './assessment.ts';
import { readConfirmation } from './confirmation.ts';

function destructive(number: number, verb: string, object: string, ...aliases: string[]): OpenCard {
  const phrase = { verb, object, aliases };
  return { id: `${number}`, number, risk: 'destructive', phrase, bound: false, last: false };
}

const guest = destructive(1, 'destroy', '135', 'web-old', 'lxc:135');
const folder = destructive(2, 'rm', '/srv/My Media');

describe('the typed sentence (R7)', () => {
  it.each([
    'I confirm destroy 135',
    'i CONFIRM Destroy 135',
    'confirm destroy 135',
    'I confirm destroy 135.',
    'I confirm destroy #135',
    'I confirm destroy web-old',
    'I confirm destroy lxc:135',
  ])('%j confirms', (text) => {
    expect(readConfirmation(text, [guest, folder])).toEqual({ is: 'confirms', card: guest });
  });

  it.each([
    'I confirm',
    'I confirm destroy 136',
    'I confirm destroy 13 5',
    'I confirm destroy135',
    'I confirm destroy 135 and 136',
    'I confirm destroy 135, I confirm destroy 135',
    'I confirm destroy 135\nthanks',
    'I confirm destroy 135!',
    'I confirm destroy WEB-OLD',
    'I confirm destroy 135 on strong',
    'yes, I confirm destroy 135',
    'I confirm stop 135',
    'I confirm rm /srv/my media',
    'I confirm rm /srv/My  Media',
  ])('%j does not', (text) => {
    expect(readConfirmation(text, [guest, folder])).toEqual({ is: 'inexact' });
  });

  it.each([
    'I do not confirm destroy 135',
    "I don't confirm destroy 135",
    'do not destroy 135',
    'no, do not destroy 135',
    'I refuse to confirm destroy 135',
  ])('%j denies', (text) => {
    expect(readConfirmation(text, [guest])).toEqual({ is: 'refuses', card: guest });
  });

  it('takes the object as printed, with its spaces and its case', () => {
    expect(readConfirmation('I confirm rm /srv/My Media', [guest, folder])).toEqual({
      is: 'confirms',
      card: folder,
    });
  });

  it('does not choose between two cards that print the same sentence', () => {
    const twin = destructive(3, 'destroy', '135');
    expect(readConfirmation('I confirm destroy 135', [guest, twin])).toEqual({ is: 'inexact' });
  });

  it('does not read #135 as the guest when a card has that number', () => {
    const other = destructive(135, 'rm', '/srv/x');
    expect(readConfirmation('I confirm destroy #135', [guest, other])).toEqual({ is: 'inexact' });
  });

  it('confirms no card that prints no sentence', () => {
    const change: OpenCard = { ...guest, risk: 'config_mutation' };
    expect(readConfirmation('I confirm destroy 135', [change])).toEqual({ is: 'inexact' });
    expect(readConfirmation('yes', [guest])).toEqual({ is: 'other' });
  });
});
