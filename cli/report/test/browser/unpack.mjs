// Takes a page apart, without its script: what a view shows is compared with it.
import { readFileSync } from 'node:fs';
import { inflateRawSync } from 'node:zlib';

/** {head, get(NAME, TRACE)}: the data of a section of kind json or lines, or undefined. */
export function unpackPage(file) {
  const text = readFileSync(file, 'utf8');
  const head = JSON.parse(/id="earshot-head">(.*?)<\/script>/s.exec(text)[1]);
  const chunks = new Map();
  for (const [, section, , data] of text.matchAll(/data-section="(\d+)" data-chunk="(\d+)">([^<]*)</g))
    chunks.set(Number(section), (chunks.get(Number(section)) ?? '') + data);
  const find = (name, trace = 0) => head.sections.findIndex((section) => section.name === name && section.trace === trace);
  return {
    head,
    section: (name, trace) => head.sections[find(name, trace)],
    get(name, trace) {
      const index = find(name, trace);
      const kind = head.sections[index]?.kind;
      if (kind !== 'json' && kind !== 'lines') return undefined;
      const data = inflateRawSync(Buffer.from(chunks.get(index), 'base64')).toString('utf8');
      if (kind === 'json') return JSON.parse(data);
      return data.split('\n').filter((line) => line).map((line) => JSON.parse(line));
    },
  };
}
