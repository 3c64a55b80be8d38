#include "cppgen/diagram/diagram.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <ctime>
#include <random>

#include "cppgen/diagram/display_text.h"
#include "cppgen/diagram/placement.h"

namespace cppgen {
namespace {

Diagram boxes(size_t count) {
  Diagram diagram;
  for (size_t i = 0; i < count; i++) diagram.boxes.push_back({"operator", "n" + std::to_string(i), {}});
  return diagram;
}

// Mostly arrows from close boxes, as in networks, and some from far away.
Diagram random_diagram(size_t count, unsigned seed) {
  std::mt19937 random(seed);
  Diagram diagram = boxes(count);
  for (size_t to = 1; to < count; to++)
    for (size_t k = 0; k < random() % 3; k++) {
      const size_t reach = random() % 10 == 0 ? to : std::min<size_t>(to, 5);
      diagram.arrows.push_back({int32_t(to - 1 - random() % reach), int32_t(to)});
    }
  return diagram;
}

std::vector<BoxSize> random_sizes(size_t count, unsigned seed) {
  std::mt19937 random(seed);
  std::vector<BoxSize> sizes;
  for (size_t i = 0; i < count; i++) sizes.push_back({20.0 + double(random() % 200), 20.0 + double(random() % 30)});
  return sizes;
}

bool overlap(const Placement::Rectangle& a, const Placement::Rectangle& b) {
  constexpr double kRounding = 1e-6;
  return a.x + a.width > b.x + kRounding && b.x + b.width > a.x + kRounding && a.y + a.height > b.y + kRounding &&
         b.y + b.height > a.y + kRounding;
}

TEST(Placement, BoxesDoNotOverlapAndArrowsLeadDownwards) {
  for (unsigned seed = 0; seed < 20; seed++) {
    const Diagram diagram = random_diagram(120, seed);
    const Placement placement = place(diagram, random_sizes(120, seed));
    ASSERT_EQ(placement.boxes.size(), 120u);
    for (size_t i = 0; i < 120; i++) {
      const auto& box = placement.boxes[i];
      EXPECT_TRUE(box.x >= 0 && box.y >= 0 && box.x + box.width <= placement.width &&
                  box.y + box.height <= placement.height);
      for (size_t j = 0; j < i; j++) EXPECT_FALSE(overlap(box, placement.boxes[j])) << seed << ": " << i << ", " << j;
    }
    for (size_t a = 0; a < diagram.arrows.size(); a++) {
      const auto& points = placement.arrows[a];
      const auto &from = placement.boxes[size_t(diagram.arrows[a].from)],
                 &to = placement.boxes[size_t(diagram.arrows[a].to)];
      EXPECT_DOUBLE_EQ(points.front().y, from.y + from.height);
      EXPECT_DOUBLE_EQ(points.back().y, to.y);
      for (size_t p = 1; p < points.size(); p++) EXPECT_LE(points[p - 1].y, points[p].y);
    }
  }
}

TEST(Placement, AChainIsStraight) {
  Diagram chain = boxes(50);
  for (int32_t i = 1; i < 50; i++) chain.arrows.push_back({i - 1, i});
  const Placement placement = place(chain, std::vector<BoxSize>(50, {100, 30}));
  for (const auto& box : placement.boxes) EXPECT_NEAR(box.x, placement.boxes[0].x, 1e-6);
}

// Two chains that are independent of each other keep their sides.
TEST(Placement, ArrowsOfParallelChainsDoNotCross) {
  Diagram chains = boxes(40);
  for (int32_t i = 2; i < 40; i++) chains.arrows.push_back({i - 2, i});
  const Placement placement = place(chains, std::vector<BoxSize>(40, {100, 30}));
  for (size_t i = 0; i < 40; i += 2) EXPECT_LT(placement.boxes[i].x, placement.boxes[i + 1].x) << i;
}

// A value that every layer reads, as a mask: the time must not grow with the product of both.
TEST(Placement, TakesTimeInProportion) {
  Diagram diagram = random_diagram(30'000, 1);
  for (int32_t i = 10; i < 30'000; i += 3) diagram.arrows.push_back({0, i});
  const std::clock_t begin = std::clock();  // processor time
  place(diagram, std::vector<BoxSize>(30'000, {100, 30}));
  EXPECT_LT(double(std::clock() - begin) / CLOCKS_PER_SEC, 20);
}

TEST(Placement, OfNothing) { EXPECT_NE(to_svg({}).find("</svg>"), std::string::npos); }

TEST(Svg, EscapesNames) {
  Diagram diagram = boxes(1);
  diagram.boxes[0].title = "</text><script>\"&'\x01\xff";
  diagram.boxes[0].kind = "\"><script>";
  const std::string svg = to_svg(diagram);
  EXPECT_EQ(svg.find("<script"), std::string::npos) << svg;
  EXPECT_NE(svg.find("&lt;/text&gt;&lt;script&gt;&quot;&amp;&#39;\xef\xbf\xbd\xef\xbf\xbd"), std::string::npos) << svg;
  EXPECT_NE(svg.find("data-box=\"0\""), std::string::npos);
}

TEST(Svg, NoTextIsTooLong) {
  Diagram diagram = boxes(1);
  diagram.boxes[0].lines = {std::string(1'000'000, 'x')};
  EXPECT_LT(to_svg(diagram).size(), 4000u);
}

TEST(DisplayText, OnlyCharactersRemain) {
  EXPECT_EQ(xml_text("\xc3\xa4 \xe5\xb1\x82 \xf0\x9f\x98\x80"), "\xc3\xa4 \xe5\xb1\x82 \xf0\x9f\x98\x80");
  for (const char* bad : {"\xff", "\xc0", "\x80", "\x7f", "\xef\xbf\xbf", "\xed\xa0\x80"})
    EXPECT_EQ(xml_text(bad).find(bad), std::string::npos) << testing::PrintToString(bad);
}

TEST(DisplayText, ShortenedKeepsBothEnds) {
  EXPECT_EQ(shortened("short", 10), "short");
  EXPECT_EQ(shortened("encoder.layer.11.output", 13), "encod...utput");
  EXPECT_EQ(columns_of("\xe5\xb1\x82\xe5\xb1\x82"), 4u);
  EXPECT_LE(columns_of(shortened(std::string("\xe5\xb1\x82\xe5\xb1\x82\xe5\xb1\x82\xe5\xb1\x82\xe5\xb1\x82"), 9)), 9u);
}

}  // namespace
}  // namespace cppgen
