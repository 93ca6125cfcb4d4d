// The page begins here. The bundle may be before the data or after it: the report is opened when the
// document is whole, so that a cut file is reported and not a blank page. The worker that decodes the data
// begins here, too: it has no document.
import { startApp } from './app';
import { breathe } from './data/breathe';
import { openReport } from './data/open';
import { serve } from './data/worker';
import { fill, prepend } from './ui/text';

function start(): void {
  try {
    startApp(openReport(document), document.body);
  } catch (error) {
    const text = document.createElement('p');
    text.setAttribute('role', 'alert');
    fill(text, error instanceof Error ? error.message : String(error));
    prepend(document.body, text);
  }
}

// In a task of its own: taking in a long document is one, too.
function begin(): void {
  void breathe().then(start);
}

if (!globalThis.document) serve();
else if (document.readyState === 'loading') document.addEventListener('DOMContentLoaded', begin);
else begin();
