// Every form of co_await that docs/tasks.md allows, in the contexts where g++ 12.2 miscompiles other forms. Compiled at
// -O0 and -O2, and run under the sanitizers. Objects are counted to detect double or missing destruction.
#include <cstdio>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <espalier/espalier.h>

using namespace espalier;

namespace {

int wrong = 0;

void expect(bool holds, const char* what) {
  if (holds) return;
  ++wrong;
  std::printf("wrong: %s\n", what);
}

// Owns memory; instances are counted.
struct Counted {
  static inline int alive = 0;
  std::string text;
  explicit Counted(std::string t) : text(std::move(t)) { ++alive; }
  Counted(const Counted& o) : text(o.text) { ++alive; }
  Counted(Counted&& o) noexcept : text(std::move(o.text)) { ++alive; }
  Counted& operator=(const Counted&) = default;
  Counted& operator=(Counted&&) = default;
  ~Counted() { --alive; }
};
std::string long_text(int i) { return "longer than what a string keeps inside itself " + std::to_string(i); }

Expr number(Graph& g, float x) {
  return input(g, std::vector<float>{x}, {}) * 1;
}  // not computed yet, so co_await waits

// No local variable in the outermost block, where g++ miscompiles conditions.
Task<int> no_local(Graph& g) {
  while (true) {
    const float v = co_await value(number(g, 3));
    if (v > 0) co_return 1;
  }
}
Task<int> in_a_switch(Graph& g, int which) {
  switch (which) {
    case 0: {
      const int best = co_await argmax(concat(number(g, 1), number(g, 3), number(g, 2)));
      co_return best;
    }
    case 1:
      co_return co_await no_local(g);
    default:
      co_await all(std::vector<Expr>());
  }
  co_return -1;
}
Task<Counted> counted(Graph& g, int i) {
  const float v = co_await value(number(g, static_cast<float>(i)));
  co_return Counted(long_text(static_cast<int>(v)));
}
Task<std::pair<Counted, int>> two(Graph& g, int i) {
  Counted c = co_await counted(g, i);
  co_return std::pair(std::move(c), i);
}
Task<Counted> by_value(Graph& g, Counted given, std::string more) {
  Counted c = co_await counted(g, 1);
  c.text += given.text + more;
  co_return c;
}
struct Options {
  Counted name{"default"};
  int number = 2;
};
Task<int> optional(Graph& g, Options options = Options()) {
  const float x = co_await value(number(g, 3));
  co_return static_cast<int>(x) * options.number + static_cast<int>(options.name.text.size());
}
Task<int> throws_after_waiting(Graph& g, int i) {
  const Counted held(long_text(i));
  const float v = co_await value(number(g, 1));
  if (v > 0) throw std::runtime_error(held.text);
  co_return 0;
}
Task<void> nothing(Graph& g, std::vector<int>& into) {
  const float v = co_await value(number(g, 5));
  into.push_back(static_cast<int>(v));
}

Task<int> declares(Graph& g) {
  const Counted c = co_await counted(g, 7);
  co_return c.text == long_text(7);
}
Task<int> binds(Graph& g) {
  auto [c, i] = co_await two(g, 8);
  const auto [d, j] = co_await two(g, 9);
  co_return c.text == long_text(8) && i == 8 && d.text == long_text(9) && j == 9;
}
Task<int> assigns(Graph& g) {
  Counted c("");
  std::vector<Counted> v(2, c);
  c = co_await counted(g, 4);
  for (int i = 4; i < 6; ++i)
    if (i == 5) v[1] = co_await counted(g, i);
  co_return c.text == long_text(4) && v[1].text == long_text(5);
}
Task<int> stands_alone(Graph& g) {
  std::vector<int> seen;
  co_await nothing(g, seen);
  if (seen.size() == 1) co_await nothing(g, seen);
  for (int i = 0; i < 2; ++i) co_await nothing(g, seen);
  co_return seen == std::vector<int>(4, 5);
}
Task<int> returns(Graph& g) { co_return co_await declares(g); }
Task<int> with_temporaries(Graph& g) {
  const Counted c = co_await by_value(g, Counted("x"), "yz");
  co_return c.text == long_text(1) + "xyz";
}
Task<int> with_options(Graph& g) {
  const int usual = co_await optional(g);
  const Options own(Counted("own"), 4);
  const int chosen = co_await optional(g, own);
  co_return usual == 13 && chosen == 15;
}
Task<int> in_loops(Graph& g) {
  std::vector<Counted> all_of_them;
  for (const int i : {1, 2, 3}) {
    Counted c = co_await counted(g, i);
    all_of_them.push_back(std::move(c));
  }
  bool well = true;
  for (const Counted& c : all_of_them) {
    const float n = co_await value(number(g, static_cast<float>(c.text.size())));
    well = well && static_cast<size_t>(n) == c.text.size();
  }
  co_return well&& all_of_them[2].text == long_text(3);
}
Task<int> catches(Graph& g) {
  std::string caught;
  try {
    const int never = co_await throws_after_waiting(g, 6);
    caught = std::to_string(never);
  } catch (const std::runtime_error& e) {
    caught = e.what();
  }
  const int one = co_await no_local(g);
  co_return caught == long_text(6) && one == 1;
}
Task<int> refuses(Graph& g) {  // throws where the coroutine is about to suspend
  Engine other;
  Graph foreign = other.graph();
  const Expr x = number(foreign, 1);
  bool refused = false;
  try {
    const float v = co_await value(x);
    refused = v < 0;
  } catch (const GraphError&) {
    refused = true;
  }
  const int one = co_await no_local(g);
  co_return refused&& one == 1;
}
Task<int> side_by_side(Graph& g) {
  std::vector<Task<Counted>> tasks;
  for (int i = 0; i < 5; ++i) tasks.push_back(counted(g, i));
  const std::vector<Counted> results = co_await all(std::move(tasks));
  bool well = results.size() == 5;
  for (int i = 0; well && i < 5; ++i) well = results[static_cast<size_t>(i)].text == long_text(i);
  std::vector<int> seen;
  std::vector<Task<void>> more;
  for (int i = 0; i < 3; ++i) more.push_back(nothing(g, seen));
  co_await all(std::move(more));
  co_return well&& seen.size() == 3;
}
struct Model {
  Counted name{"model"};
  Task<int> member(Graph& g) const {
    const Counted c = co_await counted(g, 2);
    co_return c.text == long_text(2) && name.text == "model";
  }
};

// ---- depth: at -O0 there are no tail calls
Task<int> deep(Graph& g, int levels, float wait) {
  const Counted held("");
  if (levels == 0) {
    const float x = co_await value(number(g, wait));
    if (x < 0) throw std::runtime_error("from below");
    co_return static_cast<int>(x);
  }
  const int below = co_await deep(g, levels - 1, wait);
  co_return below + 1;
}
Task<int> around(Task<int> inner) {  // lazy: a chain of frames that own each other
  const int x = co_await inner;
  co_return x + 1;
}
Task<int> chain(Graph& g, int levels) {
  Task<int> t = deep(g, 0, 1);
  for (int i = 0; i < levels; ++i) t = around(std::move(t));
  return t;
}
Task<int> many_at_once(Graph& g, int n) {
  int sum = 0;
  for (int i = 0; i < n; ++i) {
    std::vector<Task<int>> tasks;
    tasks.push_back(no_local(g));
    const std::vector<int> one = co_await all(std::move(tasks));
    sum += one[0];
  }
  co_return sum;
}

template <class F>
std::string error_of(F f) {
  try {
    f();
  } catch (const std::exception& e) {
    return e.what();
  }
  return "no error";
}

}  // namespace

