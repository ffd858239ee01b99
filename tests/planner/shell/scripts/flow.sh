# Loops, conditions, functions, subshells, texts: each command prints its words.
N=21 S=1B f=path/to/model.tar.gz
A=(--x 1 b c)
i=0; while [ $i -lt 3 ]; do run i=$i; i=$((i+1)); done
for ((k=0;k<2;k++)); do run k $k; done
for x in a b "c d"; do for y in 1 2; do [[ $y == 2 ]] && continue; run $x $y; done; done
case $S in 7B|8B) run no;; 1*) run one;; *) run other;; esac
case "x" in x) run first ;; x) run second;; esac
if [[ $S == 1B && ( 1 -eq 2 || -n "$S" ) ]]; then run and; else run notand; fi
if [ "$S" = "1B" -a $N -gt 3 ]; then run dash; fi
[ -z "$EMPTY" ] && run empty || run notempty
[[ abc =~ ^a.c$ ]] && run rx
! [ a = b ] && run neg
g() { local q=$1; shift; run g $q "$@" $#; return 0; run never; }
g 1 2 "3 4"
function h { run h $1; }
h z
X=top; (X=sub; run $X); run $X
Y=$(echo hello world); run $Y "$Y" `echo bq`
Z=$(g2() { echo in; }; g2); run $Z
eval "run 'x y' z"
c="run 1 '2 3'"; eval $c
bash_c=1
cat <<EOT > /dev/null
run notacommand $N
EOT
run after 2>&1

V='single $N'; run "$V"
unset V; run "${V-unset}"
set -- p q; run $1 $2 $# "$@"
shift; run $1
readonly R=5; export P=6 Q=7; run $R $P $Q
run ${P}${Q} "$P-$Q"
K=P; run ${!K}
run $'a\tb'
if false; then run f; elif true; then run elif; else run e; fi
until true; do run u; done
run a"b c"d$'e'
W="a   b"; run $W "$W"
true && { run grp; run grp2; }
L="1,2,3"; run ${L//,/ }
for i in {1..3} {8..2..3} x{a,b}y; do run $i; done
run {a,b}{1,2} "{a,b}" {single} ${A[@]:1:2} pre{$N,z}
sl() { run "${@:2}"; }; sl a b c

f() { local N=1 M; M=2; run $N $M; }
M=8; f; run $N $M
srun a bash -c "srun b bash -c 'run nested'"
