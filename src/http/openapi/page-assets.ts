/** The icon of the product, a rotary dial: for the fronts, and for pages opened from disk. */

const holes = Array.from({ length: 10 }, (_, n) => {
  const angle = (Math.PI / 6) * (n - 1);
  const [x, y] = [16 + 9.5 * Math.cos(angle), 16 + 9.5 * Math.sin(angle)];
  return `<circle cx="${x.toFixed(1)}" cy="${y.toFixed(1)}" r="2" fill="#fff"/>`;
});

export const icon = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><circle cx="16" cy="16" r="15" fill="#2458b3"/>${holes.join('')}<circle cx="16" cy="16" r="4" fill="#fff"/></svg>`;

/** For the head of a page: inline, so that nothing is loaded. */
export const iconLink = `<link rel="icon" type="image/svg+xml" href="data:image/svg+xml,${encodeURIComponent(icon)}">`;

/** Style and script of the page of the interface. */
export const style = `
:root { color-scheme: light dark; --ink: #1b1f24; --dim: #5b6270; --line: #d5d9e0; --paper: #fff; --soft: #f3f5f8; --blue: #2458b3;
  --good: #1a6f31; --mid: #2458b3; --own: #855900; --bad: #b3261e; --head: 0rem; }
@media (prefers-color-scheme: dark) { :root { --ink: #e6e9ee; --dim: #9aa3b0; --line: #353b45; --paper: #14171c;
  --soft: #1d2229; --blue: #78a9ff; --good: #4fc26b; --mid: #78a9ff; --own: #d9a634; --bad: #ff8a80; } }
* { box-sizing: border-box; }
html { scroll-padding-top: calc(var(--head) + .5rem); }
body { margin: 0; display: grid; grid-template-columns: 18rem minmax(0, 1fr); background: var(--paper); color: var(--ink);
  font: 14px/1.5 system-ui, sans-serif; overflow-wrap: anywhere; }
header { position: sticky; top: 0; height: 100vh; overflow: auto; padding: 1rem; border-right: 1px solid var(--line);
  background: var(--soft); }
h1 { margin: 0 0 .5rem; font-size: 1.2rem; } h2 { margin: 1.6rem 0 .5rem; font-size: 1.1rem; }
h3 { margin: .9rem 0 .3rem; font-size: .9rem; color: var(--dim); font-weight: 600; }
nav ul { list-style: none; margin: .5rem 0; padding: 0; } nav li { padding: .1rem 0; } small, #count { color: var(--dim); }
#count { margin: .4rem 0; font-size: 12.5px; } nav a { text-decoration: none; } nav a:hover { text-decoration: underline; }
a { color: var(--blue); } :focus-visible { outline: 2px solid var(--blue); outline-offset: 1px; }
.skip { position: absolute; left: -99rem; } .skip:focus { left: .5rem; top: .5rem; z-index: 3; padding: .3rem .6rem; background: var(--paper); }
input { font: inherit; color: inherit; width: 100%; padding: .35rem .5rem; border: 1px solid var(--dim); border-radius: .3rem;
  background: var(--paper); } input::placeholder { color: var(--dim); opacity: 1; }
main { padding: 1rem 1.5rem 6rem; max-width: 72rem; min-width: 0; }
main details { border: 1px solid var(--line); border-radius: .4rem; margin: .3rem 0; padding: 0 .8rem; }
main details[open] { padding-bottom: .8rem; } summary { cursor: pointer; padding: .35rem 0; } summary code { font-weight: 600; }
.does { color: var(--dim); margin-left: .3rem; } .does code { font-weight: 400; } .method { display: inline-block; min-width: 4.2rem;
  padding: 0 .4rem; border-radius: .25rem; background: var(--soft); border: 1px solid var(--line);
  font: 600 11px/1.7 ui-monospace, monospace; text-align: center; } .m-get { color: var(--good); } .m-delete { color: var(--bad); }
.m-post, .m-put, .m-patch { color: var(--blue); }
.badge { font-size: 11px; padding: 0 .35rem; border-radius: .6rem; border: 1px solid currentColor; white-space: nowrap; }
.documented { color: var(--good); } .public { color: var(--mid); } .chosen { color: var(--own); }
table { border-collapse: collapse; width: 100%; margin: .3rem 0; } th { text-align: left; color: var(--dim); font-weight: 500; }
td, th { padding: .2rem .8rem .2rem 0; border-bottom: 1px solid var(--line); vertical-align: top; }
td:nth-child(1) { width: 22%; } td:nth-child(2) { width: 20%; color: var(--dim); } td:last-child { width: 6rem; }
code, pre { font-family: ui-monospace, monospace; font-size: 12.5px; } pre { background: var(--soft); padding: .5rem .8rem;
  border-radius: .3rem; white-space: pre-wrap; margin: .3rem 0; } sup { color: var(--bad); } .refusals { list-style: none;
  margin: .4rem 0; padding: 0; columns: 20rem; color: var(--dim); } .refusals b { color: var(--ink); font-weight: 600; }
.refusals li { break-inside: avoid; } details:target { border-color: var(--blue); } .hidden { display: none; }
@media (max-width: 800px) {
  :root { --head: 6.5rem; } body { grid-template-columns: minmax(0, 1fr); } main { padding: .5rem .8rem 4rem; }
  header { z-index: 2; height: auto; max-height: 100vh; padding: .5rem .8rem; border-right: 0; border-bottom: 1px solid var(--line); }
  header h1 { float: left; margin: .25rem .8rem 0 0; font-size: 1rem; } header .search { overflow: hidden; }
  #count { display: inline; } nav { clear: left; } nav ul { columns: 2; } input { font-size: 16px; }
  thead { display: none; } table, tbody, tr, main td { display: block; } main td { border: 0; padding: 0; width: auto !important; }
  tr { padding: .35rem 0; border-bottom: 1px solid var(--line); } main td:nth-child(2), main td:last-child { display: inline; margin-right: .6rem; }
}
`;

export const script = `
const all = [...document.querySelectorAll('main details')];
const box = document.getElementById('filter');
const sections = document.getElementById('sections');
const isNarrow = matchMedia('(max-width: 800px)');
const wordsOf = new Map();
const textOf = (each) => {
  if (!wordsOf.has(each)) {
    const names = [...each.querySelectorAll('td:first-child')].map((cell) => cell.textContent);
    wordsOf.set(each, [each.querySelector('summary').textContent, ...names].join(' ').toLowerCase());
  }
  return wordsOf.get(each);
};
const filter = () => {
  const words = box.value.toLowerCase().split(/\\s+/).filter(Boolean);
  let shown = 0;
  for (const each of all) {
    const fits = words.every((word) => textOf(each).includes(word));
    each.classList.toggle('hidden', !fits);
    if (fits) shown += 1;
  }
  for (const section of document.querySelectorAll('section')) {
    const left = section.querySelectorAll('details:not(.hidden)').length;
    section.classList.toggle('hidden', left === 0);
    const link = document.querySelector('nav a[href="#' + section.firstElementChild.id + '"]');
    link.parentElement.classList.toggle('hidden', left === 0);
    link.nextElementSibling.textContent = left;
  }
  document.getElementById('count').textContent = words.length === 0 ? all.length + ' operations'
    : shown === 0 ? 'No operation matches' : shown + ' of ' + all.length + ' operations match';
};
const open = () => {
  const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
  if (!target) return;
  if (target.closest('.hidden')) { box.value = ''; filter(); }
  if (target.tagName === 'DETAILS') target.open = true;
  target.scrollIntoView();
};
const fold = () => { sections.open = !isNarrow.matches; };
box.addEventListener('input', filter);
box.addEventListener('keydown', (event) => {
  if (event.key === 'Escape') { box.value = ''; filter(); }
  // Otherwise the same key would open the element that gets the focus.
  if (event.key === 'Enter') { event.preventDefault(); document.querySelector('main details:not(.hidden) > summary')?.focus(); }
});
addEventListener('keydown', (event) => {
  if (event.key !== '/' || event.ctrlKey || event.metaKey || event.altKey || event.target === box) return;
  event.preventDefault();
  box.focus();
});
sections.addEventListener('click', (event) => { if (isNarrow.matches && event.target.tagName === 'A') sections.open = false; });
isNarrow.addEventListener('change', fold);
addEventListener('hashchange', open);
document.getElementById('origin').textContent = location.origin;
fold();
filter();
open();
`;
