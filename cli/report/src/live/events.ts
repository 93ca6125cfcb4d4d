// A stream of server-sent events, taken apart as it comes. What the server sends is in docs/analyses/web.md; of the
// format itself it uses lines of "event" and "data", each ended by a line feed.

export interface StreamEvent {
  name: string;
  data: string;
}

export class EventParser {
  private rest = '';
  private name = '';
  private data: string[] = [];

  /** The events that are complete with these characters. */
  take(text: string): StreamEvent[] {
    const events: StreamEvent[] = [];
    const lines = (this.rest + text).split('\n');
    this.rest = lines.pop() ?? '';
    for (const line of lines) {
      if (line === '') {
        if (this.data.length) events.push({ name: this.name || 'message', data: this.data.join('\n') });
        this.name = '';
        this.data = [];
        continue;
      }
      const at = line.indexOf(':');
      const field = at < 0 ? line : line.slice(0, at);
      const value = at < 0 ? '' : line.slice(at + 1).replace(/^ /, '');
      if (field === 'event') this.name = value;
      if (field === 'data') this.data.push(value);
    }
    return events;
  }
}
