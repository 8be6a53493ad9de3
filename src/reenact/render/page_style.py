"""How the pages of reports look."""

from __future__ import annotations

STYLE = """
:root{color-scheme:light dark;--page:#f4f6f9;--card:#fff;--line:#e2e7ee;--text:#20252d;--quiet:#6b7585;--soft:#eef2f7;
--ok:#15803d;--ok-soft:#e3f4e8;--warning:#c2410c;--warning-soft:#fdeadd;--error:#be123c;--error-soft:#fde4ea;--blue:#2f6fd1}
@media (prefers-color-scheme:dark){:root{--page:#101216;--card:#181b21;--line:#2a2f38;--text:#e9ecf1;--quiet:#97a1b1;--soft:#21252d;
--ok:#4ade80;--ok-soft:#12301d;--warning:#fb923c;--warning-soft:#3a2110;--error:#fb7185;--error-soft:#3d1420;--blue:#7fb0ff}}
*{box-sizing:border-box}
body{margin:0;background:var(--page);color:var(--text);font:15px/1.5 system-ui,-apple-system,"Segoe UI",Helvetica,Arial,sans-serif}
main{max-width:1200px;margin:0 auto;padding:40px 24px 64px}
header{margin-bottom:24px}
.kicker{margin:0;color:var(--blue);font-weight:600;letter-spacing:.04em;font-size:13px}
h1{margin:2px 0 4px;font-size:32px;line-height:1.2;letter-spacing:-.01em}
h2{margin:0 0 12px;font-size:18px}
.lead{margin:0 0 14px;color:var(--quiet)}
b.ok{color:var(--ok)}b.warning{color:var(--warning)}b.error{color:var(--error)}
.share{display:flex;gap:3px;height:10px;border-radius:5px;overflow:hidden;margin:0 0 14px}
.share i{min-width:6px}.share .ok{background:var(--ok)}.share .warning{background:var(--warning)}.share .error{background:var(--error)}
.chips{display:flex;flex-wrap:wrap;gap:8px}
.chip{background:var(--card);border:1px solid var(--line);border-radius:999px;padding:3px 12px;font-size:13px;color:var(--quiet)}
.chip b{color:var(--text);margin-left:8px}
.card{background:var(--card);border:1px solid var(--line);border-radius:14px;padding:20px 22px;margin:0 0 18px;
box-shadow:0 1px 2px rgba(0,0,0,.04)}
summary{cursor:pointer;display:flex;align-items:center;gap:12px;flex-wrap:wrap;list-style:none}
summary::-webkit-details-marker{display:none}
summary::before{content:"";width:7px;height:7px;
border-right:2px solid var(--quiet);border-bottom:2px solid var(--quiet);transform:rotate(-45deg)}
details[open]>summary{margin-bottom:18px}details[open]>summary::before{transform:rotate(45deg)}
.name{font-size:18px;font-weight:650}
.quiet{color:var(--quiet)}
.pill{font-size:13px;font-weight:600;border-radius:999px;padding:2px 11px;background:var(--soft);color:var(--quiet);white-space:nowrap}
.pill.ok,.pill.better{background:var(--ok-soft);color:var(--ok)}
.pill.warning,.pill.worse{background:var(--warning-soft);color:var(--warning)}
.pill.error{background:var(--error-soft);color:var(--error)}
.tiles{display:grid;grid-template-columns:repeat(auto-fill,minmax(168px,1fr));gap:12px;margin:0 0 20px}
.tile{background:var(--soft);border-radius:10px;padding:11px 13px;border:1px solid transparent}
.tile.warning{border-color:var(--warning);background:var(--warning-soft)}
.tile span{display:block;color:var(--quiet);font-size:13px}
.tile b{font-size:22px;font-weight:650;font-variant-numeric:tabular-nums;line-height:1.3}
.tile small{font-size:13px;font-weight:500;color:var(--quiet)}
.tile em{font-style:normal;font-size:12px;color:var(--quiet)}
.bar{position:relative;height:5px;border-radius:3px;background:var(--line);margin:5px 0 3px}
.bar i{display:block;height:100%;border-radius:3px}.bar i.ok{background:var(--ok)}.bar i.warning{background:var(--warning)}
.bar u{position:absolute;left:50%;top:-2px;width:2px;height:9px;background:var(--text);opacity:.55}
.scroll{overflow-x:auto}
table{border-collapse:collapse;width:100%;font-size:14px}
th{text-align:left;color:var(--quiet);font-weight:600;font-size:13px;padding:4px 10px 8px;vertical-align:bottom}
th small{display:block;font-weight:400}
td{padding:7px 10px;border-top:1px solid var(--line);vertical-align:top}
.n{text-align:right;font-variant-numeric:tabular-nums;white-space:nowrap}
td.warning{color:var(--warning);font-weight:650}
a{color:var(--blue);text-decoration:none}a:hover{text-decoration:underline}
.findings{margin:0 0 18px}
.findings td:first-child{white-space:nowrap}.findings .where{white-space:nowrap;color:var(--quiet)}
.findings tr.info td{color:var(--quiet)}
code{font:13px ui-monospace,SFMono-Regular,Menlo,Consolas,monospace}
.dot{display:inline-block;width:9px;height:9px;border-radius:50%;margin-right:9px;background:var(--quiet)}
.dot.warning{background:var(--warning)}.dot.error{background:var(--error)}
.timeline{width:100%;height:auto;margin:0 0 14px;display:block}
.tl-row{fill:var(--soft)}.tl-grid{stroke:var(--line);stroke-width:1}
.tl-name{font:13px system-ui,-apple-system,"Segoe UI",Helvetica,Arial,sans-serif;fill:var(--quiet);text-anchor:end}
.tl-tick{font:12px system-ui,-apple-system,"Segoe UI",Helvetica,Arial,sans-serif;fill:var(--quiet);text-anchor:middle}
.plots{display:grid;grid-template-columns:repeat(auto-fit,minmax(420px,1fr));gap:14px}
.card img{max-width:100%;height:auto}
.plots img{width:100%;border:1px solid var(--line);border-radius:10px}
@media (max-width:560px){.plots{grid-template-columns:1fr}.findings .where{white-space:normal}main{padding:24px 14px}}
"""
"""Style sheet: one card for each clip, colours for pass, over a limit and broken, light and dark."""
