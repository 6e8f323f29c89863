/* SPDX-License-Identifier: ISC */
/*
 * storm LOCKRUN DIR run SECONDS CONTENDERS SEED
 *	Keep that many contenders going, of all kinds, and kill lockruns and commands at random.
 *	Every command proves with a lock of its own (fcntl, so it ends with the process and is not
 *	inherited) that it is alone, and writes its generation down.
 * storm LOCKRUN DIR order TRIALS SEED
 *	Trials of 20 waiters that queue up one after another, five of which are killed at random
 *	moments; the others must lead in the order in which they came.
 * storm LOCKRUN DIR crowd SECONDS CONTENDERS MOST SEED
 *	Keep that many contenders coming, of whom no more than MOST may wait, and kill some. Who
 *	waits is counted again and again, with the door shut (a lock on q/), so that nobody comes in
 *	during the count.
 *
 * All print one line of figures and exit with 0 only if all is well.
 */
#include <sys/file.h>
#include <sys/pidfd.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#include <dirent.h>
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define LOCK	       "demo:v1:leader:storm"
#define CONTENDERS_MAX 1000
#define WAITERS	       20
#define VICTIMS	       5
#define STUCK_AFTER    60 /* seconds without any progress */
#define LINE	       64

static const char *lockrun, *self;
static char witness_path[PATH_MAX], log_path[PATH_MAX], state_path[PATH_MAX];

static double
now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

static void
pause_us(long us)
{
	const struct timespec length = {us / 1000000, us % 1000000 * 1000};

	nanosleep(&length, NULL);
}

/* ---- the command that lockrun runs: storm command WITNESS LOG TAG MICROSECONDS ---- */

static void
note(int fd, const char *what, const char *tag)
{
	const char *generation = getenv("LOCKRUN_GENERATION");
	char line[LINE];
	int length;

	length = snprintf(
	    line, sizeof(line), "%s %s %s\n", what, generation != NULL ? generation : "0", tag);
	if (write(fd, line, (size_t)length) != length)
		err(1, "log");
}

static int
be_command(char **arguments)
{
	struct flock whole = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
	int witness, record;

	/* Low descriptors, which are closed before the inherited lock when we are killed. */
	witness = open(arguments[0], O_RDWR);
	record = open(arguments[1], O_WRONLY | O_APPEND);
	if (witness == -1 || record == -1)
		err(1, "command");
	if (fcntl(witness, F_SETLK, &whole) == -1) {
		note(record, "overlap", arguments[2]);
		return 1;
	}
	note(record, "begin", arguments[2]);
	pause_us(atol(arguments[3]));
	note(record, "end", arguments[2]);
	return 0;
}

/* ---- starting ---- */

static pid_t
start(const char *const *options, const char *tag, long us)
{
	char length[LINE];
	const char *arguments[16];
	size_t count = 0;
	pid_t child;
	int null;

	child = fork();
	if (child != 0)
		return child;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	null = open("/dev/null", O_RDWR);
	dup2(null, STDERR_FILENO);
	snprintf(length, sizeof(length), "%ld", us);
	arguments[count++] = lockrun;
	arguments[count++] = "-d";
	arguments[count++] = state_path;
	while (options != NULL && *options != NULL)
		arguments[count++] = *options++;
	arguments[count++] = LOCK;
	arguments[count++] = "--";
	arguments[count++] = self;
	arguments[count++] = "command";
	arguments[count++] = witness_path;
	arguments[count++] = log_path;
	arguments[count++] = tag;
	arguments[count++] = length;
	arguments[count] = NULL;
	execv(lockrun, (char **)(uintptr_t)arguments);
	_exit(125);
}

static bool
is_live(int queue, const char *name)
{
	const int fd = openat(queue, name, O_RDONLY);
	const bool live = fd != -1 && flock(fd, LOCK_SH | LOCK_NB) == -1;

	close(fd);
	return live;
}

struct tally {
	unsigned names, live, private;
};

/* How many wait; tries do not. */
static unsigned
waiting(int queue)
{
	const struct dirent *entry;
	const char *mode_kind_state;
	unsigned count = 0;
	DIR *list;

	if (lseek(queue, 0, SEEK_SET) == -1 || (list = fdopendir(dup(queue))) == NULL)
		err(1, "q");
	while ((entry = readdir(list)) != NULL) {
		mode_kind_state = strrchr(entry->d_name, '.');
		if (entry->d_name[0] == '.' || mode_kind_state == NULL ||
		    mode_kind_state[2] == 'n' || mode_kind_state[3] != 'w')
			continue;
		count += is_live(queue, entry->d_name);
	}
	closedir(list);
	return count;
}

