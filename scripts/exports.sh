#!/usr/bin/env bash
# Holds what `cupola export` prints against the tools that it is for: Spin, gcc, Z3 and Graphviz.
#
#   scripts/exports.sh CUPOLA [short]
#
# Every finite example, and every program of tests/programs/export, is exported under each model with each placement of fences that its header has a verdict for, and
# Spin must give that verdict, with the smallest buffers that suffice. gcc compiles every C export without warnings, and
# runs it. Z3 decides the clauses of the small examples. `dot` draws every graph. `short` does a few examples only.
set -euo pipefail

cupola=$(realpath "$1")
short=${2:-}
cd "$(dirname "$0")/.."
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# The longest time for one search of Spin, and for one question to Z3, in seconds of the processor.
SPIN_SECONDS=${SPIN_SECONDS:-120}
Z3_SECONDS=${Z3_SECONDS:-600}
# The most entries of a buffer that are tried.
LONGEST=6

# Examples whose clauses Z3 decides quickly, under SC.
CLAUSES="burns dekker_simple litmus_2_2w litmus_corr litmus_iriw litmus_lb litmus_mp litmus_r litmus_s litmus_sb
  intra_thread_coherence pldi2011_fig6 unsoundness"

failures=0
complain() { echo "FAILED: $*"; failures=$((failures + 1)); }

needed() {
  for tool in spin gcc z3 dot; do
    command -v "$tool" > /dev/null || { echo "$tool is missing; make exports installs it"; exit 1; }
  done
}

# Runs a command for at most so many seconds of the processor.
limited() { (ulimit -t "$1" && shift && "$@"); }

finite() { grep -L '^// explore: infinite' examples/*.cup tests/programs/export/*.cup; }

files() { for name in "$@"; do echo "examples/$name.cup"; done; }

# The verdicts of the header, as lines `model fences verdict`.
expected() {
  grep -m1 '^// expect:' "$1" | sed 's,^// expect: ,,' | tr ' ' '\n' |
    sed -E 's/^([a-z]+)\{([^}]*)\}=/\1 \2 /; s/^([a-z]+)=/\1 none /'
}

# What Spin says of a Promela file: safe, violated, overflow, or what went wrong.
ask_spin() {
  local model=$1 flags=${2:-}
  rm -rf "$work/spin" && mkdir "$work/spin"
  (
    cd "$work/spin"
    # shellcheck disable=SC2086
    spin $flags -a "$model" > spin.log 2>&1 || { echo "not accepted: $(head -1 spin.log)"; exit; }
    gcc -O1 -w -DSAFETY -DNOREDUCE -DCOLLAPSE -DVECTORSZ=8192 -DMEMLIM=3000 -o pan pan.c 2> gcc.log ||
      { echo "not compiled: $(head -1 gcc.log)"; exit; }
    limited "$SPIN_SECONDS" ./pan -m5000000 -w22 > pan.log 2>&1 || true
    if grep -q 'assertion violated buffers_suffice' pan.log; then echo overflow
    elif grep -q 'assertion violated .*2147\|assertion violated .*>=' pan.log; then echo "a value out of range"
    elif grep -q 'assertion violated' pan.log; then echo violated
    elif grep -q 'invalid end state' pan.log && grep -q 'errors: [1-9]' pan.log; then echo "an invalid end state"
    elif grep -q 'max search depth too small\|search depth' pan.log && grep -q 'error: max' pan.log; then echo "too deep"
    elif grep -q 'errors: 0' pan.log && ! grep -q 'out of memory\|Search not completed' pan.log; then
      echo "safe $(sed -n 's/^ *\([0-9.e+]*\) states, stored.*/\1/p' pan.log)"
    else echo "too large"
    fi
  )
}

spin_example() {
  local file=$1 name model fences verdict
  name=$(basename "$file" .cup)
  while read -r model fences verdict; do
    local k answer found="" flags=""
    if [ "$verdict" = violated ]; then flags=-DCUT_OVERFLOW; fi
    for k in $(seq 1 $LONGEST); do
      "$cupola" export "$file" --to promela --model "$model" -k "$k" --fences "$fences" --quiet \
        > "$work/model.pml" || { complain "$name $model: not exported"; break; }
      answer=$(ask_spin "$work/model.pml" $flags)
      case "$verdict:$answer" in
        safe:safe*) found="k=$k, ${answer#safe } states"; break ;;
        violated:violated) found="k=$k"; break ;;
        safe:overflow) ;;
        violated:safe*) [ "$model" = sc ] && break ;;
        *) break ;;
      esac
      [ "$model" = sc ] && break
    done
    if [ -n "$found" ]; then
      printf '%-24s %-3s %-8s %-8s %s\n' "$name" "$model" "$fences" "$verdict" "$found"
    else
      complain "Spin: $name under $model with fences $fences should be $verdict, k=$k: $answer"
    fi
  done < <(expected "$file")
}

# The models that the header speaks of.
models() { expected "$1" | cut -d ' ' -f 1 | uniq | sort -u; }

c_example() {
  local file=$1 name model
  name=$(basename "$file" .cup)
  for model in $(models "$file"); do
    "$cupola" export "$file" --to c --model "$model" -k 2 --quiet > "$work/p.c"
    gcc -std=gnu11 -Wall -Wextra -Werror -c -o "$work/p.o" "$work/p.c" || complain "gcc: $name $model"
    gcc -std=gnu11 -Wall -Wextra -Werror -pthread -DCUPOLA_RUN -DCUT_OVERFLOW -o "$work/p" "$work/p.c" ||
      complain "gcc: $name $model, to run"
    [ -e "$work/p" ] || continue
    local code=0
    timeout 60 "$work/p" > "$work/p.log" || code=$?
    rm "$work/p"
    # Programs that are right under the fences that they declare are not found wrong; the others may be.
    if [ "$code" = 10 ]; then
      if expected "$file" | grep "^$model .* safe" > /dev/null; then
        complain "C: $name $model was run and is violated"
      fi
    elif [ "$code" != 0 ]; then
      complain "C: $name $model ended with $code"
    fi
  done
}

z3_example() {
  local file=$1 name verdict answer wanted=sat
  name=$(basename "$file" .cup)
  verdict=$(expected "$file" | sed -n 's/^sc none //p')
  if [ "$verdict" = violated ]; then wanted=unsat; fi
  "$cupola" export "$file" --to chc --quiet > "$work/p.smt2"
  answer=$(limited "$Z3_SECONDS" z3 "$work/p.smt2" | head -1 || true)
  printf '%-24s %s\n' "$name" "$answer"
  [ "$answer" = "$wanted" ] || complain "Z3: $name should be $wanted, is ${answer:-not decided}"
}

# Clauses of programs under TSO that are violated.
z3_violated() {
  local file=$1 name answer
  name=$(basename "$file" .cup)
  "$cupola" export "$file" --to chc --model tso --fences none -k 1 --quiet > "$work/p.smt2"
  answer=$(limited "$Z3_SECONDS" z3 "$work/p.smt2" | head -1 || true)
  printf '%-24s %s under TSO\n' "$name" "$answer"
  [ "$answer" = unsat ] || complain "Z3: $name should be unsat under TSO, is ${answer:-not decided}"
}

dot_example() {
  local file=$1 name model
  name=$(basename "$file" .cup)
  for model in $(models "$file"); do
    "$cupola" export "$file" --to dot --model "$model" --quiet > "$work/p.dot"
    dot -Tsvg -o /dev/null "$work/p.dot" || complain "dot: $name $model"
  done
}

dot_states() {
  local file=$1 name model
  name=$(basename "$file" .cup)
  for model in sc tso pso; do
    "$cupola" export "$file" --to dot --states 2000 --model "$model" --quiet > "$work/p.dot"
    dot -Tsvg -o /dev/null "$work/p.dot" 2> /dev/null || complain "dot: states of $name $model"
  done
}

needed
searched=$(finite)
all=$(ls examples/*.cup tests/programs/export/*.cup)
# shellcheck disable=SC2086
clauses=$(files $CLAUSES; ls tests/programs/export/*.cup)
if [ "$short" = short ]; then
  searched=$(files litmus_sb peterson unsoundness; ls tests/programs/export/atomic*.cup)
  all=$searched clauses=$(files litmus_sb litmus_lb; ls tests/programs/export/atomic*.cup)
fi
echo "== Spin"
for file in $searched; do spin_example "$file"; done
echo "== gcc"
for file in $all; do c_example "$file"; done
echo "== Z3"
for file in $clauses; do z3_example "$file"; done
z3_violated examples/litmus_sb.cup
echo "== dot"
for file in $all; do dot_example "$file"; done
dot_states examples/litmus_sb.cup
if [ "$failures" -gt 0 ]; then echo "$failures failed"; exit 1; fi
echo "all as expected"
