// Tables of recurrent mixers, selections and sparse attention: the meaning of columns, mistakes, and the parameters
// that a fit recovers.
#include "operator_models/calibrate/fits.h"
#include "operator_models/calibrate/readers.h"
#include "tests/operator_models/measured_text.h"

using namespace operator_models;

namespace {

operator_models::Machine gpu() { return test::machine_of("b200-180gb", 8); }

using Reader = MeasuredReader;
struct Read : test::MeasuredText {
  explicit Read(std::string text, Reader reader = read_scans) : MeasuredText(std::move(text), {}, gpu(), reader) {}
};

const std::string kDelta =
    "gpu,framework,kernel,phase,batch_size,seq_len,d_model,d_conv,num_k_heads,head_k_dim,num_v_heads,head_v_dim,"
    "latency_us\n";
const std::string kStates =
    "kernel,phase,batch_size,seq_len,d_model,d_state,d_conv,nheads,head_dim,n_groups,chunk_size,latency_us\n";
const std::string kLayer = "gpu,mode,batch_size,seq_len,num_heads,head_dim,op,ms\n";
const std::string kPlain = "rule,batch,heads,key_heads,length,key_dim,value_dim,chunk,backward,time_us\n";
const std::string kSparse = "gpu,op,kernel,num_heads,compress_ratio,batch_size,seq_len,prefix_len,latency_us\n";
const std::string kSelection = "batch,heads,queries,keys,head_dim,top_k,backward,time_us\n";

/// A mistake of one cell: in line 2, in this column, with these words.
struct Mistake {
  Reader reader;
  const std::string& head;
  const char* row;
  int column;
  const char* words;
};

/// Samples as the model has them with `row` in the calibration.
SampleSet made(const ScanCalibration& row) {
  SampleSet set{{"batch", "heads", "length", "rule"}};
  operator_models::Machine machine = gpu();
  machine.calibration.scan["delta"] = row;
  for (const bool backward : {false, true})
    for (const int64_t length : {128, 512, 2048, 8192, 32768})
      for (const int64_t heads : {2, 16, 128}) {
        const Scan op{.rule = ScanRule::delta,
                      .heads = heads,
                      .key_heads = heads,
                      .length = length,
                      .key_dim = 128,
                      .value_dim = 128,
                      .backward = backward};
        set.samples.push_back({op, cost(op, device_of(machine, machine.calibration)).seconds.value, {}});
      }
  return set;
}

}  // namespace

TEST_CASE("tables of serving engines name keys and values, or state and groups") {
  const Read r(kDelta +
               "x,sglang,causal_conv1d_fn,context,1,128,1024,4,2,128,4,64,3\n"
               "x,sglang,chunk_gated_delta_rule,context,8,512,1024,4,2,128,4,64,900\n"
               "x,vllm,flashkda_fwd,context,1,128,7168,4,12,128,12,128,26.9\n");
  CHECK(r.diagnostics.list.empty());
  REQUIRE(r.set.samples.size() == 2);
  CHECK(r.set.passed_over == 1);
  const Scan& delta = r.op<Scan>(0);
  CHECK(delta.rule == ScanRule::delta);
  CHECK(delta.batch == 8);
  CHECK(delta.heads == 4);
  CHECK(delta.key_heads == 2);
  CHECK(delta.key_dim == 128);
  CHECK(delta.value_dim == 64);
  CHECK(r.set.samples[0].seconds * 1e6 == doctest::Approx(900));
  CHECK(r.op<Scan>(1).rule == ScanRule::channel_delta);
  const Read states(kStates + "mamba_chunk_scan_combined,context,1,4096,2688,128,4,64,32,8,256,356\n");
  REQUIRE(states.set.samples.size() == 1);
  const Scan& op = states.op<Scan>(0);
  CHECK(op.rule == ScanRule::state_space);
  CHECK(op.key_dim == 128);
  CHECK(op.value_dim == 32);
  CHECK(op.key_heads == 8);
  CHECK(op.chunk == 256);
}

TEST_CASE("a time of both passes is backward's where the table has forward's") {
  const Read r(kLayer +
               "x,fwd,1,8192,96,128,chunk_gdn,1.25\nx,fwdbwd,1,8192,96,128,chunk_gdn,4.75\n"
               "x,fwd,1,8192,96,128,chunk_gla,1.7\n");
  REQUIRE(r.set.samples.size() == 2);
  CHECK_FALSE(r.op<Scan>(0).backward);
  CHECK(r.op<Scan>(1).backward);
  CHECK(r.set.samples[1].seconds * 1e3 == doctest::Approx(3.5));
  CHECK(r.set.passed_over == 1);  // no closed form of this rule
}