/* The tickets that there are; with of != 0 only its. */
static struct tally
tickets(pid_t of)
{
	char path[PATH_MAX + 64], owner[LINE];
	struct tally tally = {0};
	const struct dirent *entry;
	DIR *queue;

	snprintf(path, sizeof(path), "%s/%s/q", state_path, LOCK);
	snprintf(owner, sizeof(owner), ".%d.", (int)of);
	queue = opendir(path);
	if (queue == NULL)
		return tally;
	while ((entry = readdir(queue)) != NULL) {
		if (strncmp(entry->d_name, ".new", 4) == 0)
			tally.private ++;
		if (entry->d_name[0] == '.' || (of != 0 && strstr(entry->d_name, owner) == NULL))
			continue;
		tally.names++;
		if (of == 0)
			tally.live += is_live(dirfd(queue), entry->d_name);
	}
	closedir(queue);
	return tally;
}

/* The command that runs at this moment, and does so for as long as the witness is its. */
static pid_t
running_command(int witness)
{
	struct flock whole = {.l_type = F_WRLCK, .l_whence = SEEK_SET};

	if (fcntl(witness, F_GETLK, &whole) == -1 || whole.l_type == F_UNLCK)
		return 0;
	return whole.l_pid;
}

/* False when nobody runs, or it was over before the blow. */
static bool
kill_command(int witness, int signal)
{
	const pid_t pid = running_command(witness);
	bool struck;
	int fd;

	if (pid <= 0 || (fd = pidfd_open(pid, 0)) == -1)
		return false;
	/* The pid was still that of the command when the descriptor was made. */
	struck = running_command(witness) == pid && pidfd_send_signal(fd, signal, NULL, 0) == 0;
	close(fd);
	return struck;
}

