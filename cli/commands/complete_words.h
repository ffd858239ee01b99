// What shells offer behind the words that somebody has typed (`trainplan __complete`, which their scripts call).
#pragma once

#include <string>
#include <vector>

#include "cli/args/streams.h"

namespace cli {

/// Prints the words that a shell may offer after `trainplan WORDS...`, one a line: commands, flags, names. Of `COMMAND
/// FLAG TYPED`: values of the flag.
int complete_words(const std::vector<std::string>& words, Streams& streams);

}  // namespace cli
