# Weighhouse. `make help` lists what there is; the README tells what for.
SHELL := /bin/bash
.DEFAULT_GOAL := help
WEIGHHOUSE_CACHE ?= $(HOME)/.cache/weighhouse
export WEIGHHOUSE_CACHE
export CARGO_TARGET_DIR ?= $(WEIGHHOUSE_CACHE)/target
# Where images have Python keep no compiled code, each of some hundred programs compiles all of itself anew.
export PYTHONDONTWRITEBYTECODE :=
BOOTSTRAP := infra/bootstrap
PY := .venv/bin

.PHONY: help
help: ## this list
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | awk -F ':.*## ' '{printf "  make %-14s %s\n", $$1, $$2}'

.PHONY: env
env: ## the Python environment (.venv), nothing else
	@$(BOOTSTRAP)/python.sh

.PHONY: install
install: ## all that the platform needs: Debian packages, Python, npm, every load driver
	@$(BOOTSTRAP)/install.sh all

.PHONY: demo
demo: ## start the platform and weigh three systems, whose drivers alone are built; ONCE=1 ends after the comparison
	@$(BOOTSTRAP)/install.sh demo
	@$(PY)/weighhouse demo $(if $(ONCE),--once) $(if $(PORT),--port $(PORT))

# Tests drive what is built without the slow link of what is measured with, and beside that: optimized
# alike, each crate compiled once for drivers and tests together.
.PHONY: test
test: export CARGO_TARGET_DIR := $(CARGO_TARGET_DIR)/of-tests
test: export CARGO_PROFILE_RELEASE_LTO := false
test: export CARGO_PROFILE_RELEASE_CODEGEN_UNITS := 16
test: export CARGO_PROFILE_RELEASE_DEBUG := false
test: ## all tests and checks: Python, Rust, frontend, browser, linters; SUITES="backend mypy": those alone
	@$(BOOTSTRAP)/install.sh tests
	@tests/run.sh $(SUITES)

.PHONY: test-changed
test-changed: ## the tests that a change can break, the nearest first: BASE=main (a branch, tag, commit), MINUTES=4
	@PYTHONPATH=tests $(PY)/python -m suites.affected $(or $(BASE),main) $(if $(MINUTES),--minutes $(MINUTES))

.PHONY: studies
studies: ## run the published studies at small scale, and end with a table of their claims: about half an hour
	@$(BOOTSTRAP)/install.sh demo
	@$(BOOTSTRAP)/engine.sh cassandra
	@$(PY)/weighhouse study run $(or $(STUDIES),redis-aerospike-dragonfly key-value-architectures dragonfly-memtier aerospike-cassandra) --start $(if $(PORT),--port $(PORT))

.PHONY: test-compose
test-compose: $(if $(PACKAGES),env,install) ## the services in containers, for real, from wheels of the drivers that are built, or from PACKAGES=folder (needs root or a Docker engine)
ifndef PACKAGES
	@$(BOOTSTRAP)/frontend.sh build
	@$(PY)/python infra/packages/build.py --programs $(CARGO_TARGET_DIR)/release --platform linux_$$(uname -m) build/packages-of-tests
endif
	@infra/images/prepare.sh $(or $(PACKAGES),build/packages-of-tests)
	@tests/compose/run.sh

.PHONY: test-docker
test-docker: install ## databases in containers, for real: limits, faults, leftovers (needs root)
	@tests/docker/run.sh

.PHONY: test-figures
test-figures: install ## figures that were reported as wrong, at the lengths that they were reported at: a quarter of an hour
	@$(PY)/python -m pytest tests/figures/as_reported.py

.PHONY: test-parameters
test-parameters: install ## start each system that is here with each parameter's least, default and greatest value, and read back what took effect; SYSTEMS="redis memcached": those alone; last line JSON
	@tests/parameters/run.sh $(SYSTEMS)

.PHONY: chaos
chaos: install ## full disks, stopped servers, parted networks and kills under load, a minute each: ROUNDS=20, SEED, SHORT=1, ONLY=names; last line JSON (needs root)
	@$(BOOTSTRAP)/debian.sh build
	@PYTHONPATH=tests $(PY)/python -m chaos --rounds $(or $(ROUNDS),20) $(if $(SEED),--seed $(SEED)) $(if $(SHORT),--short) $(if $(ONLY),--only $(ONLY))