TEST_CASE("one's own tables name the rule") {
  for (size_t i = 0; i < kScanRuleNames.size(); ++i) {
    const Read r(kPlain + kScanRuleNames[i] + ",2,8,4,1024,64,32,128,1,5000\n");
    REQUIRE(r.set.samples.size() == 1);
    CHECK(r.op<Scan>(0).rule == static_cast<ScanRule>(i));
    CHECK(r.op<Scan>(0).chunk == 128);
    CHECK(r.op<Scan>(0).backward);
  }
}

TEST_CASE("scores are read alone, and with the choice where both were measured") {
  const Read r(
      kSparse +
          "x,glm5_mqa_logits,k,64,1,1,8192,0,148\nx,glm5_mqa_logits,k,64,1,1,1024,0,8\n"
          "x,glm5_topk,k,64,1,1,8192,0,334\nx,glm5_topk,k,64,1,2,8192,0,600\nx,glm5_dsa_attn,k,64,1,1,64,0,9\n",
      read_selections);
  REQUIRE(r.set.samples.size() == 3);
  CHECK(r.op<Selection>(0).top_k == 0);
  CHECK(r.op<Selection>(2).top_k == 2048);
  CHECK(r.set.samples[2].seconds * 1e6 == doctest::Approx(482));
  CHECK(r.set.passed_over == 2);
  const Read plain(kSelection + "2,64,128,4096,128,512,0,90\n", read_selections);
  REQUIRE(plain.set.samples.size() == 1);
  CHECK(plain.op<Selection>(0).keys == 4096);
}

TEST_CASE("kernels of sparse attention gather the chosen keys, those near, or all compressed ones") {
  const Read r(kSparse +
                   "x,glm5_dsa_attn,k,64,1,1,8192,1024,4025\nx,dsv4_hca_attn,k,64,128,1,8192,0,483\n"
                   "x,glm5_topk,k,64,1,1,8192,0,334\n",
               read_attentions);
  REQUIRE(r.set.samples.size() == 2);
  CHECK(r.op<Attention>(0).selected == 2048);
  CHECK(r.op<Attention>(0).keys == 9216);
  CHECK(r.op<Attention>(1).selected == 128 + 64);
  CHECK(r.set.passed_over == 1);
  const Read training(
      "num_heads,index_topk,compress_ratio,batch_size,seq_len,mode,ms\n64,512,0,1,4096,fwd,0.28\n"
      "64,512,4,1,4096,bwd,3.99\n",
      read_attentions);
  REQUIRE(training.set.samples.size() == 2);
  CHECK(training.op<Attention>(0).selected == 128);
  CHECK(training.op<Attention>(1).selected == 640);
  CHECK(training.op<Attention>(1).backward);
}

TEST_CASE("convolutions and hyper-connections are vector kernels with bytes of their own") {
  const Read r(kDelta +
                   "x,sglang,causal_conv1d_fn,context,2,128,1024,4,2,128,4,64,3\n"
                   "x,sglang,chunk_gated_delta_rule,context,1,128,1024,4,2,128,4,64,40\n",
               read_vectors);
  REQUIRE(r.set.samples.size() == 1);
  const Vector& convolution = r.op<Vector>(0);
  CHECK(convolution.kind == VectorKind::convolution);
  CHECK(convolution.elements == 256.0 * (4 * 64 + 2 * 2 * 128));
  CHECK(convolution.flops_per_element == 8);
  const Read hyper("op,hc_mult,hidden_size,num_tokens,latency_us\npre,4,4096,2048,72\npost,4,4096,2048,53\n",
                   read_vectors);
  REQUIRE(hyper.set.samples.size() == 2);
  const double stream = 2048.0 * 4096 * 2;
  CHECK(hyper.op<Vector>(0).read.value == 8 * stream);
  CHECK(hyper.op<Vector>(0).written.value == stream);
  CHECK(hyper.op<Vector>(1).read.value == 5 * stream);
  CHECK(hyper.op<Vector>(1).written.value == 4 * stream);
}

