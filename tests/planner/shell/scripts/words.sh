# Quotes, variables, lists, operations on them, arithmetic: each command prints its words.
run 'b c' "d e" f\ g ''
run a'b'"c"d
run a \
  b # no
N=8; A="--a 1 --b"; run $N ${N} x${N}y "$N" $A "$A"
A=" x "; run a${A}b
E=; run $E "$E" end
A=(
 --x 1 # one
 --y '2 3'
)
run "${A[@]}" "${A[*]}"
A+=(b c); B=x; B+=y; run "${A[@]}" $B ${#A[@]} ${#B} ${A[1]}
declare -A M=([1B]="16 2048" [7B]=32); S=1B; run ${M[$S]} "${M[7B]}"
M[9B]=77; run ${M[9B]}
run ${X:-7} "${X:-"a b"}" ${X:=5} $X ${X:+yes} ${NO:+yes}
f=path/to/model.tar.gz; run ${f##*/} ${f%.*} ${f%%.*} ${f#*/} ${f/to/from} ${f//t/T} ${f^^} ${f:5:2} ${f: -2}
run $((7/2*2)) $((1<<4)) $(( (N+1) * 2 )) $((N>4?1:2)) $((2**10)) $((010)) $((0x1f)) $((-7%3))
((N+=2)); run $N; let N=N*2; run $N
