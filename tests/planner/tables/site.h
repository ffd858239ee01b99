// A site of a few ranks on the catalogue's A100, and tables for tests of placements.
#pragma once

#include <random>

#include "planner/tables/compare.h"
#include "tests/operator_models/devices.h"

namespace sample {

/// A machine with its site; both stay where they are.
struct TableSite {
  explicit TableSite(int64_t ranks = 4, double batch = 4096, const test::MachineNames& names = test::kA100)
      : machine(test::machine(names)) {
    site.device = machine.device();
    site.group = {.ranks = ranks, .inside = {std::min<int64_t>(ranks, 8), ranks}};
    site.batch = batch;
    site.memory_bytes = 0.8 * machine.gpu.memory.value;
  }
  TableSite(const TableSite&) = delete;

  test::Machine machine;
  planner::tables::Site site;
};

inline planner::tables::Table table(int64_t rows, int64_t dim, double pooling) {
  planner::tables::Table t;
  t.name = "t";
  t.rows = rows;
  t.dim = dim;
  t.pooling = pooling;
  return t;
}

/// Tables as those of Lin et al. (2024), section III-A and figure 3: a share `heavy` with 20 lookups a sample and more
/// (12 % of the 2021 data, 21 % of the 2022 data), the others below 20, most of them below 10.
inline std::vector<planner::tables::Table> drawn_tables(size_t count, double heavy, uint64_t seed) {
  std::mt19937_64 random(seed);
  const auto uniform = [&] { return static_cast<double>(random() >> 11U) * 0x1p-53; };
  std::vector<planner::tables::Table> tables;
  for (size_t i = 0; i < count; ++i) {
    const double kind = uniform(), x = uniform();
    const double pooling = kind < heavy ? 20 + 180 * x * x : kind < heavy + 0.75 * (1 - heavy) ? 10 * x : 10 + 10 * x;
    const auto rows = static_cast<int64_t>(std::pow(10.0, 3 + 4 * uniform()));
    tables.push_back(table(rows, 16 << (random() % 4), pooling));
    tables.back().name = std::to_string(i);
  }
  return tables;
}

}  // namespace sample