TEST_CASE("a wrong cell is told at its place") {
  const std::string convolutions = kDelta, hyper = "op,hc_mult,hidden_size,num_tokens,latency_us\n";
  const std::string training = "num_heads,index_topk,compress_ratio,batch_size,seq_len,mode,ms\n";
  for (const Mistake& m :
       {Mistake{read_scans, kDelta, "x,s,chunk_kda,context,0,128,1024,4,2,128,4,64,3\n", 23, "batch_size"},
        {read_scans, kDelta, "x,s,chunk_kda,context,1,128,1024,4,2,128,4,64,0\n", 47, "latency_us"},
        {read_scans, kDelta, "x,s,chunk_kda,context,32,32768,1024,4,2,128,64,64,3\n", 51, "above the bf16 peak"},
        {read_scans, kLayer, "x,both,1,8192,96,128,chunk_gdn,1.25\n", 3, "'both' is no pass"},
        {read_scans, kLayer, "x,fwdbwd,1,8192,96,128,chunk_gdn,4\n", 3, "no row has the forward pass"},
        {read_scans, kPlain, "mamba,2,8,4,1024,64,32,128,1,5000\n", 1, "'mamba' is no rule; expected selective"},
        {read_scans, kPlain, "delta,2,8,4,1024,64,32,1.5,1,5000\n", 24, "chunk"},
        {read_selections, kSelection, "1,64,8192,4096,128,512,0,90\n", 6, "8192 queries of 4096 keys"},
        {read_selections, kSparse, "x,glm5_mqa_logits,k,64,1,1,8192,no,148\n", 33, "prefix_len"},
        {read_attentions, kSparse, "x,glm5_dsa_attn,k,64,1,1,0,0,148\n", 26, "seq_len"},
        {read_attentions, training, "64,512,0,1,4096,up,0.28\n", 17, "'up' is no pass"},
        {read_vectors, convolutions, "x,s,causal_conv1d_fn,context,1,128,1024,-4,2,128,4,64,3\n", 41, "d_conv"},
        {read_vectors, hyper, "mid,4,4096,2048,72\n", 1, "unknown part 'mid'"}}) {
    CAPTURE(m.row);
    const Read r(m.head + m.row, m.reader);
    REQUIRE(r.diagnostics.has_errors());
    CHECK(r.diagnostics.list[0].span.line == 2);
    CHECK(r.diagnostics.list[0].span.column == m.column);
    CHECK(r.diagnostics.list[0].message.find(m.words) != std::string::npos);
    CHECK(r.set.samples.empty());
  }
}

TEST_CASE("both passes that take no longer than one, and columns of no layout, are mistakes") {
  const Read r(kLayer + "x,fwd,1,8192,96,128,chunk_gdn,5\nx,fwdbwd,1,8192,96,128,chunk_gdn,4\n");
  REQUIRE(r.diagnostics.has_errors());
  CHECK(r.diagnostics.list[0].span.line == 3);
  CHECK(r.set.samples.size() == 1);
  for (const Reader reader : {Reader{read_scans}, Reader{read_selections}, Reader{read_attentions}})
    CHECK(Read("kernel,time_us\na,1\n", reader).diagnostics.has_errors());
}

TEST_CASE("a fit finds a rule's figures again, forward and backward") {
  const Fitted fitted = fit_scan(made({.memory = 0.45, .base = {9e-6}, .step = {3e-6}, .backward = 1.3}), gpu());
  CHECK_FALSE(fitted.empty);
  const ScanCalibration& row = fitted.calibration.scan.at("delta");
  CHECK(row.memory == doctest::Approx(0.45).epsilon(0.02));
  CHECK(row.base.value * 1e6 == doctest::Approx(9).epsilon(0.02));
  CHECK(row.step.value * 1e6 == doctest::Approx(3).epsilon(0.02));
  CHECK(row.backward == doctest::Approx(1.3).epsilon(0.02));
  CHECK(row.provenance == Provenance::interpolated);
  CHECK(row.relative_error < 0.02);
}

TEST_CASE("few rows leave a rule as it was, with a warning") {
  SampleSet few = made({});
  few.samples.resize(3);
  const Fitted fitted = fit_scan(few, gpu());
  CHECK(fitted.empty);
  REQUIRE(fitted.warnings.size() == 1);
  CHECK(fitted.warnings[0].find("delta") == 0);
  CHECK(fit_scan(SampleSet{}, gpu()).empty);
  CHECK(fit_selection(SampleSet{}, gpu()).empty);
}

TEST_CASE("a fit finds a selection's figures again") {
  operator_models::Machine machine = gpu();
  machine.calibration.selection["default"] = {.matrix = 0.3, .choice = 0.1, .query = {2e-8}, .base = {8e-6}};
  SampleSet set{{"batch", "queries", "keys"}};
  for (const int64_t top_k : {0, 2048})
    for (const int64_t queries : {64, 1024, 8192})
      for (const int64_t keys : {8192, 32768, 131072}) {
        const Selection op{.queries = queries, .keys = keys, .heads = 32, .head_dim = 128, .top_k = top_k};
        set.samples.push_back({op, cost(op, device_of(machine, machine.calibration)).seconds.value, {}});
      }
  const SelectionCalibration row = fit_selection(set, gpu()).calibration.selection.at("default");
  CHECK(row.matrix == doctest::Approx(0.3).epsilon(0.02));
  CHECK(row.choice == doctest::Approx(0.1).epsilon(0.05));
  CHECK(row.query.value * 1e9 == doctest::Approx(20).epsilon(0.05));
  CHECK(row.base.value * 1e6 == doctest::Approx(8).epsilon(0.02));
}