.PHONY: fuzz-api
fuzz-api: env ## ask every operation of the API EXAMPLES=200 invented requests, each as everybody, and hostile ones with agents' tokens; TOTAL=20000, HOSTILE, SEED, ONLY=names; last line JSON
	@$(BOOTSTRAP)/debian.sh servers
	@PYTHONPATH=tests $(PY)/python -m api_fuzz --examples $(or $(EXAMPLES),200) $(if $(HOSTILE),--hostile $(HOSTILE)) $(if $(TOTAL),--total $(TOTAL)) $(if $(SEED),--seed $(SEED)) $(if $(ONLY),--only $(ONLY))

.PHONY: fuzz-imports
fuzz-imports: env ## break outputs of foreign tools on purpose, SECONDS_EACH=300 for each importer; ONLY="ycsb memtier"
	@PYTHONPATH=tests $(PY)/python -m weighhouse_testing.fuzz_imports $(or $(SECONDS_EACH),300) $(ONLY)

.PHONY: upgrade
upgrade: install ## fill a platform of an older release (FROM=commit), start this one on its data, and compare all that both tell; last line JSON
	@PYTHONPATH=tests $(PY)/python -m upgrade $(if $(FROM),--from $(FROM))

.PHONY: images
images: env ## build all container images, from the wheels of a release; PACKAGES=folder: from the wheels that lie there
	@infra/images/build.sh $(PACKAGES)

.PHONY: check
check: ## linters, types, floors, drift of generated files, the counted work of the load engine
	@$(BOOTSTRAP)/install.sh checks
	@tests/run.sh --check

.PHONY: format
format: env ## lay out what linters would complain of: Python, Rust, frontend
	@$(BOOTSTRAP)/frontend.sh
	@$(PY)/ruff check --quiet --fix-only . && $(PY)/ruff format --quiet .
	@cargo fmt --all
	@npm --prefix frontend run --silent format

.PHONY: sbom
sbom: install ## what the platform is made of that others wrote, as CycloneDX documents in sbom/
	@PYTHONPATH=tests $(PY)/python -m supply sbom sbom

.PHONY: audit
audit: install ## ask what is known against what others wrote; exit 1: something, 3: not everybody answered
	@PYTHONPATH=tests $(PY)/python -m supply audit

