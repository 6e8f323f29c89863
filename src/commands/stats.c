/* SPDX-License-Identifier: ISC */
/* lockrun stats: counts and times of each lock, for people and for monitoring. */
#include "commands/commands.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "commands/describe.h"
#include "commands/paper.h"
#include "commands/say.h"
#include "commands/write_json.h"
#include "election/terms.h"

/* One figure of one lock; the table serves all three formats. */
struct figures {
	const struct view *view;
	struct sums sums;
};

static int64_t
generation(const struct figures *figures)
{
	return (int64_t)figures->view->roster.generation;
}

static int64_t
held(const struct figures *figures)
{
	return roster_is_held(&figures->view->roster);
}

static int64_t
waiting(const struct figures *figures)
{
	return (int64_t)roster_waiting(&figures->view->roster);
}

static int64_t
skips(const struct figures *figures)
{
	return (int64_t)figures->view->roster.skips.total;
}

static int64_t
finished(const struct figures *figures)
{
	return (int64_t)figures->sums.finished;
}

static int64_t
failed(const struct figures *figures)
{
	return (int64_t)figures->sums.failed;
}

static int64_t
stepped_down(const struct figures *figures)
{
	return (int64_t)figures->sums.stepped_down;
}

static int64_t
not_started(const struct figures *figures)
{
	return (int64_t)figures->sums.not_started;
}

static int64_t
waited_ms(const struct figures *figures)
{
	return figures->sums.waited_ms;
}

static int64_t
held_ms(const struct figures *figures)
{
	return figures->sums.held_ms;
}

static int64_t
longest_held_ms(const struct figures *figures)
{
	return figures->sums.longest_held_ms;
}

static const struct figure {
	const char *name;   /* in JSON and for people */
	const char *metric; /* in Prometheus's text format, where times are in seconds */
	bool counter;	    /* it only grows */
	bool is_time;	    /* in ms */
	int64_t (*value)(const struct figures *figures);
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

static struct figures
read_figures(const struct statedir *directory, const struct view *view)
{
	struct figures figures = {.view = view};
	struct lockdir lock;
	struct fault fault;

	if (lockdir_open(directory, view->name.text, STATE_READ, NULL, 0, &lock, &fault) == -1)
		return figures;
	(void)terms_sums(&lock, &figures.sums);
	lockdir_close(&lock);
	return figures;
}

static void
print_text(const struct statedir *directory, const struct views *views)
{
	char length[DURATION_TEXT_SIZE];

	paper_begin();
	for (size_t i = 0; i < views->count; i++) {
		const struct figures figures = read_figures(directory, &views->items[i]);

		paper_line(INK_PLAIN, "%s", views->items[i].name.text);
		for (size_t j = 0; j < FIGURES; j++) {
			const int64_t value = figure_table[j].value(&figures);

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
print_json(const struct statedir *directory, const struct views *views)
{
	struct json json;

	write_begin(&json, directory);
	json_array(&json, "locks");
	for (size_t i = 0; i < views->count; i++) {
		const struct figures figures = read_figures(directory, &views->items[i]);

		json_object(&json, NULL);
		json_string(&json, "name", views->items[i].name.text);
		for (size_t j = 0; j < FIGURES; j++)
			json_number(&json, figure_table[j].name, figure_table[j].value(&figures));
		json_object_end(&json);
	}
	json_array_end(&json);
	write_end(&json);
}

/* All samples of one metric have to stand together. A lock name needs no escaping. */
static void
print_prometheus(const struct statedir *directory, const struct views *views)
{
	for (size_t j = 0; j < FIGURES; j++) {
		const struct figure *figure = &figure_table[j];

		printf("# HELP %s %s\n# TYPE %s %s\n", figure->metric, figure->help, figure->metric,
		    figure->counter ? "counter" : "gauge");
		for (size_t i = 0; i < views->count; i++) {
			const struct figures figures = read_figures(directory, &views->items[i]);
			const int64_t value = figure->value(&figures);

			printf("%s{lock=\"%s\"} ", figure->metric, views->items[i].name.text);
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
	struct fault fault;

	(void)entry;
	if (!command_parse(SUB_STATS, arguments, &options, &ending))
		return ending;
	if (options.json && options.prometheus) {
		fault_set(&fault, FAULT_USAGE_TWICE_MEANT, 0, "--json and --prometheus");
		return say_fault(&fault);
	}
	if (statedir_open(options.directory, STATE_READ, &directory, &fault) == -1 ||
	    views_read(&directory, options.words, options.word_count, &views, &fault) == -1)
		return say_fault(&fault);
	if (options.json)
		print_json(&directory, &views);
	else if (options.prometheus)
		print_prometheus(&directory, &views);
	else
		print_text(&directory, &views);
	views_free(&views);
	return ending;
}
