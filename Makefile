# Everything that a newcomer, and the continuous integration, runs. `make help` lists the targets.

CARGO ?= cargo
RESULTS := docs/performance/results.json
PREFIX ?= /usr/local
SUDO := $(shell [ "$$(id -u)" = 0 ] || echo sudo)
# Builds target/debug/cupola as the tests have it: `cargo build` takes other features of the dependencies, so that it
# would build nearly everything once more beside the tests.
BUILD_DEBUG = $(CARGO) test --workspace --test commands --no-run --quiet

.PHONY: help demo newcomer test random backward coherence unbounded litmus exhaustive fuzz proofs certificates exports pages schemas bench performance performance-ours performance-page golden install docs lint package setup

help: ## List the targets
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## /  make \1\t/' | expand -t 20

setup: ## Install libz3 where it is missing (Debian packages)
	@probe=$$(mktemp); trap 'rm -f "$$probe"' EXIT; \
	if printf '#include <z3.h>\nint main(void){return 0;}\n' | cc -x c - -lz3 -o "$$probe" 2>/dev/null; then \
	  echo "libz3 is here."; \
	else \
	  echo "libz3 is missing: installing Debian's libz3-dev with apt-get."; \
	  $(SUDO) apt-get update -qq && $(SUDO) apt-get install -y -qq libz3-dev; \
	fi

demo: setup ## Build Cupola and watch Peterson's lock break and hold
	@$(CARGO) build --release --quiet
	@sh scripts/demo.sh target/release/cupola

test: setup ## Run all tests and print the slowest
	@CARGO="$(CARGO)" bash scripts/test.sh

random: setup ## Hold the reductions and the search for fences against the models on random programs
	CUPOLA_RANDOM_PROGRAMS=20000 $(CARGO) test --release --test random reductions::
	CUPOLA_RANDOM_PROGRAMS=5000 $(CARGO) test --release --test random rmm::
	CUPOLA_RANDOM_PROGRAMS=5000 $(CARGO) test --release --test stages fences::random::

coherence: setup ## Hold abstract store buffers and the fences that they infer against exploration on 5,000 random programs
	CUPOLA_RANDOM_PROGRAMS=5000 $(CARGO) test --release --test random coherence:: -- --nocapture

backward: setup ## Hold the backward engine against exploration on 20,000 random programs, and check its certificates
	CUPOLA_RANDOM_PROGRAMS=20000 $(CARGO) test --release --test random backward:: -- --nocapture
	$(CARGO) test --release --test stages backward:: -- --include-ignored
	$(CARGO) test --release --test certify -- --include-ignored tacas:: basis

proofs: setup ## Find the proofs of all programs with unbounded data, check them, and print what it took (some minutes)
	@command -v cvc5 >/dev/null || { \
	  echo "cvc5 is missing: installing Debian's cvc5 with apt-get."; \
	  $(SUDO) apt-get update -qq && $(SUDO) apt-get install -y -qq cvc5; \
	}
	$(CARGO) test --release --test stages refine:: -- --include-ignored --nocapture

exhaustive: setup ## Run the tests of the abstraction that take many minutes
	CUPOLA_TRIES=40 $(CARGO) test --release --test random violated
	$(CARGO) test --release --test stages searches:: -- --ignored --nocapture

fuzz: setup ## Hold the pipeline against the explorer, the interpreter and certify on random programs
	CUPOLA_RANDOM_PROGRAMS=$${CUPOLA_RANDOM_PROGRAMS:-20000} $(CARGO) test --release --test random pipeline:: -- --nocapture
	CUPOLA_RANDOM_PROGRAMS=$${CUPOLA_RANDOM_PROGRAMS:-20000} $(CARGO) test --release --test random parsers::

unbounded: setup ## Hold proofs with buffers of any length against the explorer and concrete runs on random programs
	CUPOLA_RANDOM_PROGRAMS=$${CUPOLA_RANDOM_PROGRAMS:-20000} $(CARGO) test --release --test random unbounded:: -- --nocapture
	$(CARGO) test --release --test stages unbounded:: -- --include-ignored --nocapture
	$(CARGO) test --release --test commands buffers:: -- --include-ignored

litmus: setup ## Hold the litmus command against a machine written from the x86 manuals on random tests
	CUPOLA_RANDOM_PROGRAMS=$${CUPOLA_RANDOM_PROGRAMS:-14000} $(CARGO) test --release --test random x86:: -- --nocapture

certificates: setup ## Check the certificates of the paper's algorithms with Z3 and with cvc5
	@command -v cvc5 >/dev/null || { \
	  echo "cvc5 is missing: installing Debian's cvc5 with apt-get."; \
	  $(SUDO) apt-get update -qq && $(SUDO) apt-get install -y -qq cvc5; \
	}
	CUPOLA_CERTIFICATES=all $(CARGO) test --release --test certify paper -- --nocapture

