# KVOSafety: commands for people and CI.
#
#   make demo    runs a program with real faults and prints kvo-audit's report of it
#   make test    runs all tests; failures are repeated at the end
#   make check   the longer checks: lint, import check, sanitizers
#   make generate writes the code and tables that are generated from Sources/Trace/KVOSchema
#   make fuzz    runs the readers of logs, reports and other files on generated input
#   make reliability tries what may happen to the recorder, and writes Reports/reliability.md
#   make unchanged-hosts runs programs of Debian packages bare and recorded within budgets, and compares what they do
#   make coverage says which branches of the C half the tests take, and writes Reports/coverage.md
#   make attack  attacks the built programs by environments, files, names, outputs and clients, and says what held
#   make soak    runs an app-like program recorded, for MINUTES=60, and checks that nothing grows
#   make preload builds libKVOSafetyPreload.so, which records unmodified Objective-C programs
#   make bench   measures against bounds and peers, and writes Reports/benchmarks
#   make bench-guard counts the instructions of observing and auditing, and compares them with those recorded
#   make wheel   builds the Python package for fleets, with kvo-audit in it
#   make fleet   audits 2,000 logs on a Spark cluster on this machine, and compares with one process
#   make processors compiles the C half for aarch64, and tests it under qemu-user
#   make plugin  runs `swift package kvo-audit` in a package that depends on this one
#   make static  builds kvo-audit as one file that needs no library, and tries it where there is none
#   make container makes an image of it from the Containerfile, without a daemon, and runs it
#   make install puts kvo-audit under PREFIX (/usr/local); make uninstall removes it
#
# Each sets up what it needs. Nothing is installed or built twice.

SHELL := /bin/bash
.DELETE_ON_ERROR:
.PHONY: demo test check generate generated preload random-objective-c bench bench-guard lint imports plain-swift \
  reference-model reference-model-part documentation harness fuzz thread-sanitizer recorder-thread-sanitizer stress \
  address-sanitizer retention long-forms reports reliability unchanged-hosts attack attack-part coverage soak \
  plugin processors static container install uninstall setup setup-tests \
  setup-static setup-container clean \
  setup-fleet wheel fleet fleet-check

# Warnings fail the build here; that does not apply to packages that depend on this one.
STRICT := -Xswiftc -warnings-as-errors
# SwiftPM passes the names of traits to the compiler in the order of a set, which differs in each process: every second
# build would recompile everything. Package.swift says what is optimized.
BUILD := SWIFT_DETERMINISTIC_HASHING=1 KVO_SAFETY_OPTIMIZED=1 swift build
# One build for `make test` and for the parts of it that `make check` runs: another option would rebuild everything. An
# import of a module that the target does not declare prints "Build complete!" and exits 1: the status counts.
BUILD_TESTS := $(BUILD) --build-tests --explicit-target-dependency-import-check error $(STRICT)

# The folder of the published schemas of SARIF and JUnit, if available: see CONTRIBUTING.md.
export KVO_SAFETY_SCHEMAS ?= $(wildcard $(CURDIR)/../shared/schemas)
# The folder of articles with real console text, if available.
export KVO_SAFETY_SEEDS ?= $(wildcard $(CURDIR)/../shared/seeds)

demo: setup
	@Scripts/demo

test: setup-tests
	$(BUILD_TESTS)
	Scripts/preload
	Scripts/run-tests Scripts/test-targets

# Three lanes, because some tests wait more than they compute. Only the first uses the build of `make test`: SwiftPM locks
# the folder that it builds in. `retention` shares folders with the targets at the end of two lanes. What `imports` built is
# not planned once more for each of them.
check: imports
	IS_BUILT=1 Scripts/lanes \
	  "generated plain-swift reference-model-part random-objective-c attack-part documentation harness fleet-check \
	    long-forms bench-guard" \
	  "fuzz thread-sanitizer" \
	  "lint retention address-sanitizer"

