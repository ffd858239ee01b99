// libFuzzer: a ZIP archive as an experiment of Extra-P. Other bytes are made into an archive: a line in which 'd' means
// deflated and 'w' 64-bit numbers, the text of experiment.json, a line "==", and a line of numbers for each array next
// to it.
#include <sstream>

#include "tests/fuzz/experiment.h"
#include "tests/planner/scaling/archive_sample.h"

namespace {

std::string archive_of(std::string text) {
  using archive_sample::Numbers;
  const std::string flags = fuzz::take_line(text);
  const bool deflated = flags.find('d') != std::string::npos, wide = flags.find('w') != std::string::npos;
  const size_t end = text.find("\n==\n");
  std::istringstream lines(end == std::string::npos ? "" : text.substr(end + 4));
  std::vector<std::string> arrays;
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::vector<double> values;
    for (double value; words >> value;) values.push_back(value);
    arrays.push_back(archive_sample::npy(values));
  }
  std::vector<archive_sample::Member> members = archive_sample::stored_values(arrays);
  members.push_back({"experiment.json", text.substr(0, end), deflated});
  return archive_sample::zip(members, 8, wide ? Numbers::wide : Numbers::plain);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  std::string text = fuzz::text_of(data, size);
  fuzz::read_experiment("a.extra-p", text.starts_with("PK") ? text : archive_of(text));
  return 0;
}
