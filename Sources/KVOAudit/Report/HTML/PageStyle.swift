/// The looks of all pages.
///
/// Text has a contrast of at least 4.5 to 1 in both schemes. What a colour says, a shape or a word says
/// too.
enum PageStyle {
  static let source: StaticString = """

    :root {
      color-scheme: light dark;
      --page: #f5f6f8; --panel: #ffffff; --text: #1b1f26; --quiet: #545c69; --line: #d8dce3;
      --sunk: #f0f2f5; --link: #0a58a8; --focus: #0a58a8; --own: #fff5d6; --own-edge: #a87900;
      --error: #ab1240; --warning: #7d4e00; --note: #0a5a96; --clean: #17653a;
      --error-tint: #fceef2; --warning-tint: #fdf3e0; --note-tint: #e9f2fa; --clean-tint: #e8f5ed;
      --sign: #ffffff; --curve: #4c719c; --area: #d3e0ee;
      --live: #f2c38d; --over: #e3e7ed; --live-line: #a65f00;
    }
    @media screen and (prefers-color-scheme: dark) {
      :root {
        --page: #13161b; --panel: #1b1f26; --text: #e6e9ee; --quiet: #a3acb9; --line: #353b46;
        --sunk: #242932; --link: #85bbf5; --focus: #85bbf5; --own: #3a3218; --own-edge: #d9a62e;
        --error: #ff8ba7; --warning: #f0b64a; --note: #7fbdf5; --clean: #74cf9a;
        --error-tint: #371c26; --warning-tint: #33280f; --note-tint: #182b3d; --clean-tint: #16301f;
        --sign: #13161b; --curve: #86add8; --area: #2a3d53;
        --live: #7a4f1d; --over: #2d333e; --live-line: #f0b64a;
      }
    }
    * { box-sizing: border-box; }
    html { scroll-padding-top: 1rem; -webkit-text-size-adjust: 100%; }
    body {
      background: var(--page); color: var(--text); margin: 0 auto; max-width: 94rem;
      padding: 2rem 1.25rem 4rem; font: 1rem/1.55 system-ui, "Segoe UI", Roboto, "Helvetica Neue",
      "Noto Sans", "Liberation Sans", sans-serif; overflow-wrap: anywhere;
    }
    h1, h2, h3, h4, p, ol, ul, dl, figure, pre { margin: 0; padding: 0; }
    h1 { font-size: 1.75rem; line-height: 1.25; letter-spacing: -.01em; }
    h2 { font-size: 1.25rem; line-height: 1.3; }
    h3 { font-size: 1rem; display: inline; }
    h4 { font-size: .875rem; margin-bottom: .375rem; }
    ol, ul { list-style: none; }
    a { color: var(--link); text-underline-offset: .15em; }
    code, pre, .place, .frames, .flame {
      font-family: ui-monospace, "SF Mono", Menlo, Consolas, "DejaVu Sans Mono", monospace;
      font-size: .8125rem; unicode-bidi: isolate;
    }
    :focus-visible { outline: 2px solid var(--focus); outline-offset: 2px; border-radius: 4px; }
    .quiet { color: var(--quiet); }
    .small { font-size: .875rem; }
    .unseen {
      position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%);
      white-space: nowrap;
    }
    .skip:not(:focus) { position: absolute; left: -99rem; }
    .icons { position: absolute; }
    .sign { width: 1em; height: 1em; flex: none; fill: currentColor; vertical-align: -.125em; }
    .mark { fill: none; stroke: var(--sign); stroke-width: 2; stroke-linecap: round; }
    .error > .sign, .sign.error { color: var(--error); }
    .warning > .sign, .sign.warning { color: var(--warning); }
    .note > .sign, .sign.note { color: var(--note); }
    .clean > .sign { color: var(--clean); }

    .top > p { margin-top: .5rem; }
    .message, .terms dd, .leads li { max-width: 80rem; }
    .tally { display: flex; flex-wrap: wrap; gap: .5rem; margin-top: 1rem; }
    .tally li {
      display: flex; align-items: center; gap: .5rem; padding: .3rem .8rem; border-radius: 2rem;
      border: 1px solid var(--line); background: var(--panel);
    }
    .tally li.some.error { background: var(--error-tint); border-color: var(--error); }
    .tally li.some.warning { background: var(--warning-tint); border-color: var(--warning); }
    .tally li.some.note { background: var(--note-tint); border-color: var(--note); }
    .tally li.clean { background: var(--clean-tint); border-color: var(--clean); }
    .tally b { font-variant-numeric: tabular-nums; }
    .tally li:not(.some):not(.clean) .sign { color: var(--quiet); }
    nav ul { display: flex; flex-wrap: wrap; gap: .25rem 1.25rem; margin-top: 1rem; }
    .alarm {
      margin-top: 1rem; padding: .75rem 1rem; border: 1px solid var(--error); border-radius: 8px;
      background: var(--error-tint);
    }
    .alarm.warning { border-color: var(--warning); background: var(--warning-tint); }
    .alarm ol { margin-top: .5rem; }
    main > section { margin-top: 2.5rem; }
    .panel {
      background: var(--panel); border: 1px solid var(--line); border-radius: 8px;
      padding: 1rem 1.25rem; margin-top: .75rem;
    }

    .filter { display: flex; flex-wrap: wrap; gap: .75rem 1.25rem; align-items: end; }
    .filter[hidden] { display: none; }
    .filter fieldset { border: 0; margin: 0; padding: 0; display: flex; gap: .9rem; }
    .filter .choice { display: flex; align-items: center; gap: .35rem; min-height: 2.25rem; }
    .filter .field { min-width: 0; max-width: 100%; display: grid; gap: .15rem; font-size: .875rem; color: var(--quiet); }
    .filter .grows { flex: 1 1 14rem; }
    input[type=search], select, button {
      font: inherit; font-size: .9375rem; color: var(--text); background: var(--panel);
      border: 1px solid var(--quiet); border-radius: 6px; padding: .3rem .6rem; min-height: 2.25rem;
      max-width: 100%; width: 100%;
    }
    button { width: auto; }
    input[type=checkbox] { width: 1rem; height: 1rem; accent-color: var(--focus); margin: 0; }
    button { cursor: pointer; }
    .shown { margin-top: .75rem; display: flex; gap: .5rem 1.25rem; flex-wrap: wrap; align-items: center; }

    .findings { display: grid; gap: .625rem; margin-top: .75rem; }
    .finding {
      background: var(--panel); border: 1px solid var(--line); border-radius: 8px; min-width: 0;
      border-left: 5px solid var(--quiet);
    }
    .finding[hidden], .more li[hidden] { display: none; }
    .finding.error { border-left-color: var(--error); }
    .finding.warning { border-left-color: var(--warning); }
    .finding.note { border-left-color: var(--note); }
    .finding:has(:target), .finding.linked { outline: 2px solid var(--focus); outline-offset: 1px; }
    .finding > summary {
      cursor: pointer; padding: .75rem 1rem; display: block; list-style: none; border-radius: 6px;
    }
    .finding > summary::-webkit-details-marker { display: none; }
    .finding > summary:hover { background: var(--sunk); }
    .headline { display: flex; flex-wrap: wrap; gap: .15rem .7rem; align-items: baseline; }
    .headline::before {
      content: "▸"; color: var(--quiet); width: .8rem; flex: none; align-self: center;
    }
    [open] > summary .headline::before { content: "▾"; }
    .badge { font-weight: 600; white-space: nowrap; }
    .badge.error { color: var(--error); }
    .badge.warning { color: var(--warning); }
    .badge.note { color: var(--note); }
    .headline .times { margin-left: auto; font-variant-numeric: tabular-nums; }
    .message, .place { display: block; padding-left: 1.5rem; }
    .message { margin-top: .25rem; }
    .place { color: var(--quiet); margin-top: .15rem; }
    .finding > summary:focus-visible { outline-offset: -3px; }
    .body { padding: .25rem 1rem 1rem 1.5rem; scroll-margin-top: 7.5rem; }
    .body > * + * { margin-top: 1rem; }
    .stacks {
      display: grid; gap: 1rem; align-items: start;
      grid-template-columns: repeat(auto-fit, minmax(min(26rem, 100%), 1fr));
    }
    .stack { min-width: 0; border: 1px solid var(--line); border-radius: 6px; overflow: hidden; }
    .stack h4 { padding: .45rem .75rem; margin: 0; background: var(--sunk); }
    .stack > p { padding: .45rem .75rem; }
    .frames { padding: .4rem 0; }
    .frames li { display: flex; gap: .75rem; padding: .1rem .75rem; }
    .frames .number { color: var(--quiet); flex: none; width: 1.6rem; text-align: right; }
    .frames .function { flex: 1; min-width: 0; }
    .frames .at { color: var(--quiet); flex: 0 1 auto; max-width: 50%; text-align: right; }
    .frames .own { background: var(--own); font-weight: 600; box-shadow: inset 3px 0 var(--own-edge); }
    .frames .own .at { color: var(--text); }
    .source { border-top: 1px solid var(--line); overflow-x: auto; padding: .4rem 0; line-height: 1.5; }
    .source code { display: block; padding: 0 .75rem; width: max-content; min-width: 100%; }
    .source .line { color: var(--quiet); user-select: none; }
    .source .own { background: var(--own); box-shadow: inset 3px 0 var(--own-edge); }
    .terms { display: grid; grid-template-columns: max-content 1fr; gap: .3rem 1rem; }
    .terms dt { color: var(--quiet); }
    .terms dd { margin: 0; min-width: 0; }
    .fix dd { font-weight: 500; }
    .leads li { padding: .2rem 0 .2rem 1.1rem; position: relative; }
    .leads li::before { content: "↳"; position: absolute; left: 0; color: var(--quiet); }
    .leads li:target { outline: 2px solid var(--focus); }
    .more { margin-top: .75rem; }
    .more li { padding: .3rem 0; border-top: 1px solid var(--line); }

    .drawing { overflow-x: auto; }
    .drawing svg { display: block; max-width: none; }
    .box { fill: var(--sunk); stroke: var(--quiet); stroke-width: 1.2; }
    .box.gap { stroke-dasharray: 4 4; }
    .edge { fill: none; stroke: var(--curve); stroke-width: 1.6; }
    .edge.suspected { stroke-dasharray: 5 4; }
    .tip { fill: var(--curve); }
    .drawing text { fill: var(--text); font-size: 12.5px; font-family: ui-monospace, "SF Mono", Menlo,
      Consolas, "DejaVu Sans Mono", monospace; }
    .drawing text.label { fill: var(--quiet); }
    figure > p { margin-top: .5rem; }
    .growths { display: grid; gap: 1.25rem; }
    .growths { grid-template-columns: repeat(auto-fit, minmax(min(22rem, 100%), 1fr)); }
    .growths figure { min-width: 0; }
    .growths .place { padding: 0; margin-bottom: .35rem; }
    .bar { fill: var(--area); stroke: var(--curve); }

    .timeline { display: grid; grid-template-columns: max-content 1fr; column-gap: .6rem; }
    .timeline + .timeline { margin-top: 1.5rem; }
    .timeline figcaption { grid-column: 1 / -1; margin-bottom: .5rem; }
    .counts { position: relative; min-width: 1.5rem; text-align: right; margin-top: 1.75rem; }
    .counts li { transform: translateY(-50%); position: absolute; right: 0; white-space: nowrap; }
    .counts .widest { visibility: hidden; position: static; transform: none; height: 0; }
    .field-of-marks { position: relative; }
    .marks { position: relative; height: 1.75rem; }
    .marks li { position: absolute; top: 0; transform: translateX(-50%); z-index: 1; }
    .marks a { display: block; padding: .2rem; line-height: 1; }
    .marks li::after {
      content: ""; position: absolute; left: 50%; top: 1.35rem; height: calc(130px + .4rem); width: 0;
      border-left: 1px dashed var(--quiet); pointer-events: none; opacity: .55;
    }
    .plot { display: block; width: 100%; height: 130px; border-bottom: 1px solid var(--quiet); }
    .plot .area { fill: var(--area); }
    .plot .line { fill: none; stroke: var(--curve); stroke-width: 1.6; vector-effect: non-scaling-stroke; }
    .plot .grid { stroke: var(--line); vector-effect: non-scaling-stroke; }
    .times-axis { grid-column: 2; display: flex; justify-content: space-between; gap: 1rem; }
    .times-axis li:last-child { text-align: right; }

    .flame { margin-top: .75rem; overflow: hidden; line-height: 1.3; }
    .flame ul { display: flex; align-items: start; }
    .flame li { min-width: 0; flex: none; }
    .flame .call {
      display: block; position: relative; overflow: hidden; white-space: nowrap; text-overflow: ellipsis;
      padding: .12rem .3rem; min-height: 1.45rem; border: 1px solid var(--panel); border-radius: 3px;
      background: linear-gradient(90deg, var(--live) var(--share), var(--over) 0);
    }
    .flame .aside { display: none; }
    .flame .zoomed { width: 100% !important; }
    .flame.zooms .call { cursor: pointer; }
    .flame .own { font-weight: 700; }
    .flame .observed { font-style: italic; }
    .key { display: inline-block; width: .9em; height: .9em; vertical-align: -.1em; border-radius: 2px; }
    .key.live { background: var(--live); border: 1px solid var(--live-line); }
    .key.over { background: var(--over); border: 1px solid var(--quiet); }

    .scrolls { overflow-x: auto; }
    table { border-collapse: collapse; width: 100%; font-size: .9375rem; }
    caption { text-align: left; padding-bottom: .4rem; }
    th { text-align: left; color: var(--quiet); font-weight: 600; font-size: .875rem; }
    th, td { padding: .4rem .9rem .4rem 0; border-bottom: 1px solid var(--line); vertical-align: top; }
    tr:last-child td { border-bottom: 0; }
    td.figure, th.figure { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
    td { min-width: 5rem; }
    .plain li { padding: .25rem 0; }
    .hints { display: flex; flex-wrap: wrap; gap: .25rem 1rem; }
    kbd {
      font-family: inherit; font-size: .8125rem; border: 1px solid var(--line); border-radius: 4px;
      padding: 0 .35rem; background: var(--sunk);
    }
    footer { margin-top: 3rem; color: var(--quiet); font-size: .875rem; }
    @media (max-width: 40rem) {
      body { padding: 1.25rem .75rem 3rem; }
      h1 { font-size: 1.4rem; }
      .body { padding: .25rem .75rem .75rem; }
      .message, .place { padding-left: 0; }
      .terms { grid-template-columns: 1fr; gap: 0; }
      .terms dd { margin-bottom: .5rem; }
      .headline .times { margin-left: 0; }
      .times-axis li:nth-child(2):not(:last-child) { display: none; }
    }
    @media (prefers-reduced-motion: no-preference) { html { scroll-behavior: smooth; } }
    @media print {
      :root { --page: #ffffff; color-scheme: light; }
      body { font-size: 10pt; max-width: none; padding: 0; }
      * { print-color-adjust: exact; -webkit-print-color-adjust: exact; }
      nav, .filter, .shown, .skip, .headline::before, .hints { display: none !important; }
      .finding::details-content { content-visibility: visible; display: block; }
      .finding, .stack, figure, tr { break-inside: avoid; }
      .finding:has(:target), .finding.linked { outline: 0; }
      main > section { margin-top: 1.5rem; }
      a { color: inherit; text-decoration: none; }
    }

    """
}
