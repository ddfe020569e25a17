#!/bin/sh
# Shows Cupola at work. Usage: demo.sh PATH-OF-CUPOLA
set -u
cupola=$1

show() {
  printf '\n$ cupola %s\n' "$*"
  "$cupola" --quiet "$@"
  printf '(exit code %s)\n' "$?"
}

echo "Peterson's lock, with optional fences a, b and c:"
echo
cat examples/peterson.cup

echo
echo "Without fences, under PSO, both threads enter the critical section:"
show explore examples/peterson.cup --model pso --fences none

echo
echo "The same program under SC, its store buffers told by locals (the first lines):"
printf '\n$ cupola translate examples/peterson.cup --model pso -k 2 | head -40\n'
"$cupola" translate examples/peterson.cup --model pso -k 2 | head -40

echo
echo "With the fences that the file places, every execution is safe under every model:"
show verify examples/peterson.cup --model all

echo
echo "So is the bakery lock, whose tickets grow without bound:"
show verify examples/bakery.cup --model all
