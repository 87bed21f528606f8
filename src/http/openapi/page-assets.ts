/** How the page of the interface looks and filters. */
export const style = `
:root { color-scheme: light dark; --ink: #1b1f24; --dim: #667; --line: #d5d9e0; --paper: #fff; --soft: #f3f5f8; --blue: #2458b3;
  --good: #1a7f37; --mid: #2458b3; --own: #9a6700; }
@media (prefers-color-scheme: dark) { :root { --ink: #e6e9ee; --dim: #9aa3b0; --line: #353b45; --paper: #14171c;
  --soft: #1d2229; --blue: #78a9ff; --good: #4fc26b; --mid: #78a9ff; --own: #d9a634; } }
* { box-sizing: border-box; }
body { margin: 0; display: grid; grid-template-columns: 18rem minmax(0, 1fr); background: var(--paper); color: var(--ink);
  font: 14px/1.5 system-ui, sans-serif; }
nav { position: sticky; top: 0; height: 100vh; overflow: auto; padding: 1rem; border-right: 1px solid var(--line);
  background: var(--soft); }
nav h1 { margin: 0 0 .5rem; font-size: 1.2rem; } nav ul { list-style: none; margin: .8rem 0; padding: 0; }
nav li { padding: .1rem 0; overflow-wrap: anywhere; } small { color: var(--dim); } a { color: var(--blue); text-decoration: none; }
input { font: inherit; color: inherit; width: 100%; padding: .3rem .5rem; border: 1px solid var(--line); border-radius: .3rem;
  background: var(--paper); }
main { padding: 1rem 1.5rem 6rem; max-width: 70rem; } h2 { margin: 1.6rem 0 .5rem; font-size: 1.1rem; }
h4 { margin: .8rem 0 .3rem; font-size: .9rem; color: var(--dim); font-weight: 600; }
details { border: 1px solid var(--line); border-radius: .4rem; margin: .3rem 0; padding: 0 .8rem; }
details[open] { padding-bottom: .8rem; } summary { cursor: pointer; padding: .35rem 0; } summary code { font-weight: 600; }
.does { color: var(--dim); margin-left: .3rem; } .method { display: inline-block; min-width: 4.2rem; padding: 0 .4rem;
  border-radius: .25rem; background: var(--soft); border: 1px solid var(--line); font: 600 11px/1.7 ui-monospace, monospace;
  text-align: center; } .m-get { color: var(--good); } .m-delete { color: #d1423a; } .m-post, .m-put, .m-patch { color: var(--blue); }
.badge { font-size: 11px; padding: 0 .35rem; border-radius: .6rem; border: 1px solid currentColor; }
.documented { color: var(--good); } .public { color: var(--mid); } .chosen { color: var(--own); }
table { border-collapse: collapse; width: 100%; margin: .3rem 0; } th { text-align: left; color: var(--dim); font-weight: 500; }
td, th { padding: .15rem .8rem .15rem 0; border-bottom: 1px solid var(--line); vertical-align: top; }
code, pre { font-family: ui-monospace, monospace; font-size: 12.5px; } pre { background: var(--soft); padding: .5rem .8rem;
  border-radius: .3rem; overflow: auto; margin: 0; } sup { color: #d1423a; } .refusals { list-style: none; margin: .4rem 0; padding: 0;
  columns: 20rem; color: var(--dim); } .refusals b { color: var(--ink); font-weight: 600; } .does code { font-weight: 400; }
details:target { border-color: var(--blue); } details { scroll-margin-top: .5rem; }
.hidden { display: none; }
@media (max-width: 800px) { body { grid-template-columns: 1fr; } nav { position: static; height: auto; } }
`;

export const script = `
const all = [...document.querySelectorAll('details')];
const box = document.getElementById('filter');
const open = () => {
  const target = document.getElementById(location.hash.slice(1));
  if (target && target.tagName === 'DETAILS') { target.open = true; target.scrollIntoView(); }
};
box.addEventListener('input', () => {
  const words = box.value.toLowerCase().split(/\\s+/).filter(Boolean);
  for (const each of all) each.classList.toggle('hidden', !words.every((word) => each.dataset.words.includes(word)));
  for (const section of document.querySelectorAll('section')) {
    section.classList.toggle('hidden', !section.querySelector('details:not(.hidden)'));
  }
});
addEventListener('hashchange', open);
open();
`;
