// Lesson 13: tasks, for control flow that differs per example.
//
// A greedy parser must read the scores of a sentence before it can choose the next action, and every sentence takes a
// different path. Written as a Task (a coroutine), it uses `co_await` where it needs values. When all sentences wait,
// the values they wait for are computed in one round. The number of rounds is that of the longest sentence, for any
// number of sentences.
#include <algorithm>
#include <cstdio>
#include <string>
#include <vector>

#include <espalier/espalier.h>

namespace esp = espalier;
using esp::Expr;

enum Action { shift, left, right };

// A dependency parser with a stack (arc-hybrid: Kuhlmann, Gómez-Rodríguez and Satta 2011).
struct Sentence {
  std::string words;      // one letter per word: Determiner, Adjective, Noun, Verb
  std::vector<int> head;  // index of the head of each word; -1: the root
};
struct State {
  const Sentence& sentence;
  std::vector<int> stack{}, head = std::vector<int>(sentence.words.size(), -1);
  int next = 0;

  int size() const { return static_cast<int>(sentence.words.size()); }
  bool done() const { return next == size() && stack.size() == 1; }
  bool can(int a) const { return a == right ? stack.size() > 1 : next < size() && (a == shift || !stack.empty()); }
  void apply(int a) {
    if (a == shift) return stack.push_back(next++);
    const int top = stack.back();
    stack.pop_back();
    head[static_cast<size_t>(top)] = a == left ? next : stack.back();
  }
  int gold() const {
    if (stack.empty()) return shift;
    const int top = stack.back(), its = sentence.head[static_cast<size_t>(top)];
    if (its == next && next < size()) return left;
    const bool complete = std::find(sentence.head.begin() + next, sentence.head.end(), top) == sentence.head.end();
    return stack.size() > 1 && its == stack[stack.size() - 2] && complete ? right : shift;
  }
  int word(int i) const {
    return i < 0 || i >= size() ? 4
                                : static_cast<int>(std::string("DANV").find(sentence.words[static_cast<size_t>(i)]));
  }
};

struct Parser {
  esp::nn::Embedding words;
  esp::nn::Linear hidden, out;
  explicit Parser(esp::Scope p) : words(p / "words", 5, 6), hidden(p / "hidden", 18, 24), out(p / "out", 24, 3) {}

  Expr score(esp::Graph& g, const State& s) const {
    auto from_top = [&](size_t k) { return s.stack.size() > k ? s.stack[s.stack.size() - 1 - k] : -1; };
    return out(
        tanh(hidden(concat(words(g, s.word(from_top(0))), words(g, s.word(from_top(1))), words(g, s.word(s.next))))));
  }
  // Training: the gold actions are known, so nothing waits.
  Expr loss(esp::Graph& g, const Sentence& sentence) const {
    std::vector<Expr> losses;
    for (State s{sentence}; !s.done(); s.apply(s.gold())) losses.push_back(cross_entropy(score(g, s), s.gold()));
    return sum(losses);
  }
  // Parsing: the scores determine the actions.
  esp::Task<std::vector<int>> parse(esp::Graph& g, const Sentence& sentence) const {
    State s{sentence};
    while (!s.done()) {
      const auto scores = co_await values(score(g, s));  // suspends this sentence until all others wait too
      int best = -1;
      for (int a = shift; a <= right; ++a)
        if (s.can(a) && (best < 0 || scores[static_cast<size_t>(a)] > scores[static_cast<size_t>(best)])) best = a;
      s.apply(best);
    }
    co_return s.head;
  }
};

int main() {
  const std::vector<Sentence> sentences{
      {"NV", {1, -1}},
      {"DNV", {1, 2, -1}},
      {"DNVDN", {1, 2, -1, 4, 2}},
      {"DANVDAAN", {2, 2, 3, -1, 7, 7, 7, 3}},
  };
  esp::Engine engine;
  esp::Parameters params(13);
  const Parser parser(params);
  esp::optim::Adam adam(params, {.lr = 0.02f});
  for (int step = 0; step < 150; ++step) {
    auto batch = engine.record(sentences, [&](esp::Graph& g, const Sentence& s) { return parser.loss(g, s); });
    adam.step(engine.backward(batch.results));
  }

  const auto parsed = engine.record(sentences, [&](esp::Graph& g, const Sentence& s) { return parser.parse(g, s); },
                                    {.mode = esp::Mode::infer});
  for (size_t i = 0; i < sentences.size(); ++i) {
    std::printf("%-9s", sentences[i].words.c_str());
    for (const int h : parsed.results[i]) std::printf(" %d", h);
    std::printf("%s\n", parsed.results[i] == sentences[i].head ? ", correct" : ", wrong");
  }
  // Every word is shifted once, and every word but the root is popped: 2 n - 1 actions.
  std::printf("%zu sentences in %d rounds\n", parsed.results.size(), parsed.rounds);

  std::vector<Sentence> many;
  for (int i = 0; i < 100; ++i) many.push_back(sentences[static_cast<size_t>(i) % sentences.size()]);
  const auto more = engine.record(many, [&](esp::Graph& g, const Sentence& s) { return parser.parse(g, s); },
                                  {.mode = esp::Mode::infer});
  std::printf("%zu sentences in %d rounds\n", more.results.size(), more.rounds);
}
