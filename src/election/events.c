/* SPDX-License-Identifier: ISC */
#include "election/events.h"

#include <bsd/string.h>

#include <stdio.h>
#include <time.h>
#include <unistd.h>

#include "election/roster.h"
#include "kernel/clock.h"
#include "kernel/eventfile.h"
#include "values/json.h"

#define LINE_SIZE 4096

/* A line that is being made. What does not fit is not written at all: half a line is worse. */
struct line {
	char bytes[LINE_SIZE];
	struct json_buffer buffer;
	struct json json;
};

int
events_open(struct events *events, const char *where, unsigned closed, const struct lockname *name,
    const struct campaign *campaign)
{
	*events = (struct events){
	    .fd = where != NULL ? eventfile_open(where, closed) : -1,
	    .name = name,
	    .campaign = campaign,
	    .begun = clock_boottime(),
	};
	return where == NULL || events->fd != -1 ? 0 : -1;
}

static struct json *
begin(const struct events *events, struct line *line, const char *type)
{
	char time[CLOCK_TEXT_SIZE];
	struct json *json = &line->json;

	line->buffer = (struct json_buffer){.bytes = line->bytes, .size = sizeof(line->bytes)};
	json_begin(json, json_buffer_sink, &line->buffer);
	json_object(json, NULL);
	json_string(json, "type", type);
	json_string(json, "time", clock_text(clock_realtime_ms(), time));
	json_number(json, "mono_ms", clock_monotonic() / DURATION_MILLISECOND);
	json_string(json, "lock", events->name->text);
	json_string(json, "contender", events->campaign->contender);
	json_number(json, "pid", getpid());
	if (events->generation != 0)
		json_number(json, "generation", (int64_t)events->generation);
	return json;
}

static void
end(const struct events *events, struct line *line)
{
	json_object_end(&line->json);
	json_buffer_sink(&line->buffer, "\n", 1);
	if (!line->buffer.overflow)
		eventfile_write(events->fd, line->bytes, line->buffer.length);
}

static void
put_holder(struct json *json, const struct roster_entry *holder)
{
	if (holder == NULL) {
		json_null(json, "holder");
		return;
	}
	json_object(json, "holder");
	json_number(json, "pid", holder->ticket.pid);
	json_string(json, "contender", holder->text.contender);
	json_object_end(json);
}

/* For the last event. */
static void
note_text(struct events *events, const char *text)
{
	strlcpy(events->text, text != NULL ? text : "", sizeof(events->text));
}

void
events_waiting(struct events *events, const struct candidacy *candidacy)
{
	char host[HOST_NAME_MAX + 1] = "";
	struct lockdir lock;
	struct roster roster = {0};
	struct fault fault;
	struct line line;
	struct json *json;

	if (events->fd == -1)
		return;
	note_text(events, NULL);
	if (events->begun == 0)
		events->begun = clock_boottime();
	if (lockdir_open(candidacy->directory, events->name->text, STATE_READ, NULL, 0, &lock,
		&fault) == 0) {
		(void)roster_read(&lock, &roster, &fault);
		lockdir_close(&lock);
	}
	gethostname(host, sizeof(host) - 1);
	json = begin(events, &line, "waiting");
	json_number(
	    json, "position", 1 + (int64_t)roster_ahead_of(&roster, events->campaign->contender));
	put_holder(json, roster_holder(&roster));
	json_string(json, "host", host);
	json_string(json, "version", LOCKRUN_VERSION);
	json_string(json, "note", candidacy->note);
	end(events, &line);
	roster_free(&roster);
}

static void
observe_leading(struct events *events, const struct happened *happened)
{
	struct line line;
	struct json *json;

	events->generation = happened->generation;
	events->led = clock_boottime();
	events->has_led = true;
	json = begin(events, &line, "leading");
	json_number(json, "command_pid", happened->pid);
	json_bool(json, "degraded", happened->degraded);
	end(events, &line);
}

