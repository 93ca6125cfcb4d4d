// The rules of eslint for the page. What npm installs is in a build folder, so scripts/lint copies
// this file there, where it finds them.
import js from '@eslint/js';
import tseslint from 'typescript-eslint';

const safety = {
  // What comes from a traced program is text, never markup or code.
  'no-eval': 'error',
  'no-implied-eval': 'error',
  'no-new-func': 'error',
  'no-restricted-properties': [
    'error',
    ...[['innerHTML'], ['outerHTML'], ['insertAdjacentHTML'], ['write', 'document'], ['writeln', 'document']].map(([property, object]) => ({
      property,
      ...(object ? { object } : {}),
      message: 'Use textContent: names come from a traced program.',
    })),
  ],
  'no-restricted-globals': ['error', 'fetch', 'XMLHttpRequest', 'WebSocket', 'EventSource', 'localStorage', 'sessionStorage'],
};

// Text gets into the page in one place, which shows control characters.
const inText = 'Use src/ui/text.ts: it shows the control characters of names.';
const oneWay = [
  'CallExpression[callee.property.name=/^(append|prepend|replaceChildren|replaceWith|before|after|insertAdjacentText|createTextNode|fillText|strokeText)$/]',
  'AssignmentExpression[left.property.name=/^(textContent|innerText|outerText|nodeValue|title|placeholder|alt|ariaLabel|ariaDescription)$/]',
  "CallExpression[callee.property.name='setAttribute'][arguments.0.value=/^(title|aria-label|aria-description|aria-valuetext|placeholder|alt|label)$/]",
  "CallExpression[callee.property.name='setAttribute'][arguments.0.type!='Literal']",
].map((selector) => ({ selector, message: inText }));

export default tseslint.config(
  { ignores: ['dist/', 'node_modules/'] },
  js.configs.recommended,
  {
    files: ['src/**/*.ts'],
    extends: [...tseslint.configs.strict, ...tseslint.configs.stylistic],
    rules: { ...safety, eqeqeq: 'error', 'no-console': 'error' },
  },
  // The live page has one connection, to where it comes from (docs/analyses/web.md).
  { files: ['src/live/connection.ts'], rules: { 'no-restricted-globals': 'off' } },
  { files: ['src/**/*.ts'], ignores: ['src/ui/text.ts'], rules: { 'no-restricted-syntax': ['error', ...oneWay] } },
  {
    files: ['test/**/*.ts'],
    extends: [...tseslint.configs.strict],
    rules: { '@typescript-eslint/no-non-null-assertion': 'off' },
  },
  {
    files: ['**/*.mjs'],
    // Of node, and of the page for what test/browser runs in it.
    languageOptions: {
      globals: Object.fromEntries(
        ['process', 'console', 'Buffer', 'URL', 'performance', 'window', 'document', 'location', 'Event'].map((name) => [name, 'readonly']),
      ),
    },
  },
);
