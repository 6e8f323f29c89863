/* SPDX-License-Identifier: ISC */
/*
 * torture LOCKRUN SCENARIO SECONDS CONTENDERS SEED LOG
 *	Keep CONTENDERS lockruns of all kinds going on one lock, and strike lockruns, waiters and
 *	commands with SIGKILL, SIGTERM and SIGSTOP at random. What happens is written to LOG, a
 *	line each; check.awk reads it and judges. SCENARIO "removal" removes the lock's directory
 *	as well, again and again; in "quiet" nothing is removed.
 *
 * The same SEED gives the same sequence of kinds, lengths and blows; when they fall is the
 *machine's.
 *
 * A line is: NANOSECONDS EVENT TAG WORD...
 *	start TAG KIND		a lockrun is about to be started
 *	ticket TAG NUMBER	seen waiting in the queue
 *	struck TAG SIGNAL	sent to that lockrun
 *	begin TAG MODE GENERATION
 *	overlap TAG		a command that was not alone
 *	end TAG STATUS		about to exit with that
 *	exit TAG STATUS|-SIGNAL	the lockrun, as its parent sees it
 *	removed - -		the lock's directory was
 *	stuck N -		so many did not end
 *	left N -		so many tickets were left when all was over
 */
#include <sys/pidfd.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#include <dirent.h>
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define LOCK	       "demo:v1:leader:torture"
#define CONTENDERS_MAX 1000
#define STUCK_AFTER    60 /* seconds in which all have to end at the end */
#define REMOVE_EVERY   INT64_C(2000000000)

/* Each kind is the options of one contender. Patience is short where it may be. */
static const struct kind {
	const char *name;
	const char *options[8];
} kinds[] = {
    {"plain", {NULL}},
    {"plain", {NULL}},
    {"plain", {NULL}},
    {"shared", {"-s", NULL}},
    {"shared", {"-s", NULL}},
    {"try", {"-n", NULL}},
    {"brief", {"-w", "30ms", NULL}},
    {"patient", {"-w", "20s", NULL}},
    {"limited", {"-m", "3ms", "-k", "5ms", NULL}},
    {"yielding", {"--yield", "-k", "10ms", NULL}},
    {"crowded", {"--max-waiters", "20", NULL}},
    {"joining", {"--join", NULL}},
    {"joining", {"--join", NULL}},
    {"replacing", {"--replace", "-k", "10ms", NULL}},
    {"looping", {"-r", "--max-terms", "3", "--backoff", "10ms:50ms", NULL}},
    {"trying", {"-r", "-n", "--max-terms", "2", "--backoff", "10ms:50ms", NULL}},
};

struct contender {
	pid_t pid;
	unsigned long tag;
	bool stopped, ticket_seen;
};

static const char *lockrun, *log_path;
static char self[PATH_MAX], witness_path[PATH_MAX], state_path[PATH_MAX];
static struct contender contenders[CONTENDERS_MAX];
static int contender_count, log_fd, witness;
static unsigned long next_tag;
static bool removal;

static int64_t
now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return time.tv_sec * INT64_C(1000000000) + time.tv_nsec;
}

static void
pause_us(long us)
{
	const struct timespec length = {us / 1000000, us % 1000000 * 1000};

	nanosleep(&length, NULL);
}

/* One write, so that lines of many writers do not mix. */
static void __attribute__((format(printf, 1, 2))) note(const char *format, ...)
{
	char line[256];
	va_list values;
	int length;

	length = snprintf(line, sizeof(line), "%" PRId64 " ", now());
	va_start(values, format);
	length += vsnprintf(line + length, sizeof(line) - (size_t)length - 1, format, values);
	va_end(values);
	line[length++] = '\n';
	if (write(log_fd, line, (size_t)length) != length)
		err(1, "%s", log_path);
}

/* ---- the command: torture leg WITNESS LOG TAG STATUS MICROSECONDS ---- */

static int
be_leg(char **arguments)
{
	const char *mode = getenv("LOCKRUN_MODE"), *generation = getenv("LOCKRUN_GENERATION");
	struct flock whole = {.l_whence = SEEK_SET};

	/* Low descriptors, which are closed before the inherited lock when we are killed. */
	witness = open(arguments[0], O_RDWR);
	log_fd = open(arguments[1], O_WRONLY | O_APPEND);
	if (witness == -1 || log_fd == -1 || mode == NULL)
		err(1, "leg");
	whole.l_type = strcmp(mode, "shared") == 0 ? F_RDLCK : F_WRLCK;
	if (fcntl(witness, F_SETLK, &whole) == -1)
		note("overlap %s -", arguments[2]);
	note("begin %s %s %s", arguments[2], mode, generation != NULL ? generation : "-");
	pause_us(atol(arguments[4]));
	note("end %s %s", arguments[2], arguments[3]);
	return atoi(arguments[3]);
}

