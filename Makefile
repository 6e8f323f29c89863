# Building and proving lockrun. Nothing here calls a package manager.
#
#	make             build/lockrun; needs a C compiler, pkg-config and libbsd (V=1: say it in full)
#	make static      build/static/lockrun, which runs without any library
#	make try         watch an election, in a temporary directory
#	make check       the unit tests and the tests of behaviour; needs bats as well
#	make picture     the same, as the picture in README.md
#	make bench       how fast it is, beside what people use instead
#	make profile     where the time of a run goes
#	make torture     what it endures: see tests/torture/torture.c
#	make coverage    what the tests execute, and what they do not
#	make mutation    whether the tests would notice: see tests/mutation/mutate.sh
#	make check-full  all that can be proved on one machine; needs what .ci/run installs
#	make dist        build/lockrun-VERSION.tar.gz, which builds and proves itself
VERSION   = 0.1.0
PREFIX    = /usr/local
DESTDIR   =
BUILD     = build

CC        = cc
# A run is system calls and page faults: -O2 is an eighth larger and no faster.
CFLAGS    = -Os -g
PKGCONFIG = pkg-config
BATS      = bats

# ---- what the compiler is told ----

ifneq ($(filter-out clean lint dist,$(or $(MAKECMDGOALS),all)),)
ifeq ($(shell command -v $(PKGCONFIG)),)
$(error $(PKGCONFIG) not found; install pkg-config)
endif
ifneq ($(shell $(PKGCONFIG) --exists libbsd || echo missing),)
$(error libbsd not found; install libbsd-dev)
endif
BSDFLAGS := $(shell $(PKGCONFIG) --cflags libbsd)
# Where it can be, libbsd is linked in: loading it would cost 20 of a start's 190 page faults.
ifneq ($(wildcard $(shell $(CC) -print-file-name=libbsd.a)),)
BSDLIBS  := -Wl,-Bstatic $(shell $(PKGCONFIG) --libs --static libbsd) $(if $(LIBRARIES),,-Wl,-Bdynamic)
else
BSDLIBS  := $(shell $(PKGCONFIG) --libs $(LIBRARIES) libbsd)
endif

# Those that this compiler has. An older C library makes 2 of FORTIFY_SOURCE's 3.
known     = $(foreach flag,$(1),$(shell $(CC) -Werror $(flag) -c -x c /dev/null -o /dev/null \
              2>/dev/null && echo $(flag)))
HARDENING := -fPIE -fstack-protector-strong -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=3 \
             $(call known,-fstack-clash-protection -fcf-protection)
# Nothing unwinds at run time, and a debugger has tables of its own: an eighth of the program.
SMALLER   := $(call known,-fno-asynchronous-unwind-tables)
HARDLINK  = -pie -Wl,-z,relro,-z,now,-z,noexecstack
endif

WARNINGS  = -Wall -Wextra -Wshadow -Wpointer-arith -Wcast-qual -Wstrict-prototypes \
            -Wmissing-prototypes -Wwrite-strings -Wformat=2 -Wvla -Wundef
ALLCFLAGS = -std=gnu11 -D_GNU_SOURCE -DLOCKRUN_VERSION='"$(VERSION)"' -Isrc -pthread \
            $(BSDFLAGS) $(WARNINGS) $(CPPFLAGS) $(HARDENING) $(SMALLER) $(CFLAGS)
ALLLIBS   = $(HARDLINK) $(LDFLAGS) $(BSDLIBS)

# One short line for each file that is compiled; the whole command with V=1, nothing with -s.
silent    = $(findstring s,$(firstword -$(MAKEFLAGS)))
whole     = $(filter-out 0,$(V))
told      = @$(if $(whole)$(silent),,echo '  $(1)  $(2)')
hide      = $(if $(whole),,@)

# ---- building ----

SOURCES   = $(sort $(wildcard src/*.c src/*/*.c))
OBJECTS   = $(SOURCES:src/%.c=$(BUILD)/%.o)

all: $(BUILD)/lockrun

$(BUILD)/lockrun: $(OBJECTS)
	$(call told,LD,$@)
	$(hide)$(CC) $(ALLCFLAGS) -o $@ $(OBJECTS) $(ALLLIBS)

