import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createFrameReader } from './frames.ts';

const nonce = 'abc123';

/** What a reader makes of bytes that come in pieces of that length. */
function read(text: string, pieceLength = text.length) {
  const heard: unknown[] = [];
  const data: Record<'stdout' | 'stderr', Buffer[]> = { stdout: [], stderr: [] };
  const reader = createFrameReader(nonce, {
    onFrame: (frame) => heard.push(frame.kind),
    onData: (stream, _at, bytes) => {
      data[stream].push(bytes);
    },
    onGarbage: () => heard.push('garbage'),
  });
  const bytes = Buffer.from(text, 'utf8');
  for (let at = 0; at < bytes.length; at += Math.max(1, pieceLength)) {
    reader.push(bytes.subarray(at, at + Math.max(1, pieceLength)));
  }
  return { heard, stdout: Buffer.concat(data.stdout).toString('utf8') };
}

const frame = (text: string) => `oikos ${nonce} ${text}\n`;

describe('the reader of frames', () => {
  it.each([
    ['a banner before the first frame', `Welcome\n\n${frame('ready')}`, ['ready']],
    ['the frame of another run', `oikos fff ready\n${frame('ready')}`, ['ready']],
    ['half a frame', `oikos ${nonce} rea`, []],
    ['a frame within a line, before the first', `x ${frame('ready')}`, []],
    ['a stray line after the first', `${frame('ready')}oops\n`, ['ready', 'garbage']],
    ['an end that a power cut left unfinished', frame('end  none 3'), ['lost']],
    ['a negative length', `${frame('ready')}${frame('data o 0 -1')}`, ['ready', 'garbage']],
    ['an endless banner', 'x'.repeat(70_000), ['garbage']],
  ])('%s', (_claim, text, heard) => {
    expect(read(text).heard).toEqual(heard);
  });

  it('takes nothing within the announced bytes for a frame, however they are cut', () => {
    const output = fc.oneof(
      fc.string({ maxLength: 40 }),
      fc.constant(frame('end 0 none 0 0 0')),
      fc.constant(`\n${frame('cleaned')}`),
    );
    fc.assert(
      fc.property(fc.array(output), fc.integer({ min: 1, max: 30 }), (pieces, pieceLength) => {
        let at = 0;
        const sent = pieces.filter((piece) => piece !== '');
        const text = sent.map((piece) => {
          const length = Buffer.byteLength(piece);
          at += length;
          return `${frame(`data o ${at - length} ${length}`)}${piece}`;
        });
        const all = `${frame('started')}${text.join('')}${frame('end 7 none 0 1 0')}`;
        const { heard, stdout } = read(all, pieceLength);
        expect(heard).toEqual(['started', 'end']);
        expect(stdout).toBe(sent.join('').toWellFormed());
      }),
    );
  });
});
