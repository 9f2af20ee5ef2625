/** The page's style sheet: light or dark like the reader's system, with one column on a phone. */
export const PAGE_STYLE = `:root {
  color-scheme: light dark;
  --paper: #fff; --ink: #1b1f24; --faint: #59636e; --line: #d1d9e0; --ground: #f6f8fa; --link: #0550ae;
  --get: #116329; --post: #0550ae; --put: #7d4e00; --delete: #a40e26;
}
@media (prefers-color-scheme: dark) {
  :root {
    --paper: #0d1117; --ink: #e6edf3; --faint: #9198a1; --line: #3d444d; --ground: #151b23; --link: #79b8ff;
    --get: #56d364; --post: #79b8ff; --put: #e3b341; --delete: #ff8e86;
  }
}
* { box-sizing: border-box; }
html { scroll-padding-top: 1rem; }
body { margin: 0; display: grid; grid-template-columns: 19rem minmax(0, 1fr); font: 16px/1.5 system-ui, sans-serif;
  color: var(--ink); background: var(--paper); }
a { color: var(--link); }
:focus-visible { outline: 2px solid var(--link); outline-offset: 2px; }
.skip { position: absolute; left: -100vw; }
.skip:focus { left: 1rem; top: .5rem; background: var(--paper); padding: .5rem; z-index: 1; }
nav { position: sticky; top: 0; height: 100vh; overflow: auto; padding: 1rem; border-right: 1px solid var(--line);
  background: var(--ground); font-size: .85rem; }
nav h2 { font-size: .8rem; margin: 1rem 0 .25rem; color: var(--faint); }
nav ul { list-style: none; margin: 0; padding: 0; }
nav a { display: block; padding: .2rem 0; text-decoration: none; overflow-wrap: anywhere; }
nav b { display: inline-block; min-width: 3.6rem; font-size: .75rem; }
main { padding: 1rem 2rem 4rem; max-width: 64rem; }
main:focus { outline: none; }
h3 a { color: inherit; text-decoration: none; }
article { border-top: 1px solid var(--line); padding: .5rem 0 1rem; }
article:target h3 { border-left: 4px solid var(--link); padding-left: .5rem; }
code, pre { font: .875em/1.5 ui-monospace, monospace; overflow-wrap: anywhere; }
pre { background: var(--ground); border: 1px solid var(--line); border-radius: 6px; padding: .75rem; overflow: auto;
  white-space: pre-wrap; }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; font-size: .9rem; }
th, td { text-align: left; vertical-align: top; padding: .35rem .75rem .35rem 0; border-bottom: 1px solid var(--line); }
th { font-weight: 600; }
.fields th { white-space: nowrap; }
.facts, .bound { color: var(--faint); font-size: .85rem; }
.needed { color: var(--delete); }
b.get { color: var(--get); } b.post { color: var(--post); } b.put { color: var(--put); } b.delete { color: var(--delete); }
summary { cursor: pointer; }
dd ul { margin: 0; padding-left: 1rem; }
@media (max-width: 50rem) {
  body { display: block; }
  nav { position: static; height: auto; max-height: 35vh; border-right: 0; border-bottom: 1px solid var(--line); }
  nav a { padding: .5rem 0; }
  main { padding: 1rem 1rem 4rem; }
  .fields thead { display: none; }
  .fields tr { display: block; padding: .35rem 0; border-bottom: 1px solid var(--line); }
  .fields th, .fields td { display: block; padding: 0; border: 0; }
}
@media print { nav, .skip { display: none; } body { display: block; } }
`;