# A `grep -q` ends at its first match, by which SIGPIPE may end what writes to it: under `pipefail` that is now and then a
# failure.
lint: setup-tests
	! grep -nE '^[^#]*\| *grep +-[a-zA-Z]*q' Scripts/* .ci/run
	swift format lint --strict --recursive Package.swift Plugins Sources Tests Examples Benchmarks
	find Sources -name '*.[ch]' -print0 | xargs -0 clang-format --dry-run --Werror
	Scripts/check-links

imports: setup
	$(if $(IS_BUILT),,$(BUILD_TESTS))

# Generates from Sources/Trace/KVOSchema. The generator does not depend on generated code.
generate: setup
	$(BUILD) --product kvo-generate --explicit-target-dependency-import-check error $(STRICT)
	Scripts/generate "$$(swift build --show-bin-path)"

# The repository must have the current output of the generator. Uses the build of `imports`.
generated: imports
	Scripts/generate --check .build/debug

# Random classes with the macro and without it must behave the same. Uses the build of `imports`;
# `make plain-swift SEED=7 CLASSES=1000` runs more, and OPTIMIZED=--optimized compiles with -O.
CLASSES ?= 120
SEED ?= 2
OPTIMIZED ?=
plain-swift: imports
	python3 Tests/PlainSwift/generate.py --modules .build/debug --classes $(CLASSES) --seed $(SEED) \
	  $(OPTIMIZED)

# Random programs over observed objects, judged by a reference model, half of them while a log is kept: by hand
# in a release build and in a debug build, and a part of them with what `imports` built.
PROGRAMS ?= 100000
reference-model: imports
	KVO_SAFETY_TESTS=KVOSafetyTests KVO_SAFETY_MODEL=$(PROGRAMS) Scripts/run-tests swift test -c release \
	  -Xswiftc -enable-testing --scratch-path .build/model --disable-default-traits $(STRICT) \
	  --filter ReferenceModelTests
	KVO_SAFETY_MODEL=$(PROGRAMS) Scripts/run-tests swift test --skip-build --filter ReferenceModelTests

reference-model-part: imports
	KVO_SAFETY_MODEL=20000 Scripts/run-tests swift test --skip-build --filter ReferenceModelTests

# DocC documentation of the build of `imports`: it must have no broken link.
documentation:
	Scripts/documentation

# What `make bench` runs, without measuring. What it measures is built by `make test` and `make bench-guard`.
harness:
	KVO_SAFETY_HARNESS=1 Scripts/run-tests swift test --package-path Benchmarks $(STRICT)

# Generated input: the readers of foreign files must neither crash nor hang. As many inputs for each as CI has time for;
# `make fuzz RUNS=1000000` takes more, `make fuzz HOURS=24` takes that time, and `READERS=elf` runs one reader.
RUNS ?= 5000
READERS ?=
fuzz: export RUNS := $(RUNS)
fuzz: setup
	Scripts/fuzz $(READERS)

# Separate builds, so that the ordinary one stays valid. Code with one thread and no pointers does not benefit: the pure
# machines and the command line are left to `make test`. Without the macro they need not build swift-syntax once more
# each; the adapter for OpenCombine and the one for metrics and logs, which no other build includes, are tested here. The recorder's programs are a
# separate run, to be started by hand: `make recorder-thread-sanitizer`. On a busy machine they wait for each other
# longer than a test may last.
#
# Nor does what starts this bundle once more for each of its cases: a sanitized bundle takes seconds to start, and what
# the children do, on one thread, the tests of the parent do as well. Nor the assertions about memory that they cannot
# inspect: they copy the process, which takes a sanitized one a minute each. `make retention` sanitizes the search alone.
#
# The targets are separate runs: a test scope judges what all tests of its process record meanwhile, and the tests of telemetry
# count it.
UNSANITIZED := --skip 'ReadmeSuiteTests|WaitingSuiteTests|Retain(Suite|Suites|CycleForm|Scope|Walk)Tests|RetainSuites' \
  --skip 'RetainKeeperTests/survivorElsewhere'
THREAD_SANITIZER := Scripts/run-tests swift test --sanitize=thread --scratch-path .build/thread \
  --traits OpenCombineAdapter,Telemetry $(UNSANITIZED)
thread-sanitizer: export KVO_SAFETY_STRESS := 40000
thread-sanitizer: export KVO_SAFETY_TESTS := \
  KVOSafetyTests,KVOSafetyTestingTests,KVOSafetyOpenCombineTests,KVOSafetyTelemetryTests
thread-sanitizer: setup
	$(THREAD_SANITIZER) --filter '^KVOSafetyTests\.'
	$(THREAD_SANITIZER) --skip-build --filter '^KVOSafety(Testing|OpenCombine)Tests\.'
	$(THREAD_SANITIZER) --skip-build --filter '^KVOSafetyTelemetryTests\.'

recorder-thread-sanitizer: export KVO_SAFETY_TESTS := KVORecorderTests
recorder-thread-sanitizer: setup
	$(THREAD_SANITIZER)

# By hand: as many operations of eight threads in each of the two forms of notifying, under the thread
# sanitizer. Ten million in each take half an hour on two cores; unoptimized, ten times that.
OPERATIONS ?= 10000000
stress: setup
	KVO_SAFETY_TESTS=KVOSafetyTests KVO_SAFETY_STRESS=$(OPERATIONS) swift test -c release \
	  --sanitize=thread -Xswiftc -enable-testing --scratch-path .build/stress \
	  --disable-default-traits $(STRICT) \
	  --filter StressTests/everything

# Leaks are Foundation's Process and XCTest's, not ours. What has no pointers of its own is left to the thread sanitizer:
# the forms for tests. Separate runs, also because the recorder's programs need the machine for themselves. The C half
# also ends at undefined behavior, for which Swift has no sanitizer. Swift's own handler of crashes, which reads other
# stacks, is stopped by the sanitizer, and then waits for ever. kvo-audit, of which three tests take the symbols, is not
# built here.
ADDRESS_SANITIZER := ASAN_OPTIONS=detect_leaks=0 Scripts/run-tests swift test --sanitize=address \
  -Xcc -fsanitize=undefined -Xcc -fno-sanitize-recover=undefined --scratch-path .build/address --disable-default-traits
address-sanitizer: export KVO_SAFETY_TESTS := KVOTraceTests,KVORecorderTests,KVOSafetyTests,KVOSymbolsTests
address-sanitizer: setup-tests
	$(ADDRESS_SANITIZER) --filter 'KVOTraceTests|KVORecorderTests'
	SWIFT_BACKTRACE=enable=no $(ADDRESS_SANITIZER) --skip-build --filter '^(KVOSafety|KVOSymbols)Tests\.' \
	  --skip 'OracleTests|BatchTests/order|SymbolIndexTests/largeProgram' $(UNSANITIZED)

# The memory that it reads differs in each build configuration. `Scripts/retention-builds` alone tries all of them and
# writes Reports/retention-builds.md. `static` and `debug-asan` share their folders with `bench-guard` and
# `address-sanitizer`; `long-forms` tests a dynamic release build.
retention: imports
	SHAPES=300 PROBE=.build/debug/RetentionProbe Scripts/retention-builds debug static
	SHAPES=0 Scripts/retention-builds debug-asan

# The long forms of the tests that benefit from repetition. Those of pure targets, which are optimized in the build of
# `imports` as well, use that; the retain search's have a release build, with OpenCombine, whose values are walked.
long-forms: export KVO_SAFETY_ROUNDS := 6
long-forms: setup-tests imports
	KVO_SAFETY_TESTS=KVORetentionTests,KVOHeapTests Scripts/run-tests swift test \
	  -c release -Xswiftc -enable-testing --scratch-path .build/long-forms --traits OpenCombineAdapter $(STRICT)
	Scripts/run-tests Scripts/test-targets KVOTraceTests KVORulesTests KVOImportTests
	Scripts/run-tests swift test --skip-build \
	  --filter 'ReportLimitCommandTests|IncompleteInputTests|ParallelAuditTests|DamagedInputTests|HTMLReportRendererTests|KilledTests|FaultMatrixTests|CommandFaultTests/failing\(|EmitterAgreementTests'

# Random programs over objects in Objective-C, bare and recorded: twice as many correct ones, and for each fault a
# twentieth as many that have it. Uses what `imports` built; a minute.
OBJECTIVE_C_PROGRAMS ?= 250
random-objective-c: setup-tests imports
	KVO_SAFETY_RANDOM_PROGRAMS=$(OBJECTIVE_C_PROGRAMS) Scripts/run-tests swift test --skip-build \
	  --filter 'KVOPreloadTests.RandomProgramTests'

# Rewrites the sample reports; a test compares them.
reports: setup
	KVO_SAFETY_WRITE_REPORTS=1 swift test --filter SampleReportTests

# Not part of check: it takes half an hour. The kill matrix, the fault matrix, and what else is tried.
SOAK_MINUTES ?= 2
# The folder of GNUstep's Tests/base, if it is at hand: half an hour more.
SUITE ?=
reliability: imports
	Scripts/reliability $(if $(SUITE),--suite $(SUITE)) $(SOAK_MINUTES)

# By hand: programs of Debian packages, those of Examples/, and with SUITE=FOLDER GNUstep's, bare and recorded.
unchanged-hosts: imports
	Scripts/unchanged-hosts $(SUITE)

# Hostile environments, files, names, outputs and clients for what `imports` built: for ATTACK_SECONDS, and for half a
# minute in `make check`. A failure says how to repeat it, and keeps its files in .build/attack.
ATTACK_SECONDS ?= 600
ATTACK_SEED ?= 1
attack: imports
	Scripts/attack --seed $(ATTACK_SEED) --seconds $(ATTACK_SECONDS)

attack-part: imports
	Scripts/attack --seconds 30

# By hand, in a build of its own.
coverage: setup-tests
	Scripts/coverage

# By hand: for as long as one likes, and within BUDGET=cpu=1%,disk=64M, as KVO_SAFETY_BUDGET has it.
MINUTES ?= 60
BUDGET ?=
soak: imports
	Scripts/soak $(MINUTES) $(BUDGET)

# Not part of check: figures are judged by people. SUITES=recorder runs one suite alone, and ROUNDS=3 each row that
# often.
bench: setup
	@Scripts/bench $(if $(ROUNDS),--rounds $(ROUNDS)) $(SUITES)

# Counts instructions, which are the same on a busy machine, and fails if an operation takes 5 % more of them than in
# Benchmarks/instructions.txt. `Scripts/bench-guard --record` rewrites that file.
bench-guard: setup-tests
	Scripts/bench-guard

# By hand: needs gcc-aarch64-linux-gnu and qemu-user, and what `imports` built.
processors: imports
	Scripts/processors

# By hand: it builds a package that depends on this one.
plugin: setup
	Scripts/plugin

preload: setup
	swift build --product kvo-audit
	Scripts/preload

# kvo-audit, its manual and completions, and the recorder for Objective-C programs. DESTDIR is prepended to every path,
# for packagers. Without the macro, which the tool does not need.
PREFIX ?= /usr/local
# With Swift's libraries in it, it starts in half the time, and on machines without Swift.
INSTALLED := swift build -c release --disable-default-traits --traits Serve --static-swift-stdlib
install: setup
	$(INSTALLED) --product kvo-audit
	$(INSTALLED) --product kvo-audit-serve
	Scripts/preload "$$($(INSTALLED) --show-bin-path)"
	Scripts/install "$$($(INSTALLED) --show-bin-path)" "$(DESTDIR)$(PREFIX)"

# By hand, in a folder of its own: .build/static/kvo-audit. Debian's static libraries do not name those that they need: libdw
# needs bz2. Documentation/Installing.md says what holds the size.
STATIC := swift build -c release --disable-default-traits --static-swift-stdlib --scratch-path .build/static \
  -Xswiftc -static-executable $(addprefix -Xlinker -l,elf z bz2 lzma zstd)
static: setup-static
	$(STATIC) --product kvo-audit
	Scripts/static "$$($(STATIC) --show-bin-path)"

# By hand: .build/container/kvo-audit.tar.
container: setup-container static
	Scripts/container

# The Python package: .build/fleet/dist/kvo_audit-….whl. hatchling runs in the environment that `setup-fleet` made, and
# needs no network.
wheel: setup-fleet
	$(INSTALLED) --product kvo-audit
	Scripts/wheel "$$($(INSTALLED) --show-bin-path)"

# By hand: the tests of the package as it is installed, with a standalone Spark cluster on loopback: a master and two
# workers. FLEET_LOGS=200 audits fewer.
FLEET_LOGS ?= 2000
fleet: wheel
	.build/fleet/venv/bin/pip install --quiet --no-index --no-deps --force-reinstall .build/fleet/dist/*.whl
	cd Python && KVO_FLEET_LOGS=$(FLEET_LOGS) ../.build/fleet/venv/bin/python -m pytest --durations=0

# A part of it, with what `imports` built: the package on one machine, and the job on a cluster with 60 logs. What cannot be
# installed is said, and fails nothing.
fleet-check: imports
	Scripts/fleet-check .build/debug

uninstall:
	Scripts/install --remove "$(DESTDIR)$(PREFIX)"

setup:
	@Scripts/setup

setup-tests:
	@Scripts/setup tests

setup-static:
	@Scripts/setup static

setup-container:
	@Scripts/setup container

setup-fleet:
	@Scripts/setup fleet

clean:
	rm -rf .build Benchmarks/.build
