// The page of `earshot serve --web`: it asks for the token, unless it is after the # of its address, and shows what
// comes until it ends.
import { h } from '../ui/dom';
import { Keys } from '../ui/keys';
import { append, fill, setTitle } from '../ui/text';
import { listen } from './connection';
import type { Client, Hello, Interval } from './shapes';
import { View } from './view';

// What a browser keeps of an address is kept for long: the token leaves it at once.
function takeToken(): string {
  const token = decodeURIComponent(location.hash.slice(1));
  if (location.hash) history.replaceState(null, '', location.pathname);
  return token;
}

function start(): void {
  const view = new View();
  const title = h('span', { class: 'title' }, 'live');
  const keys = new Keys();
  const scope = h('button', { type: 'button', class: 'button', 'aria-pressed': 'false', click: () => toggle('total') }, 'Since the beginning');
  const pause = h('button', { type: 'button', class: 'button', 'aria-pressed': 'false', click: () => toggle('paused') }, 'Pause');
  const field = h('input', { type: 'password', id: 'token', autocomplete: 'off', spellcheck: 'false' });
  const why = h('p', { role: 'alert' });
  const form = h('form', { class: 'panel token', submit: (event) => { event.preventDefault(); connect(field.value.trim()); } },
    h('h1', null, 'What runs now'),
    why,
    h('p', null, h('label', { for: 'token' }, 'The token of this server, which is in the file of --token-file:')),
    h('p', null, field, ' ', h('button', { class: 'primary' }, 'Show')));
  const main = h('main', { class: 'page', id: 'page', tabindex: -1 });

  function toggle(what: 'total' | 'paused'): void {
    view[what] = !view[what];
    (what === 'total' ? scope : pause).setAttribute('aria-pressed', String(view[what]));
    if (what === 'total' || !view.paused) view.draw();
  }

  function ask(reason: string): void {
    field.value = '';
    fill(why, reason);
    fill(main, form);
    field.focus();
  }

  function connect(token: string): void {
    if (!token) {
      ask('');
      return;
    }
    let now: Interval | undefined;
    fill(main, h('h1', null, 'What runs now'), h('p', { class: 'live-tools' }, scope, ' ', pause), view.element);
    view.say('unknown', 'Waiting for the first interval');
    listen(token, (event, data) => {
      if (event === 'hello') {
        const hello = data as Hello;
        view.greet(hello);
        fill(title, hello.device);
        setTitle(`${hello.device} - earshot, live`);
      } else if (event === 'client') view.about(data as Client);
      else if (event === 'interval') now = data as Interval;
      else if (event === 'total' && now) {
        view.take(now, data as Interval);
        if (now.state === 'running') view.say('good', now.capture?.absent ? 'The device has gone; the capture waits for it' : 'Live');
      }
    }).then(
      (end) => {
        if (end.kind === 'refused') ask(end.text);
        else if (end.kind === 'ended') view.say('unknown', 'Ended. These are the last numbers.');
        else {
          view.say('bad', `${end.text} These are the last numbers.`);
          append(main, h('p', null, h('button', { type: 'button', class: 'button', click: () => connect(token) }, 'Connect again'),
            ' This gives the token to whoever has the port now.'));
        }
      },
      (error: unknown) => view.say('bad', error instanceof Error ? error.message : String(error)),
    );
  }

  keys.set([{
    title: 'This page',
    rows: [
      { codes: ['KeyT'], keys: ['t'], text: 'This interval, or all since the beginning', act: () => toggle('total') },
      { codes: ['Space'], keys: ['space'], text: 'Pause what is shown; counting continues', act: () => toggle('paused') },
    ],
  }]);
  append(document.body,
    h('a', { class: 'skip', href: '#page', click: (event) => { event.preventDefault(); main.focus(); } }, 'To the numbers'),
    h('header', null, h('span', { class: 'brand' }, 'earshot'), title,
      h('button', { type: 'button', class: 'help-button', click: () => keys.help() }, 'Keys ', h('kbd', null, '?'))),
    main);
  connect(takeToken());
}

start();
