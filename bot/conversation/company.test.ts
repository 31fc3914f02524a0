import { expect, it } from 'vitest';
import { isGhost } from './company.ts';

it.each([
  ['@_discord_123456:oikos.test', true],
  ['@_irc_libera_anna:oikos.test', true],
  ['@telegram_123456:oikos.test', true],
  ['@whatsapp_49301234567:oikos.test', true],
  ['@signal_6f1c:oikos.test', true],
  ['@discordgo_1:oikos.test', true],
  ['@telegrambot:oikos.test', true],
  ['@anna:oikos.test', false],
  ['@signalman:oikos.test', false],
  ['@linesman:oikos.test', false],
  ['@robot:oikos.test', false],
  ['@metabot-fan:oikos.test', false],
])('%s speaks over a bridge: %s', (userId, ghost) => {
  expect(isGhost(userId)).toBe(ghost);
});
