#include "tests/cli/golden.h"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "tests/cli/harness.h"

namespace fs = std::filesystem;

namespace {

const fs::path kSource = fs::canonical(TRAINPLAN_SOURCE_DIR);

fs::path golden_file(const std::string& name) { return kSource / "tests/golden" / (name + ".txt"); }

std::string read(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// The end of a number that starts at `i`: digits, a point, an exponent.
size_t number_end(const std::string& text, size_t i) {
  auto digit = [&](size_t at) { return at < text.size() && std::isdigit(static_cast<unsigned char>(text[at])); };
  while (digit(i)) ++i;
  if (i < text.size() && text[i] == '.' && digit(i + 1))
    for (++i; digit(i);) ++i;
  size_t exponent = i + 1 < text.size() && (text[i + 1] == '+' || text[i + 1] == '-') ? i + 2 : i + 1;
  if (i < text.size() && text[i] == 'e' && digit(exponent))
    for (i = exponent; digit(i);) ++i;
  return i;
}

/// The first line on which two texts differ.
std::string difference(const std::string& a, const std::string& b) {
  auto [x, y] = std::mismatch(a.begin(), a.end(), b.begin(), b.end());
  auto line = [](const std::string& text, auto at) {
    size_t offset = static_cast<size_t>(at - text.begin());
    size_t start = text.rfind('\n', offset ? offset - 1 : 0);
    start = start == std::string::npos ? 0 : start + 1;
    return text.substr(start, text.find('\n', start) - start);
  };
  return "golden: " + line(a, x) + "\nnow:    " + line(b, y);
}

}  // namespace

std::vector<std::string> scenario_names() {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(kSource / "scenarios"))
    if (entry.path().extension() == ".yaml") names.push_back(entry.path().stem().string());
  std::sort(names.begin(), names.end());
  return names;
}

std::string golden_text(const std::string& name) {
  // The name as a user at the root of the sources would write it, whatever the working directory.
  std::string file = (kSource / "scenarios" / (name + ".yaml")).string();
  Ran table = ran({"plan", "--pick", "first", file}), json = ran({"plan", "--pick", "first", "--format", "json", file});
  std::string text = fmt::format("exit status {}\n\n{}\n{}", table.status, table.out + table.err, json.out);
  if (read(file).find("\nroadmap:") != std::string::npos) {
    const Ran roadmap = ran({"roadmap", file}, "", 160);
    text += fmt::format("\nroadmap: exit status {}\n\n{}", roadmap.status, roadmap.out + roadmap.err);
  }
  for (const std::string root = kSource.string() + "/"; text.find(root) != std::string::npos;)
    text.erase(text.find(root), root.size());
  return four_digit_numbers(text);
}

std::string four_digit_numbers(const std::string& text) {
  std::string out;
  for (size_t i = 0; i < text.size();) {
    bool inside_word =
        i > 0 && (std::isalnum(static_cast<unsigned char>(text[i - 1])) || text[i - 1] == '_' || text[i - 1] == '.');
    size_t end = number_end(text, i);
    if (end == i || inside_word) {
      out += text[i++];
      continue;
    }
    std::string number = text.substr(i, end - i), rounded = fmt::format("{:.4g}", std::strtod(number.c_str(), nullptr));
    bool is_figure = number.find_first_of(".e") != std::string::npos || number.size() > 15;
    out += is_figure ? rounded : number;  // counts stay exact
    i = end;
  }
  return out;
}

void update_goldens() {
  std::vector<std::string> names = scenario_names();
  for (const auto& entry : fs::directory_iterator(kSource / "tests/golden"))
    if (entry.path().extension() == ".txt" && !std::count(names.begin(), names.end(), entry.path().stem().string()))
      fs::remove(entry.path());
  for (const std::string& name : names) std::ofstream(golden_file(name), std::ios::binary) << golden_text(name);
}

TEST_CASE("every scenario plans as its golden file says") {
  for (const std::string& name : scenario_names()) {
    std::string golden = read(golden_file(name)), now = golden_text(name);
    bool same = golden == now;  // not in CHECK, which would print both
    CHECK_MESSAGE(same, "tests/golden/" << name << ".txt differs (./dev golden --update writes it)\n"
                                        << difference(golden, now));
  }
}

TEST_CASE("every scenario's resolved form plans to the same bytes") {
  for (const std::string& name : scenario_names()) {
    std::string file = (kSource / "scenarios" / (name + ".yaml")).string();
    Ran first = ran({"plan", "--pick", "first", "--format", "json", file});
    Ran again = ran({"plan", "--format", "json", "-"}, resolved_scenario(first.out));
    CAPTURE(name);
    CHECK(again.status == first.status);
    const std::string one = all_but_unwritten(first.out), two = all_but_unwritten(again.out);
    bool same = one == two;
    CHECK_MESSAGE(same, difference(one, two));
  }
}

TEST_CASE("a golden number has four significant digits, a count all of its own") {
  CHECK(four_digit_numbers("12.34567 s, 1536 calls") == "12.35 s, 1536 calls");
  CHECK(four_digit_numbers("{\"seconds\": 1.23456789e-05}") == "{\"seconds\": 1.235e-05}");
  CHECK(four_digit_numbers("gpt3-175b a100 v1.23456") == "gpt3-175b a100 v1.23456");
  CHECK(four_digit_numbers("1e21 0.75 1-6") == "1e+21 0.75 1-6");
}
