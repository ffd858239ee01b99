// A table of measurements as text, read as `calibrate` reads a file, for an accelerator of the catalogue.
#pragma once

#include <string>
#include <utility>
#include <variant>

#include "operator_models/calibrate/measured_kinds.h"
#include "tests/operator_models/devices.h"

namespace test {

inline operator_models::Machine machine_of(const std::string& gpu, int64_t gpus_per_node) {
  const CalibratedGpu read = read_gpu(gpu);
  return {.gpu = read.gpu, .network = {}, .gpus_per_node = gpus_per_node, .calibration = read.calibration};
}

/// `read`: a reader of measured_kinds.h.
struct MeasuredText {
  template <class Read>
  MeasuredText(std::string text, const operator_models::Task& task, const operator_models::Machine& machine, Read read)
      : source{"t.csv", std::move(text), ""} {
    operator_models::DataFile file{&source, dsl::read_csv(source, diagnostics), {}, {}};
    for (size_t i = 0; i < file.table.rows.size(); ++i) file.rows.push_back(i);
    file.counted.assign(file.rows.size(), 1);
    read({file, task, machine, set, diagnostics});
  }
  template <class Op> const Op& op(size_t i) const { return std::get<Op>(set.samples.at(i).op); }

  dsl::Source source;
  dsl::Diagnostics diagnostics;
  operator_models::SampleSet set;
};

}  // namespace test
