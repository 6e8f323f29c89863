/* SPDX-License-Identifier: ISC */
/* lockrun doctor: prove that exclusion works in this directory; look at all that it rests on. */
#include "commands/doctor.h"

#include <bsd/string.h>

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "commands/commands.h"
#include "commands/paper.h"
#include "commands/say.h"
#include "kernel/filesystem.h"
#include "kernel/lockwatch.h"
#include "kernel/proctable.h"
#include "values/lockname.h"

/* Less than that, and the next full disk is near: a lock's directory takes about 80 kB. */
#define BYTES_NEEDED (UINT64_C(1) << 20)
#define FILES_NEEDED 100

void
finding_set(struct finding *finding, enum verdict verdict, const char *text, ...)
{
	va_list arguments;

	finding->verdict = verdict;
	va_start(arguments, text);
	vsnprintf(finding->text, sizeof(finding->text), text, arguments);
	va_end(arguments);
}

struct examination {
	const struct options *options;
	const struct process_entry *entry;
	struct statedir directory;
};

static void
look_at_place(const struct examination *examination, struct finding *finding)
{
	struct filesystem filesystem;

	if (filesystem_read(examination->directory.fd, &filesystem) == -1)
		finding_set(finding, VERDICT_WARN, "cannot be told");
	else if (filesystem.kind == FILESYSTEM_NETWORK)
		finding_set(finding, VERDICT_WARN,
		    "%s, a network file system: locks may not reach other hosts, or may hang; "
		    "use a local disk",
		    filesystem.name);
	else if (filesystem.kind == FILESYSTEM_PASSING)
		finding_set(finding, VERDICT_WARN,
		    "%s: it dies with this container or boot, and generations begin anew; mount a "
		    "volume and set LOCKRUN_DIR",
		    filesystem.name);
	else
		finding_set(finding, VERDICT_OK, "%s", filesystem.name);
}

static void
look_at_room(const struct examination *examination, struct finding *finding)
{
	struct filesystem filesystem;

	if (filesystem_read(examination->directory.fd, &filesystem) == -1)
		finding_set(finding, VERDICT_WARN, "cannot be told");
	else if (filesystem.free_bytes < BYTES_NEEDED || filesystem.free_files < FILES_NEEDED)
		finding_set(finding, VERDICT_FAIL,
		    "%" PRIu64 " kB and %" PRIu64 " files are left: make room",
		    filesystem.free_bytes / 1024, filesystem.free_files);
	else
		finding_set(finding, VERDICT_OK, "%" PRIu64 " MB free",
		    filesystem.free_bytes / 1024 / 1024);
}

static void
look_at_owner(const struct examination *examination, struct finding *finding)
{
	char text[FAULT_MESSAGE_SIZE];
	struct fault fault;

	/* All else about it was looked at when it was opened. */
	if (!statedir_may_write(&examination->directory)) {
		statedir_write_fault(
		    &examination->directory, examination->directory.path, errno, &fault);
		finding_set(finding, VERDICT_FAIL, "%s", fault_text(&fault, text, sizeof(text)));
		return;
	}
	finding_set(finding, VERDICT_OK,
	    examination->directory.shared_by_group ? "shared by its group"
						   : "yours or root's, closed to others");
}

static void
look_at_proc(const struct examination *examination, struct finding *finding)
{
	(void)examination;
	if (proctable_self() == 0)
		finding_set(finding, VERDICT_WARN,
		    "not mounted: only the command itself is stopped in a step-down, not its "
		    "descendants");
	else if (proctable_self() != getpid())
		finding_set(finding, VERDICT_WARN,
		    "of another pid namespace: nested use is told less well (unshare "
		    "--mount-proc)");
	else
		finding_set(finding, VERDICT_OK, "mounted");
}

static void
look_at_inotify(const struct examination *examination, struct finding *finding)
{
	int watch;

	watch = lockwatch_open_directory(&examination->directory);
	if (watch == -1) {
		finding_set(finding, VERDICT_WARN,
		    "no instance is left: what is asked of a leader is heard within a second only; "
		    "raise fs.inotify.max_user_instances");
		return;
	}
	close(watch);
	finding_set(finding, VERDICT_OK, "available");
}

