// Measured parameters of kernels for all experts of a rank (grouped_gemm.cc).
#pragma once

#include "dsl/fields.h"
#include "operator_models/provenance.h"

namespace operator_models {

/// Experts of one rank in one kernel, whose tiles of 128 x 128 never span two of them (grouped_gemm.cc). The last five
/// are times that tables include in addition to the GEMMs (ExpertLayer): plans have separate kernels for these.
struct GroupedCalibration {
  double efficiency = 0.7;         // of the matrix peak, tiles much deeper than k_overhead
  double k_overhead = 1000;        // depth below which a tile takes no less time: its start and its end
  double memory_efficiency = 0.8;  // of the memory bandwidth
  dsl::Seconds ramp = {5e-6};      // until the memory is busy
  // Once; once where tokens are sorted in steps; for each copy on any rank; for each on this one.
  dsl::Seconds layer_base, layer_sort, layer_copy, layer_row;
  double layer_efficiency = 0.4;  // of the memory bandwidth: sorting, activation and sum
  double relative_error = 0;
  Provenance provenance = Provenance::assumed;
};

template <class V> void fields(V& v, GroupedCalibration& g) {
  v("efficiency", g.efficiency,
    {.required = true, .least = 0.01, .most = 1, .doc = "of the matrix peak, experts' tiles of any depth"});
  v("k_overhead", g.k_overhead, {.otherwise = "1000", .least = 0, .doc = "depth below which a tile is no faster"});
  v("memory_efficiency", g.memory_efficiency,
    {.otherwise = "0.8", .least = 0.01, .most = 1.5, .doc = "of the memory bandwidth"});
  v("ramp", g.ramp, {.otherwise = "5 us", .least = 0, .most = 1, .doc = "until the memory is busy"});
  v("layer_base", g.layer_base,
    {.otherwise = "0 us", .least = 0, .most = 1, .doc = "kernels timed beside the GEMMs, plans do not pay them"});
  v("layer_sort", g.layer_sort, {.otherwise = "0 us", .least = 0, .most = 1, .doc = "the same, more than 256 tokens"});
  v("layer_copy", g.layer_copy,
    {.otherwise = "0 us", .least = 0, .most = 1, .doc = "the same, for each copy of a token on any rank"});
  v("layer_row", g.layer_row,
    {.otherwise = "0 us",
     .least = 0,
     .most = 1,
     .doc = "the same, for each copy on this rank, in whole tiles where scales come in blocks"});
  v("layer_efficiency", g.layer_efficiency,
    {.otherwise = "0.4", .least = 0.01, .most = 4, .doc = "the same, of the memory bandwidth"});
  source_fields(v, g);
}

}  // namespace operator_models