/* ---- contenders ---- */

static void
be_lockrun(const struct kind *kind, unsigned long tag, int status, long us)
{
	char words[3][32];
	const char *arguments[24] = {lockrun, "-d", state_path};
	size_t count = 3;
	const int null = open("/dev/null", O_RDWR);

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	dup2(null, STDERR_FILENO);
	snprintf(words[0], sizeof(words[0]), "%lu", tag);
	snprintf(words[1], sizeof(words[1]), "%d", status);
	snprintf(words[2], sizeof(words[2]), "%ld", us);
	for (size_t i = 0; kind->options[i] != NULL; i++)
		arguments[count++] = kind->options[i];
	arguments[count++] = LOCK;
	arguments[count++] = "--";
	arguments[count++] = self;
	arguments[count++] = "leg";
	arguments[count++] = witness_path;
	arguments[count++] = log_path;
	for (size_t i = 0; i < 3; i++)
		arguments[count++] = words[i];
	execv(lockrun, (char **)(uintptr_t)arguments);
	_exit(125);
}

static void
start(struct contender *contender)
{
	const struct kind *kind = &kinds[(size_t)random() % (sizeof(kinds) / sizeof(kinds[0]))];
	const int status = 1 + (int)(random() % 60);
	/* Some run long enough to be struck. */
	const long us = random() % (random() % 5 == 0 ? 40000 : 2000);

	*contender = (struct contender){.tag = ++next_tag};
	note("start %lu %s", contender->tag, kind->name);
	contender->pid = fork();
	if (contender->pid == 0)
		be_lockrun(kind, contender->tag, status, us);
	if (contender->pid == -1)
		err(1, "fork");
}

/* Collect who has ended, orphaned commands too; with refill somebody takes the place. */
static int
reap(bool refill)
{
	int status, live = 0;
	pid_t pid;

	while ((pid = waitpid(-1, &status, WNOHANG)) > 0) {
		for (int i = 0; i < contender_count; i++) {
			if (contenders[i].pid != pid)
				continue;
			note("exit %lu %d", contenders[i].tag,
			    WIFSIGNALED(status) ? -WTERMSIG(status) : WEXITSTATUS(status));
			contenders[i].pid = 0;
			if (refill)
				start(&contenders[i]);
		}
	}
	for (int i = 0; i < contender_count; i++)
		live += contenders[i].pid > 0;
	return pid == -1 && errno == ECHILD ? 0 : live > 0 ? live : 1;
}

/* ---- the queue, as its names tell it ---- */

static struct contender *
contender_of(pid_t pid)
{
	for (int i = 0; i < contender_count; i++) {
		if (contenders[i].pid == pid)
			return &contenders[i];
	}
	return NULL;
}

/* Note who waits; returns how many tickets there are. */
static int
look_at_queue(void)
{
	char path[PATH_MAX + 64], number[32], mode_kind_state[8];
	const struct dirent *entry;
	struct contender *owner;
	int pid, count = 0;
	DIR *queue;

	snprintf(path, sizeof(path), "%s/%s/q", state_path, LOCK);
	queue = opendir(path);
	if (queue == NULL)
		return 0;
	while ((entry = readdir(queue)) != NULL) {
		if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
			continue;
		count++;
		if (sscanf(entry->d_name, "%31[0-9].%*[0-9].%d.%*[0-9].%7s", number, &pid,
			mode_kind_state) != 3 ||
		    (owner = contender_of(pid)) == NULL || owner->ticket_seen ||
		    strlen(mode_kind_state) != 3 || mode_kind_state[2] != 'w')
			continue;
		owner->ticket_seen = true;
		note("ticket %lu %s", owner->tag, number);
	}
	closedir(queue);
	return count;
}

/* ---- blows ---- */

/* The command that runs at this moment, and does so for as long as the witness is its. */
static pid_t
running_command(void)
{
	struct flock whole = {.l_type = F_WRLCK, .l_whence = SEEK_SET};

	if (fcntl(witness, F_GETLK, &whole) == -1 || whole.l_type == F_UNLCK)
		return 0;
	return whole.l_pid;
}

static void
strike_command(int signal)
{
	const pid_t pid = running_command();
	int fd;

	if (pid <= 0 || (fd = pidfd_open(pid, 0)) == -1)
		return;
	/* The pid was still that of the command when the descriptor was made. */
	if (running_command() == pid) {
		pidfd_send_signal(fd, signal, NULL, 0);
		if (signal == SIGSTOP) {
			pause_us(random() % 20000);
			pidfd_send_signal(fd, SIGCONT, NULL, 0);
		}
	}
	close(fd);
}

