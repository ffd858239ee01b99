// What profiling a few steps saves, on the page of scaling models and in its document.
#include <doctest/doctest.h>

#include <nlohmann/json.hpp>
#include <sstream>

#include "cli/pages/scale_report.h"
#include "cli/render/render.h"

namespace {

cli::Scaled sampled() {
  cli::Scaled scaled;
  scaled.models.parameters = {"ranks"};
  scaled.sampling = {
      {.point = {2}, .profiled_seconds = 6, .epoch_seconds = 60, .epochs = 2, .saved = 0.95},
      {.point = {4}, .profiled_seconds = 6, .epoch_seconds = 30, .epochs = 2, .saved = 0.9},
  };
  return scaled;
}

std::string rendered(const cli::Scaled& scaled, const std::string& format) {
  std::ostringstream out;
  cli::render(cli::scale_report("runs", scaled), format, {}, out);
  return out.str();
}

}  // namespace

TEST_CASE("scale: the saving of sampled steps is a table of the page and rows of the document") {
  const auto document = nlohmann::json::parse(rendered(sampled(), "json"));
  REQUIRE(document["sampling"].size() == 2);
  const auto& first = document["sampling"][0];
  CHECK(first["point"] == nlohmann::json::array({2}));
  CHECK(first["profiled_seconds"] == 6);
  CHECK(first["epochs"] == 2);
  CHECK(first["epoch_seconds"] == 60);
  CHECK(first["saved"] == 0.95);
  const std::string page = rendered(sampled(), "table");
  for (const char* part : {"What profiling a few steps saves", "a whole epoch", "95.0 %", "90.0 %"})
    CHECK_MESSAGE(page.find(part) != std::string::npos, page);
}

TEST_CASE("scale: without profiles of marked steps nothing is said of sampling") {
  cli::Scaled scaled = sampled();
  scaled.sampling.clear();
  CHECK(!nlohmann::json::parse(rendered(scaled, "json")).contains("sampling"));
  CHECK(rendered(scaled, "table").find("profiling") == std::string::npos);
}
