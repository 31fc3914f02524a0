import { localPart } from '../../shared/domain/matrix-id.ts';
import { type Check, fails, note, ok } from '../check.ts';
import type { BotRoom, Invitation } from './rooms.ts';

const MATRIX_ID = /^@[^:\s]+:\S+$/;

/** The bot's rooms, who is in them, and whether anybody there is obeyed. */
export function roomChecks(
  bot: string,
  rooms: readonly BotRoom[],
  invitations: readonly Invitation[],
  operators: readonly string[],
): readonly Check[] {
  return [
    ...(rooms.length + invitations.length === 0
      ? [fails('the bot is in no room', `make one in Element without encryption and invite ${bot}`)]
      : rooms.map((room) => roomCheck(bot, room))),
    ...invitations.map((invitation) => invitationCheck(invitation, operators)),
    ...operatorChecks(bot, rooms, invitations, operators),
  ];
}

function roomCheck(bot: string, { id, name, members, encrypted }: BotRoom): Check {
  const others = members.filter((member) => member !== bot);
  const with_ = others.length === 0 ? 'nobody else' : others.join(', ');
  const room = `room ${name === undefined ? id : `${name} (${id})`} with ${with_}`;
  return encrypted
    ? note(`${room} is encrypted`, 'Oikos cannot read there yet: make a room without encryption')
    : ok(room);
}

function invitationCheck({ id, by }: Invitation, operators: readonly string[]): Check {
  const invited = `invited to ${id} by ${by ?? 'somebody'}, not joined`;
  return by !== undefined && operators.includes(by)
    ? note(invited, 'the bot joins when it runs: npm start')
    : note(invited, 'only invitations of operators are followed');
}

function operatorChecks(
  bot: string,
  rooms: readonly BotRoom[],
  invitations: readonly Invitation[],
  operators: readonly string[],
): readonly Check[] {
  if (operators.length === 0) {
    return [
      fails(
        'MATRIX_OPERATORS is empty, so nobody is obeyed',
        'put your Matrix id there, like @you:example.org',
      ),
    ];
  }
  return operators.map((id) => operatorCheck(id, { bot, rooms, invitations }));
}

interface Surroundings {
  readonly bot: string;
  readonly rooms: readonly BotRoom[];
  readonly invitations: readonly Invitation[];
}

function operatorCheck(id: string, { bot, rooms, invitations }: Surroundings): Check {
  if (!MATRIX_ID.test(id)) {
    return fails(`operator ${id} is no whole Matrix id`, 'write it like @you:example.org');
  }
  if (id === bot) return fails(`operator ${id} is the bot itself`, 'name the person instead');
  const shared = rooms.filter((room) => room.members.includes(id));
  if (shared.some(({ encrypted }) => !encrypted)) {
    return ok(`operator ${id} is in a room with the bot`);
  }
  if (invitations.some(({ by }) => by === id)) return ok(`operator ${id} has invited the bot`);
  if (shared.length > 0) {
    return fails(
      `operator ${id} shares only encrypted rooms with the bot`,
      'make one without encryption',
    );
  }
  const members = rooms.flatMap((room) => room.members);
  const name = (one: string) => localPart(one).toLowerCase();
  const alike = members.find((member) => name(member) === name(id));
  return fails(
    `operator ${id} is in no room with the bot`,
    alike === undefined ? `invite the bot: ${bot}` : `did you mean ${alike}?`,
  );
}