static int
open_witness(void)
{
	int witness, record;

	witness = open(witness_path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	record = open(log_path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	if (witness == -1 || record == -1)
		err(1, "%s", log_path);
	close(record);
	return witness;
}

/* Wait for all children, orphaned commands too. False when they do not end. */
static bool
reap_all(void)
{
	const double until = now() + STUCK_AFTER;
	pid_t pid;

	while ((pid = waitpid(-1, NULL, WNOHANG)) != -1) {
		if (pid == 0 && now() > until)
			return false;
		if (pid == 0)
			pause_us(1000);
	}
	return true;
}

/* ---- order ---- */

static bool
await_ticket(pid_t pid)
{
	const double until = now() + STUCK_AFTER;

	while (tickets(pid).names == 0) {
		if (now() > until)
			return false;
		pause_us(200);
	}
	return true;
}

/* One trial: true when those who were left led in order. */
static bool
trial(int witness)
{
	char tags[WAITERS][8], line[LINE], tag[LINE];
	bool dead[WAITERS] = {false}, led[WAITERS] = {false}, good = true;
	pid_t pids[WAITERS], holder;
	int last = -1, index;
	FILE *record;

	if (truncate(log_path, 0) == -1)
		err(1, "%s", log_path);
	holder = start(NULL, "holder", 60 * 1000000L);
	while (running_command(witness) == 0)
		pause_us(200);
	for (int i = 0; i < WAITERS; i++) {
		snprintf(tags[i], sizeof(tags[i]), "%d", i);
		pids[i] = start(NULL, tags[i], random() % 2000);
		if (!await_ticket(pids[i]))
			errx(1, "no ticket");
	}
	/* Some die before the queue moves, some while it does. */
	for (int killed = 0; killed < VICTIMS; killed++) {
		if (killed == 2)
			kill(holder, SIGTERM);
		if (killed > 2)
			pause_us(random() % 10000);
		do
			index = (int)(random() % WAITERS);
		while (dead[index]);
		dead[index] = true;
		kill(pids[index], SIGKILL);
	}
	if (!reap_all())
		errx(1, "stuck");
	record = fopen(log_path, "r");
	while (fgets(line, sizeof(line), record) != NULL) {
		if (strncmp(line, "overlap", 7) == 0)
			good = false;
		if (sscanf(line, "begin %*s %63s", tag) != 1 || strcmp(tag, "holder") == 0)
			continue;
		index = atoi(tag);
		good = good && index > last;
		led[index] = true;
		last = index;
	}
	fclose(record);
	for (int i = 0; i < WAITERS; i++)
		good = good && (led[i] || dead[i]);
	return good;
}

static int
test_order(int trials)
{
	const int witness = open_witness();
	unsigned disorder = 0, left;

	for (int i = 0; i < trials; i++)
		disorder += !trial(witness);
	start(NULL, "last", 0);
	reap_all();
	left = tickets(0).names;
	printf(
	    "order: %d trials of %d waiters, %d of them killed: %u out of order, %u tickets left\n",
	    trials, WAITERS, VICTIMS, disorder, left);
	return disorder == 0 && left == 0 ? 0 : 1;
}

/* ---- storm ---- */

struct counts {
	unsigned long started, killed, terminated, commands_killed, led, ended, overlaps, falls;
};

static pid_t
start_any(void)
{
	static const char *const none[] = {NULL}, *const try[] = {"-n", NULL},
				 *const brief[] = {"-w", "20ms", NULL},
				 *const patient[] = {"-w", "10s", NULL},
				 *const held[] = {"-m", "2ms", "-k", "1ms", NULL};
	static const char *const *const kinds[] = {
	    none, none, none, none, none, try, brief, patient, held, none};

	/* Some run long enough to be struck. */
	return start(kinds[random() % 10], "x", random() % (random() % 4 == 0 ? 60000 : 3000));
}

static void
strike(const pid_t *pids, int contenders, int witness, struct counts *counts)
{
	const pid_t victim = pids[random() % contenders];

	switch (random() % 8) {
	case 0:
	case 1:
	case 2:
	case 3:
		counts->commands_killed +=
		    kill_command(witness, random() % 2 == 0 ? SIGKILL : SIGTERM);
		break;
	case 4:
		counts->terminated += kill(victim, SIGTERM) == 0;
		break;
	default:
		counts->killed += kill(victim, SIGKILL) == 0;
	}
}

/* Put somebody in the place of each who is gone; orphaned commands are reaped on the way. */
static void
refill(pid_t *pids, int contenders, struct counts *counts)
{
	pid_t pid;

	while ((pid = waitpid(-1, NULL, WNOHANG)) > 0) {
		for (int i = 0; i < contenders; i++) {
			if (pids[i] != pid)
				continue;
			pids[i] = start_any();
			counts->started++;
		}
	}
}

static void
count_log(struct counts *counts)
{
	unsigned long generation, last = 0;
	char line[LINE];
	FILE *record;

	record = fopen(log_path, "r");
	while (fgets(line, sizeof(line), record) != NULL) {
		counts->overlaps += strncmp(line, "overlap", 7) == 0;
		counts->ended += strncmp(line, "end", 3) == 0;
		if (sscanf(line, "begin %lu", &generation) != 1)
			continue;
		counts->led++;
		counts->falls += generation <= last;
		last = generation;
	}
	fclose(record);
}

static int
report(const struct counts *counts, unsigned live, struct tally left, bool stuck)
{
	printf("storm: %lu started, %lu killed, %lu terminated, %lu commands killed; "
	       "%lu terms, %lu to their end; overlaps %lu, generations not rising %lu, "
	       "live tickets %u, tickets left %u (and %u in the making), stuck %s\n",
	    counts->started, counts->killed, counts->terminated, counts->commands_killed,
	    counts->led, counts->ended, counts->overlaps, counts->falls, live, left.names,
	    left.private, stuck ? "yes" : "no");
	return counts->overlaps == 0 && counts->falls == 0 && live == 0 && left.names == 0 &&
		       !stuck && counts->led > 0
		   ? 0
		   : 1;
}

static int
test_storm(int seconds, int contenders)
{
	const int witness = open_witness();
	static pid_t pids[CONTENDERS_MAX];
	struct counts counts = {0};
	const double until = now() + seconds;
	struct tally left;
	unsigned live;
	bool stuck;

	for (int i = 0; i < contenders; i++, counts.started++)
		pids[i] = start_any();
	while (now() < until) {
		pause_us(random() % 3000);
		strike(pids, contenders, witness, &counts);
		refill(pids, contenders, &counts);
	}
	stuck = !reap_all();
	/* All are gone: whatever is in the queue is dead, and one more run clears it away. */
	live = tickets(0).live + (running_command(witness) != 0);
	start(NULL, "last", 0);
	stuck = !reap_all() || stuck;
	left = tickets(0);
	count_log(&counts);
	return report(&counts, live, left, stuck);
}

/* ---- crowd ---- */

/* Nobody who is to be turned away in a crowd comes in while we count. */
static unsigned
count_behind_door(void)
{
	char path[PATH_MAX + 64];
	unsigned count;
	int queue;

	snprintf(path, sizeof(path), "%s/%s/q", state_path, LOCK);
	queue = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (queue == -1)
		return 0;
	if (flock(queue, LOCK_EX) == -1)
		err(1, "%s", path);
	count = waiting(queue);
	close(queue);
	return count;
}

static pid_t
start_modest(const char *most)
{
	const char *const patient[] = {"--max-waiters", most, NULL}, *const brief[] = {
									 "--max-waiters", most,
									 "-w", "20ms", NULL};

	return start(random() % 4 == 0 ? brief : patient, "x", random() % 3000);
}

static int
test_crowd(int seconds, int contenders, const char *most)
{
	const double until = now() + seconds;
	const int witness = open_witness();
	static pid_t pids[CONTENDERS_MAX];
	unsigned long turned_away = 0, counted = 0;
	unsigned seen = 0, peak = 0;
	struct counts counts = {0};
	int status;
	bool stuck;
	pid_t pid;

	for (int i = 0; i < contenders; i++, counts.started++)
		pids[i] = start_modest(most);
	while (now() < until) {
		seen = count_behind_door();
		peak = seen > peak ? seen : peak;
		counted++;
		if (random() % 8 == 0)
			counts.killed += kill(pids[random() % contenders], SIGKILL) == 0;
		/* Who is turned away is soon back: that must not keep us from counting. */
		for (int i = 0; i < 8 && (pid = waitpid(-1, &status, WNOHANG)) > 0; i++) {
			turned_away += WIFEXITED(status) && WEXITSTATUS(status) == 75;
			for (int j = 0; j < contenders; j++) {
				if (pids[j] != pid)
					continue;
				pids[j] = start_modest(most);
				counts.started++;
			}
		}
	}
	stuck = !reap_all() || running_command(witness) != 0;
	count_log(&counts);
	printf(
	    "crowd: %lu started, %lu killed, %lu turned away, %lu terms; overlaps %lu, generations "
	    "not rising %lu; at most %u waited (%lu counts), of %s that may; stuck %s\n",
	    counts.started, counts.killed, turned_away, counts.led, counts.overlaps, counts.falls,
	    peak, counted, most, stuck ? "yes" : "no");
	return counts.overlaps == 0 && counts.falls == 0 && !stuck && counts.led > 0 &&
		       turned_away > 0 && peak == (unsigned)atoi(most)
		   ? 0
		   : 1;
}

int
main(int argc, char **argv)
{
	unsigned seed;

	if (argc == 6 && strcmp(argv[1], "command") == 0)
		return be_command(argv + 2);
	if (argc < 6)
		errx(1,
		    "usage: storm LOCKRUN DIR run SECONDS CONTENDERS SEED | order TRIALS SEED | "
		    "crowd SECONDS CONTENDERS MOST SEED");
	lockrun = argv[1];
	self = realpath("/proc/self/exe", NULL);
	snprintf(state_path, sizeof(state_path), "%s/state", argv[2]);
	snprintf(witness_path, sizeof(witness_path), "%s/witness", argv[2]);
	snprintf(log_path, sizeof(log_path), "%s/log", argv[2]);
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	setvbuf(stdout, NULL, _IOLBF, 0);
	seed = (unsigned)atoi(argv[argc - 1]);
	printf("seed %u\n", seed);
	srandom(seed);
	if (strcmp(argv[3], "order") == 0)
		return test_order(atoi(argv[4]));
	if (argc == 7 && strcmp(argv[3], "run") == 0 && atoi(argv[5]) <= CONTENDERS_MAX)
		return test_storm(atoi(argv[4]), atoi(argv[5]));
	if (argc == 8 && strcmp(argv[3], "crowd") == 0 && atoi(argv[5]) <= CONTENDERS_MAX)
		return test_crowd(atoi(argv[4]), atoi(argv[5]), argv[6]);
	errx(1, "neither run nor order nor crowd");
}