int main() {
  {
    Engine engine;
    const std::vector<int> examples(3);
    auto holds = [&](auto f, const char* what) {
      const auto batch = engine.record(examples, [&](Graph& g, int) { return f(g); });
      expect(batch.results == std::vector<int>(3, 1), what);
    };
    holds(no_local, "no local");
    holds([](Graph& g) { return in_a_switch(g, 0); }, "switch, 0");
    holds([](Graph& g) { return in_a_switch(g, 1); }, "switch, 1");
    holds(declares, "T x = co_await");
    holds(binds, "auto [a, b] = co_await");
    holds(assigns, "x = co_await");
    holds(stands_alone, "co_await alone");
    holds(returns, "co_return co_await");
    holds(with_temporaries, "temporaries as arguments");
    holds(with_options, "default arguments and named aggregates");
    holds(in_loops, "loops");
    holds(catches, "try");
    holds(refuses, "an error where it would stop");
    holds(side_by_side, "all(tasks)");
    const Model model;
    holds([&](Graph& g) { return model.member(g); }, "member functions");

    constexpr int n = 100'000;
    Graph g = engine.graph();
    expect(run(engine, g, deep(g, n, 1)) == n + 1, "deep");
    expect(run(engine, g, chain(g, n)) == n + 1, "a chain");
    expect(run(engine, g, many_at_once(g, n / 100)) == n / 100, "one after the other");
    expect(error_of([&] { run(engine, g, deep(g, n, -1)); }) == "from below", "an error from deep down");
    expect(error_of([&] { run(engine, g, deep(g, n, 1), 0); }).starts_with("run: the task still waits after 0"),
           "cancelled deep down");
    {
      const Task<int> never = chain(g, n);
    }
  }
  expect(Counted::alive == 0, "everything is destroyed, once");
  std::printf("%s\n", wrong == 0 ? "all forms are right" : "some forms are wrong");
  return wrong == 0 ? 0 : 1;
}
