/* SPDX-License-Identifier: ISC */
/* lockrun stats: counts and times of each lock, for people and for monitoring. */
#include "commands/commands.h"

#include <bsd/string.h>

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "commands/describe.h"
#include "commands/paper.h"
#include "commands/say.h"
#include "commands/write_json.h"
#include "election/terms.h"

/* What the figures of one lock come from. */
struct subject {
	const struct view *view;
	struct sums sums;
};

static int64_t
generation(const struct subject *subject)
{
	return (int64_t)subject->view->roster.generation;
}

static int64_t
held(const struct subject *subject)
{
	return roster_is_held(&subject->view->roster) || subject->view->outside.pid != 0;
}

static int64_t
waiting(const struct subject *subject)
{
	return (int64_t)roster_waiting(&subject->view->roster);
}

static int64_t
skips(const struct subject *subject)
{
	return (int64_t)subject->view->roster.skips.total;
}

static int64_t
finished(const struct subject *subject)
{
	return (int64_t)subject->sums.finished;
}

static int64_t
failed(const struct subject *subject)
{
	return (int64_t)subject->sums.failed;
}

static int64_t
stepped_down(const struct subject *subject)
{
	return (int64_t)subject->sums.stepped_down;
}

static int64_t
not_started(const struct subject *subject)
{
	return (int64_t)subject->sums.not_started;
}

static int64_t
waited_ms(const struct subject *subject)
{
	return subject->sums.waited_ms;
}

static int64_t
held_ms(const struct subject *subject)
{
	return subject->sums.held_ms;
}

static int64_t
longest_held_ms(const struct subject *subject)
{
	return subject->sums.longest_held_ms;
}

static const struct figure {
	const char *name;   /* in JSON and for people */
	const char *metric; /* in Prometheus's text format, where times are in seconds */
	bool counter;	    /* it only grows */
	bool is_time;	    /* in ms */
	int64_t (*value)(const struct subject *subject);
	const char *help;
} figure_table[] = {
    {"generation", "lockrun_generation", false, false, generation, "Newest generation given."},
    {"held", "lockrun_held", false, false, held, "Whether the lock is held now."},
    {"waiting", "lockrun_waiting", false, false, waiting, "Contenders in the queue now."},
    {"finished", "lockrun_finished_total", true, false, finished, "Terms that exited with 0."},
    {"failed", "lockrun_failed_total", true, false, failed, "Terms that failed."},
    {"stepped_down", "lockrun_stepped_down_total", true, false, stepped_down,
	"Terms that were made to step down."},
    {"not_started", "lockrun_not_started_total", true, false, not_started,
	"Terms whose command could not be started."},
    {"skips", "lockrun_skips_total", true, false, skips, "Contenders that were turned away."},
    {"waited_ms", "lockrun_waited_seconds_total", true, true, waited_ms, "Time in the queue."},
    {"held_ms", "lockrun_held_seconds_total", true, true, held_ms, "Time of holding."},
    {"longest_held_ms", "lockrun_longest_held_seconds", false, true, longest_held_ms,
	"The longest term."},
};
#define FIGURES (sizeof(figure_table) / sizeof(figure_table[0]))

/* The figures of one lock. */
struct figures {
	char name[LOCKNAME_SIZE];
	bool absent;
	int64_t values[FIGURES];
};

struct list {
	struct figures *items;
	size_t count;
};

static void
read_figures(const struct statedir *directory, const struct view *view, struct figures *figures)
{
	struct subject subject = {.view = view};
	struct lockdir lock;
	struct fault fault;

	if (lockdir_open(directory, view->name, STATE_READ, NULL, 0, &lock, &fault) == 0) {
		(void)terms_sums(&lock, &subject.sums);
		lockdir_close(&lock);
	}
	strlcpy(figures->name, view->name, sizeof(figures->name));
	figures->absent = view->roster.absent;
	for (size_t i = 0; i < FIGURES; i++)
		figures->values[i] = figure_table[i].value(&subject);
}

