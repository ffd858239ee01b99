// A mixer that is a list of steps (model.kinds[].steps): projections, short convolution, recurrence, gated norm.
//
// Each step reads what the one before it wrote, or the layer's input; those that read the input run beside each other
// until a step reads them all. What a step reads waits for its backward pass.
#include "planner/workload/lower/builder.h"

namespace planner {
namespace {

using operator_models::Scan;
using operator_models::VectorKind;

class StepLowering {
 public:
  StepLowering(const MicrobatchShape& shape, BlockBuilder& b)
      : shape_(shape), b_(b), row_(*shape.row), input_(b.flow().here()) {}

  void run() {
    for (const LayerStep& step : settled_steps(row_, shape_.hidden)) {
      if (step.kind == StepKind::weights) {
        b_.weight(label(step), static_cast<double>(step.out), channels());
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
  // Between a matrix that is divided by columns and one by rows, each rank has a share of the channels.
  Split channels() const { return inside_ ? Split::column : Split::sequence; }
  double values(int64_t of_token) const { return shape_.tokens * static_cast<double>(of_token); }

  void read(const LayerStep& step) {
    if (step.reads == StepInput::input) {
      if (!first_)
        for (const Strand& strand : b_.flow().here()) beside_.push_back(strand);
      b_.flow().from(input_);
      return;
    }
    b_.flow().join(beside_);
    beside_ = {};
  }

  // The layer's input is kept once, for all that read it.
  void keep(const LayerStep& step) {
    const bool of_input = first_ || step.reads == StepInput::input;
    if (of_input && !step.kept) return;
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
    const bool of_input = first_ || step.reads == StepInput::input;
    b_.linear({.name = label(step),
               .role = Role::mixer_product,
               .rows = shape_.tokens,
               .in = step.in,
               .out = step.out,
               .split = columns ? Split::column
                        : rows  ? Split::row
                                : Split::sequence,
               .bias = step.bias,
               .precision = shape_.linear,
               .enters = columns && !entered_,
               .leaves = rows,
               .raw_input = !of_input,
               .independent = columns && of_input ? 1 : 0});
    if (step.parameters) b_.weight(label(step), static_cast<double>(*step.parameters), channels());
    if (columns) entered_ = inside_ = true;
    if (rows) inside_ = false;
  }

  struct Kernel {
    VectorKind kind;
    double flops;
    int64_t width;
  };
  void vector(const LayerStep& step, const Kernel& kernel) {
    const double a = shape_.element, elements = values(step.out);
    const double read = a * static_cast<double>(step.in) / static_cast<double>(step.out);
    b_.vector(Role::mixer_step, label(step), channels(),
              {.kind = kernel.kind,
               .elements = elements,
               .read = read,
               .written = a,
               .flops = kernel.flops,
               .width = kernel.width},
              {.kind = kernel.kind,
               .elements = elements,
               .read = read + a,
               .written = read,
               .flops = 2 * kernel.flops,
               .width = kernel.width});
    if (const double weights = step_vectors(step, row_); weights > 0)
      b_.weight(label(step), weights, weights < static_cast<double>(step.out) ? Split::none : channels());
  }

  void scan(const LayerStep& step) {
    Scan op{.rule = row_.rule,
            .batch = shape_.batch,
            .heads = row_.heads,
            .key_heads = row_.key_heads,
            .length = shape_.sequence,
            .key_dim = row_.key_dim,
            .value_dim = row_.value_dim,
            .chunk = row_.chunk,
            .precision = shape_.attention};
    b_.add(Role::scan, label(step), StepPhase::forward, op, Split::heads);
    op.backward = true;
    b_.add(Role::scan, label(step), StepPhase::backward, op, Split::heads);
  }

  const MicrobatchShape& shape_;
  BlockBuilder& b_;
  const LayerRow& row_;
  const Strands input_;
  Strands beside_;  // results that wait for a step that reads them
  SavedRole wrote_ = SavedRole::attention_input;
  bool first_ = true, inside_ = false, entered_ = false;
};

}  // namespace

void lower_steps(const MicrobatchShape& shape, BlockBuilder& b) {
  b.in(Sublayer::mixer);
  b.save(SavedRole::attention_input, "mixer.input",
         shape.saved_input * shape.tokens * static_cast<double>(shape.hidden), Split::sequence)
      .gathered = true;
  StepLowering(shape, b).run();
}

}  // namespace planner
