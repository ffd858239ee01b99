# Measurements of formulas at a few points, for each modeler, of one parameter and of two; the samples of the readers' tests.
set -euo pipefail
folder=$1
one() { awk "BEGIN { print \"PARAMETER p\nPOINTS 2 4 8 16 32 64\nREGION main\nMETRIC time\"; for (p = 2; p <= 64; p *= 2) print \"DATA\", $1, 1.01 * ($1) }"; }
two() { awk "BEGIN { print \"PARAMETER p\nPARAMETER n\"; s = \"POINTS\"; for (p = 2; p <= 16; p *= 2) for (n = 1; n <= 3; n++) s = s \" ( \" p \" \" n \" )\"
  print s \"\nREGION main\nMETRIC time\"; for (p = 2; p <= 16; p *= 2) for (n = 1; n <= 3; n++) print \"DATA\", $1 }"; }
for modeler in basic refining segmented; do
  i=0
  for formula in '3 + 2 * p' '100 / p' '5' 'p * p * log(p)' '(p > 8 ? 100 - p : p)'; do
    i=$((i + 1))
    { echo "$modeler"; one "$formula"; } >"$folder/$modeler-$i"
  done
  { echo "$modeler"; two '1 + 2 * p * n'; } >"$folder/$modeler-two"
done
