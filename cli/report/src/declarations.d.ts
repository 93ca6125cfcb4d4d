/** src/data/worker.ts, bundled: build.mjs makes it. */
declare module 'earshot:worker' {
  const source: string;
  export default source;
}
