#include "planner/scenario/optimizers.h"

#include <array>
#include <cstddef>

namespace planner {
namespace {

constexpr double kWord = 4;  // bytes: gradients, masters and states are fp32, whatever the precision of the GEMMs
constexpr double kHalf = 2;

// Commands on registers for a word, where a command may multiply what it reads by a constant and add it to a register:
// momentum + gradient, the gradient's square, variance + square, root, quotient (Pati 2024, fig. 2.7 and 6.3). A norm
// has one, the square that is added up.
constexpr double kAdamCommands = 5;

// Gradient, master and states are read, master and states written.
constexpr UpdatePass adam_with(const char* name, const char* algorithm, double states) {
  return {.name = name,
          .algorithm = algorithm,
          .read = 2 * kWord + states,
          .written = kWord + states,
          .writes_weights = true,
          .flops = 12,
          .register_commands = kAdamCommands};
}

constexpr double kAdamStates = 2 * kWord;
// Of both states a byte, and the largest absolute value of each block of 256 (bitsandbytes, optim/optimizer.py).
constexpr double kByteStates = 2 * (1 + kWord / 256);

constexpr UpdatePass kAdam[]{adam_with("adam", "adam", kAdamStates)};
constexpr UpdatePass kByteAdam[]{adam_with("adam-8bit", "adam-8bit", kByteStates)};
constexpr UpdatePass kSgd[]{
    {.name = "sgd", .algorithm = "sgd", .read = 3 * kWord, .written = 2 * kWord, .writes_weights = true, .flops = 4}};
constexpr UpdatePass kPlainSgd[]{
    {.name = "sgd", .algorithm = "plain-sgd", .read = 2 * kWord, .written = kWord, .writes_weights = true, .flops = 2}};
// A norm over all gradients - a barrier over the whole backward pass -, stage 1 (momentum, variance, update), norms of
// layers, stage 2 (weights).
constexpr UpdatePass kLamb[]{{.name = "lamb.global-norm",
                              .algorithm = "lamb-norm",
                              .read = kWord,
                              .flops = 2,
                              .launches = Launches::once,
                              .register_commands = 1,
                              .sums = UpdatePass::Sums::once,
                              .over_all = true},
                             {.name = "lamb.stage1",
                              .algorithm = "lamb-stage1",
                              .read = 4 * kWord,
                              .written = 3 * kWord,
                              .flops = 12,
                              .launches = Launches::layers,
                              .register_commands = kAdamCommands},
                             {.name = "lamb.layer-norms",
                              .algorithm = "lamb-layer-norms",
                              .read = 2 * kWord,
                              .flops = 4,
                              .launches = Launches::layers,
                              .register_commands = 2,
                              .sums = UpdatePass::Sums::layers},
                             {.name = "lamb.stage2",
                              .algorithm = "lamb-stage2",
                              .read = 2 * kWord,
                              .written = kWord,
                              .writes_weights = true,
                              .flops = 3,
                              .launches = Launches::layers}};
// Means of squares over rows and columns; the update's own mean square, by which it is clipped; the update. The
// gradient is read in each, since no first moment is kept.
constexpr UpdatePass kAdafactor[]{
    {.name = "adafactor.factors", .algorithm = "adafactor-factors", .read = kWord, .flops = 4, .register_commands = 1},
    {.name = "adafactor.clip", .algorithm = "adafactor-clip", .read = kWord, .flops = 5, .register_commands = 2},
    {.name = "adafactor.update",
     .algorithm = "adafactor-update",
     .read = 2 * kWord,
     .written = kWord,
     .writes_weights = true,
     .flops = 6,
     .register_commands = 2}};
// Momentum and what it looks ahead to, in 16 bits; its norm, by which it is divided; after the products the weights.
constexpr UpdatePass kMuon[]{{.name = "muon.momentum",
                              .algorithm = "muon-momentum",
                              .read = 2 * kWord,
                              .written = kWord + kHalf,
                              .flops = 4,
                              .launches = Launches::matrices},
                             {.name = "muon.norm",
                              .algorithm = "muon-norm",
                              .read = 2 * kHalf,
                              .written = kHalf,
                              .flops = 3,
                              .launches = Launches::matrices},
                             {.name = "muon.weights",
                              .algorithm = "muon-weights",
                              .read = kHalf + kWord,
                              .written = kWord,
                              .writes_weights = true,
                              .flops = 4,
                              .launches = Launches::matrices}};
// X <- a X + (b A + c A A) X, A = X X^T.
constexpr UpdateProduct iterated(const char* name, Side columns, Side inner, bool adds) {
  return {.name = name, .rows = Side::small, .columns = columns, .inner = inner, .iterated = true, .adds = adds};
}
constexpr UpdateProduct kNewtonSchulz[]{iterated("gram", Side::small, Side::large, false),
                                        iterated("square", Side::small, Side::small, true),
                                        iterated("product", Side::large, Side::small, true)};

// A factorisation's FLOP over those of one product of two square matrices, 2 d^3.
constexpr double kOrthogonal = (8.0 / 3) / 2;  // Householder's QR, the factor formed: Golub and Van Loan, section 5.2
constexpr double kEigen = 9.0 / 2;             // symmetric QR with its vectors: section 8.3

constexpr UpdateProduct projected(const char* name, Side side, double times) {
  const Side other = side == Side::small ? Side::large : Side::small;
  return {.name = name, .rows = side, .columns = other, .inner = side, .times = times, .preconditions = true};
}
constexpr UpdateProduct gathered(const char* name, Side side) {
  const Side other = side == Side::small ? Side::large : Side::small;
  return {.name = name, .rows = side, .columns = side, .inner = other, .preconditions = true};
}
constexpr UpdateProduct factored(const char* name, Side side, double times, int64_t every) {
  return {.name = name,
          .rows = side,
          .columns = side,
          .inner = side,
          .times = times,
          .preconditions = true,
          .every = every};
}
// Gradient and momentum are turned into the eigenbases, the update out of them; the bases follow by a step of power
// iteration and its QR.
constexpr UpdateProduct kSoap[]{projected("project-small", Side::small, 3),
                                projected("project-large", Side::large, 3),
                                gathered("statistics-small", Side::small),
                                gathered("statistics-large", Side::large),
                                factored("basis-small", Side::small, 1 + kOrthogonal, 10),
                                factored("basis-large", Side::large, 1 + kOrthogonal, 10)};
constexpr UpdateProduct kShampoo[]{
    projected("precondition-small", Side::small, 1),  projected("precondition-large", Side::large, 1),
    gathered("statistics-small", Side::small),        gathered("statistics-large", Side::large),
    factored("root-small", Side::small, kEigen, 100), factored("root-large", Side::large, kEigen, 100)};
constexpr UpdatePass kSoapPasses[]{adam_with("soap.adam", "soap", kAdamStates)};
constexpr UpdatePass kShampooPasses[]{adam_with("shampoo.grafting", "shampoo", kAdamStates)};

constexpr OptimizerRow muon(Optimizer optimizer, const char* name, const char* source, bool clips) {
  return {.optimizer = optimizer,
          .name = name,
          .source = source,
          .states_of_its_own = true,
          .passes = kAdam,
          .states = {.parameter = kAdamStates},
          .products = kNewtonSchulz,
          .matrix_passes = kMuon,
          .matrix_states = {.parameter = kWord},
          .halves = true,
          .shards = true,
          .clips = clips};
}

constexpr OptimizerRow adam_of(Optimizer optimizer, const char* name, const char* source,
                               std::span<const UpdatePass> passes, double states, bool paged) {
  return {.optimizer = optimizer,
          .name = name,
          .source = source,
          .states_of_its_own = true,
          .passes = passes,
          .states = {.parameter = states},
          .paged = paged};
}

constexpr const char* kPaged = "Dettmers et al. 2023, arXiv:2305.14314, section 3; bitsandbytes, is_paged";

constexpr std::array kRows{
    // Adam by operations of a tensor library, as BERT's first PyTorch version writes it (pytorch-pretrained-bert 0.6,
    // optimization.py): the gradient's norm, its clipping (2 arrays), momentum (2 + 3), variance (2 + 3), root, epsilon
    // and quotient (2 + 2 + 3), weight decay of matrices (2 + 3), learning rate (2), sign and sum (2 + 3): 14 kernels
    // of 19 arrays read and 13 written.
    OptimizerRow{
        .optimizer = Optimizer::adam,
        .name = "adam",
        .source = "Kingma and Ba 2015, arXiv:1412.6980",
        .passes = kAdam,
        .unfused =
            {.algorithm = "adam-unfused", .arrays_read = 19, .arrays_written = 13, .kernels = 12, .matrix_kernels = 2}},
    OptimizerRow{.optimizer = Optimizer::lamb,
                 .name = "lamb",
                 .source = "You et al. 2020, arXiv:1904.00962; Pati 2024, section 4.2.3",
                 .passes = kLamb},
    OptimizerRow{.optimizer = Optimizer::sgd, .name = "sgd", .source = "SGD with momentum", .passes = kSgd},
    muon(Optimizer::muon, "muon",
         "Jordan et al. 2024; Liu et al. 2025, arXiv:2502.16982; NVIDIA Emerging-Optimizers, muon.py", false),
    muon(Optimizer::muon_clip, "muon-clip", "Kimi Team 2025, arXiv:2507.20534, section 2.1", true),
    OptimizerRow{
        .optimizer = Optimizer::soap,
        .name = "soap",
        .source = "Vyas et al. 2024, arXiv:2409.11321, algorithm 3; nikhilvyas/SOAP: every 10 steps, sides to 10000",
        .states_of_its_own = true,
        .passes = kAdam,
        .states = {.parameter = kAdamStates},
        .products = kSoap,
        .matrix_passes = kSoapPasses,
        .matrix_states = {.parameter = kAdamStates, .square = 2 * kWord},  // statistics and eigenbasis
        .long_side = LongSide::skipped,
        .longest_side = 10000},
    OptimizerRow{.optimizer = Optimizer::shampoo,
                 .name = "shampoo",
                 .source =
                     "Gupta et al. 2018, arXiv:1802.09568; Shi et al. 2023, arXiv:2309.06497: blocks of 8192, roots "
                     "every 100 steps, Adam's step lengths",
                 .states_of_its_own = true,
                 .passes = kAdam,
                 .states = {.parameter = kAdamStates},
                 .products = kShampoo,
                 .matrix_passes = kShampooPasses,
                 .matrix_states = {.parameter = kAdamStates, .square = 2 * kWord},  // statistics and root
                 .long_side = LongSide::cut,
                 .longest_side = 8192},
    OptimizerRow{.optimizer = Optimizer::adafactor,
                 .name = "adafactor",
                 .source = "Shazeer and Stern 2018, arXiv:1804.04235, algorithm 4, without a first moment",
                 .states_of_its_own = true,
                 .passes = kAdafactor,
                 .matrix_states = {.line = kWord}},
    adam_of(Optimizer::adam_8bit, "adam-8bit", "Dettmers et al. 2022, arXiv:2110.02861; bitsandbytes: blocks of 256",
            kByteAdam, kByteStates, false),
    adam_of(Optimizer::paged_adam, "paged-adam", kPaged, kAdam, kAdamStates, true),
    adam_of(Optimizer::paged_adam_8bit, "paged-adam-8bit", kPaged, kByteAdam, kByteStates, true),
    OptimizerRow{.optimizer = Optimizer::plain_sgd,
                 .name = "plain-sgd",
                 .source = "Robbins and Monro 1951: SGD without momentum",
                 .states_of_its_own = true,
                 .passes = kPlainSgd},
};

constexpr bool in_order() {
  for (size_t i = 0; i < kRows.size(); ++i)
    if (kRows[i].optimizer != static_cast<Optimizer>(i)) return false;
  return true;
}
static_assert(in_order());
static_assert(kRows.size() == static_cast<size_t>(Optimizer::plain_sgd) + 1);

constexpr auto kNames = [] {
  std::array<const char*, kRows.size()> names{};
  for (size_t i = 0; i < kRows.size(); ++i) names[i] = kRows[i].name;
  return names;
}();

// Four bits, of each 64 weights a scale: of NF4 and FP4 eight bits, and of each 256 scales one of 32 (double
// quantisation); of int4 a scale and a zero point of 16 bits each.
constexpr double kScales = 1.0 / 64 + kWord / (64 * 256);
constexpr std::array kBases{
    BaseRow{BaseType::none, 0, ""},
    BaseRow{BaseType::nf4, 0.5 + kScales,
            "Dettmers et al. 2023, arXiv:2305.14314, section 3; torchao, dtypes/nf4tensor.py"},
    BaseRow{BaseType::fp4, 0.5 + kScales, "bitsandbytes, functional.py, quantize_4bit"},
    BaseRow{BaseType::int4, 0.5 + 2 * kHalf / 64, "HQQ: groups of 64, a scale and a zero point of 16 bits each"},
    BaseRow{BaseType::int8, 1,
            "Dettmers et al. 2022, arXiv:2208.07339: a scale for each row, which is nothing beside it"},
    BaseRow{BaseType::fp8, 1, "a scale for each tensor"},
};

}  // namespace

std::span<const OptimizerRow> optimizers() { return kRows; }
const OptimizerRow& row_of(Optimizer optimizer) { return kRows[static_cast<size_t>(optimizer)]; }
std::span<const char* const> words(Optimizer) { return kNames; }
const BaseRow& row_of(BaseType type) { return kBases[static_cast<size_t>(type)]; }

}  // namespace planner