/* One that cannot be read hides none of the others; *ending says so. */
static int
read_list(const struct statedir *directory, struct views *views, struct list *list,
    struct ending *ending, struct fault *fault)
{
	const struct view *view;

	*list = (struct list){.items = calloc(views_count(views) + 1, sizeof(list->items[0]))};
	if (list->items == NULL)
		return fault_set(fault, FAULT_SYSTEM, ENOMEM, "%s", directory->path);
	while ((view = views_next(views)) != NULL) {
		if (view->fault.kind == FAULT_NONE)
			read_figures(directory, view, &list->items[list->count++]);
		else
			*ending = say_fault(&view->fault);
	}
	return 0;
}

static void
print_text(const struct list *list)
{
	char length[DURATION_TEXT_SIZE];

	paper_begin();
	for (size_t i = 0; i < list->count; i++) {
		paper_line(INK_PLAIN, "%s%s", list->items[i].name,
		    list->items[i].absent ? ": no lock of this name here" : "");
		for (size_t j = 0; j < FIGURES; j++) {
			const int64_t value = list->items[i].values[j];

			/* "held_time", since "held" says whether it is. */
			if (figure_table[j].is_time)
				paper_line(INK_PLAIN, "  %.*stime %*s%s",
				    (int)strlen(figure_table[j].name) - 2, figure_table[j].name,
				    17 - (int)strlen(figure_table[j].name), "",
				    duration_format(value * DURATION_MILLISECOND, length));
			else
				paper_line(
				    INK_PLAIN, "  %-19s %" PRId64, figure_table[j].name, value);
		}
	}
}

static void
print_json(const struct statedir *directory, const struct list *list)
{
	struct json json;

	write_begin(&json, directory);
	json_array(&json, "locks");
	for (size_t i = 0; i < list->count; i++) {
		json_object(&json, NULL);
		json_string(&json, "name", list->items[i].name);
		for (size_t j = 0; j < FIGURES; j++)
			json_number(&json, figure_table[j].name, list->items[i].values[j]);
		json_object_end(&json);
	}
	json_array_end(&json);
	write_end(&json);
}

/* All samples of one metric have to stand together. A lock name needs no escaping. */
static void
print_prometheus(const struct list *list)
{
	for (size_t j = 0; j < FIGURES; j++) {
		const struct figure *figure = &figure_table[j];

		printf("# HELP %s %s\n# TYPE %s %s\n", figure->metric, figure->help, figure->metric,
		    figure->counter ? "counter" : "gauge");
		for (size_t i = 0; i < list->count; i++) {
			const int64_t value = list->items[i].values[j];

			printf("%s{lock=\"%s\"} ", figure->metric, list->items[i].name);
			if (figure->is_time)
				printf("%" PRId64 ".%03d\n", value / 1000, (int)(value % 1000));
			else
				printf("%" PRId64 "\n", value);
		}
	}
}

struct ending
command_stats(char **arguments, struct process_entry *entry)
{
	struct statedir directory;
	struct options options;
	struct ending ending;
	struct views views;
	struct list list;
	struct fault fault;

	(void)entry;
	if (!command_parse(SUB_STATS, arguments, &options, &ending))
		return ending;
	if (options.json && options.prometheus) {
		fault_set(&fault, FAULT_USAGE_TWICE_MEANT, 0, "--json and --prometheus");
		return say_fault(&fault);
	}
	if (statedir_open(options.directory, STATE_READ, &directory, &fault) == -1 ||
	    views_begin(&directory, options.words, options.word_count, &views, &fault) == -1 ||
	    read_list(&directory, &views, &list, &ending, &fault) == -1)
		return say_fault(&fault);
	views_end(&views);
	if (options.json)
		print_json(&directory, &list);
	else if (options.prometheus)
		print_prometheus(&list);
	else
		print_text(&list);
	free(list.items);
	return ending;
}
