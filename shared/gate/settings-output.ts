import type { Command, ParsedScript, SyntaxNode, Word } from 'unbash';
import { forEachChild } from 'unbash';
import { carriesSettings, printsSettings } from './recognisable.ts';
import { literal } from './value.ts';

/** Whether any plain command below a node prints whole settings. Words as they are written. */
export function settingsBelow(node: SyntaxNode): boolean {
  if (node.type === 'Command') return printsSettings(writtenWords(node));
  let found = false;
  forEachChild(node, (child) => {
    found ||= settingsBelow(child);
  });
  return found;
}

/** Whether what a script prints in the end holds whole settings: `$(docker inspect web)`. */
export function outputsSettings(script: ParsedScript): boolean {
  return script.commands.some(({ command }) => {
    if (command.type !== 'Pipeline') return settingsBelow(command);
    return command.commands.reduce(
      (came, stage) =>
        stage.type === 'Command'
          ? carriesSettings(writtenWords(stage).map(literal), came)
          : came || settingsBelow(stage),
      false,
    );
  });
}

function writtenWords(command: Command): readonly string[] {
  return [command.name, ...command.args].map((word) =>
    word?.type === 'Word' ? (word satisfies Word).value : '',
  );
}
