// Which language a word is of: letter by letter through an LSTM, whose last state is judged. In blocks.
#pragma once
#include <string>

#include <espalier/block.h>
#include <espalier/espalier.h>

namespace espalier::models {

struct LanguageIdOptions {
  int languages = 0, dim = 16, hidden = 32;
};

// Scores of the languages of a word. A letter is a byte: UTF-8 of any language can be read.
inline block::Block<std::string, Expr> language_id(Scope p, const LanguageIdOptions& o) {
  using namespace block;
  auto letter = of<char>([](char c) { return static_cast<int>(static_cast<unsigned char>(c)); });
  return identity<std::string>() >> map(letter >> nn::Embedding(p / "letters", 256, o.dim)) >>
         rnn(nn::LSTM(p / "lstm", o.dim, o.hidden)) >> get<0>() >> nth(-1) >>
         nn::Linear(p / "out", o.hidden, o.languages);
}

}  // namespace espalier::models
