/* SPDX-License-Identifier: ISC */
/* lockrun watch: follow who leads, or wait for the end of the present term. Joins no queue. */
#include "commands/commands.h"

#include <bsd/string.h>

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "commands/describe.h"
#include "commands/say.h"
#include "commands/target.h"
#include "commands/write_json.h"
#include "election/await_end.h"
#include "election/view.h"
#include "kernel/clock.h"
#include "kernel/lockwatch.h"

/* What no watch sees: a lock whose directory does not exist yet, a process that was frozen. */
#define TICK DURATION_SECOND

/* ---- following ---- */

/* An exclusive term has a generation as soon as it begins, a moment after the lock was taken. */
static bool
has_begun(const struct roster_entry *holder)
{
	return holder != NULL &&
	       (holder->ticket.mode == TICKET_SHARED || holder->text.generation != 0);
}

/* All that a line says, but for how long it has been so. */
static void
describe_state(const struct view *view, char text[DESCRIBE_SIZE])
{
	const struct roster *roster = &view->roster;
	const struct roster_entry *holder = roster_holder(roster);
	char who[DESCRIBE_SIZE], which[64] = "";

	if (view->outside.pid != 0) {
		snprintf(text, DESCRIBE_SIZE, "%.*s, %zu waiting", DESCRIBE_SIZE / 2,
		    describe_outside(&view->outside, who), roster_waiting(roster));
		return;
	}
	if (!has_begun(holder)) {
		snprintf(text, DESCRIBE_SIZE, "%s, %zu waiting",
		    roster->unsupervised	 ? "led without supervision"
		    : roster->orphaned		 ? "orphaned"
		    : roster_waiting(roster) > 0 ? "being handed over"
		    : roster->resting > 0	 ? "resting"
						 : "idle",
		    roster_waiting(roster));
		return;
	}
	if (holder->ticket.mode == TICKET_EXCLUSIVE)
		snprintf(which, sizeof(which), ", generation %" PRIu64, holder->text.generation);
	else if (roster->held > 1)
		snprintf(which, sizeof(which), " and %zu more", roster->held - 1);
	snprintf(text, DESCRIBE_SIZE, "%s by %.*s%s, %zu waiting%s%s%s%s",
	    holder->ticket.mode == TICKET_SHARED ? "shared" : "led", DESCRIBE_SIZE / 2,
	    describe_contender(holder, who), which, roster_waiting(roster),
	    holder->frozen ? ", frozen" : "", holder->silent ? ", silent" : "",
	    holder->text.reason[0] != '\0' ? ", stepping down: " : "", holder->text.reason);
}

static void
print_state(const struct options *options, const struct target *target, const struct view *view,
    const char *state)
{
	char now[CLOCK_TEXT_SIZE];
	struct json json;

	if (options->json) {
		write_begin(&json, &target->directory);
		json_array(&json, "locks");
		write_view(&json, view);
		json_array_end(&json);
		write_end(&json);
	} else {
		printf(
		    "%s %s: %s\n", clock_text(clock_realtime_ms(), now), target->name.text, state);
	}
	fflush(stdout);
}

/* A lock, or the whole directory, may come into being while we look. */
static int
watch_anew(const struct options *options, struct target *target, int *watch, struct fault *fault)
{
	lockdir_close(&target->lock);
	statedir_close(&target->directory);
	if (target_open(SUB_WATCH, options, 1, target, fault) == -1)
		return -1;
	*watch = lockwatch_open_queue(&target->lock);
	return 0;
}

static int
look(const struct options *options, struct target *target, char state[DESCRIBE_SIZE],
    struct fault *fault)
{
	char *name = target->name.text, now[DESCRIBE_SIZE];
	const struct view *view;
	struct views views;
	bool read;

	if (views_begin(&target->directory, &name, 1, &views, fault) == -1)
		return -1;
	view = views_next(&views);
	read = view->fault.kind == FAULT_NONE;
	if (read) {
		describe_state(view, now);
		if (strcmp(now, state) != 0)
			print_state(options, target, view, now);
		strlcpy(state, now, DESCRIBE_SIZE);
	} else {
		*fault = view->fault;
	}
	views_end(&views);
	return read ? 0 : -1;
}

static struct ending
follow(const struct options *options, struct target *target)
{
	const duration_t until = options->wait == DURATION_NEVER
				     ? DURATION_NEVER
				     : clock_after(clock_monotonic(), options->wait);
	char state[DESCRIBE_SIZE] = "";
	struct pollfd watched = {.fd = -1, .events = POLLIN};
	struct fault fault;
	duration_t tick;

	do {
		/* One that was forgotten, and may have come back, is another directory by now. */
		if (watched.fd != -1 && !lockdir_in_place(&target->lock)) {
			close(watched.fd);
			watched.fd = -1;
		}
		if (watched.fd != -1)
			lockwatch_drain(watched.fd);
		else if (watch_anew(options, target, &watched.fd, &fault) == -1)
			return say_fault(&fault);
		if (look(options, target, state, &fault) == -1)
			return say_fault(&fault);
		tick = clock_monotonic() + TICK;
		clock_poll(&watched, 1, tick < until ? tick : until);
	} while (clock_monotonic() < until && !ferror(stdout));
	return (struct ending){.status = STATUS_OK};
}

/* ---- until the end ---- */

static struct ending
wait_until_end(const struct options *options, struct target *target, struct signals *signals)
{
	char text[DESCRIBE_SIZE], length[DURATION_TEXT_SIZE];
	const struct roster_entry *holder;
	const char *held;
	enum acquire result;
	struct roster roster;
	struct fault fault;
	int signal = 0;

	if (roster_read(&target->lock, &roster, &fault) == -1)
		return say_fault(&fault);
	holder = roster_holder(&roster);
	if (holder == NULL) {
		held = describe_if_held(&target->lock, &roster, "", text);
		if (held != NULL)
			say("%s: %s", target->name.text, held);
		else
			say("%s: nobody leads%s", target->name.text,
			    describe_absence(&target->lock, text));
		roster_free(&roster);
		return (struct ending){.status = held != NULL ? STATUS_NOT_ACQUIRED : STATUS_OK};
	}
	describe_contender(holder, text);
	result = await_end(&target->lock, holder, options->wait, signals, &signal);
	roster_free(&roster);
	switch (result) {
	case ACQUIRE_TAKEN:
		return (struct ending){.status = STATUS_OK};
	case ACQUIRE_LATE:
		say("%s: %s still leads after %s", target->name.text, text,
		    duration_format(options->wait, length));
		return (struct ending){.status = STATUS_NOT_ACQUIRED};
	case ACQUIRE_SIGNAL:
		return (struct ending){.status = 128 + signal, .signal = signal};
	default:
		fault_set(&fault, FAULT_LOCK_UNUSABLE, errno, "%s", target->name.text);
		return say_fault(&fault);
	}
}

struct ending
command_watch(char **arguments, struct process_entry *entry)
{
	struct target target;
	struct options options;
	struct ending ending;
	struct fault fault;

	if (!command_parse(SUB_WATCH, arguments, &options, &ending))
		return ending;
	if (target_open(SUB_WATCH, &options, 1, &target, &fault) == -1)
		return say_fault(&fault);
	return options.until_end ? wait_until_end(&options, &target, &entry->signals)
				 : follow(&options, &target);
}
