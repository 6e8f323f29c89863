# Building, installing and proving lockrun. Nothing here calls a package manager.
VERSION   = 0.1.0
PREFIX    = /usr/local
DESTDIR   =
BUILD     = build

CC        = cc
CFLAGS    = -O2 -g
WARNINGS  = -std=gnu11 -Wall -Wextra -Wshadow -Wpointer-arith -Wcast-qual -Wstrict-prototypes \
            -Wmissing-prototypes -Wwrite-strings -Wformat=2 -Wvla -Wundef
HARDENING = -fstack-protector-strong -fPIE -D_FORTIFY_SOURCE=2
HARDLINK  = -pie -Wl,-z,relro -Wl,-z,now -Wl,-z,noexecstack
PKGCONFIG = pkg-config
BSDFLAGS := $(shell $(PKGCONFIG) --cflags libbsd)
BSDLIBS  := $(shell $(PKGCONFIG) --libs libbsd)

ALLCFLAGS = $(CFLAGS) $(WARNINGS) $(HARDENING) -D_GNU_SOURCE -Isrc $(BSDFLAGS) -pthread \
            -DLOCKRUN_VERSION='"$(VERSION)"'
ALLLIBS   = $(HARDLINK) $(LDFLAGS) $(BSDLIBS) -pthread

FLOORS    = values kernel election commands
SOURCES   = src/main.c $(sort $(foreach floor,$(FLOORS),$(wildcard src/$(floor)/*.c)))
OBJECTS   = $(SOURCES:src/%.c=$(BUILD)/%.o)

all: $(BUILD)/lockrun

$(BUILD)/lockrun: $(OBJECTS)
	$(CC) $(ALLCFLAGS) -o $@ $(OBJECTS) $(ALLLIBS)

$(BUILD)/%.o: src/%.c Makefile
	@mkdir -p $(@D)
	$(CC) $(ALLCFLAGS) -MMD -MP -c -o $@ $<

-include $(OBJECTS:.o=.d)

UNITS     = $(patsubst tests/unit/%.c,%,$(wildcard tests/unit/*_test.c))
VALUES    = $(patsubst src/%.c,$(BUILD)/%.o,$(wildcard src/values/*.c))

$(BUILD)/unit/%: tests/unit/%.c tests/unit/expect.h $(VALUES)
	@mkdir -p $(@D)
	$(CC) $(ALLCFLAGS) -Itests/unit -o $@ $< $(VALUES) $(ALLLIBS)

unit: $(UNITS:%=$(BUILD)/unit/%)
	@set -e; for test in $^; do $$test; done

PROBES    = $(patsubst tests/probe/%.c,$(BUILD)/probe/%,$(wildcard tests/probe/*.c))

$(BUILD)/probe/%: tests/probe/%.c $(VALUES)
	@mkdir -p $(@D)
	$(CC) $(ALLCFLAGS) -o $@ $< $(VALUES) $(ALLLIBS)

probes: $(PROBES)

# What is installed: mode, file, place below PREFIX. The completions go where Debian's shells look.
INSTALLED = 0755:$(BUILD)/lockrun:bin/lockrun \
            $(foreach page,$(wildcard man/*.[1-8]),0644:$(page):share/man/man$(subst .,,$(suffix $(page)))/$(notdir $(page))) \
            0644:completions/lockrun.bash:share/bash-completion/completions/lockrun \
            0644:completions/_lockrun:share/zsh/site-functions/_lockrun \
            0644:completions/lockrun.fish:share/fish/vendor_completions.d/lockrun.fish

install: all
	@set -e; for entry in $(INSTALLED); do \
		place=$${entry##*:}; file=$${entry%:*}; \
		install -D -m $${file%%:*} "$${file#*:}" "$(DESTDIR)$(PREFIX)/$$place"; \
		echo "$(DESTDIR)$(PREFIX)/$$place"; \
	done

# Directories stay: they are the system's.
uninstall:
	@set -e; for entry in $(INSTALLED); do rm -f "$(DESTDIR)$(PREFIX)/$${entry##*:}"; done

clean:
	rm -rf $(BUILD)

.PHONY: all unit probes install uninstall clean
.DELETE_ON_ERROR:
