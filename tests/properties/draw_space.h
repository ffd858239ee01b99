// Random spaces: scenarios with open fields, of a machine whose memory holds some of the candidates and not others.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "tests/properties/random.h"

namespace properties {

/// Draws spaces one after the other, so that every field of the schema is open in one of any sixty.
class SpaceDrawer {
 public:
  explicit SpaceDrawer(uint64_t seed);

  /// Returns the next space as the text of a file.
  std::string next();

  /// Returns fields that no space opened, whatever was tried.
  const std::vector<std::string>& refused() const { return refused_; }
  /// Returns whether each of the other fields was open once.
  bool is_round() const { return rounds_ > 1 || waiting_.empty(); }

 private:
  struct Base;
  struct Choice;
  Base draw_base(Random& random);
  static std::optional<Choice> choice_of(const Base& base, const std::string& field, Random& random);
  bool open_waiting(Base& base, Random& random);
  void deal();
  void put_off();

  uint64_t seed_, drawn_ = 0, rounds_ = 0;
  std::vector<std::string> waiting_;  // those that no space of this round has opened
  std::map<std::string, int> put_off_;
  std::vector<std::string> refused_;
};

/// Returns the text of a scenario file with a few values of each of its choices: some `most` combinations.
std::string cut_space(const std::filesystem::path& file, double most, Random& random);

}  // namespace properties
