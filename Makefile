# KVOSafety: what people and CI run.
#
#   make demo    runs a program with real faults and prints kvo-audit's report of it
#   make test    passes all tests; what failed stands at the end
#   make check   what takes longer: lint, import check, sanitizers
#   make fuzz    feeds what reads crash reports with texts that are nobody's
#   make preload builds libKVOSafetyPreload.so, which records unmodified Objective-C programs
#   make bench   measures against bounds and peers, and writes Reports/benchmarks
#   make install puts kvo-audit under PREFIX (/usr/local); make uninstall takes it away
#
# Each sets up what it needs. Nothing is installed or built twice.

SHELL := /bin/bash
.DELETE_ON_ERROR:
.PHONY: demo test check preload random-objective-c bench lint imports plain-swift reference-model \
  reference-model-part documentation harness fuzz thread-sanitizer recorder-thread-sanitizer stress \
  address-sanitizer retention reports install uninstall setup setup-tests clean

# Warnings fail the build here; a package that depends on this one is not held to that.
STRICT := -Xswiftc -warnings-as-errors

# Where the published schemas of SARIF and JUnit are, if they are: see CONTRIBUTING.md.
export KVO_SAFETY_SCHEMAS ?= $(wildcard $(CURDIR)/../shared/schemas)
# Where the articles with real console text are, if they are.
export KVO_SAFETY_SEEDS ?= $(wildcard $(CURDIR)/../shared/seeds)

demo: setup
	@Scripts/demo

test: setup-tests
	swift build --build-tests $(STRICT)
	Scripts/preload
	Scripts/run-tests swift test --skip-build

check: lint imports plain-swift reference-model-part documentation harness fuzz thread-sanitizer \
  address-sanitizer retention

lint:
	swift format lint --strict --recursive Package.swift Sources Tests Examples Benchmarks

# A violation prints "Build complete!" and exits 1: the status counts.
imports: setup
	swift build --build-tests --explicit-target-dependency-import-check error $(STRICT)

# Random classes with the macro and without it must do the same. Uses what `imports` built;
# `make plain-swift SEED=7 CLASSES=1000` looks further, and OPTIMIZED=--optimized compiles with -O.
CLASSES ?= 300
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

# DocC's, of what `imports` has built: it must have no link that leads nowhere.
documentation:
	Scripts/documentation

# What `make bench` runs, without measuring. What it measures of this package is built by `make test`.
harness:
	Scripts/run-tests swift test --package-path Benchmarks $(STRICT)

# Texts that are nobody's: what reads crash reports must come to an end with each of them. As many
# runs as CI has time for; `make fuzz RUNS=1000000` looks further. What is found new stays in
# .build/fuzz/found.
RUNS ?= 20000
fuzz: setup
	KVO_SAFETY_FUZZ=1 swift build -c release --sanitize=fuzzer --scratch-path .build/fuzz \
	  --product ImportFuzzer
	mkdir -p .build/fuzz/found
	SWIFT_BACKTRACE=enable=no .build/fuzz/release/ImportFuzzer -runs=$(RUNS) -seed=1 -timeout=10 \
	  -max_len=8192 -print_final_stats=1 .build/fuzz/found Tests/ImportFuzzer/Corpus

# Builds of their own, so that the ordinary one stays valid. What has one thread and no pointer gains
# nothing here: the pure machines and the command line are left to `make test`. Without the macro they
# need not build swift-syntax once more each; the adapter for OpenCombine, which no other build has, is
# tested here. The recorder's programs are a run of their own, and one by hand: `make
# recorder-thread-sanitizer`. On a busy machine they wait for each other longer than a test may last.
THREAD_SANITIZER := Scripts/run-tests swift test --sanitize=thread --scratch-path .build/thread \
  --traits OpenCombineAdapter
thread-sanitizer: setup
	$(THREAD_SANITIZER) --filter 'KVOSafetyTests|KVOSafetyTestingTests|KVOSafetyOpenCombineTests'

recorder-thread-sanitizer: setup
	$(THREAD_SANITIZER) --filter KVORecorderTests

# By hand: as many operations of eight threads in each of the two forms of notifying, under the thread
# sanitizer. Ten million in each take half an hour on two cores; unoptimised, ten times that.
OPERATIONS ?= 10000000
stress: setup
	KVO_SAFETY_TESTS=KVOSafetyTests KVO_SAFETY_STRESS=$(OPERATIONS) swift test -c release \
	  --sanitize=thread -Xswiftc -enable-testing --scratch-path .build/stress \
	  --disable-default-traits $(STRICT) \
	  --filter StressTests/everything

# Leaks are Foundation's Process and XCTest's, not ours. Two runs, because the recorder's programs need
# the machine for themselves.
ADDRESS_SANITIZER := ASAN_OPTIONS=detect_leaks=0 Scripts/run-tests swift test --sanitize=address \
  --scratch-path .build/address --disable-default-traits
address-sanitizer: setup-tests
	$(ADDRESS_SANITIZER) --filter 'KVOTraceTests|KVORecorderTests'
	$(ADDRESS_SANITIZER) --skip-build \
	  --filter 'KVOSafetyTests|KVOSafetyTestingTests|KVOSymbolsTests' --skip OracleTests

# What it reads of memory is the same in no two ways of building. `Scripts/retention-builds` alone tries all
# of them and writes Reports/retention-builds.md.
# Its tests run in a release build with OpenCombine, whose values are walked there.
retention: setup
	SHAPES=300 Scripts/retention-builds debug o
	SHAPES=0 Scripts/retention-builds debug-asan
	KVO_SAFETY_TESTS=KVORetentionTests Scripts/run-tests swift test -c release -Xswiftc -enable-testing \
	  --scratch-path .build/retention-tests --traits OpenCombineAdapter $(STRICT)

# More of the random Objective-C programs than `make test` runs: two minutes of them.
random-objective-c: setup-tests
	swift build --build-tests $(STRICT)
	KVO_SAFETY_RANDOM_PROGRAMS=1000 Scripts/run-tests swift test --skip-build \
	  --filter 'KVOPreloadTests.RandomProgramTests'

# Writes the sample reports anew; a test compares them.
reports: setup
	KVO_SAFETY_WRITE_REPORTS=1 swift test --filter SampleReportTests

# Not part of check: figures are for people to judge. SUITES=recorder runs one suite alone, and
# ROUNDS=3 each row so often.
bench: setup
	@Scripts/bench $(if $(ROUNDS),--rounds $(ROUNDS)) $(SUITES)

preload: setup
	swift build --product kvo-audit
	Scripts/preload

# kvo-audit, its manual and completions, and the recorder for Objective-C programs. DESTDIR stands in
# front of everything, for those who make packages. Without the macro, which the tool does not need.
PREFIX ?= /usr/local
INSTALLED := swift build -c release --disable-default-traits --traits Serve
install: setup
	$(INSTALLED) --product kvo-audit
	$(INSTALLED) --product kvo-audit-serve
	Scripts/preload "$$($(INSTALLED) --show-bin-path)"
	Scripts/install "$$($(INSTALLED) --show-bin-path)" "$(DESTDIR)$(PREFIX)"

uninstall:
	Scripts/install --remove "$(DESTDIR)$(PREFIX)"

setup:
	@Scripts/setup

setup-tests:
	@Scripts/setup tests

clean:
	rm -rf .build Benchmarks/.build
