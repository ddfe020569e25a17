#!/bin/sh
# Shows Cupola at work on Peterson's lock. Usage: demo.sh PATH-OF-CUPOLA
set -u
cupola=$1
program=examples/peterson.cup

show() {
  printf '\n$ cupola %s\n' "$*"
  "$cupola" "$@"
  printf '(exit code %s)\n' "$?"
}

echo "Peterson's lock, with optional fences a, b and c:"
cat "$program"

echo
echo "Under PSO without fences, both threads enter the critical section:"
show explore "$program" --model pso --fences none

echo
echo "With a and b in place, every execution is safe:"
show explore "$program" --model pso --fences a,b

echo
echo "The same program for SC, with its store buffers as variables (first lines):"
printf '\n$ cupola translate %s --model pso -k 2 | head -40\n' "$program"
"$cupola" translate "$program" --model pso -k 2 | head -40
