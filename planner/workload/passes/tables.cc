// Embedding tables of recommendation models: model parallel beside data-parallel matrices (Naumov et al. 2019,
// arXiv:1906.00091, section 4). A data rank holds whole tables and looks up for the samples of all ranks; an
// all-to-all brings the rows to their samples, another the gradients back.
#include <algorithm>
#include <functional>
#include <numeric>
#include <variant>
#include <vector>

#include "planner/workload/insert.h"
#include "planner/workload/lower/builder.h"
#include "planner/workload/passes/passes.h"
#include "planner/workload/placement.h"

namespace planner {
namespace {

/// What the fullest rank holds, over an even share.
struct Fullest {
  double rows = 1, tables = 1;
};

// The largest table first, to the emptiest rank that may take another: all hold about as many (NVIDIA
// DeepLearningExamples, DLRM utils/distributed.py, distribute_to_buckets).
Fullest deal(std::vector<int64_t> tables, int64_t ranks) {
  std::sort(tables.begin(), tables.end(), std::greater<>());
  const int64_t count = static_cast<int64_t>(tables.size()), most = (count + ranks - 1) / ranks;
  struct Rank {
    double rows = 0;
    int64_t tables = 0;
  };
  std::vector<Rank> held(static_cast<size_t>(std::min(ranks, count)));
  for (int64_t rows : tables) {
    Rank* emptiest = nullptr;
    for (Rank& r : held)
      if (r.tables < most && (!emptiest || r.rows < emptiest->rows)) emptiest = &r;
    emptiest->rows += static_cast<double>(rows);
    ++emptiest->tables;
  }
  const double all = std::accumulate(tables.begin(), tables.end(), 0.0), n = static_cast<double>(ranks);
  Fullest fullest{.rows = 0, .tables = n * static_cast<double>(most) / static_cast<double>(count)};
  for (const Rank& r : held) fullest.rows = std::max(fullest.rows, n * r.rows / all);
  return fullest;
}

void exchange(const Scenario& s, Inserter& put, int at) {
  const WorkOp& of = put[at];
  const Lookup& lookup = std::get<Lookup>(of.op);
  const double bytes =
      static_cast<double>(lookup.rows) * static_cast<double>(lookup.width) * (is_wide(s.job.precision) ? 4 : 2);
  WorkOp w{.name = of.name + (lookup.backward ? Label(".exchange-gradient") : Label(".exchange")),
           .role = of.role,
           .phase = of.phase,
           .sublayer = of.sublayer,
           .op = Collective{.kind = CollectiveKind::all_to_all, .bytes = {bytes}, .group = data_group(s)},
           .count = of.count,
           .purpose = Purpose::ep};  // tables are placed as experts are: each on its own rank
  if (lookup.backward) put.before({at}, std::move(w));
  else put.after({at}, std::move(w));
}

}  // namespace

void apply_tables(const Scenario& s, Workload& w) {
  const double ranks = static_cast<double>(s.parallelism.dp);
  if (ranks == 1) return;
  for (size_t row = 0; row < s.model.operators.size(); ++row) {
    const FixedOperator& o = s.model.operators[row];
    if (o.kind != FixedKind::lookup) continue;
    const Fullest fullest = deal(o.tables, s.parallelism.dp);
    Block& block = w.layer();
    for (Weight& weight : block.weights)
      if (weight.listed == static_cast<int>(row)) weight.parameters *= fullest.rows / ranks;
    Inserter put(block);
    for (int i = 0, old = put.size(); i < old; ++i) {
      if (put[i].listed != static_cast<int>(row)) continue;
      Lookup& lookup = std::get<Lookup>(put[i].op);
      lookup.rows = static_cast<int64_t>(static_cast<double>(lookup.rows) * fullest.tables + 0.5);
      exchange(s, put, i);
    }
    put.finish();
  }
}

}  // namespace planner
