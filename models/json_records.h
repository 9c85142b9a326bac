// Classifies nested JSON records with a network derived from a schema: every object and list becomes a row, from the
// leaves to the record, like the message trees of TensorFlow Fold (Looks et al. 2017) and the nested bags of Pevný &
// Somol 2017. docs/json.md lists the encoding of each kind of value.
#pragma once
#include <espalier/espalier.h>
#include <espalier/json.h>

namespace espalier::models {

struct JsonRecords {
  struct Options {
    int hidden = 32, labels = 2;
    float dropout = 0;  // on the record's row
  };

  json::JsonBlock record;
  nn::Linear out;
  Cell<Expr(Expr)> scores;
  Cell<Expr(Expr, Index)> loss;  // cross entropy of the record's row with a label

  JsonRecords(Scope p, const json::Json& schema, const Options& o)
      : record(json::from_schema(p / "record", schema, {.hidden = o.hidden})),
        out(p / "out", o.hidden, o.labels),
        scores(p.cell("scores", {{o.hidden}}, [&](Expr h) { return out(dropout(h, o.dropout)); })),
        loss(p.cell("loss", {{o.hidden}, {}},
                    [&](Expr h, Index label) { return cross_entropy(out(dropout(h, o.dropout)), label); })) {}
};

}  // namespace espalier::models