static void
strike_lockrun(struct contender *victim, int signal)
{
	if (victim->pid <= 0 || kill(victim->pid, signal) == -1)
		return;
	note("struck %lu %d", victim->tag, signal);
	if (signal == SIGSTOP || signal == SIGCONT)
		victim->stopped = signal == SIGSTOP;
}

static void
thaw(bool all)
{
	for (int i = 0; i < contender_count; i++) {
		if (contenders[i].stopped && contenders[i].pid > 0 && (all || random() % 20 == 0))
			strike_lockrun(&contenders[i], SIGCONT);
	}
}

static void
strike(void)
{
	struct contender *victim = &contenders[random() % contender_count];

	switch (random() % 10) {
	case 0:
	case 1:
		strike_lockrun(victim, SIGKILL);
		break;
	case 2:
		strike_lockrun(victim, SIGTERM);
		break;
	case 3:
		strike_lockrun(victim, SIGSTOP);
		break;
	case 4:
		strike_command(SIGKILL);
		break;
	case 5:
		strike_command(SIGTERM);
		break;
	case 6:
		strike_command(SIGSTOP);
		break;
	default:
		thaw(false);
	}
}

/* As a careless cleaner would; lockruns may make parts of it anew meanwhile. */
static void
remove_lock(void)
{
	char command[PATH_MAX + 64];

	snprintf(command, sizeof(command), "rm -rf '%s/%s' 2>/dev/null", state_path, LOCK);
	note("removed - -");
	(void)!system(command);
}

/* ---- all of it ---- */

static void
storm(long seconds)
{
	const int64_t until = now() + seconds * INT64_C(1000000000);
	int64_t remove_at = now() + REMOVE_EVERY;

	for (int i = 0; i < contender_count; i++)
		start(&contenders[i]);
	for (unsigned round = 1; now() < until; round++) {
		pause_us(random() % 3000);
		reap(true);
		strike();
		if (round % 8 == 0)
			look_at_queue();
		if (removal && now() > remove_at) {
			remove_lock();
			remove_at = now() + REMOVE_EVERY;
		}
	}
}

/* Everybody ends, thawed and asked to: false when somebody does not. */
static bool
wind_up(void)
{
	const int64_t until = now() + STUCK_AFTER * INT64_C(1000000000);
	int live;

	thaw(true);
	for (int i = 0; i < contender_count; i++)
		strike_lockrun(&contenders[i], SIGTERM);
	while ((live = reap(false)) > 0 && now() < until)
		pause_us(2000);
	if (live > 0)
		note("stuck %d -", live);
	return live == 0;
}

static void
come_last(void)
{
	contender_count = 1;
	contenders[0] = (struct contender){.tag = ++next_tag};
	note("start %lu last", next_tag);
	contenders[0].pid = fork();
	if (contenders[0].pid == 0)
		be_lockrun(&kinds[0], next_tag, 7, 0);
	while (reap(false) > 0)
		pause_us(1000);
}

/*
 * Whoever comes when all is over leads, and clears away what the dead have left: the tickets at
 * once, a private name once it is too old to be in the making.
 */
static void
clear_away(void)
{
	const int64_t until = now() + STUCK_AFTER * INT64_C(1000000000);
	int left;

	do {
		come_last();
		left = look_at_queue();
		pause_us(left > 0 ? 500000 : 0);
	} while (left > 0 && now() < until);
	note("left %d -", left);
}

int
main(int argc, char **argv)
{
	char directory[] = "/tmp/torture-XXXXXX";

	if (argc == 7 && strcmp(argv[1], "leg") == 0)
		return be_leg(argv + 2);
	if (argc != 7)
		errx(64, "usage: see the head of torture.c");
	lockrun = argv[1];
	removal = strcmp(argv[2], "removal") == 0;
	contender_count = atoi(argv[4]);
	if (contender_count < 1 || contender_count > CONTENDERS_MAX)
		errx(64, "%s: 1 to %d contenders", argv[4], CONTENDERS_MAX);
	srandom((unsigned)strtoul(argv[5], NULL, 10));
	log_path = argv[6];
	if (realpath("/proc/self/exe", self) == NULL || mkdtemp(directory) == NULL)
		err(1, "%s", directory);
	snprintf(state_path, sizeof(state_path), "%s/state", directory);
	snprintf(witness_path, sizeof(witness_path), "%s/witness", directory);
	witness = open(witness_path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	log_fd = open(log_path, O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC, 0600);
	if (witness == -1 || log_fd == -1)
		err(1, "%s", log_path);
	/* The commands of lockruns that are killed become ours, and are waited for. */
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	storm(strtol(argv[3], NULL, 10));
	if (!wind_up())
		errx(1, "stuck; left as it is: %s", directory);
	clear_away();
	execlp("rm", "rm", "-rf", directory, (char *)NULL);
	err(1, "rm");
}
