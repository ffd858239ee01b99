// `check` accepts what `search` walks, and refuses what has no combination at all.
#include <doctest/doctest.h>

#include "tests/cli/harness.h"
#include "tests/cli/sample_files.h"
#include "tests/dsl/folder.h"

namespace {

/// `trainplan check` of a scenario with these choices, and whether a search of it costs a candidate.
Ran checked(const std::string& parallelism, bool& walked) {
  const TestFolder folder;
  const std::string file = folder.add("a.yaml", R"(model: {use: gpt3-125m}
job: {sequence: 2048, global_batch: 256, precision: bf16}
cluster: {use: dgx-a100-80gb, gpus: [12, 24]}
parallelism: {auto: false, )" + parallelism + "}\n");
  walked = !holds(ran({"search", file}).out, " 0 costed");
  return ran({"check", file});
}

}  // namespace

TEST_CASE("the first values of all choices need not go together") {
  for (const char* parallelism :
       {"microbatch: divisors(job.global_batch / dp), tp: [1, 2, 3]",
        "dp: [3, 4], tp: [3], microbatch: 'divisors(job.global_batch / dp)'",
        "microbatch: job.global_batch / dp, tp: [1, 3]", "microbatch: job.global_batch / 5 / dp, tp: [1, 3]"}) {
    CAPTURE(parallelism);
    bool walked = false;
    const Ran r = checked(parallelism, walked);
    CHECK_MESSAGE((r.status == 0) == walked, r.err);
    if (!walked) CHECK(holds(r.err, "microbatch"));
  }
}
