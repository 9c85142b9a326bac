// The text of Progress, with a clock controlled by the test.
#include <espalier/train/progress.h>

#include <limits>
#include <sstream>

#include <gtest/gtest.h>

namespace espalier::train {
namespace ESPALIER_FILE {

struct Stage {
  std::ostringstream out;
  double now = 100;

  Progress::Screen plain() {
    return {.out = &out, .seconds = [this] { return now; }};
  }
  Progress::Screen terminal(int width = 80) {
    return {.out = &out, .terminal = true, .width = width, .seconds = [this] { return now; }};
  }
  std::string take() {  // returns the output since the last call
    std::string text = out.str();
    out.str("");
    return text;
  }
};

TEST(Progress, DrawsABarOnATerminal) {
  Stage s;
  {
    Progress bar("epoch 3", 12'800, s.terminal());
    EXPECT_EQ(s.take(), "\repoch 3   0% --------------------------------  0/12,800\x1b[K");
    s.now += 5;
    bar.advance(6'400, {{"loss", 0.43219}});
    EXPECT_EQ(s.take(), "\repoch 3  50% #########----------  6,400/12,800  1,280/s  0:05 left  loss 0.4322\x1b[K");
    s.now += 5;
    bar.advance(6'400, {{"loss", 0.25}});
    EXPECT_EQ(s.take(), "\repoch 3 100% ###################  12,800/12,800  1,280/s  loss 0.25\x1b[K");
  }
  EXPECT_EQ(s.take(), "\repoch 3 100% ###################  12,800/12,800  1,280/s  in 0:10  loss 0.25\x1b[K\n");
}

TEST(Progress, DrawsAtMostTenTimesASecond) {
  Stage s;
  Progress bar("x", 100, s.terminal());
  s.take();
  size_t drawn = 0;
  for (int i = 0; i < 100; ++i) {
    s.now += 0.01;
    bar.advance(1);
    drawn += s.take().empty() ? 0 : 1;
  }
  EXPECT_GE(drawn, 8u);
  EXPECT_LE(drawn, 10u);
}

TEST(Progress, TakesABetterEstimateOfTheTotal) {
  Stage s;
  Progress bar("demo", 1'000, s.plain());
  s.now += 10;
  bar.expect(600);
  bar.advance(100);
  EXPECT_EQ(s.take(), "demo: 100/600 (16%), 10.0/s, 0:50 left\n");
}

TEST(Progress, NeverFillsTheLastColumn) {
  Stage s;
  const auto line = [&](int width) {
    Progress bar("learn", 1000, s.terminal(width));
    s.now += 1;
    s.take();
    bar.advance(100, {{"loss", 0.5}});
    std::string text = s.take();
    return text.substr(1, text.size() - 4);  // without \r and the clearing sequence
  };
  EXPECT_EQ(line(60), "learn  10% ---------  100/1,000  100/s  0:09 left  loss 0.5");
  EXPECT_EQ(line(50), "learn  10%  100/1,000  100/s  0:09 left  loss 0.5");
  EXPECT_EQ(line(20), "learn  10%  100/1,0");
  EXPECT_EQ(line(0), "l");
}

TEST(Progress, ColoursAndUnicodeWhereAsked) {
  Stage s;
  auto screen = s.terminal(50);
  screen.color = screen.unicode = true;
  Progress bar("bäume", 4, screen);
  s.now += 1;
  s.take();
  bar.advance(2);
  EXPECT_EQ(s.take(), "\rbäume  50% \x1b[32m━━━━━━━\x1b[0m\x1b[2m───────\x1b[0m  2/4  2.00/s  0:01 left\x1b[K");
}

TEST(Progress, WritesPlainLinesElsewhere) {
  Stage s;
  {
    Progress bar("epoch 3", 12'800, s.plain());
    EXPECT_EQ(s.take(), "");
    for (int i = 0; i < 5; ++i) {
      s.now += 2.5;
      bar.advance(64, {{"loss", 2.0 / (i + 1)}});
    }
    EXPECT_EQ(s.take(),
              "epoch 3: 128/12,800 (1%), 25.6/s, 8:15 left, loss 1\n"
              "epoch 3: 256/12,800 (2%), 25.6/s, 8:10 left, loss 0.5\n");
  }
  EXPECT_EQ(s.take(), "epoch 3: 320/12,800 (2%), 25.6/s, in 0:13, loss 0.4\n");
}

TEST(Progress, WhatWasSkippedIsDoneAndDoesNotCountForTheRate) {
  Stage s;
  Progress bar("epoch 3", 1'000, s.plain());
  bar.skip(800);
  s.now += 10;
  bar.advance(100);
  EXPECT_EQ(s.take(), "epoch 3: 900/1,000 (90%), 10.0/s, 0:10 left\n");
}

TEST(Progress, WithoutATotalCountsUp) {
  Stage s;
  {
    Progress bar("read", 0, s.terminal());
    EXPECT_EQ(s.take(), "\rread  0  0:00\x1b[K");
    s.now += 4000;
    bar.advance(1'234'567);
    EXPECT_EQ(s.take(), "\rread  1,234,567  309/s  1:06:40\x1b[K");
  }
  EXPECT_EQ(s.take(), "\rread  1,234,567  309/s  in 1:06:40\x1b[K\n");
}

TEST(Progress, KeepsWhatItShowsByName) {
  Stage s;
  Progress bar("x", 10, s.plain());
  bar.advance(1, {{"loss", 2}, {"dev", 0.5}});
  bar.advance(1, {{"loss", std::numeric_limits<double>::quiet_NaN()}});
  s.now += 5;
  bar.advance(2, {{"lr", 1e-5}});
  EXPECT_EQ(s.take(), "x: 4/10 (40%), 0.80/s, 0:08 left, loss nan, dev 0.5, lr 1e-05\n");
}

TEST(Progress, MoreThanTheTotalIsSaidAsItIs) {
  Stage s;
  Progress bar("x", 10, s.plain());
  s.now += 10;
  bar.advance(999);
  EXPECT_EQ(s.take(), "x: 999/10 (100%), 99.9/s\n");
}

TEST(Progress, FinishesOnce) {
  Stage s;
  {
    Progress bar("x", 10, s.plain());
    s.now += 1;
    bar.advance(10);
    bar.finish();
    EXPECT_EQ(s.take(), "x: 10/10 (100%), 10.0/s, in 0:01\n");
    s.now += 100;
    bar.advance(10);
    bar.finish();
  }
  EXPECT_EQ(s.take(), "");
}

TEST(Progress, QuietDrawsNothing) {
  testing::internal::CaptureStderr();
  {
    Progress bar("x", 10, /*quiet*/ true);
    bar.advance(10, {{"loss", 1}});
  }
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
}

TEST(Progress, SpeaksOnStderr) {
  testing::internal::CaptureStderr();
  testing::internal::CaptureStdout();
  {
    Progress("x", 10).advance(10);
  }
  EXPECT_EQ(testing::internal::GetCapturedStderr().rfind("x: 10/10 (100%)", 0), 0u);  // a file is not a terminal
  EXPECT_EQ(testing::internal::GetCapturedStdout(), "");
}

}  // namespace ESPALIER_FILE
}  // namespace espalier::train
