# A file of each kind in the catalogue, behind the name of its kind; the shortest of them, so that many are read a second.
set -euo pipefail
seed() { # KIND FOLDER
  find "$2" -maxdepth 1 -name '*.yaml' -size -6k | LC_ALL=C sort | awk 'NR % 4 == 1' | while IFS= read -r file; do
    { echo "$1"; cat "$file"; } >"$folder/$1-$(basename "$file")"
  done
}
folder=$1
seed accelerator hw_profiles/accelerators
seed cluster hw_profiles/clusters
seed roadmap hw_profiles/roadmaps
seed calibration operator_models/calibrations
seed model scenarios/models
seed software scenarios/software
seed scenario scenarios
"$3" list scenario-field --format tsv --columns path | sed 1d | tr '.' '\n' | sed 's/\[\]//; s/.*/"&: "/' |
  sort -u >"$2"
