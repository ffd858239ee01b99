#!/usr/bin/env bash
# tests/layering.sh accepts this tree and refuses each kind of wrong include.
# usage: tests/layering_test.sh SOURCE_DIR
set -euo pipefail
source=$1
tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT
mkdir -p "$tree"/{dsl,hw_profiles,operator_models,planner/{plan,scaling,unpack,studies/{comm,runs}},cli/{args,report,render,commands},tests}

"$source/tests/layering.sh" "$source"

# refuses FILE LINE WORDS: with LINE in FILE the check fails and says WORDS.
refuses() {
  local out
  printf '%s\n' "$2" >"$tree/$1"
  if out=$("$source/tests/layering.sh" "$tree"); then echo "accepted in $1: $2"; exit 1; fi
  if [[ $out != *"$1"*"$3"* ]]; then echo "unclear about $1: $2: $out"; exit 1; fi
  rm "$tree/$1"
}
refuses dsl/a.h '#include "hw_profiles/types.h"' 'may include only dsl'
refuses planner/plan/a.cc '#include "cli/report.h"' 'may include only dsl, hw_profiles, operator_models, planner'
refuses operator_models/a.cc '#  include "planner/plan/plan.h"' 'may include only'
refuses cli/report/a.cc '#include "report.h"' 'may include only'
refuses planner/plan/a.cc '#include <yaml-cpp/yaml.h>' 'allowed in dsl'
refuses dsl/a.h '#include <fmt/format.h>' 'allowed in'
refuses dsl/a.h '#include <boost/spirit/home/x3.hpp>' 'allowed in'
refuses planner/plan/a.cc '#include <boost/config.hpp>' 'not a header of'
refuses cli/commands/a.cc '#include <boost/beast/http.hpp>' 'allowed in'
refuses planner/plan/a.cc '#include <toml++/toml.h>' 'allowed in dsl'
refuses planner/plan/a.cc '#include <CLI/CLI.hpp>' 'allowed in cli'
refuses planner/plan/a.cc '#include <nlohmann/json.hpp>' 'allowed in cli'
refuses planner/plan/a.cc '#include <zlib.h>' 'allowed in planner/unpack'
refuses planner/a.cc '' 'is in no room'
refuses planner/scaling/a.h '#include "planner/plan/plan.h"' 'may include only the rooms unpack, shell, python, trace, scaling'
refuses planner/studies/comm/a.h '#include "planner/studies/runs/run.h"' 'no study includes another'
refuses cli/a.cc '' 'is in no room'
refuses cli/render/a.h '#include "cli/commands/commands.h"' 'may include only the rooms args, svg, report, input, render'
refuses cli/commands/a.cc '#include <CLI/App.hpp>' 'allowed in cli/args'
refuses cli/report/a.cc '#include <nlohmann/json.hpp>' 'allowed in cli/render'
printf '#include "planner/plan/b.h"\n' >"$tree/planner/plan/a.h"
refuses planner/plan/b.h '#include "planner/plan/a.h"' 'include each other'
rm "$tree/planner/plan/a.h"
# A circle of three, of which no two headers include each other.
printf '#include "planner/plan/b.h"\n' >"$tree/planner/plan/a.cc"
printf '#include "planner/plan/c.h"\n' >"$tree/planner/plan/b.cc"
printf '#include "planner/plan/a.h"\n' >"$tree/planner/plan/c.h"
if out=$("$source/tests/layering.sh" "$tree"); then echo 'accepted: a circle of three'; exit 1; fi
[[ $(grep -c 'in a circle of headers' <<<"$out") -eq 3 ]] || { echo "unclear about a circle: $out"; exit 1; }
rm "$tree"/planner/plan/{a,b}.cc "$tree/planner/plan/c.h"
refuses cli/report/a.cc '#include <curl/curl.h>' 'not a header'

printf '#include <boost/spirit/home/x3.hpp>\n' | tee "$tree/dsl/one.cc" >"$tree/dsl/two.cc"
if "$source/tests/layering.sh" "$tree" >/dev/null; then echo 'accepted: boost in two files'; exit 1; fi
