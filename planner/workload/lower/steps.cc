// A mixer that is a list of steps (model.kinds[].steps): projections, short convolution, recurrence, gated norm.
//
// Each step reads what the one before it wrote, or the layer's input; those that read the input run beside each other
// until a step reads them all. What a step reads waits for its backward pass.
#include "planner/workload/lower/builder.h"

namespace planner {
namespace {

using operator_models::Scan;

class StepLowering {
 public:
  StepLowering(const MicrobatchShape& shape, BlockBuilder& b)
      : shape_(shape), b_(b), row_(*shape.row), input_(b.flow().here()) {}

  void run() {
    for (const LayerStep& step : settled_steps(row_, shape_.hidden)) {
      if (step.kind == StepKind::weights) {
        b_.weight(label(step), step_vectors(step, row_), column_if(ever_inside_));
        continue;
      }
      read(step);
      keep(step);
      write(step);
      wrote_ = step.kind == StepKind::linear ? SavedRole::mixer_product : SavedRole::mixer_term;
      first_ = false;
    }
  }

 private:
  static Label label(const LayerStep& step) { return Label("mixer.") + Label(step.name); }
  static Split column_if(bool inside) { return inside ? Split::column : Split::sequence; }
  // Behind a matrix that is divided by columns each rank has a share of the channels, up to one that is divided by
  // rows.
  Split channels() const { return column_if(inside_); }
  bool reads_input(const LayerStep& step) const { return first_ || step.reads == StepInput::input; }
  double values(int64_t of_token) const { return shape_.tokens * static_cast<double>(of_token); }

  void read(const LayerStep& step) {
    if (step.reads == StepInput::input) {
      if (!first_)
        for (const Strand& strand : b_.flow().here()) beside_.push_back(strand);
      beside_inside_ = beside_inside_ || inside_;
      inside_ = false;
      b_.flow().from(input_);
      return;
    }
    b_.flow().join(beside_);
    beside_ = {};
    if (step.kind == StepKind::linear) return;  // a matrix goes on with the last result alone
    inside_ = inside_ || beside_inside_;
    beside_inside_ = false;
  }

  // The layer's input is kept once, for all that read it.
  void keep(const LayerStep& step) {
    if (reads_input(step) && !step.kept) return;
    const int64_t kept = step.kept ? *step.kept : step.in;
    const double bytes = step.kind == StepKind::linear ? shape_.saved_input : shape_.element;
    if (kept > 0) b_.save(wrote_, label(step) + ".input", bytes * values(kept), channels());
  }

  void write(const LayerStep& step) {
    switch (step.kind) {
      case StepKind::linear:
        return linear(step);
      case StepKind::convolution:
        return vector(step, {VectorKind::convolution, 2.0 * static_cast<double>(row_.kernel), 0});
      case StepKind::norm:
        return vector(step, {VectorKind::normalization, 4, step.width > 0 ? step.width : step.out});
      case StepKind::activation:
        return vector(step, {VectorKind::activation, 9, 0});
      case StepKind::scan:
        return scan(step);
      case StepKind::weights:
        return;
    }
  }

  void linear(const LayerStep& step) {
    const bool columns = step.split == StepSplit::columns, rows = step.split == StepSplit::rows;
    const bool of_input = reads_input(step), enters = columns && !inside_ && !(of_input && entered_);
    b_.linear({.name = label(step),
               .role = Role::mixer_product,
               .in = step.in,
               .out = step.out,
               .split = columns ? Split::column
                        : rows  ? Split::row
                                : Split::sequence,
               .bias = step.bias,
               .enters = enters,
               .leaves = rows,
               .raw_input = !of_input,
               .independent = columns && of_input ? 1 : 0});
    entered_ = entered_ || (enters && of_input);
    inside_ = columns || (inside_ && !rows);
    beside_inside_ = beside_inside_ && !rows;
    ever_inside_ = ever_inside_ || inside_;
    if (step.parameters) b_.weight(label(step), static_cast<double>(*step.parameters), channels());
  }

  struct StepKernel {
    VectorKind kind;
    double flops;
    int64_t width;
  };
  void vector(const LayerStep& step, const StepKernel& kernel) {
    const double a = shape_.element, elements = values(step.out);
    const double read = a * static_cast<double>(step.in) / static_cast<double>(step.out);
    b_.vector(Role::mixer_step, label(step), channels(),
              {.kind = kernel.kind,
               .elements = elements,
               .read = read,
               .written = a,
               .flops = kernel.flops,
               .width = kernel.width},
              {.read = read + a, .written = read, .flops = 2 * kernel.flops});
    if (const double weights = step_vectors(step, row_); weights > 0)
      b_.weight(label(step), weights, weights < static_cast<double>(step.out) ? Split::none : channels());
  }

  void scan(const LayerStep& step) {
    const Scan op{.rule = row_.rule,
                  .batch = shape_.batch,
                  .heads = row_.heads,
                  .key_heads = row_.key_heads,
                  .length = shape_.sequence,
                  .key_dim = row_.key_dim,
                  .value_dim = row_.value_dim,
                  .chunk = row_.chunk,
                  .precision = shape_.attention};
    b_.both_ways(Role::scan, label(step), op, Split::heads);
    if (step.parameters) b_.weight(label(step), static_cast<double>(*step.parameters), channels());
  }

  const MicrobatchShape& shape_;
  BlockBuilder& b_;
  const LayerRow& row_;
  const Strands input_;
  Strands beside_;  // results that wait for a step that reads them
  SavedRole wrote_ = SavedRole::attention_input;
  bool first_ = true, inside_ = false, beside_inside_ = false, ever_inside_ = false;
  bool entered_ = false;  // a matrix that reads the layer's input has gathered it
};

}  // namespace

void lower_steps(const MicrobatchShape& shape, BlockBuilder& b) {
  b.in(Sublayer::mixer);
  b.save(SavedRole::attention_input, "mixer.input", shape.input_bytes(shape.hidden), Split::sequence).gathered = true;
  StepLowering(shape, b).run();
}

}  // namespace planner
