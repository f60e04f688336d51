"""The style sheet of the audit report: dark ink on white, for a screen and for paper."""

from engine.chart.export.svg_style import MONO, SANS

# The colour of a word follows what it means: green went well, red was stopped, amber needs a look.
GOOD = ("ok", "completed", "allowed", "approved")
BAD = ("failed", "denied", "rejected")

STYLE = f"""
*{{box-sizing:border-box}}
body{{margin:0;background:#eef1f5;color:#1c2430;font:14px/1.5 {SANS}}}
main{{max-width:1480px;margin:0 auto;padding:28px 32px 48px;background:#fff;min-height:100vh}}
h1{{font-size:26px;line-height:1.25;margin:0 0 4px;letter-spacing:-.01em}}
h2{{font-size:16px;margin:32px 0 12px;padding-bottom:6px;border-bottom:1px solid #dde2e9}}
h3{{font-size:13px;margin:0 0 8px;color:#5a6472;font-weight:600}}
p{{margin:0 0 8px}}
.soft{{color:#5a6472}}
.mono,code{{font-family:{MONO};font-size:12px}}
dl{{display:flex;flex-wrap:wrap;gap:8px;margin:14px 0 0}}
dl>div{{display:flex;border:1px solid #cfd6df;border-radius:6px;overflow:hidden}}
dt{{background:#e9edf3;color:#44505f;padding:3px 9px}}
dd{{margin:0;padding:3px 10px;font-weight:600;overflow-wrap:anywhere}}
.totals{{display:grid;grid-template-columns:repeat(auto-fit,minmax(290px,1fr));gap:16px}}
.totals>section{{border:1px solid #dde2e9;border-radius:8px;padding:14px 16px}}
.totals table{{width:100%;border-collapse:collapse}}
.totals td{{padding:3px 0;vertical-align:middle}}
.totals td+td{{padding-left:10px}}
.totals .of{{width:40%}}
.totals .sum{{width:1%;text-align:right;font-variant-numeric:tabular-nums}}
.bar{{display:block;width:100%;height:8px}}
.bar rect{{fill:#1f5582}}
.bar .rail{{fill:#e9edf3}}
.wide{{overflow-x:auto;border:1px solid #dde2e9;border-radius:8px}}
.events{{border-collapse:collapse;width:100%;font-size:12.5px}}
.events th{{position:sticky;top:0;background:#e9edf3;color:#44505f;text-align:left;
 font-weight:600;white-space:nowrap}}
.events th,.events td{{padding:5px 10px}}
.events td{{border-top:1px solid #e9edf3;vertical-align:top;
 overflow-wrap:break-word;max-width:24em}}
.events tbody tr:nth-child(even){{background:#f8f9fb}}
.events .at,.events .seq,.events .user,.events .trace,.events .of{{white-space:nowrap}}
.events .at,.events .seq{{font-variant-numeric:tabular-nums}}
.events .seq{{text-align:right}}
a{{color:#1f5582;text-decoration:none}}
a:hover{{text-decoration:underline}}
.mark{{display:inline-block;border-radius:10px;padding:0 8px;font-size:12px;line-height:20px;
 white-space:nowrap;background:#fdf0d5;color:#6a4a08}}
.good{{background:#e0f1e6;color:#1b5e3a}}
.bad{{background:#fbe3e1;color:#8f1f2f}}
figure{{margin:0 0 20px;border:1px solid #dde2e9;border-radius:8px;padding:14px 16px}}
figcaption{{font-weight:600;margin-bottom:8px;overflow-wrap:anywhere}}
figure img{{display:block;max-width:100%;height:auto;margin:0 auto}}
.why{{background:#fbe3e1;color:#8f1f2f;border-radius:6px;padding:8px 12px;margin:0}}
@media print{{
 @page{{size:A4 landscape;margin:12mm}}
 body{{background:#fff}} main{{max-width:none;padding:0}}
 .wide{{overflow:visible;border:0}} .events{{font-size:8.5px}} .events th{{position:static}}
 .events td{{overflow-wrap:anywhere}}
 .events thead{{display:table-header-group}} .mono{{font-size:8px}} .mark{{font-size:8.5px}}
 tr,figure{{break-inside:avoid}} figure img{{max-height:170mm;width:auto}}
}}
"""