static void
look_at_trial(const struct examination *examination, struct finding *finding)
{
	if (statedir_may_write(&examination->directory))
		doctor_trial(&examination->directory, examination->entry, finding);
	else
		finding_set(finding, VERDICT_FAIL, "not made: nothing can be written here");
}

static void
look_at_floor(const struct examination *examination, struct finding *finding)
{
	doctor_floor(&examination->directory, examination->options->repair, finding);
}

static void
look_at_leftovers(const struct examination *examination, struct finding *finding)
{
	doctor_leftovers(&examination->directory, examination->options->repair, finding);
}

static const struct look {
	const char *what;
	void (*look)(const struct examination *examination, struct finding *finding);
} look_table[] = {
    {"owner", look_at_owner},
    {"file system", look_at_place},
    {"room", look_at_room},
    {"/proc", look_at_proc},
    {"inotify", look_at_inotify},
    {"floor", look_at_floor},
    {"leftovers", look_at_leftovers},
    {"trial", look_at_trial},
};

static const struct {
	const char *word;
	enum ink ink;
} verdicts[] = {
    [VERDICT_OK] = {"ok", INK_GOOD},
    [VERDICT_WARN] = {"warn", INK_CARE},
    [VERDICT_FAIL] = {"fail", INK_BAD},
};

static struct ending
examine(const struct examination *examination)
{
	struct ending ending = {.status = STATUS_OK};
	struct finding finding;

	paper_begin();
	paper_line(INK_FAINT, "in %s", examination->directory.path);
	for (size_t i = 0; i < sizeof(look_table) / sizeof(look_table[0]); i++) {
		look_table[i].look(examination, &finding);
		paper_line(verdicts[finding.verdict].ink, "%-4s  %-12s %s",
		    verdicts[finding.verdict].word, look_table[i].what, finding.text);
		fflush(stdout);
		if (finding.verdict == VERDICT_FAIL)
			ending.status = STATUS_UNAVAILABLE;
	}
	return ending;
}

/* "--repair --floor N NAME" mends one number and does nothing else. */
static struct ending
mend(const struct examination *examination)
{
	const struct options *options = examination->options;
	uint64_t floor = options->floor, wanted;
	struct lockname name;
	struct fault fault;

	if (!options->repair || options->word_count != 1) {
		fault_set(&fault, FAULT_USAGE_FLOOR, 0, "--floor");
		return say_fault(&fault);
	}
	if (lockname_parse(options->words[0], &name, &fault) == -1 ||
	    doctor_mend(&examination->directory, name.text, &floor, &wanted, &fault) == -1)
		return say_fault(&fault);
	if (options->floor < wanted)
		say("%s: a floor of %" PRIu64 " is below %" PRIu64
		    ", which the records ask for; %" PRIu64 " was used",
		    name.text, options->floor, wanted, floor);
	printf("%s: the next generation is %" PRIu64 "\n", name.text, floor + 1);
	return (struct ending){.status = STATUS_OK};
}

struct ending
command_doctor(char **arguments, struct process_entry *entry)
{
	struct examination examination = {.entry = entry};
	struct options options;
	struct ending ending;
	struct fault fault;
	const char *where;

	if (!command_parse(SUB_DOCTOR, arguments, &options, &ending))
		return ending;
	examination.options = &options;
	where = options.directory;
	if (options.floor == 0 && options.word_count == 1)
		where = options.words[0];
	if (options.word_count > 1) {
		fault_set(&fault, FAULT_USAGE_EXTRA_WORD, 0, "%s", options.words[1]);
		return say_fault(&fault);
	}
	if (statedir_open(where, STATE_READ, &examination.directory, &fault) == -1)
		return say_fault(&fault);
	if (examination.directory.fd == -1) {
		if (statedir_could_be_made(examination.directory.path, where == NULL, &fault) == -1)
			return say_fault(&fault);
		printf(
		    "%s does not exist yet; the first run makes it\n", examination.directory.path);
		return (struct ending){.status = STATUS_OK};
	}
	signals_note(&entry->signals);
	return options.floor != 0 ? mend(&examination) : examine(&examination);
}
