#include "report/page.h"

#include <fmt/format.h>

#include "report/pictures.h"
#include "report/settings.h"
#include "report/text.h"

namespace espalier::app::report {
namespace {

constexpr size_t colours = 7;

// Runs use the colour-blind-safe palette of Okabe and Ito, lighter in dark mode. Ordered variants range from blue over
// red to gold. The content security policy blocks all loading, whatever text a log contains.
constexpr const char* head = R"(<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" 
  content="default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:">
<link rel="icon" href="data:,">
)";

constexpr const char* style = R"(<style>
:root { color-scheme: light dark; --page: #f6f6f4; --card: #fff; --text: #22252a; --dim: #5d646e; --rule: #e2e3e1;
  --accent: #0072b2; --second: #e69f00; --on: #fff; --from: 34%; --by: 10%;
  --r0: #0072b2; --r1: #d55e00; --r2: #009e73; --r3: #cc79a7; --r4: #e69f00; --r5: #56b4e9; --r6: #6f7278; }
@media (prefers-color-scheme: dark) {
  :root { --page: #15171a; --card: #1e2125; --text: #e6e7e9; --dim: #a0a6af; --rule: #34383e;
    --accent: #56b4e9; --second: #e69f00; --on: #10161c; --from: 72%; --by: -8%;
    --r0: #56b4e9; --r1: #f0803c; --r2: #2fc397; --r3: #e39bc4; --r4: #f0b93a; --r5: #f0e442; --r6: #b4b8bf; } }
* { box-sizing: border-box; }
body { margin: 0; background: var(--page); color: var(--text); font: 15px/1.45 system-ui, sans-serif;
  font-variant-numeric: tabular-nums; }
main { max-width: 1280px; margin: 0 auto; padding: 24px 16px 64px; }
h1 { font-size: 22px; margin: 0 0 4px; }
h2 { font-size: 17px; margin: 36px 0 10px; } h3 { font-size: 14px; margin: 0 0 8px; }
.dim, .caption { color: var(--dim); } .caption { font-size: 13px; margin: 8px 0 0; } p.dim { margin: 0 0 16px; }
.cards { display: grid; gap: 14px; grid-template-columns: repeat(auto-fill, minmax(min(100%, 400px), 1fr)); }
.card { background: var(--card); border: 1px solid var(--rule); border-radius: 8px; padding: 14px 16px; min-width: 0; }
.card.wide { grid-column: 1 / -1; }
.legend { display: flex; flex-wrap: wrap; gap: 4px 18px; margin: 0 0 10px; }
.run { white-space: nowrap; } .key { width: 26px; height: 10px; display: inline-block; margin-right: 6px; }
svg { display: block; } .card svg[viewBox]:not(.key) { width: 100%; height: auto; margin: 0 auto; }
svg text { fill: var(--text); font-size: 13px; } svg text.dim { fill: var(--dim); }
.curves text, .histogram text { font-size: 14.5px; }
.mid { text-anchor: middle; } .end { text-anchor: end; }
.grid { stroke: var(--rule); } .axis { stroke: var(--dim); } .diagonal { stroke: var(--dim); stroke-dasharray: 4 4; }
.line, .faint { fill: none; stroke: var(--c); stroke-width: 2; stroke-linejoin: round; }
.faint { stroke-width: 1; opacity: .35; } .dot { fill: var(--c); }
.best { fill: var(--card); stroke: var(--c); stroke-width: 2; }
.line, .faint, .dot, .best, svg text { pointer-events: none; } .names text { pointer-events: auto; }
.band { fill: var(--text); fill-opacity: 0; } .band:hover { fill-opacity: .08; }
.heat { fill: var(--accent); stroke: var(--rule); } .confusion .on { fill: var(--on); }
.point { fill: var(--accent); fill-opacity: .45; } .step { fill: var(--accent); }
.bar.steps, .box.steps { fill: var(--accent); background: var(--accent); }
.bar.calls, .box.calls { fill: var(--second); background: var(--second); }
.box { display: inline-block; width: 10px; height: 10px; margin: 0 5px 0 2px; border-radius: 2px; }
.bar:hover, .step:hover, .heat:hover, .point:hover { stroke: var(--text); stroke-width: 1.5; }
.lanes { display: flex; } .names { flex: none; } .scroll { overflow-x: auto; min-width: 0; }
table { border-collapse: collapse; background: var(--card); border: 1px solid var(--rule); width: 100%;
  font-size: 14px; }
th, td { text-align: left; padding: 7px 10px; border-bottom: 1px solid var(--rule); white-space: nowrap; }
@media (min-width: 600px) { th:first-child, td:first-child { position: sticky; left: 0; background: var(--card); } }
th { color: var(--dim); font-weight: 600; font-size: 13px; } .number { text-align: right; }
details { margin: 10px 0 0; } summary { cursor: pointer; color: var(--dim); }
dl { display: flex; flex-wrap: wrap; gap: 2px 24px; margin: 8px 0; font-size: 14px; }
dl div { display: flex; gap: 6px; } dt { color: var(--dim); } dd { margin: 0; overflow-wrap: anywhere; }
dl.lines { display: grid; grid-template-columns: max-content 1fr; gap: 2px 16px; }
.card .legend { gap: 2px 14px; font-size: 13px; margin: 0 0 6px; } .cards + .cards { margin-top: 14px; }
#tip { position: fixed; z-index: 9; pointer-events: none; white-space: pre; background: var(--text); color: var(--card);
  padding: 6px 9px; border-radius: 6px; font-size: 13px; max-width: 92vw; overflow: hidden; }
@media (max-width: 480px) { dl.lines { grid-template-columns: 1fr; } dl.lines dd { margin: 0 0 6px; }
  .curves text, .histogram text { font-size: 17px; } .scatter text { font-size: 15px; } }
</style>
)";

// Shows the <title> of the mark under the pointer without delay, and on touch screens.
constexpr const char* script = R"(<div id="tip" hidden></div>
<script>
"use strict";
for (const title of document.querySelectorAll("svg title")) {
  title.parentNode.setAttribute("data-tip", title.textContent);
  title.remove();
}
const tip = document.getElementById("tip");
const show = event => {
  const mark = event.target instanceof Element ? event.target.closest("[data-tip]") : null;
  tip.hidden = !mark;
  if (!mark) return;
  tip.textContent = mark.dataset.tip;
  const x = event.clientX + 14, y = event.clientY + 16, w = tip.offsetWidth, h = tip.offsetHeight;
  tip.style.left = Math.max(4, Math.min(x, innerWidth - w - 4)) + "px";
  tip.style.top = (y + h > innerHeight ? Math.max(4, event.clientY - h - 10) : y) + "px";
};
addEventListener("pointermove", show);
addEventListener("pointerdown", show);
addEventListener("scroll", () => { tip.hidden = true; }, true);
</script>
)";

std::string colour_classes() {
  std::string css = "<style>\n";
  for (size_t c = 0; c < colours; ++c) css += fmt::format(".r{} {{ --c: var(--r{}); }} ", c, c);
  return css +
         "\n.scale { --c: hsl(calc(240 + 160 * var(--at)), 80%, calc(var(--from) + var(--by) * var(--at))); }\n"
         "path.dashed1 { stroke-dasharray: 6 3; } path.dashed2 { stroke-dasharray: 2 3; }\n</style>\n";
}

std::string pictures_of(const Run& run) {
  std::string cards;
  if (run.confusion) cards += confusion_card(*run.confusion);
  if (run.scatter) cards += scatter_card(*run.scatter);
  if (run.schedule) cards += batch_size_card(*run.schedule) + schedule_card(*run.schedule);
  return cards;
}

}  // namespace