.PHONY: systems
systems: env ## docs/systems.md, of what the last `make test` (test-docker, test-parameters) really set up
	@PYTHONPATH=tests $(PY)/python -m weighhouse_testing.systems_page $(wildcard $(WEIGHHOUSE_CACHE)/exercised/*.json)

.PHONY: dev
dev: ## the platform, with pages, backend, worker and agent loaded anew when their code changes; PORT
	@$(BOOTSTRAP)/install.sh demo
	@$(PY)/weighhouse up --dev $(if $(PORT),--port $(PORT))

.PHONY: shell
shell: env ## a Python prompt over the platform that runs: its tables, services, settings; WRITE=1 may write
	@$(PY)/weighhouse dev shell $(if $(WRITE),--write)

.PHONY: debug
debug: env ## stop where it fails, or at breakpoint(): TEST=path::name a test, PART=backend (or worker) of a platform
	@test -n "$(TEST)$(PART)" || { echo "what? make debug TEST=cli/tests/test_usage.py, or make debug PART=backend"; exit 2; }
	@$(if $(TEST),$(PY)/python -m pytest --pdb --timeout=0 $(TEST))
	@$(if $(PART),$(BOOTSTRAP)/install.sh demo && $(PY)/weighhouse up --debug $(PART) $(if $(PORT),--port $(PORT)))

.PHONY: hooks
hooks: ## have Git check the form of what is staged, and of the message, before each commit; OFF=1 ends that
	@git config $(if $(OFF),--unset core.hooksPath,core.hooksPath infra/hooks)

.PHONY: gen
gen: env ## write generated files: schemas, OpenAPI document, the frontend's types, digests of the plugins' manifests, the page of dangers
	@$(BOOTSTRAP)/frontend.sh
	@$(PY)/python -m weighhouse_protocol.schema protocol/schemas
	@$(PY)/python -m weighhouse_backend.app.openapi frontend/openapi.json
	@PYTHONPATH=tests $(PY)/python -m weighhouse_testing.shipped backend/weighhouse_backend/catalog/shipped.json
	@PYTHONPATH=tests $(PY)/python -m weighhouse_testing.dangers_page
	@cd frontend && npm run --silent gen

.PHONY: lock
lock: env ## resolve requirements.in anew, and the tools of `make packages`
	@$(PY)/uv pip compile -q --python-version 3.11 --generate-hashes --no-emit-index-url --no-header --override requirements.overrides requirements.in -o requirements.lock
	@$(PY)/uv pip compile -q --python-version 3.11 --generate-hashes --no-emit-index-url --no-header infra/packages/tools.in -o infra/packages/tools.lock

.PHONY: test-packages
test-packages: packages ## install the packages on a machine with Python alone, as an ordinary user, and run the demo there (needs root and debootstrap); EXTRAS=embedded,rocksdb
	@infra/packages/empty-machine.sh build/packages $(EXTRAS)

.PHONY: packages
packages: env ## the wheels of a release in build/packages: every part, plugin and driver, with digests; DEPENDENCIES=1: and what agents need of others; docs/packages.md
	@DEPENDENCIES=$(DEPENDENCIES) infra/packages/build.sh $(TARGET)

.PHONY: bench
bench: bench-engine bench-stall bench-scaling bench-statistics bench-detection bench-life bench-steadiness bench-scenarios bench-fleet bench-latency bench-searches bench-longrun bench-comparison bench-exports bench-history bench-tenants bench-knees bench-settlement bench-pages ## every benchmark

.PHONY: bench-statistics
bench-statistics: env ## how often comparisons and gates are wrong, on figures whose truth is known; last line JSON
	@$(PY)/python -m weighhouse_judging.bench.statistics $(if $(SHORT),--short) $(if $(SEED),--seed $(SEED))

.PHONY: bench-detection
bench-detection: env ## false alarms, power and delay of the watch over series (SERIES=200 of each kind, RULES=1: every rule tried); last line JSON
	@$(PY)/python -m weighhouse_judging.bench.detection --series $(or $(SERIES),200) $(if $(RULES),--rules) $(if $(SEED),--seed $(SEED))

.PHONY: bench-life
bench-life: install ## a project's life of 200 builds through database and services, held against what is true and what the bench says (SEEDS="1 2 3", BUILDS=200); last line JSON
	@PYTHONPATH=tests $(PY)/python -m weighhouse_testing.bench_life --seeds $(or $(SEEDS),1 2 3) --builds $(or $(BUILDS),200)

.PHONY: bench-steadiness
bench-steadiness: env ## how often the classes of a run's steady state are wrong, on courses whose truth is known; last line JSON
	@$(PY)/python -m weighhouse_judging.bench.steadiness $(if $(SEED),--seed $(SEED))

.PHONY: bench-scenarios
bench-scenarios: env ## how often sweeps, calibrations and what is read from faults and soaks are wrong, on servers whose truth is known; last line JSON
	@$(PY)/python -m weighhouse_judging.bench.scenarios $(if $(SHORT),--short) $(if $(SEED),--seed $(SEED))

.PHONY: bench-fleet
bench-fleet: install ## what agents at rest cost: AGENTS=1000 (AGENTS, SECONDS_AT_REST, CLAIMS); last line JSON
	@PYTHONPATH=tests $(PY)/python -m weighhouse_testing.bench_fleet --agents $(or $(AGENTS),1000) --seconds $(or $(SECONDS_AT_REST),60) --claims $(or $(CLAIMS),100)

.PHONY: bench-latency
bench-latency: install ## from a campaign's start to its claim and first operation (CAMPAIGNS=15); last line JSON
	@PYTHONPATH=tests $(PY)/python -m weighhouse_testing.bench_latency --campaigns $(or $(CAMPAIGNS),15)

.PHONY: bench-searches
bench-searches: install ## knee and operating points on real servers, beside a grid and a second search; ONLY=knee|points; last line JSON
	@PYTHONPATH=tests $(PY)/python -m weighhouse_testing.bench_searches $(if $(ONLY),--only $(ONLY))

.PHONY: bench-longrun
bench-longrun: install ## what the page of a run of twelve hours costs: charts, settling, memory; last line JSON
	@PYTHONPATH=tests $(PY)/python -m weighhouse_testing.bench_longrun

.PHONY: bench-pages
bench-pages: install ## what each page brings, and the longest task of its main thread, by the browser's own trace; last line JSON
	@PYTHONPATH=tests $(PY)/python -m weighhouse_testing.bench_pages

.PHONY: bench-comparison
bench-comparison: install ## what a comparison of eight sides at six levels of two workloads costs, each way it is asked for (WORKLOADS=1, REQUESTS=40); last line JSON
	@PYTHONPATH=tests $(PY)/python -m weighhouse_testing.bench_comparison --workloads $(or $(WORKLOADS),2) --requests $(or $(REQUESTS),40)

.PHONY: bench-exports
bench-exports: env ## what a million intervals take to be exported, in memory and time (ROWS=30000, FORMS="csv hlog"); last line JSON
	@$(BOOTSTRAP)/debian.sh servers
	@PYTHONPATH=tests $(PY)/python -m weighhouse_testing.bench_exports --rows $(or $(ROWS),1000000) $(if $(FORMS),--forms $(FORMS))

.PHONY: bench-history
bench-history: env ## what a history of a million runs leaves of the pages' speed (RUNS=100000, BULK=nights with intervals, DIRECTORY=where it stays to be asked again, ONLY=what is asked); last line JSON
	@$(BOOTSTRAP)/debian.sh servers
	@PYTHONPATH=tests $(PY)/python -m weighhouse_testing.bench_history --runs $(or $(RUNS),1000000) --bulk $(or $(BULK),0) $(if $(DIRECTORY),--directory $(DIRECTORY)) $(if $(ONLY),--only $(ONLY))

.PHONY: bench-tenants
bench-tenants: env ## one tenant's requests beside another's attacks, as ratios in the same run (ONLY=names, BLOCK=15 s, BLOCKS=4); last line JSON
	@$(BOOTSTRAP)/debian.sh servers
	@PYTHONPATH=tests $(PY)/python -m bench_tenants --seconds $(or $(BLOCK),15) --blocks $(or $(BLOCKS),4) $(if $(ONLY),--only $(ONLY))

.PHONY: bench-knees
bench-knees: env ## where one machine's limit lies: who waits, watches, works and sends, and what each costs (ONLY=sending working watching waiting); last line JSON
	@$(BOOTSTRAP)/debian.sh servers
	@PYTHONPATH=tests $(PY)/python -m bench_knees $(if $(ONLY),--only $(ONLY))

.PHONY: bench-settlement
bench-settlement: env ## what settling a campaign of many runs costs (RUNS=960); last line JSON
	@$(BOOTSTRAP)/debian.sh servers
	@PYTHONPATH=tests $(PY)/python -m weighhouse_testing.bench_settlement --runs $(or $(RUNS),960)

.PHONY: bench-strangers
bench-strangers: env ## what a thousand strangers a minute, at what is public, leave to who works, as a ratio (BLOCK=15 s, BLOCKS=4); last line JSON
	@$(BOOTSTRAP)/debian.sh servers
	@PYTHONPATH=tests $(PY)/python -m bench_tenants --seconds $(or $(BLOCK),15) --blocks $(or $(BLOCKS),4) --only visitors

.PHONY: bench-engine
bench-engine: install ## the load engine beside other load generators; COUNTED=1: instructions and system calls alone
	@$(BOOTSTRAP)/debian.sh bench
	@COUNTED=$(COUNTED) REPEATS=$(REPEATS) OPERATIONS=$(OPERATIONS) engine/bench/run.sh engine

.PHONY: bench-stall
bench-stall: install ## what is reported of a server that stands still for 1 s; ONLY=weighhouse: without other load generators
	@$(BOOTSTRAP)/debian.sh bench
	@ONLY=$(ONLY) REPEATS=$(REPEATS) engine/bench/run.sh stall

.PHONY: bench-scaling
bench-scaling: install ## the load engine at 1 to 128 connections, 1 and 2 shards, depth 1 to 50
	@$(BOOTSTRAP)/debian.sh bench
	@REPEATS=$(REPEATS) engine/bench/run.sh scaling

.PHONY: new-plugin
new-plugin: env ## a plugin's skeleton: make new-plugin NAME=etcd; DRIVER=own: with a load driver
	@test -n "$(NAME)" || { echo "which? make new-plugin NAME=etcd"; exit 2; }
	@$(PY)/weighhouse plugin new $(NAME) $(if $(DRIVER),--driver $(DRIVER))

.PHONY: driver
driver: ## build one load driver: make driver NAME=cassandra (a plugin's name, or the driver's)
	@test -n "$(NAME)" || { echo "which? make driver NAME=cassandra"; exit 2; }
	@$(BOOTSTRAP)/engine.sh $(NAME)

.PHONY: test-driver
test-driver: ## build one load driver, and run its tests: make test-driver NAME=etcd
	@test -n "$(NAME)" || { echo "which? make test-driver NAME=etcd"; exit 2; }
	@$(BOOTSTRAP)/engine.sh test $(NAME)

.PHONY: clean
clean: ## remove what was built in the tree (caches outside stay)
	@rm -rf .venv frontend/dist frontend/node_modules build
