// Measured parameters of recurrent mixers and of the choice of keys (scan.cc, selection.cc).
#pragma once

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

}  // namespace operator_models
