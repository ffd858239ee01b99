// Rows of a calibration that only techniques read (docs/techniques.md): concurrent GEMMs, and a GEMM with the
// collective of its output.
//
// Measured parameters of kernels for all experts of a rank (grouped_gemm.cc).
//
// Measured parameters of recurrent mixers and of the choice of keys (scan.cc, selection.cc).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "dsl/fields.h"
#include "operator_models/provenance.h"

namespace operator_models {

/// Kernels of one rule of ScanRule: factors on the work of scan_work.h. The defaults are means over the accelerators
/// that were measured (H100, B200, B300, GB200, GB300).
struct ScanCalibration {
  double matrix = 0.2;           // of the matrix peak
  double vector = 0.2;           // of the vector peak
  double memory = 0.3;           // of the memory bandwidth
  dsl::Seconds base = {20e-6};   // in addition to the launches
  dsl::Seconds step = {2.5e-6};  // of the pass over the states, for each chunk: they follow one another
  double backward = 1;           // factor on the time of the backward kernels
  double relative_error = 0;
  Provenance provenance = Provenance::assumed;
};

/// Scores and choice of keys.
struct SelectionCalibration {
  double matrix = 0.37;           // of the matrix peak: the scores
  double choice = 0.18;           // of the memory bandwidth: finding the largest scores
  dsl::Seconds query = {3.1e-8};  // of the device, for each query whose keys are chosen, however many it has
  dsl::Seconds base = {5e-6};     // in addition to the launches
  double backward = 1;            // factor on the time of the backward kernels
  double relative_error = 0;
  Provenance provenance = Provenance::assumed;
};

template <class V> void fields(V& v, ScanCalibration& s) {
  v("matrix", s.matrix, {.otherwise = "0.2", .least = 0.001, .most = 1, .doc = "of the matrix peak"});
  v("vector", s.vector, {.otherwise = "0.2", .least = 0.001, .most = 1, .doc = "of the vector peak"});
  v("memory", s.memory, {.otherwise = "0.3", .least = 0.01, .most = 1.5, .doc = "of the memory bandwidth"});
  v("base", s.base, {.otherwise = "20 us", .least = 0, .most = 1, .doc = "besides the launches"});
  v("step", s.step, {.otherwise = "2.5 us", .least = 0, .most = 1, .doc = "of the pass over states, for each chunk"});
  v("backward", s.backward, {.otherwise = "1", .least = 0.1, .most = 10, .doc = "factor on the time of backward"});
  source_fields(v, s);
}
template <class V> void fields(V& v, SelectionCalibration& s) {
  v("matrix", s.matrix, {.otherwise = "0.37", .least = 0.001, .most = 1, .doc = "of the matrix peak: the scores"});
  v("choice", s.choice,
    {.otherwise = "0.18", .least = 0.001, .most = 1.5, .doc = "of the memory bandwidth: the largest scores"});
  v("query", s.query, {.otherwise = "31 ns", .least = 0, .most = 1, .doc = "of the device, for each query"});
  v("base", s.base, {.otherwise = "5 us", .least = 0, .most = 1, .doc = "besides the launches"});
  v("backward", s.backward, {.otherwise = "1", .least = 0.1, .most = 10, .doc = "factor on the time of backward"});
  source_fields(v, s);
}

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

/// How many GEMMs at once: weights of a logistic regression (predictor.h), trained on measurements or on the local
/// model.
struct DegreePredictor {
  std::string device;               // accelerator that it was trained for
  std::vector<double> least, most;  // of each feature in the training set
  std::vector<double> weights;      // for each degree: of each feature, then a constant; empty: none was trained
  double accuracy = 0;              // share of the shapes left out of the training whose best number it predicts
  double near_best = 0;             // share of them whose predicted number gains at least 1 / 1.05 of the best gain
  Provenance provenance = Provenance::assumed;
};

/// Interference of concurrent GEMMs, and the possible kernels of a library (shared_device.h).
struct ConcurrencyCalibration {
  std::vector<double> hide = {0.8, 0.95,
                              1};  // rate of a compute unit with 1, 2 ... workgroups on it, of the last one's
  double thrash = 1;               // of data that waves read again and the cache cannot hold: from memory
  double cache_rate = 2.5;         // bandwidth of the last-level cache over that of the memory
  std::vector<int64_t> tiles = {32, 64, 96, 128, 256};  // rows and columns of the library's tiles
  std::vector<int64_t> depths = {8, 16, 32};            // elements along k that a workgroup keeps in the local store
  int64_t parts = 16;                                   // that the library cuts k into, at most
  dsl::Seconds ramp = {0};         // of a kernel, while it starts and ends: hidden by others that are under way
  dsl::Seconds burst = {0};        // that a measurement runs at its first clock; 0: the clock does not fall
  double sustained = 1;            // rate after it over that before (a plan has that of its GEMMs)
  dsl::Seconds decision = {8e-6};  // of a command processor about its queues
  DegreePredictor predictor;
  double relative_error = 0.2;
  Provenance provenance = Provenance::assumed;
};

/// A GEMM concurrent with the collective of its output (fused_collective.h).
struct FusedCalibration {
  double t3 = 1;      // seconds that a GEMM loses, over those that the memory moves the collective's bytes in
  double t3_mca = 1;  // where the GEMM goes first: over those that it moves the GEMM's own reads in
  double units = 10;  // compute units that move as much as the links can: fewer slow a collective
  Provenance provenance = Provenance::assumed;
};

template <class V> void fields(V& v, DegreePredictor& p) {
  v("device", p.device, {.otherwise = "", .doc = "accelerator that it was trained for"});
  v("least", p.least, {.doc = "of each feature in the training set"});
  v("most", p.most, {.doc = "of each feature in the training set"});
  v("weights", p.weights, {.doc = "for 1, 2, 4, 8 and 16 at once: of each feature, then a constant"});
  v("accuracy", p.accuracy,
    {.otherwise = "0", .least = 0, .most = 1, .doc = "share of shapes left out whose best number it says"});
  v("near_best", p.near_best,
    {.otherwise = "0", .least = 0, .most = 1, .doc = "share of them whose number is within 5 % of the best"});
  provenance_field(v, p.provenance);
}
template <class V> void fields(V& v, ConcurrencyCalibration& c) {
  v("hide", c.hide,
    {.otherwise = "[0.8, 0.95, 1]",
     .least = 0.01,
     .most = 1,
     .doc = "rate of a compute unit with 1, 2 ... workgroups on it, of that with the last number"});
  v("thrash", c.thrash,
    {.otherwise = "1",
     .least = 0,
     .most = 1,
     .doc = "share of what waves read again and the cache has no room for that comes from memory"});
  v("cache_rate", c.cache_rate,
    {.otherwise = "2.5",
     .least = 0.1,
     .most = 100,
     .doc = "bandwidth of the last-level cache over that of the memory"});
  v("tiles", c.tiles,
    {.otherwise = "[32, 64, 96, 128, 256]",
     .least = 1,
     .most = 1024,
     .doc = "rows and columns of the tiles of a library's GEMM kernels"});
  v("depths", c.depths,
    {.otherwise = "[8, 16, 32]",
     .least = 1,
     .most = 1024,
     .doc = "elements along k in the local store of a workgroup, of those kernels"});
  v("parts", c.parts, {.otherwise = "16", .least = 1, .most = 16, .doc = "that those kernels cut k into, at most"});
  v("ramp", c.ramp,
    {.otherwise = "0 us",
     .least = 0,
     .most = 1,
     .doc = "of a kernel that starts and ends, hidden by others under way"});
  v("burst", c.burst,
    {.otherwise = "0 s",
     .least = 0,
     .most = 10,
     .doc = "of a measurement at its first clock; 0: the clock does not fall"});
  v("sustained", c.sustained,
    {.otherwise = "1", .least = 0.1, .most = 1, .doc = "rate of a measurement after its burst, over that in it"});
  v("decision", c.decision,
    {.otherwise = "8 us", .least = 0, .most = 1, .doc = "of a command processor about the heads of its queues"});
  v.section("predictor", c.predictor);
  v("relative_error", c.relative_error, {.otherwise = "0.2", .least = 0, .most = 10, .doc = "one standard error"});
  provenance_field(v, c.provenance);
}
template <class V> void fields(V& v, FusedCalibration& f) {
  v("t3", f.t3,
    {.otherwise = "1",
     .least = 0,
     .most = 100,
     .doc = "time a GEMM loses to the traffic of the collective beside it, over that traffic's own"});
  v("t3_mca", f.t3_mca,
    {.otherwise = "1",
     .least = 0,
     .most = 100,
     .doc = "where the memory controller lets the GEMM go first: over the time of the GEMM's own reads"});
  v("units", f.units,
    {.otherwise = "10", .least = 0, .doc = "compute units that move what the links can: fewer slow a collective"});
  v("provenance", f.provenance, {.otherwise = "assumed", .doc = "where the figures come from"});
}

}  // namespace operator_models
