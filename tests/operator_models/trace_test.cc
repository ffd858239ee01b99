#include "operator_models/calibrate/readers.h"
#include "operator_models/calibrate/trace_shapes.h"
#include "tests/operator_models/devices.h"

using namespace operator_models;

namespace {

constexpr const char* kHeader = "gpu,run,name,target,input_shapes,output_shape,dtype,fw_ms,bw_ms,acc_ms\n";

/// What a table of trace rows becomes.
struct Read {
  explicit Read(const std::string& rows) : source{"trace.csv", kHeader + rows, ""} {
    DataFile file{&source, dsl::read_csv(source, diagnostics), {}, {}};
    for (size_t i = 0; i < file.table.rows.size(); ++i) file.rows.push_back(i);
    file.counted.assign(file.table.rows.size(), 1);
    read_iterations({file, {}, {}, set, diagnostics});
  }
  dsl::Source source;
  dsl::Diagnostics diagnostics;
  SampleSet set;
};

}  // namespace

TEST_CASE("shapes are read as traces print them") {
  using Shapes = std::vector<TensorShape>;
  CHECK(*tensor_shapes("[[8, 512, 1024]]") == Shapes{{8, 512, 1024}});
  CHECK(*tensor_shapes("[[8, 16, 512, 64], [8, 16, 64, 512]]") == Shapes{{8, 16, 512, 64}, {8, 16, 64, 512}});
  CHECK(*tensor_shapes("(8, 512)") == Shapes{{8, 512}});
  CHECK(*tensor_shapes("(1,)") == Shapes{{1}});
  CHECK(elements({8, 512, 1024}) == 8.0 * 512 * 1024);
  for (const char* wrong : {"", "8, 512", "[[8, 512]", "[8, x]", "[[[8]]]", "[-1]", "][", "[[8, 12802 0,14]]", "[1 2]",
                            "[[3000000000, 3000000000]]", "[[8", "[8 "})
    CHECK_MESSAGE(!tensor_shapes(wrong), wrong);
}

TEST_CASE("what reads nothing is no operator") {
  const Read read("A,r,q,encoder.query,\"[[8, 0, 1024]]\",\"(8, 1280, 1024)\",torch.float32,2,4,0\n");
  CHECK(read.diagnostics.list.empty());
  CHECK(read.set.samples.empty());
  CHECK(read.set.passed_over == 1);
}

// Rows of neusight/model_op_traces_fp32.csv, A100 80GB PCIe, BERT-large, 8 sequences of 512.
TEST_CASE("rows of a trace become the operators they are") {
  const Read read(
      "A,r,q,bert.encoder.layer.0.attention.self.query,\"[[8, 512, 1024]]\",\"(8, 512, "
      "1024)\",torch.float32,0.55235,1.0199,0.019\n"
      "A,r,matmul,<built-in method matmul>,\"[[8, 16, 512, 64], [8, 16, 64, 512]]\",\"(8, 16, 512, "
      "512)\",torch.float32,0.35635,1.0469,0.0\n"
      "A,r,addmm,<built-in method addmm>,\"[[7680], [2048, 2560], [2560, 7680]]\",\"(2048, "
      "7680)\",torch.float32,4.3315,8.8508,0.1\n"
      "A,r,ln,bert.encoder.layer.0.output.LayerNorm,\"[[8, 512, 1024]]\",\"(8, 512, "
      "1024)\",torch.float32,0.048538,0.083763,0.03\n"
      "A,r,add_2,<built-in function add>,\"[[8, 512, 1024], [8, 512, 1024]]\",\"(8, 512, "
      "1024)\",torch.float32,0.041574,0.0090112,0.0\n"
      "A,r,size,size,\"[[8, 512]]\",\"(1,)\",,0.0073216,0.0,0.0\n");
  CHECK(read.diagnostics.list.empty());
  CHECK(read.set.passed_over == 1);
  const std::vector<Sample>& s = read.set.samples;
  REQUIRE(s.size() == 3 + 3 + 3 + 2 + 1);
  const Gemm query = std::get<Gemm>(s[0].op), gradient = std::get<Gemm>(s[1].op), weights = std::get<Gemm>(s[2].op);
  CHECK(query.m == 4096);
  CHECK(query.n == 1024);
  CHECK(query.k == 1024);
  CHECK(s[0].seconds == doctest::Approx(0.55235e-3));
  CHECK(s[1].seconds == doctest::Approx(1.0199e-3 / 2));
  CHECK(gradient.m == 4096);
  CHECK(weights.m == 1024);
  CHECK(weights.k == 4096);
  const Gemm scores = std::get<Gemm>(s[3].op);
  CHECK(scores.batch == 128);
  CHECK(scores.m == 512);
  CHECK(scores.n == 512);
  CHECK(scores.k == 64);
  const Gemm qkv = std::get<Gemm>(s[6].op);
  CHECK(qkv.m == 2048);
  CHECK(qkv.n == 7680);
  CHECK(qkv.k == 2560);
  const Vector norm = std::get<Vector>(s[9].op), sum = std::get<Vector>(s[11].op);
  CHECK(norm.kind == VectorKind::normalization);
  CHECK(norm.width == 1024);
  CHECK(!norm.backward);
  CHECK(std::get<Vector>(s[10].op).backward);
  CHECK((norm.read + norm.written).value == 8.0 * 512 * 1024 * 4 * 2);
  CHECK((sum.read + sum.written).value == 8.0 * 512 * 1024 * 4 * 3);
}

TEST_CASE("mistakes in a trace are told at their place") {
  const Read two(
      "A,r,q,x.query,\"[[8, 512, 1024]]\",\"(8, 512, 1024)\",torch.float32,0.5,1.0,0\n"
      "B,r,q,x.query,\"[[8, 512, 1024]]\",\"(8, 512, 1024)\",torch.float32,0.5,1.0,0\n");
  REQUIRE(two.diagnostics.list.size() == 1);
  CHECK(two.diagnostics.list[0].message == "rows of 'A' and of 'B'");
  CHECK(two.diagnostics.list[0].span.line == 3);
  CHECK(two.set.samples.empty());

  const Read wrong(
      "A,r,q,x.query,8,\"(8, 512, 1024)\",torch.float32,0.5,1.0,0\n"
      "A,r,q,x.query,\"[[8, 512, 1024]]\",\"(8, 512, 1024)\",torch.float32,-0.5,fast,0\n");
  REQUIRE(wrong.diagnostics.list.size() == 4);
  CHECK(wrong.diagnostics.list[0].message == "expected tensor shapes such as [[8, 512]]");
  CHECK(wrong.diagnostics.list[1].message == "expected 'fw_ms' above zero, got -0.5");
  CHECK(wrong.diagnostics.list[2].message == "expected a number in 'bw_ms', got 'fast'");
}
