#!/usr/bin/env bash
# How many models of Extra-P's sample files `scale` finds as Extra-P does, by the defaults of both: the same terms,
# coefficients within 1e-6. Prints those that differ, then the count.
# usage: tests/accuracy/scaling.sh TRAINPLAN DATA    (DATA: the folder that holds index.json)
set -euo pipefail
trainplan=$(realpath "$1")
cd "$2"

# One line a model: key, constant, terms as {"p^a*log^b": coefficient}; exponents as Extra-P writes them are fractions.
theirs='[.runs[] | select((.modeler | IN("Basic", "Multi-Parameter")) and .measure == "mean" and ((.options // {}) | length == 0))][0].models[]
  | {key: [.callpath, .metric], constant: .function.constant,
     terms: [.function.terms[] | {key: ([.factors[] | "\(.param) \(.type) \(.exponent | tostring | split("/") | map(tonumber) | .[0] / (.[1] // 1) * 1e6 | round)"] | sort | join(";")), value: .coefficient}] | from_entries}'
ours='.models[] | {key: [.callpath, .metric], constant,
     terms: [.terms[] | {key: ([.factors | to_entries[] | .key as $p | .value
       | (select(.exponent != 0) | "\($p) polynomial \(.exponent * 1e6 | round)"), (select(.log2_exponent != 0) | "\($p) logarithm \(.log2_exponent * 1e6 | round)")] | sort | join(";")), value: .coefficient}] | from_entries}'
same='def near($a; $b): (($a - $b) | fabs) <= 1e-6 * ([($a | fabs), ($b | fabs)] | max);
  (.[0].terms | keys) == (.[1].terms | keys) and near(.[0].constant; .[1].constant)
  and (. as [$a, $b] | all($a.terms | keys[]; near($a.terms[.]; $b.terms[.])))'

while IFS=$'\t' read -r file expected; do
  jq -n --slurpfile a <(jq -c "$theirs" "$expected") \
    --slurpfile b <("$trainplan" scale "$file" --format json --quiet | jq -c "$ours") --arg file "$file" -r '
    $a[] as $x | [$b[] | select(.key == $x.key)] as $found
    | if ($found | length) == 1 and ([$x, $found[0]] | '"$same"') then "same" else "\($file): \($x.key | join(", "))" end'
done < <(jq -r '.[] | select(.read_error == null) | [.file, .expected] | @tsv' index.json) |
  awk '$0 == "same" { ++same; next } { print; ++other } END { printf "%d of %d models are the same\n", same, same + other }'
