import { botFields, commonFields, daemonFields, type Fields } from './config-fields.ts';

const SECTIONS: readonly (readonly [string, Fields])[] = [
  ['Both processes', commonFields],
  ['The bot', botFields],
  ['The daemon', daemonFields],
];

/** The text of `.env.example`, written from the settings themselves; a test compares the two. */
export function renderEnvExample(): string {
  const head = [
    '# Settings of Oikos. Copy to .env and fill in; generated from shared/config-fields.ts.',
    '# Secrets may come from files instead: NAME_FILE=/path/to/file.',
  ];
  const sections = SECTIONS.flatMap(([title, fields]) => ['', `# ${title}`, '', ...lines(fields)]);
  return `${[...head, ...sections].join('\n')}\n`;
}

function lines(fields: Fields): string[] {
  return Object.entries(fields).flatMap(([name, { notes }]) => [
    `# ${notes.description}`,
    notes.required ? `${name}=${notes.example}` : `#${name}=${notes.example}`,
  ]);
}
