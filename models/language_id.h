// Identifies the language of a word: an LSTM over its letters, classified by the last state. Written in blocks.
#pragma once
#include <string>

#include <espalier/block.h>
#include <espalier/espalier.h>

namespace espalier::models {

struct LanguageIdOptions {
  int languages = 0, dim = 16, hidden = 32;
};

// Scores of the languages. A letter is a byte, so any UTF-8 text is accepted.
inline block::Block<std::string, Expr> language_id(Scope p, const LanguageIdOptions& o) {
  using namespace block;
  auto letter = of<char>([](char c) { return static_cast<int>(static_cast<unsigned char>(c)); });
  return identity<std::string>() >> map(letter >> nn::Embedding(p / "letters", 256, o.dim)) >>
         rnn(nn::LSTM(p / "lstm", o.dim, o.hidden)) >> get<0>() >> nth(-1) >>
         nn::Linear(p / "out", o.hidden, o.languages);
}

}  // namespace espalier::models