$(BUILD)/%.o: src/%.c Makefile
	@mkdir -p $(@D)
	$(call told,CC,$<)
	$(hide)$(CC) $(ALLCFLAGS) -MMD -MP -c -o $@ $<

# A static program must not look users up as others do, see src/kernel/statedir.c.
static:
	$(MAKE) BUILD=$(BUILD)/static LIBRARIES=--static CPPFLAGS='$(CPPFLAGS) -DLOCKRUN_STATIC' \
	    HARDLINK='-static-pie -Wl,-z,relro,-z,now,-z,noexecstack' all

# ---- installing ----

# The manuals, with the version in their last line.
MANUALS   = $(patsubst %,$(BUILD)/%,$(wildcard man/*.[1-8]))

$(BUILD)/man/%: man/% Makefile
	@mkdir -p $(@D)
	sed 's/^\.Os$$/.Os lockrun $(VERSION)/' $< >$@

# Where zsh looks: a Debian has one place for its packages and one for this machine.
ZSHDIR    = share/zsh/$(if $(filter /usr,$(PREFIX)),vendor-completions,site-functions)

# What is installed: mode, file, place below PREFIX. The completions go where Debian's shells look.
INSTALLED = 0755:$(BUILD)/lockrun:bin/lockrun \
            $(foreach page,$(MANUALS),0644:$(page):share/man/man$(subst .,,$(suffix $(page)))/$(notdir $(page))) \
            0644:completions/lockrun.bash:share/bash-completion/completions/lockrun \
            0644:completions/_lockrun:$(ZSHDIR)/_lockrun \
            0644:completions/lockrun.fish:share/fish/vendor_completions.d/lockrun.fish

install: all $(MANUALS)
	@set -e; for entry in $(INSTALLED); do \
		place=$${entry##*:}; file=$${entry%:*}; \
		install -D -m $${file%%:*} "$${file#*:}" "$(DESTDIR)$(PREFIX)/$$place"; \
		echo "$(DESTDIR)$(PREFIX)/$$place"; \
	done

# Directories stay: they are the system's.
uninstall:
	@set -e; for entry in $(INSTALLED); do rm -f "$(DESTDIR)$(PREFIX)/$${entry##*:}"; done

DIST      = lockrun-$(VERSION)
DISTFILES = .ci .clang-format .clang-tidy .gitignore Makefile README.md completions man src tests

dist:
	@mkdir -p $(BUILD)
	tar --sort=name --owner=root:0 --group=root:0 --transform='s|^|$(DIST)/|' -cf - $(DISTFILES) | \
	    gzip -9n >$(BUILD)/$(DIST).tar.gz
	@echo $(BUILD)/$(DIST).tar.gz

clean:
	rm -rf $(BUILD)

# ---- proving ----

UNITS     = $(patsubst tests/%.c,$(BUILD)/%,$(wildcard tests/unit/*_test.c))
VALUES    = $(filter $(BUILD)/values/%,$(OBJECTS))

$(BUILD)/unit/%: tests/unit/%.c $(VALUES)
	@mkdir -p $(@D)
	$(call told,CC,$<)
	$(hide)$(CC) $(ALLCFLAGS) -MMD -MP -MF $@.d -MT $@ -o $@ $< $(VALUES) $(ALLLIBS)

PROBEDIR  = $(BUILD)/probe
PROBES    = $(patsubst tests/probe/%.c,$(PROBEDIR)/%,$(wildcard tests/probe/*.c))

$(BUILD)/probe/%: tests/probe/%.c $(VALUES)
	@mkdir -p $(@D)
	$(call told,CC,$<)
	$(hide)$(CC) $(ALLCFLAGS) -o $@ $< $(VALUES) $(ALLLIBS)

probes: $(PROBES)

try: all
	@LOCKRUN=$(BUILD)/lockrun sh tests/try.sh

picture: all
	@LOCKRUN=$(BUILD)/lockrun sh tests/try.sh | awk -f tests/pictures/terminal.awk >$(BUILD)/election.svg
	@mv $(BUILD)/election.svg tests/pictures/election.svg

# The inputs that fuzzing began with and found, without a fuzzer.
TARGETS   = $(filter-out replay,$(patsubst tests/fuzz/%.c,%,$(wildcard tests/fuzz/*.c)))
REPLAYS   = $(TARGETS:%=$(BUILD)/fuzz/%)

$(BUILD)/fuzz/%: tests/fuzz/%.c tests/fuzz/replay.c tests/fuzz/fuzz.h $(VALUES)
	@mkdir -p $(@D)
	$(call told,CC,$<)
	$(hide)$(CC) $(ALLCFLAGS) -MMD -MP -MF $@.d -MT $@ -o $@ $< tests/fuzz/replay.c $(VALUES) $(ALLLIBS)

unit-build: $(UNITS) $(REPLAYS)

unit: $(UNITS) $(REPLAYS)
	@failed=0; for test in $(UNITS); do $$test || failed=1; done; \
	for target in $(TARGETS); do \
		$(BUILD)/fuzz/$$target tests/fuzz/corpus/$$target || failed=1; \
	done; exit $$failed

# make fuzz SECONDS=N: each target for so long; needs clang and its compiler-rt (libclang-rt-dev).
# What is found stands in $(BUILD)/fuzzing/found/TARGET.
SECONDS   = 60
FUZZING   = $(TARGETS:%=$(BUILD)/fuzzing/%)
FUZZFLAGS = -std=gnu11 -D_GNU_SOURCE -DLOCKRUN_VERSION='"$(VERSION)"' -Isrc $(BSDFLAGS) -O1 -g \
            -fno-omit-frame-pointer -fsanitize=fuzzer,address,undefined -fno-sanitize-recover=all

$(BUILD)/fuzzing/%: tests/fuzz/%.c tests/fuzz/fuzz.h $(wildcard src/values/*.[ch])
	@mkdir -p $(@D)
	clang $(FUZZFLAGS) -o $@ $< $(wildcard src/values/*.c) $(BSDLIBS)

fuzz: $(FUZZING)
	@failed=0; for target in $(TARGETS); do \
		found=$(BUILD)/fuzzing/found/$$target; mkdir -p $$found; \
		$(BUILD)/fuzzing/$$target -max_total_time=$(SECONDS) -max_len=2048 -print_final_stats=1 \
		    -artifact_prefix=$$found/ $$found tests/fuzz/corpus/$$target \
		    >$$found.log 2>&1 || failed=1; \
		echo "$$target: $$(sed -n 's/^stat::number_of_executed_units: *//p' $$found.log) runs," \
		    "$$(grep -c '^SUMMARY' $$found.log) faults"; \
	done; exit $$failed

# A shell in the background, and nohup(1), ignore signals; that would be inherited.
BEHAVE    = env --default-signal LOCKRUN=$(BUILD)/lockrun PROBES=$(PROBEDIR) \
            $(BATS) --print-output-on-failure
PAGES     = examples guide install interface readme wording
LONG      = also_flock exclusion order people pruning
PLAIN     = $(patsubst tests/%.bats,plain-%,$(wildcard tests/*.bats))
BENCHES   = $(patsubst tests/%.c,$(BUILD)/%,$(wildcard tests/bench/*.c))
FULL      = $(patsubst tests/full/%.bats,full-%,$(wildcard tests/full/*.bats))

check: all unit probes
	$(BEHAVE) tests

# File by file, so that -j runs several side by side: most tests wait most of the time.
check-full: full sanitized

full: $(FULL)

$(FULL): full-%: all probes $(BUILD)/torture $(BENCHES) $(MANUALS)
	$(BEHAVE) tests/full/$*.bats

$(PLAIN): plain-%: all probes
	$(BEHAVE) tests/$*.bats

# The plain tests again, on a build in which undefined behaviour and stray accesses are fatal; but
# for those of pages and completions, and those whose point is how many take part: LONG= has them.
# The probes are those of the plain build: they start faster.
# -U: fortified functions would hide some accesses from the sanitizer. Static and at a fixed place,
# if the compiler can: a start costs a fifth less.
SANITIZE  = -O1 -g -fno-omit-frame-pointer -fsanitize=address,undefined -fno-sanitize-recover=all \
            $(if $(call known,-no-pie),-fno-pie)
SANLIBS   = tests/sanitizer.c $(call known,-static-libasan -static-libubsan -no-pie)

sanitized: probes
	ROUNDS_DIVISOR=5 $(MAKE) BUILD=$(BUILD)/sanitized PROBEDIR=$(PROBEDIR) HARDENING=-U_FORTIFY_SOURCE HARDLINK= \
	    CFLAGS='$(SANITIZE)' LDFLAGS='$(SANLIBS)' unit $(filter-out $(PAGES:%=plain-%) $(LONG:%=plain-%),$(PLAIN))

# Measures and judges nothing: machines differ. relay's start is in what it measures, hence -static.
$(BUILD)/bench/%: tests/bench/%.c
	@mkdir -p $(@D)
	$(call told,CC,$<)
	$(hide)$(CC) $(filter-out -pie,$(ALLCFLAGS)) -o $@ $< -static

bench: all $(BENCHES)
	@LOCKRUN=$(BUILD)/lockrun BENCH=$(BUILD)/bench sh tests/bench/bench.sh $(BUILD)/bench

profile: all $(BENCHES)
	@LOCKRUN=$(BUILD)/lockrun BENCH=$(BUILD)/bench sh tests/bench/profile.sh

# torture SECONDS=N [SEED=N] [CONTENDERS=N]: hundreds of contenders, struck at random, and a judge.
SECONDS   = 60

$(BUILD)/torture: tests/torture/torture.c
	$(call told,CC,$<)
	$(hide)$(CC) $(ALLCFLAGS) -o $@ $<

torture: all $(BUILD)/torture
	@LOCKRUN=$(BUILD)/lockrun TORTURE=$(BUILD)/torture sh tests/torture/torture.sh $(SECONDS)

# What the tests execute; TESTED says which. Some look at what a plain build does, and fail here.
TESTED    = unit $(PLAIN) $(filter-out $(BUILDERS:%=full-%),$(FULL))
BUILDERS  = bench install lint model powerloss source storm torture
COUNTING  = BUILD=$(BUILD)/coverage HARDENING= HARDLINK= CFLAGS='-O0 -g --coverage -fprofile-update=atomic'

coverage:
	$(MAKE) $(COUNTING) all unit-build probes
	@find $(BUILD)/coverage -name '*.gcda' -delete
	-@GCOV_ERROR_FILE=/dev/null $(MAKE) --keep-going $(COUNTING) $(TESTED) >$(BUILD)/coverage/log 2>&1
	@sh tests/coverage.sh $(BUILD)/coverage

# mutation [MUTANTS=REGEX]: each promise broken on purpose, and a test that has to notice.
mutation: all unit-build probes
	@BUILD=$(BUILD) bash tests/mutation/mutate.sh '$(MUTANTS)'

# Each of these is also a test of tests/full/source.bats.
lint:
	@sh tests/lint/lint.sh

tidy: $(SOURCES:src/%.c=$(BUILD)/%.tidy)

$(BUILD)/%.tidy: src/%.c $(BUILD)/%.o .clang-tidy
	clang-tidy --quiet --warnings-as-errors='*' $< -- $(ALLCFLAGS)
	@touch $@

cppcheck:
	cppcheck --quiet --error-exitcode=1 --std=c11 --library=posix,bsd,gnu --inline-suppr \
	    --enable=warning,style,performance,portability --suppressions-list=tests/lint/cppcheck \
	    -D_GNU_SOURCE -DLOCKRUN_VERSION='""' -Isrc src

format:
	clang-format --dry-run --Werror $(wildcard src/*.[ch] src/*/*.[ch] tests/*/*.[ch])

shellcheck:
	shellcheck .ci/run $(wildcard tests/*.sh tests/*/*.sh)
	shellcheck --severity=error $(wildcard tests/*.ba* tests/*/*.bats)

.PHONY: fuzz all static dist install uninstall clean try picture unit unit-build probes check check-full full sanitized \
        $(FULL) $(PLAIN) bench profile torture mutation coverage lint tidy cppcheck format shellcheck
.DELETE_ON_ERROR:
-include $(OBJECTS:.o=.d) $(UNITS:=.d) $(REPLAYS:=.d)
