// `--format html` through the command line: every command has a page.
#include <doctest/doctest.h>

#include <algorithm>
#include <sstream>

#include "tests/cli/harness.h"
#include "tests/dsl/folder.h"

namespace {

const std::string kPagesRoot = TRAINPLAN_SOURCE_DIR "/";

size_t occurrences(const std::string& text, const std::string& part) {
  size_t found = 0;
  for (size_t at = 0; (at = text.find(part, at)) != std::string::npos; at += part.size()) ++found;
  return found;
}

/// Without what its scripts and its style say.
std::string markup_of(std::string page) {
  for (const std::string element : {"script", "style"})
    for (size_t at = 0; (at = page.find("<" + element, at)) != std::string::npos;) {
      const std::string end = "</" + element + ">";
      page.erase(at, page.find(end, at) + end.size() - at);
    }
  return page;
}

}  // namespace

TEST_CASE("a page of each command is whole, says nothing that is no number, and takes nothing from elsewhere") {
  const std::vector<std::vector<std::string>> lines{
      {"plan", kPagesRoot + "scenarios/gpt3-175b.yaml"},
      {"plan", kPagesRoot + "scenarios/gpt3-175b.yaml", "--set", "parallelism.tp=5"},
      {"search", kPagesRoot + "scenarios/gpt3-175b-search.yaml", "--why", "tp=8"},
      {"search", "--from", kPagesRoot + "scenarios/llama3-70b-h100.yaml", "--set", "parallelism.tp=4"},
      {"compare", kPagesRoot + "scenarios/gpt3-175b.yaml", kPagesRoot + "scenarios/llama3.1-405b-h100.yaml"},
      {"clusters", kPagesRoot + "scenarios/questions/layout-of-70b.yaml", "--on", "dgx-h100,p5"},
      {"ops", kPagesRoot + "scenarios/gpt3-175b.yaml"},
      {"comm", kPagesRoot + "scenarios/gpt3-175b.yaml"},
      {"roadmap", kPagesRoot + "scenarios/gpt3-175b.yaml", "--set", "roadmap=[flop-vs-bw]"},
      {"scale", kPagesRoot + "scenarios/scaling/cifar10-resnet50.csv"},
      {"list", "accelerator"},
      {"show", "h100"},
      {"check", kPagesRoot + "scenarios/gpt3-175b.yaml"},
  };
  for (std::vector<std::string> words : lines) {
    words.insert(words.end(), {"--format", "html", "--quiet"});
    CAPTURE(words[0]);
    const Ran page = ran(words);
    CHECK((page.status == 0 || page.status == 3));
    CHECK(page.out.starts_with("<!doctype html>\n"));
    CHECK(page.out.ends_with("</html>\n"));
    CHECK_FALSE(has_nan(markup_of(page.out)));
    for (const char* element : {"table", "thead", "tbody", "tr", "th", "td", "section", "details", "figure", "p", "h2"})
      CHECK_MESSAGE(occurrences(page.out, std::string("<") + element + ">") +
                            occurrences(page.out, std::string("<") + element + " ") ==
                        occurrences(page.out, std::string("</") + element + ">"),
                    element);
    for (const char* part : {"src=", "href=", "@import", "url("}) CHECK(page.out.find(part) == std::string::npos);
    CHECK(page.out.find("trainplan " + words[0]) != std::string::npos);
  }
}

TEST_CASE("a page shows the file that was read as it is, and its command as a shell reads it") {
  TestFolder folder;
  const std::string text =
      "model: {use: llama3-8b}  # \"a < b\" & more\njob: {sequence: 8192, global_batch: 64}\n"
      "cluster: {use: dgx-h100, gpus: 64}\nparallelism: {tp: 8}\n";
  const std::string file = folder.add("my run.yaml", text);
  const Ran page = ran({"plan", file, "--format", "html", "--quiet"});
  CHECK(page.out.find("trainplan plan '" + file + "' --format html --quiet") != std::string::npos);
  CHECK(page.out.find("# &quot;a &lt; b&quot; &amp; more\njob: {sequence: 8192, global_batch: 64}\n") !=
        std::string::npos);
}

TEST_CASE("rows that are picked are those of the page's table") {
  const std::string file = kPagesRoot + "scenarios/gpt3-175b.yaml";
  const Ran page = ran({"ops", file, "--columns", "name,seconds", "--top", "3", "--format", "html", "--quiet"});
  CHECK(page.status == 0);
  CHECK(page.out.find("\"count\":3,\"columns\":[{\"of\":[") != std::string::npos);
  CHECK(ran({"list", "accelerator", "--format", "html"}).out.find("data-name=\"name\"") != std::string::npos);
}
