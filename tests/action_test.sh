#!/usr/bin/env bash
# Plays the steps of action/action.yml as a runner does: their `run` lines in a fresh repository, with the variables of a
# runner, a `gh` that keeps what it is asked, and no other environment.
# usage: tests/action_test.sh SOURCE_DIR TRAINPLAN; exit status 77: there is no git.
set -euo pipefail
command -v git >/dev/null || { echo 'no git: skipped'; exit 77; }
source=$(realpath "$1") program=$(realpath "$2")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
fail() { printf '%s\n' "$@"; exit 1; }

mkdir "$work"/{bin,temp,repository}
cat >"$work/bin/gh" <<'GH'
#!/usr/bin/env bash
printf '%s\n' "$*" >>"$GH_LOG"
case $* in
  *--paginate*) [[ ! -f $GH_COMMENT ]] || echo 7 ;;
  *POST* | *PATCH*) for word; do [[ $word != body=@* ]] || cp "${word#body=@}" "$GH_COMMENT"; done ;;
esac
GH
chmod +x "$work/bin/gh"

# step NAME VARIABLE=VALUE...: the step's own line, in the repository.
step() {
  local name=$1 line path=$work/bin:/usr/bin:/bin
  shift
  line=$(awk -v name="    - name: $name" '$0 == name { on = 1 } on && sub(/^      run: /, "") { print; exit }' "$source/action/action.yml")
  [[ -n $line ]] || fail "action.yml has no step $name"
  [[ ! -f $work/path ]] || path=$(<"$work/path"):$path
  line=${line#\'} line=${line%\'}
  (cd "$work/repository" && env -i PATH="$path" HOME="$work" GITHUB_ACTION_PATH="$source/action" RUNNER_TEMP="$work/temp" \
    GITHUB_PATH="$work/path" GITHUB_STEP_SUMMARY="$work/summary" GH_LOG="$work/gh.log" GH_COMMENT="$work/comment" \
    "$@" bash -c "$line") >"$work/out" 2>"$work/err"
}
git_() { git -C "$work/repository" -c user.name=a -c user.email=a@b "$@"; }

git_ init --quiet
run=$work/repository/runs/a.yaml
mkdir "$work/repository/runs"
"$program" init llama3-8b dgx-h100 >"$run" 2>/dev/null
git_ add . && git_ commit --quiet -m base
base=$(git_ rev-parse HEAD)

step Install PROGRAM= && fail 'a program that is not there is found'
grep -q '::error::trainplan is not in PATH' "$work/out" || fail 'nothing says what is missing'
step Install PROGRAM="$program"
step Check SCENARIOS='runs/*.yaml' || fail 'a good scenario fails' "$(<"$work/out")"
step Assert SCENARIOS='runs/*.yaml' || fail 'a good scenario fails' "$(<"$work/out")"

# A mistake is beside its line.
printf 'model: {use: llama3-8b}\njob: {sequnce: 1}\n' >"$work/repository/runs/b.yaml"
step Check SCENARIOS='runs/*.yaml' && fail 'a mistake passes'
grep -q '^::error file=runs/b.yaml,line=2,col=7::' "$work/out" || fail 'the mistake has no place' "$(<"$work/out")"
rm "$work/repository/runs/b.yaml"
step Check SCENARIOS='none/*.yaml' && fail 'a pattern without files passes'
grep -q '::error::no file matches' "$work/out"

# An assertion that does not hold.
sed '$a assert: mfu > 0.99' "$run" >"$work/repository/runs/c.yaml"
step Assert SCENARIOS='runs/*.yaml' && fail 'a broken assertion passes'
grep -q '^::error file=runs/c.yaml::.*does not hold' "$work/out" || fail "$(<"$work/out")"
rm "$work/repository/runs/c.yaml"

# Without a change there is nothing to say.
step Compare SCENARIOS='runs/*.yaml' BASE="$base"
step Comment GH_TOKEN=t REPOSITORY=a/b PULL_REQUEST=3
[[ ! -f $work/comment ]] || fail 'a comment about nothing'

# A change, and a new file: one comment, which the next run writes anew.
sed -i -E 's/^( *)global_batch: [0-9]+/\1global_batch: 512/' "$run"
cp "$run" "$work/repository/runs/new.yaml"
step Compare SCENARIOS='runs/*.yaml' BASE="$base" || fail "$(<"$work/err")"
step Comment GH_TOKEN=t REPOSITORY=a/b PULL_REQUEST=3
grep -q '^### runs/a.yaml$' "$work/comment" || fail 'the change is missing' "$(<"$work/comment")"
grep -q '^### runs/new.yaml (new)$' "$work/comment" || fail 'the new file is missing'
cmp -s "$work/temp/trainplan.md" "$work/summary" || fail 'the summary is another text'
step Comment GH_TOKEN=t REPOSITORY=a/b PULL_REQUEST=3
grep -q 'PATCH repos/a/b/issues/comments/7' "$work/gh.log" || fail 'a second comment' "$(<"$work/gh.log")"
[[ $(git_ worktree list | wc -l) -eq 1 ]] || fail 'the base is left behind'