static void
observe_stepping_down(struct events *events, const struct happened *happened)
{
	struct line line;
	struct json *json;

	json = begin(events, &line, "stepping-down");
	json_string(json, "reason", reason_word(happened->reason));
	json_string(json, "text", happened->text);
	note_text(events, happened->text);
	if (happened->grace == DURATION_NEVER)
		json_null(json, "grace_ms");
	else
		json_number(json, "grace_ms", happened->grace / DURATION_MILLISECOND);
	end(events, &line);
}

void
events_observe(struct events *events, const struct happened *happened)
{
	if (events->fd == -1)
		return;
	if (happened->what == HAPPENING_LEADING)
		observe_leading(events, happened);
	else if (happened->what == HAPPENING_STEPPING_DOWN)
		observe_stepping_down(events, happened);
}

void
events_skipped(struct events *events, enum reason reason, const char *text)
{
	struct line line;

	if (events->fd == -1)
		return;
	note_text(events, text);
	json_string(begin(events, &line, "skipped"), "reason", reason_word(reason));
	end(events, &line);
}

void
events_error(struct events *events, const struct fault *fault)
{
	/* A line has to end, so what is longer is cut. */
	char text[FAULT_TEXT_SIZE];
	struct line line;

	if (events->fd == -1)
		return;
	fault_text(fault, text, sizeof(text));
	json_string(begin(events, &line, "error"), "message", text);
	end(events, &line);
}

void
events_joined(struct events *events, const struct term *term)
{
	struct line line;
	struct json *json;

	if (events->fd == -1)
		return;
	events->generation = term->generation;
	json = begin(events, &line, "joined");
	json_object(json, "leader");
	json_number(json, "pid", term->pid);
	json_string(json, "contender", term->contender);
	json_object_end(json);
	json_string(json, "command", term->command);
	end(events, &line);
}

/* How long the present attempt has taken so far. */
static struct events_span
span(const struct events *events)
{
	const duration_t now = clock_boottime();
	const bool leads = events->led != 0, waits = events->begun != 0;

	return (struct events_span){
	    .generation = events->generation,
	    .waited = waits ? (leads ? events->led : now) - events->begun : 0,
	    .held = leads ? now - events->led : 0,
	};
}

static void
put_outcome(const struct events *events, struct json *json, const struct outcome *outcome,
    enum reason reason, const struct events_span *took)
{
	json_string(json, "ran", ran_word(outcome->ran));
	json_number(json, "status", outcome->status);
	if (outcome->signal != 0)
		json_number(json, "signal", outcome->signal);
	else
		json_null(json, "signal");
	json_string(json, "reason", reason_word(reason));
	json_string(json, "text", events->text[0] != '\0' ? events->text : NULL);
	json_bool(json, "killed", outcome->killed);
	json_number(json, "waited_ms", took->waited / DURATION_MILLISECOND);
	json_number(json, "held_ms", took->held / DURATION_MILLISECOND);
}

void
events_backoff(struct events *events, const struct outcome *outcome, int64_t retry_at_ms)
{
	const struct events_span took = span(events);
	char time[CLOCK_TEXT_SIZE];
	struct line line;
	struct json *json;

	if (events->fd == -1)
		return;
	json = begin(events, &line, "backoff");
	put_outcome(events, json, outcome, outcome->reason, &took);
	json_string(json, "retry_at", clock_text(retry_at_ms, time));
	end(events, &line);
	if (events->led != 0)
		events->last_term = took;
	events->generation = 0;
	events->led = events->begun = 0;
}

void
events_stopped(struct events *events, const struct outcome *last, enum reason reason)
{
	const struct events_span took =
	    events->led == 0 && events->has_led ? events->last_term : span(events);
	struct line line;
	struct json *json;

	if (events->fd == -1)
		return;
	events->generation = took.generation;
	json = begin(events, &line, "stopped");
	put_outcome(events, json, last, reason, &took);
	end(events, &line);
}
