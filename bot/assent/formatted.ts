/** Tags that dress text without changing what it says, and links, which are looked at one by one. */
const HARMLESS = /<\/?(?:p|br|b|strong|em|i|u)\s*\/?>/gi;
const MENTION = /<a href="https:\/\/matrix\.to\/#\/(?:@|%40)[^"<>]*">([^<>]*)<\/a>/gi;
const BODY_MENTION = /\[([^\]]*)\]\(https:\/\/matrix\.to\/#\/(?:@|%40)[^)\s]*\)/g;

/**
 * Whether the HTML part of a message shows the words of its plain part and nothing more (R1):
 * a client shows the HTML, so struck, quoted or hidden words there are not the sender's yes.
 */
export function saysTheSame(body: string, formattedBody: string): boolean {
  const withoutQuote = formattedBody.replace(/^<mx-reply>[\s\S]*?<\/mx-reply>/i, '');
  const text = withoutQuote.replace(MENTION, '$1').replace(HARMLESS, ' ');
  if (text.includes('<')) return false;
  return bare(decodeEntities(text)) === bare(unlinkMentions(body));
}

/** Some clients write a mention into the plain body as a Markdown link: keep its name only. */
export function unlinkMentions(body: string): string {
  return body.replace(BODY_MENTION, '$1');
}

function bare(text: string): string {
  return text.normalize('NFC').replace(/[\s*_]/gu, '');
}

function decodeEntities(text: string): string {
  return text
    .replace(/&nbsp;/g, ' ')
    .replace(/&#39;|&apos;/g, "'")
    .replace(/&quot;/g, '"')
    .replace(/&lt;/g, '<')
    .replace(/&gt;/g, '>')
    .replace(/&amp;/g, '&');
}
