/** How the page looks, light and dark: each text has a contrast of 4.5 or more with what is behind it, and no meaning lies in a colour alone. */
export const STYLE = `
:root {
  color-scheme: light dark;
  --ground: #f5f7f9; --card: #ffffff; --text: #1b1f24; --muted: #525c66; --line: #d3d9df;
  --pool: #0b5cad; --pool-soft: #d6e6f6; --inline: #8a4b00; --inline-soft: #f4e3cd; --warn: #fff4dc; --warn-line: #b7791f;
  --heat-0: #eef4fb; --heat-1: #d9e8f7; --heat-2: #bcd7f1; --heat-3: #9cc3ea; --heat-4: #7bafe2;
}
@media (prefers-color-scheme: dark) {
  :root {
    --ground: #0f1318; --card: #171c23; --text: #e6e9ee; --muted: #a5afba; --line: #333c47;
    --pool: #6db3ff; --pool-soft: #1d3753; --inline: #ffb454; --inline-soft: #4a3518; --warn: #2b2413; --warn-line: #d9a441;
    --heat-0: #18222e; --heat-1: #1b2e42; --heat-2: #1f3c58; --heat-3: #244b70; --heat-4: #295b88;
  }
}
* { box-sizing: border-box; }
body {
  margin: 0; background: var(--ground); color: var(--text); overflow-wrap: anywhere;
  font: 16px/1.55 system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", sans-serif;
}
header, main, footer { max-width: 72rem; margin: 0 auto; padding: 0 1rem; }
header { padding-top: 2rem; }
h1 { font-size: clamp(1.55rem, 1.1rem + 2.4vw, 2.6rem); line-height: 1.2; margin: .4rem 0 .8rem; letter-spacing: -.01em; }
h1.long { font-size: clamp(1.3rem, 1rem + 1.6vw, 1.9rem); }
h2 { font-size: 1.3rem; line-height: 1.3; margin: 0 0 .7rem; }
h3 { font-size: 1rem; margin: 0 0 .25rem; }
p { margin: 0 0 .8rem; }
ul { margin: 0; padding-left: 1.2rem; }
li { margin: .3rem 0; }
code { font-family: ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; font-size: .92em; }
code.whole { white-space: nowrap; }
.brand, .muted { color: var(--muted); }
.brand { margin: 0 0 1rem; font-size: .9rem; } .made { font-size: .9rem; }
.badge { display: inline-block; margin: 0; padding: .15rem .7rem; border: 2px solid; border-radius: 99px; font-weight: 600; }
.threads .badge { color: var(--pool); }
.inline .badge, .unknown .badge { color: var(--inline); }
.unknown .badge { border-style: dashed; }
.key { display: grid; grid-template-columns: repeat(auto-fit, minmax(9.5rem, 1fr)); gap: .75rem; margin: 1.2rem 0; }
.key div { background: var(--card); border: 1px solid var(--line); border-radius: .5rem; padding: .6rem .8rem; }
.key dt { color: var(--muted); font-size: .85rem; }
.key dd { margin: 0; font-size: 1.3rem; font-weight: 600; }
.key dd small { display: block; font-size: .8rem; font-weight: 400; color: var(--muted); }
main { display: grid; gap: 1rem; padding-bottom: 1rem; }
section { background: var(--card); border: 1px solid var(--line); border-radius: .6rem; padding: 1.1rem; min-width: 0; }
section.warn { background: var(--warn); border: 2px solid var(--warn-line); }
.meaning { display: grid; gap: .4rem 1.6rem; max-width: 68rem; }
@media (min-width: 56rem) {
  main { grid-template-columns: 1fr 1fr; align-items: start; }
  main > .wide { grid-column: 1 / -1; }
  .meaning { grid-template-columns: 1fr 1fr; }
}
pre { margin: 0; padding: .8rem; overflow-x: auto; white-space: pre-wrap; background: var(--ground); border: 1px solid var(--line); border-radius: .4rem; }
.scroll { overflow-x: auto; }
:focus-visible { outline: 3px solid var(--pool); outline-offset: 2px; }
table { border-collapse: collapse; font-size: .92rem; font-variant-numeric: tabular-nums; min-width: 100%; }
.named caption { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
caption { text-align: left; color: var(--muted); padding-bottom: .3rem; }
th, td { padding: .35rem .8rem .35rem 0; text-align: right; border-top: 1px solid var(--line); white-space: nowrap; }
thead th { border-top: 0; color: var(--muted); font-weight: 600; }
th:first-child, td:first-child { text-align: left; white-space: normal; min-width: 6rem; overflow-wrap: break-word; }
th:last-child, td:last-child { padding-right: 0; }
tbody th { font-weight: 600; }
.pairs th { text-align: left; vertical-align: top; white-space: normal; min-width: 7rem; }
.pairs td { text-align: left; white-space: normal; overflow-wrap: anywhere; }
.heat td, .heat th { padding: .45rem .6rem; }
.heat td { text-align: center; white-space: normal; overflow-wrap: normal; } .heat caption { padding-bottom: .5rem; } .heat thead th + th { text-align: center; }
.heat td small { display: block; white-space: nowrap; font-size: .78rem; }
${[0, 1, 2, 3, 4].map((i) => `.heat-${i} { background: var(--heat-${i}); }`).join(' ')}
figure { margin: 0; }
section > * + *, details .scroll { margin-top: .9rem; } section > h2 + * { margin-top: 0; } section > h3 { margin-bottom: 0; }
section > h3 + * { margin-top: .3rem; } section > p { margin-bottom: 0; } section > p + p { margin-top: .4rem; }
figcaption { color: var(--muted); font-size: .9rem; margin: .3rem 0; }
svg { display: block; width: 100%; height: auto; max-width: 36rem; }
svg text { font: 13px system-ui, sans-serif; fill: var(--muted); }
svg .strong { fill: var(--text); font-weight: 600; paint-order: stroke; stroke: var(--card); stroke-width: 4px; }
@media (max-width: 34rem) { svg text { font-size: 15px; } }
svg .grid { stroke: var(--line); } svg .axis { stroke: var(--muted); }
svg .pool-line { fill: none; stroke: var(--pool); stroke-width: 2.5; }
svg .pool-fill { fill: var(--pool); } svg .pool-soft { fill: var(--pool-soft); }
svg .inline-line { fill: none; stroke: var(--inline); stroke-width: 2; stroke-dasharray: 7 4; }
svg .inline-bar { fill: var(--inline-soft); stroke: var(--inline); stroke-width: 2; } svg .inline-soft { fill: var(--inline-soft); fill-opacity: .75; }
svg .mark { fill: none; stroke: var(--text); stroke-width: 1.5; stroke-dasharray: 2 3; }
svg .halo { fill: none; stroke: var(--card); stroke-width: 4.5; }
svg .whisker { fill: none; stroke: var(--text); stroke-width: 1.5; }
.legend { display: flex; flex-wrap: wrap; gap: .2rem 1.2rem; list-style: none; padding: 0; }
.legend li { display: flex; align-items: center; gap: .45rem; margin: 0; }
.legend svg { width: 34px; height: 14px; flex: none; }
details { margin-top: .6rem; } summary { cursor: pointer; color: var(--pool); width: fit-content; }
footer { color: var(--muted); font-size: .9rem; padding-bottom: 2rem; }
@media print { body { background: none; } section { break-inside: avoid; } main { display: block; } section { margin-bottom: 1rem; } }
`;