exports: setup ## Have Spin, gcc, Z3 and Graphviz check what is exported (long; EXPORTS=short for a few programs)
	@for tool in spin:spin dot:graphviz z3:z3 gcc:gcc; do \
	  command -v $${tool%%:*} >/dev/null || { \
	    echo "$${tool%%:*} is missing: installing Debian's $${tool##*:} with apt-get."; \
	    $(SUDO) apt-get update -qq && $(SUDO) apt-get install -y -qq $${tool##*:} || exit 1; \
	  }; \
	done
ifeq ($(EXPORTS),short)
	@$(BUILD_DEBUG)
	@bash scripts/exports.sh target/debug/cupola short
else
	@$(CARGO) build --release --quiet
	@bash scripts/exports.sh target/release/cupola $(EXPORTS)
endif

pages: setup ## Open a page of every kind in Chromium and use it
	@command -v chromium >/dev/null || { \
	  echo "chromium is missing: installing Debian's chromium with apt-get."; \
	  $(SUDO) apt-get update -qq && $(SUDO) apt-get install -y -qq --no-install-recommends chromium > /dev/null; \
	}
	@$(BUILD_DEBUG)
	@bash scripts/pages.sh target/debug/cupola

schemas: setup ## Hold the files for other machines (SARIF, JUnit) to the schemas of their formats
	@command -v xmllint >/dev/null && /usr/bin/python3 -c 'import jsonschema' 2>/dev/null || { \
	  echo "xmllint or python3-jsonschema is missing: installing Debian's with apt-get."; \
	  $(SUDO) apt-get update -qq && $(SUDO) apt-get install -y -qq --no-install-recommends libxml2-utils python3-jsonschema > /dev/null; \
	}
	@$(BUILD_DEBUG)
	@bash scripts/schemas.sh target/debug/cupola

bench: setup ## Measure the explorer, the search for fences, the boolean program checker and 2,000 litmus tests
	$(CARGO) bench --workspace
	$(CARGO) test --release --test commands cycles:: -- --nocapture

performance: setup ## Take the figures of docs/performance.md anew, with those of the paper's algorithm (long)
	$(CARGO) build --release --bin cupola
	@echo "Cupola takes less than a minute, then each of 35 rows of the paper's algorithm up to 10 minutes."
	@start=$$(date +%s); \
	target/release/cupola bench --baseline --baseline-jobs 2 --growth --json -o $(RESULTS) --force || test $$? = 5; \
	echo "That took $$(( $$(date +%s) - start )) seconds."
	@$(MAKE) --no-print-directory performance-page

performance-ours: setup ## The same without the paper's algorithm, whose stored figures are kept (a minute)
	$(CARGO) build --release --bin cupola
	@start=$$(date +%s); \
	target/release/cupola bench --keep-baseline $(RESULTS) --growth --json -o $(RESULTS).new --force || test $$? = 5; \
	mv $(RESULTS).new $(RESULTS); \
	echo "That took $$(( $$(date +%s) - start )) seconds."
	@$(MAKE) --no-print-directory performance-page

performance-page: ## Make the page and its plots from the stored figures
	target/release/cupola bench --from $(RESULTS) --plot docs/performance --quiet > /dev/null || test $$? = 5
	UPDATE_DOCS=1 $(CARGO) test --test commands docs::

golden: setup ## Accept the present texts as the golden files of translations/
	@$(BUILD_DEBUG)
	target/debug/cupola test examples --bless -j 2
	INSTA_UPDATE=always $(CARGO) test --test stages exports::

install: setup ## Install the command, its manual pages and completions below PREFIX
	$(CARGO) build --release --bin cupola
	install -D -m 755 target/release/cupola $(DESTDIR)$(PREFIX)/bin/cupola
	install -d $(DESTDIR)$(PREFIX)/share/man/man1
	target/release/cupola --quiet man $(DESTDIR)$(PREFIX)/share/man/man1 --force > /dev/null
	@for shell in bash:bash-completion/completions/cupola zsh:zsh/site-functions/_cupola fish:fish/vendor_completions.d/cupola.fish; do \
	  file=$(DESTDIR)$(PREFIX)/share/$${shell#*:}; \
	  mkdir -p $${file%/*} && target/release/cupola completions $${shell%%:*} -o $$file --force || exit 1; \
	done
	@echo "Installed: $(DESTDIR)$(PREFIX)/bin/cupola"

docs: setup ## Accept the present output of the commands on the documentation's pages
	UPDATE_DOCS=1 $(CARGO) test --test commands docs::

newcomer: ## Run make demo and all commands of README and tutorial in a clean clone
	@bash scripts/newcomer.sh

package: setup ## Make packages of both crates and build them as their users would
	$(CARGO) package --workspace --allow-dirty

lint: ## Check formatting, lints and documentation
	$(CARGO) fmt --all --check
	$(CARGO) clippy --workspace --all-targets -- -D warnings
	$(CARGO) clippy --workspace --lib --no-default-features -- -D warnings
	RUSTDOCFLAGS="-D warnings -A rustdoc::private_intra_doc_links" $(CARGO) doc --workspace --no-deps --quiet
