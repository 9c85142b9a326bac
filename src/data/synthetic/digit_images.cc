// Draws each digit with a few straight strokes, in integer arithmetic and sqrt: all platforms draw the same images.
#include <espalier/data/synthetic/digit_images.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <initializer_list>

#include "base/draw.h"

namespace espalier::data::digit_images {
namespace {

struct Point {
  int64_t x, y;
};

// The path of the pen for each digit, in a box of 100 × 140 units; y points down.
const std::array<std::vector<Point>, digits> ways{{
    {{50, 0}, {84, 20}, {95, 70}, {84, 120}, {50, 140}, {16, 120}, {5, 70}, {16, 20}, {50, 0}},
    {{25, 32}, {58, 0}, {58, 140}},
    {{10, 35}, {28, 6}, {68, 4}, {90, 34}, {74, 72}, {8, 140}, {96, 138}},
    {{10, 14}, {48, 0}, {86, 22}, {78, 56}, {44, 67}, {86, 86}, {90, 120}, {50, 140}, {8, 124}},
    {{72, 140}, {72, 0}, {4, 95}, {98, 95}},
    {{90, 0}, {22, 0}, {14, 62}, {54, 52}, {92, 80}, {88, 122}, {50, 140}, {8, 124}},
    {{80, 4}, {36, 34}, {10, 90}, {24, 130}, {60, 140}, {90, 116}, {80, 82}, {46, 72}, {12, 98}},
    {{4, 0}, {96, 0}, {40, 140}},
    {{50, 66},
     {16, 42},
     {24, 8},
     {50, 0},
     {76, 8},
     {84, 42},
     {50, 66},
     {10, 100},
     {20, 132},
     {50, 140},
     {80, 132},
     {90, 100},
     {50, 66}},
    {{88, 44}, {56, 68}, {20, 60}, {10, 26}, {40, 0}, {76, 10}, {88, 44}, {66, 104}, {22, 138}},
}};

constexpr int64_t unit = 256;  // units per pixel
constexpr int ink = 255;

int64_t between(Draw& draw, int64_t low, int64_t high) {
  return low + static_cast<int64_t>(draw.below(static_cast<uint64_t>(high - low + 1)));
}

int64_t distance(Point p, Point a, Point b) {
  const int64_t dx = b.x - a.x, dy = b.y - a.y, length = dx * dx + dy * dy;
  const int64_t along = std::clamp<int64_t>((p.x - a.x) * dx + (p.y - a.y) * dy, 0, length);
  const int64_t x = p.x - a.x - (length ? dx * along / length : 0), y = p.y - a.y - (length ? dy * along / length : 0);
  return static_cast<int64_t>(std::sqrt(static_cast<double>(x * x + y * y)));  // IEEE 754 rounds sqrt exactly
}

std::vector<Point> write(Draw& draw, int digit) {
  // Scale in 1/1000 pixel per box unit; 140 units are about 20 pixels.
  const int64_t across = between(draw, 110, 160), down = between(draw, 120, 155), slant = between(draw, -40, 40);
  const int64_t x = between(draw, -2500, 2500), y = between(draw, -2000, 2000);
  std::vector<Point> way = ways[static_cast<size_t>(digit)];
  for (Point& p : way) {
    const int64_t u = p.x - 50 + between(draw, -6, 6), v = p.y - 70 + between(draw, -6, 6);
    p = {(14'000 + x + across * u - slant * v) * unit / 1000, (14'000 + y + down * v) * unit / 1000};
  }
  return way;
}

}  // namespace

Image draw(uint64_t seed, uint64_t index) {
  Draw draw(seed, index);
  Image image{std::vector<float>(static_cast<size_t>(width) * height), static_cast<int>(draw.below(digits))};
  const std::vector<Point> way = write(draw, image.digit);
  const int64_t radius = between(draw, unit * 7 / 10, unit * 15 / 10), noise = between(draw, 0, 24);
  for (size_t i = 0; i < image.pixels.size(); ++i) {
    const Point p{static_cast<int64_t>(i % width) * unit + unit / 2, static_cast<int64_t>(i / width) * unit + unit / 2};
    int64_t nearest = width * unit;
    for (size_t s = 0; s + 1 < way.size(); ++s) nearest = std::min(nearest, distance(p, way[s], way[s + 1]));
    const int64_t level = (radius + unit / 2 - nearest) * ink / unit;  // fades over a pixel
    image.pixels[i] = static_cast<float>(std::clamp<int64_t>(level + between(draw, -noise, noise), 0, ink)) / ink;
  }
  return image;
}

std::vector<Image> generate(size_t n, uint64_t seed) {
  std::vector<Image> made;
  made.reserve(n);
  while (made.size() < n) made.push_back(draw(seed, made.size()));
  return made;
}

}  // namespace espalier::data::digit_images
