// Predicts from nested JSON records with a network derived from a schema: every object and list becomes a row, from the
// leaves to the record, like the message trees of TensorFlow Fold (Looks et al. 2017) and the nested bags of Pevný &
// Somol 2017. docs/json.md lists the encoding of each kind of value.
#pragma once
#include <espalier/espalier.h>
#include <espalier/json.h>

namespace espalier::models {

struct JsonRecords {
  struct Options {
    int hidden = 32, outputs = 2;
    float dropout = 0;  // on the record's row
  };

  json::JsonBlock record;
  nn::Linear out;
  Cell<Expr(Expr)> scores;  // the outputs, from the record's row

  JsonRecords(Scope p, const json::Json& schema, const Options& o)
      : record(json::from_schema(p / "record", schema, {.hidden = o.hidden})),
        out(p / "out", o.hidden, o.outputs),
        scores(p.cell("scores", {{o.hidden}}, [&](Expr h) { return out(dropout(h, o.dropout)); })) {}

  Expr operator()(Graph& g, const json::Json& x) const { return scores(record(g, x)); }
};

}  // namespace espalier::models
