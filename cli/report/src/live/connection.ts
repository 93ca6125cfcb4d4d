// The connection to `earshot serve --web`. The token goes into a header, never into an address, so it is in no log and
// in no Referer. A stream that has ended is not opened again by itself: who has the port afterwards may be somebody
// else, who would get the token.
import { parseJson } from '../data/json';
import { EventParser, type StreamEvent } from './events';

export type End = { kind: 'refused' | 'lost'; text: string } | { kind: 'ended' };

export async function listen(token: string, take: (name: string, data: unknown) => void): Promise<End> {
  let response: Response;
  try {
    response = await fetch('/events', { headers: { Authorization: `Bearer ${token}` }, cache: 'no-store', credentials: 'omit', redirect: 'error' });
  } catch {
    return { kind: 'lost', text: 'The server does not answer.' };
  }
  if (response.status !== 200 || !response.body) return { kind: 'refused', text: (await response.text()).trim() };
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  const parser = new EventParser();
  let ended = false;
  const hand = (event: StreamEvent): void => {
    ended ||= event.name === 'end';
    take(event.name, parseJson(event.data));
  };
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) break;
      parser.take(value).forEach(hand);
    }
  } catch (error) {
    return { kind: 'lost', text: `The connection broke: ${error instanceof Error ? error.message : String(error)}` };
  }
  return ended ? { kind: 'ended' } : { kind: 'lost', text: 'The server closed the connection.' };
}
