// trainplan_tests [--update-golden] [doctest's own options]
//
// --update-golden writes tests/golden/ anew from scenarios/ before the tests run.
#define DOCTEST_CONFIG_IMPLEMENT
#include <doctest/doctest.h>

#include <cstring>

#include "tests/cli/golden.h"

int main(int argc, char** argv) {
  doctest::Context context(argc, argv);
  for (int i = 1; i < argc; ++i)
    if (std::strcmp(argv[i], "--update-golden") == 0) update_goldens();
  return context.run();
}
