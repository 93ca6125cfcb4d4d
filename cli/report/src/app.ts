// The frame around the views: one of them at a time, chosen by the address.
import type { Context, Report, View } from './report';
import { flame } from './views/flame';
import { timeline } from './views/timeline';

const views: readonly View[] = [flame, timeline];

export function startApp(report: Report, body: HTMLElement): void {
  const heading = document.createElement('h1');
  heading.textContent = report.head.title;
  const navigation = document.createElement('nav');
  const live = document.createElement('div');
  live.setAttribute('role', 'status');
  live.className = 'unseen';
  const main = document.createElement('main');
  body.append(heading, navigation, main, live);
  let shown: View | undefined;

  const show = async (): Promise<void> => {
    const [name = '', text = ''] = location.hash.slice(1).split('?', 2);
    shown?.hide?.();
    const view = views.find((one) => one.name === name) ?? views[0];
    if (!view) return;
    shown = view;
    main.replaceChildren();
    const hash = (target: string, parameters: Record<string, string> = {}) => {
      const query = new URLSearchParams(parameters).toString();
      return `#${target}${query ? `?${query}` : ''}`;
    };
    const context: Context = {
      report,
      trace: 0,
      parameters: new URLSearchParams(text),
      go: (target, parameters) => {
        location.hash = hash(target, parameters);
      },
      keep: (parameters) => history.replaceState(null, '', hash(view.name, parameters)),
      announce: (said) => {
        live.textContent = said;
      },
    };
    try {
      await view.show(main, context);
    } catch (error) {
      const alert = document.createElement('p');
      alert.setAttribute('role', 'alert');
      alert.textContent = error instanceof Error ? error.message : String(error);
      main.append(alert);
    }
  };
  for (const view of views) {
    const link = document.createElement('a');
    link.href = `#${view.name}`;
    link.textContent = view.title;
    navigation.append(link, ' ');
  }
  addEventListener('hashchange', () => void show());
  void show();
}