std::string card(const std::string& heading, const std::string& picture, const std::string& caption) {
  const bool wide = picture.starts_with("<div class=\"lanes\"");
  return fmt::format("<section class=\"card{}\"><h3>{}</h3>\n{}\n<p class=\"caption\">{}</p></section>\n",
                     wide ? " wide" : "", escaped(heading), picture, caption);
}

Mark run_mark(size_t run) {
  const size_t dashes = run / colours % 3;
  return {fmt::format("r{}", run % colours) + (dashes == 0 ? "" : fmt::format(" dashed{}", dashes))};
}

Mark scale_mark(size_t i, size_t n) {
  const double at = n < 2 ? 0 : static_cast<double>(i) / static_cast<double>(n - 1);
  return {"scale", fmt::format(" style=\"--at:{:.3f}\"", at)};
}

std::string page(const std::vector<Run>& runs) {
  const std::string& task = runs.front().task;
  const std::string title = runs.size() == 1              ? task + ": " + runs.front().name
                            : all_equal(runs, &Run::task) ? fmt::format("{} runs of {}", runs.size(), task)
                                                          : fmt::format("{} runs", runs.size());
  std::string html = head + fmt::format("<title>{}</title>\n", escaped(title)) + style + colour_classes() +
                     "</head>\n<body>\n<main>\n";
  html += fmt::format("<h1>{}</h1>\n<p class=\"dim\">created by espalier report; epochs are counted from 0</p>\n",
                      escaped(title));
  html += table_of_runs(runs);
  if (const std::string curves = learning_curves(runs); !curves.empty()) {
    html += "<h2>Learning curves</h2>\n<div class=\"legend\">\n";
    for (size_t r = 0; r < runs.size(); ++r) html += legend_entry(run_mark(r), runs[r].name) + "\n";
    html += "</div>\n" + curves;
  }
  for (size_t r = 0; r < runs.size(); ++r)
    if (const std::string cards = pictures_of(runs[r]); !cards.empty())
      html += "<h2>" + legend_entry(run_mark(r), runs[r].name) + "</h2>\n<div class=\"cards\">\n" + cards + "</div>\n";
  return html + "</main>\n" + script + "</body>\n</html>\n";
}

}  // namespace espalier::app::report
