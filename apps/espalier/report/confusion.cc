// The confusion matrix as a heat map: rows gold, columns predicted, shaded by the share of the row.
#include <algorithm>
#include <numeric>

#include <fmt/format.h>

#include "report/pictures.h"
#include "report/text.h"

namespace espalier::app::report {
namespace {

constexpr size_t max_with_numbers = 12, longest_label = 14;
constexpr double letter = 7.2;  // approximate width of a letter

double longest(const std::vector<std::string>& labels) {
  size_t most = 1;
  for (const std::string& label : labels) most = std::max(most, std::min(length(label), longest_label));
  return letter * static_cast<double>(most);
}

std::string cell(const Confusion& c, size_t gold, size_t predicted, double x, double y, double size) {
  const uint64_t count = c.counts[gold][predicted];
  const uint64_t row = std::accumulate(c.counts[gold].begin(), c.counts[gold].end(), uint64_t{0});
  const double share = row == 0 ? 0 : static_cast<double>(count) / static_cast<double>(row);
  std::string svg = fmt::format(
      "<rect class=\"heat{}\" x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" fill-opacity=\"{:.3f}\">"
      "<title>{}</title></rect>",
      gold == predicted ? " right" : "", x, y, size - 1, size - 1, share,
      escaped(fmt::format("gold {}, predicted {}\n{} ({} of the row)", c.labels[gold], c.labels[predicted],
                          readable(count), percent(share))));
  const std::string number = readable(count);
  const double font = std::min(13.0, (size - 3) / (0.62 * static_cast<double>(number.size())));
  if (c.labels.size() <= max_with_numbers)
    svg += fmt::format("<text class=\"mid{}\" style=\"font-size:{:.1f}px\" x=\"{:.1f}\" y=\"{:.1f}\">{}</text>",
                       share > 0.75 ? " on" : "", font, x + size / 2, y + size / 2 + 0.35 * font, number);
  return svg + "\n";
}

}  // namespace

std::string confusion_card(const Confusion& c) {
  const size_t n = c.labels.size();
  const double size = std::clamp(300 / static_cast<double>(std::max<size_t>(n, 1)), 14.0, 48.0);
  const double names = longest(c.labels);
  const bool slanted = names > size;
  const double left = names + 26, top = (slanted ? names * 0.7 + 10 : 18) + 20;
  const double side = size * static_cast<double>(n);
  const double width = left + side + (slanted ? names * 0.7 : 4), height = top + side + 4;
  std::string svg = fmt::format(
      "<div class=\"scroll\"><svg class=\"confusion\" style=\"max-width:{:.0f}px;min-width:{:.0f}px\" viewBox=\"0 0 "
      "{:.0f} {:.0f}\" role=\"img\" "
      "aria-label=\"confusion matrix\">\n"
      "<text class=\"mid dim\" x=\"{:.1f}\" y=\"12\">predicted</text>"
      "<text class=\"mid dim\" transform=\"translate(12 {:.1f}) rotate(-90)\">gold</text>\n",
      width * 1.15, width * 0.8, width, height, left + side / 2, top + side / 2);
  uint64_t all = 0, right = 0;
  for (size_t i = 0; i < n; ++i) {
    const double at = size * (static_cast<double>(i) + 0.5);
    const std::string label = escaped(shortened(c.labels[i], longest_label));
    svg += fmt::format("<text class=\"end\" x=\"{:.1f}\" y=\"{:.1f}\">{}</text>", left - 6, top + at + 4, label);
    svg += fmt::format("<text class=\"{}\" transform=\"translate({:.1f} {:.1f}){}\">{}</text>\n", slanted ? "" : "mid",
                       left + at, top - 6, slanted ? " rotate(-40)" : "", label);
    for (size_t j = 0; j < n; ++j) {
      svg += cell(c, i, j, left + size * static_cast<double>(j), top + size * static_cast<double>(i), size);
      all += c.counts[i][j];
    }
    right += c.counts[i][i];
  }
  svg += "</svg></div>";
  return card("Confusion", svg,
              fmt::format("{} of {} correct ({}); shade: share of the gold label", readable(right), readable(all),
                          percent(all == 0 ? 0 : static_cast<double>(right) / static_cast<double>(all))));
}

}  // namespace espalier::app::report
