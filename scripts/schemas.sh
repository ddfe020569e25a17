#!/usr/bin/env bash
# Holds the files that other machines read to the schemas of their formats: SARIF 2.1.0 and JUnit. The schemas come with
# two public crates, which are fetched, not built. Usage: schemas.sh CUPOLA
set -euo pipefail
cupola=$(realpath "$1")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0

# The folder of a crate's sources.
sources() {
  mkdir -p "$work/fetch/src"
  touch "$work/fetch/src/lib.rs"
  printf '[package]\nname = "fetch"\nversion = "0.0.0"\nedition = "2021"\n[dependencies]\n"%s" = "=%s"\n[workspace]\n' "$1" "$2" \
    > "$work/fetch/Cargo.toml"
  rm -f "$work/fetch/Cargo.lock"
  cargo metadata --quiet --format-version 1 --manifest-path "$work/fetch/Cargo.toml" | /usr/bin/python3 -c '
import json, os, sys
print(*(os.path.dirname(p["manifest_path"]) for p in json.load(sys.stdin)["packages"] if p["name"] == sys.argv[1]))' "$1"
}

# Whether a file is as a JSON schema says.
json_valid() {
  /usr/bin/python3 - "$1" "$2" <<'PYTHON'
import json, sys
import jsonschema
schema, log = (json.load(open(path)) for path in sys.argv[1:])
validator = jsonschema.validators.validator_for(schema)
validator.check_schema(schema)
errors = list(validator(schema, format_checker=jsonschema.FormatChecker()).iter_errors(log))
for error in errors[:5]:
    print(f"{sys.argv[2]}: {list(error.absolute_path)}: {error.message[:200]}", file=sys.stderr)
sys.exit(bool(errors))
PYTHON
}

xml_valid() { xmllint --noout --nonet --schema "$1" "$2" 2>&1 | sed "s|$work/||" >&2; return "${PIPESTATUS[0]}"; }

# Runs a command, which may find something.
run() { "$cupola" --quiet "$@" > "$work/output" || case $? in 5|10) ;; *) echo "cupola $*: exit $?" >&2; failed=1 ;; esac; }

# What must pass, and what must not: a check that nothing fails would say nothing.
passes() { if "$@"; then checked=$((checked + 1)); else failed=1; fi; }
fails() { if "$@" 2> /dev/null; then echo "accepted, though it is wrong: $3" >&2; failed=1; else checked=$((checked + 1)); fi; }

sarif=$(sources serde-sarif 0.8.0)/src/schema.json
junit=$(sources junit-report 0.9.1)/tests/JUnit.xsd
grep -q 'sarif-schema-2.1.0.json' "$sarif"

mkdir -p "$work/odd names"
cp examples/litmus_sb.cup "$work/odd names/a&b <\"%é>.cup"
sed -i 's/^\/\/ expect:.*tso.*/\/\/ expect: sc=violated tso=violated pso=violated/' "$work/odd names/a&b <\"%é>.cup"
run test examples --filter litmus_ --junit "$work/passed.xml" --sarif "$work/passed.sarif"
run test tests/programs/regression --junit "$work/failed.xml" --sarif "$work/failed.sarif"
(cd "$work" && run test "odd names" --junit "$work/odd.xml" --sarif "$work/odd.sarif")
run verify examples/peterson.cup --fences none --sarif "$work/violated.sarif"
run verify examples/litmus_sb.cup "$work/odd names/a&b <\"%é>.cup" --fences none --sarif "$work/several.sarif"
run verify examples/bakery.cup --model sc --engine explore --explore-states 100 --sarif "$work/unknown.sarif"
run verify tests/litmus/sb.litmus --sarif "$work/litmus.sarif"
run explore examples/dekker.cup --model pso --fences none --sarif "$work/explored.sarif"
run explore examples/clh.cup --model sc --sarif "$work/safe.sarif"

checked=0
for file in "$work"/*.sarif; do passes json_valid "$sarif" "$file"; done
for file in "$work"/*.xml; do passes xml_valid "$junit" "$file"; done
grep -q '"codeFlows"' "$work/violated.sarif" || { echo "no execution in SARIF" >&2; failed=1; }
grep -q '<failure' "$work/failed.xml" || { echo "no failure in JUnit" >&2; failed=1; }

sed 's/"error"/"terrible"/' "$work/violated.sarif" > "$work/wrong"
fails json_valid "$sarif" "$work/wrong"
sed 's/"startLine": [0-9]*/"startLine": 0/' "$work/violated.sarif" > "$work/wrong"
fails json_valid "$sarif" "$work/wrong"
sed 's/<testcase classname/<testcase colour="red" classname/' "$work/failed.xml" > "$work/wrong"
fails xml_valid "$junit" "$work/wrong"
sed 's/<failure type/<mishap type/; s/<.failure>/<\/mishap>/' "$work/failed.xml" > "$work/wrong"
fails xml_valid "$junit" "$work/wrong"

if [ "$failed" = 0 ]; then echo "Schemas: $checked checks, all as they should be."; else exit 1; fi
