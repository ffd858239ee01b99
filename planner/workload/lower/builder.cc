#include "planner/workload/lower/builder.h"

#include "planner/workload/passes/passes.h"

namespace planner {

// Of a layer: space for this many is reserved at once.
static constexpr size_t kUsualOps = 128, kUsualTensors = 16;

bool is_wide(Precision p) { return p == Precision::fp32 || p == Precision::tf32; }

MicrobatchShape shape_of(const Scenario& s) {
  const bool wide = is_wide(s.job.precision);
  const bool narrow = operand_bytes(s.job.precision) < 2;
  MicrobatchShape shape;
  shape.model = &s.model;
  shape.batch = s.parallelism.microbatch;
  shape.sequence = s.job.sequence;
  shape.hidden = s.model.hidden;
  shape.tokens = static_cast<double>(shape.batch) * static_cast<double>(shape.sequence);
  shape.element = wide ? 4 : 2;
  shape.saved_input = std::min(shape.element, operand_bytes(s.job.precision));
  // Unit by unit sharding reduces a fresh gradient at once: nothing is added up on the rank.
  shape.accumulate = s.software.fusion.gradient && !exchanges_units(s);
  shape.add_gradients = !s.software.fusion.gradient && !exchanges_units(s);
  shape.gradient = wide ? 4 : s.software.memory.accumulator;
  shape.cast_gradients = !s.software.fusion.gradient_cast && shape.gradient > shape.element;
  shape.weight_casts = 1 / std::max(1.0, static_cast<double>(s.job.global_batch) /
                                             static_cast<double>(s.parallelism.dp * s.parallelism.microbatch));
  shape.norm_casts = s.software.fusion.norm;
  shape.linear = s.job.precision;
  // The tensor's own maximum before its cast; four bits: the maximum behind a Hadamard transform.
  const bool own_scale = s.job.precision == Precision::fp8 && s.software.scaling == Scaling::current;
  shape.cast_reads = own_scale || s.job.precision == Precision::nvfp4 ? 4 : 2;
  // No attention kernel and no recipe's head takes four bits: such jobs run attention in eight where the software says
  // so (Transformer Engine, NVTE_DPA_FP8_RECIPE), and the head in 16.
  const bool eight = operand_bytes(s.job.precision) == 1;
  shape.attention = !narrow || (eight && s.software.narrow_attention) ? s.job.precision
                    : s.software.narrow_attention                     ? Precision::fp8
                                                                      : Precision::bf16;
  shape.router = wide ? s.job.precision : Precision::bf16;
  shape.head = narrow && !(eight && s.software.narrow_head) ? Precision::bf16 : s.job.precision;
  return shape;
}

BlockBuilder::BlockBuilder(Block& block, const MicrobatchShape& shape) : block_(block), shape_(shape) {
  const bool layer = block.is_layer();
  block.ops.reserve(layer ? kUsualOps : kUsualOps / 8);  // what passes put in, too
  block.weights.reserve(layer ? kUsualTensors : 2);
  block.saved.reserve(layer ? kUsualTensors : 2);
}

WorkOp& BlockBuilder::add(Role role, const Label& name, StepPhase phase, Split split) {
  WorkOp& w = block_.ops.emplace_back();
  w.name = name;
  w.role = role;
  w.phase = phase;
  w.sublayer = sublayer_;
  w.split = split;
  w.routed = routed_;
  w.inputs = {phase == StepPhase::forward ? flow_.forward() : flow_.current()};
  return w;
}

void BlockBuilder::vector(Role role, const Label& name, Split split, StepPhase phase, const VectorSpec& spec) {
  add(role, name, phase,
      Vector{.kind = spec.kind,
             .elements = spec.elements,
             .read = {spec.elements * spec.read},
             .written = {spec.elements * spec.written},
             .flops_per_element = spec.flops,
             .width = spec.width,
             .backward = spec.backward},
      split);
}

void BlockBuilder::vector(Role role, const Label& name, Split split, const VectorSpec& forward,
                          const VectorGradient& gradient) {
  const auto& [read, written, flops, backward] = gradient;
  vector(role, name, split, StepPhase::forward, forward);
  vector(role, name, split, StepPhase::backward,
         {forward.kind, forward.elements, read, written, flops, forward.width, backward});
}

void BlockBuilder::vector(Role role, const Label& name, Split split, const VectorSpec& both) {
  vector(role, name, split, StepPhase::forward, both);
  vector(role, name, split, StepPhase::backward, both);
}

void BlockBuilder::weight(const Label& name, double parameters, Split split, bool tied) {
  block_.weights.push_back({.name = name, .parameters = parameters, .split = split, .tied = tied, .routed = routed_});
}

Saved& BlockBuilder::save(SavedRole role, const Label& name, double bytes, Split split) {
  block_.saved.push_back({.name = name, .role = role, .bytes = bytes, .split = split, .routed = routed_});
  return block_.saved.back();
}

void BlockBuilder::keep(const Label& name, double bytes, Split split) {
  block_.kept = {.name = name, .bytes = bytes, .split = split, .routed = routed_};
}

void BlockBuilder::moment(const Label& name, StepPhase phase, std::vector<Saved> alive) {
  for (Saved& saved : alive) saved.routed = routed_;
  block_.moments.push_back({.name = name, .phase = phase, .alive = std::move(alive)});
}

void BlockBuilder::linear(Linear l) {
  if (l.rows == 0) l.rows = shape_.tokens;
  const Precision precision = l.precision.value_or(shape_.linear);
  const int64_t rows = static_cast<int64_t>(l.rows);
  const double operand = operand_bytes(precision), result = shape_.element;
  auto gemm = [&](int64_t m, int64_t n, int64_t k, double c) {
    return Gemm{.batch = l.experts,
                .m = m,
                .n = n,
                .k = k,
                .precision = precision,
                .a_bytes = operand,
                .b_bytes = operand,
                .c_bytes = c,
                .grouped = l.experts > 1};
  };
  if (operand < 2) quantize(l, operand);
  const int product = ++products_;
  WorkOp& forward = add(l.role, l.name, StepPhase::forward, gemm(l.out, rows, l.in, result), l.split);
  forward.product = product;
  forward.enters_tensor = l.enters;
  forward.leaves_tensor = l.leaves;
  forward.independent = l.independent;
  Gemm data_gradient = gemm(l.in, rows, l.out, result);
  data_gradient.pass = operator_models::GemmPass::dgrad;
  WorkOp& dgrad = add(l.role, l.name + ".dgrad", StepPhase::backward, data_gradient, l.split);
  dgrad.product = product;
  dgrad.data_gradient = true;
  dgrad.enters_tensor = l.enters;
  dgrad.leaves_tensor = l.leaves;
  dgrad.independent = l.independent;
  Gemm weight_gradient = gemm(l.in, l.out, rows, shape_.accumulate ? shape_.gradient : result);
  weight_gradient.accumulate = shape_.accumulate;
  weight_gradient.pass = operator_models::GemmPass::wgrad;
  WorkOp& wgrad = add(l.role, l.name + ".wgrad", StepPhase::backward, weight_gradient, l.split);
  wgrad.product = product;
  wgrad.weight_gradient = true;
  wgrad.independent = l.independent;
  const double experts = static_cast<double>(l.experts);
  const double width = experts * static_cast<double>(l.in) * static_cast<double>(l.out);
  if (l.owns) {
    weight(l.name, width, l.split, l.tied);
    block_.weights.back().role = l.role;
    block_.weights.back().in = l.in;
    block_.weights.back().out = l.out;
  }
  if (shape_.add_gradients) add_gradient(l, width);
  if (!l.bias) return;
  const Split bias_split = l.split == Split::column ? Split::column : Split::none;
  if (l.owns) weight(l.name + ".bias", experts * static_cast<double>(l.out), bias_split);
  const double elements = experts * l.rows * static_cast<double>(l.out);
  if (l.separate_bias)
    vector(l.role, l.name + ".bias", bias_split, StepPhase::forward,
           {.elements = elements, .read = shape_.element, .written = shape_.element});
  vector(l.role, l.name + ".bias-gradient", bias_split, StepPhase::backward,
         {.kind = operator_models::VectorKind::reduction, .elements = elements, .read = shape_.element});
}

void BlockBuilder::add_gradient(const Linear& l, double parameters) {
  double fresh = shape_.element;
  if (shape_.cast_gradients) {
    vector(
        l.role, l.name + ".cast-gradient", Split::column, StepPhase::backward,
        {.kind = operator_models::VectorKind::cast, .elements = parameters, .read = fresh, .written = shape_.gradient});
    block_.ops.back().of_weights = true;
    fresh = shape_.gradient;
  }
  vector(l.role, l.name + ".add-gradient", Split::column, StepPhase::backward,
         {.elements = parameters, .read = fresh + shape_.gradient, .written = shape_.gradient});
  block_.ops.back().of_weights = true;
}

// Eight-bit (and narrower) linear layers cast their operands, each written twice because the weight-gradient
// GEMM wants the transpose: the input (a fused norm writes it narrow itself), the output gradient, and the
// weight in the first microbatch of a step (Transformer Engine, module/layernorm_linear.py).
void BlockBuilder::quantize(const Linear& l, double operand) {
  const double narrow = 2 * operand;
  const Split in_split = l.split == Split::row ? Split::column : Split::sequence;
  const Split out_split = l.split == Split::column ? Split::column : Split::sequence;
  auto cast = [&](const Label& what, Split split, StepPhase phase, double elements) {
    vector(l.role, l.name + what, split, phase,
           {.kind = operator_models::VectorKind::cast,
            .elements = elements,
            .read = shape_.cast_reads,
            .written = narrow});
  };
  const double in = static_cast<double>(l.experts * l.in), out = static_cast<double>(l.out);
  const bool after_norm = l.split == Split::column && !l.raw_input;
  if (!after_norm || !shape_.norm_casts) cast(".cast-input", in_split, StepPhase::forward, l.rows * in);
  const Strands input = flow_.here();
  flow_.from({});
  cast(".cast-weight", Split::column, StepPhase::forward, in * out);
  block_.ops.back().count = shape_.weight_casts;
  block_.ops.back().of_weights = true;
  const Strands weight = Flow::as(flow_.here(), Returns::never);
  flow_.from(input);
  flow_.join(weight);
  flow_.at_next();
  cast(".cast-output-gradient", out_split, StepPhase::backward, l.rows * static_cast<double>(l.experts) * out);
}

void BlockBuilder::batched(Role role, const Label& name, int64_t batch, const BatchedGemm& forward,
                           const BatchedGemm& first_gradient, const BatchedGemm& second_gradient) {
  const double bytes = operand_bytes(shape_.attention);
  auto gemm = [&](const BatchedGemm& g) {
    return Gemm{.batch = batch,
                .m = g.m,
                .n = g.n,
                .k = g.k,
                .precision = shape_.attention,
                .a_bytes = bytes,
                .b_bytes = bytes,
                .c_bytes = bytes};
  };
  const int product = ++products_;
  add(role, name, StepPhase::forward, gemm(forward), Split::heads).product = product;
  WorkOp& first = add(role, name + ".dgrad", StepPhase::backward, gemm(first_gradient), Split::heads);
  first.product = product;
  first.data_gradient = true;
  add(role, name + ".wgrad", StepPhase::backward, gemm(second_gradient), Split::heads).product = product;
}

}  // namespace planner
