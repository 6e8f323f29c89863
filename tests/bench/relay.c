/* SPDX-License-Identifier: ISC */
/*
 * relay handover WAITERS ROUNDS PREFIX...
 *	A holder and WAITERS waiters, each of them "PREFIX relay leg": when the holder lets go they
 *	lead one after the other. Prints the median time from the last instruction of one command
 *	to the first of the next, in microseconds, over all hand-overs of ROUNDS such relays, and
 *	the private memory of all waiters in KiB.
 * relay enqueue AHEAD ROUNDS QUEUE PREFIX...
 *	With AHEAD waiters in it already, the median time from posix_spawn(3) until one more is in
 *	the directory QUEUE, in microseconds.
 * relay rest SECONDS PREFIX...
 *	One waiter behind a holder: its context switches in that time and its private memory, KiB.
 *
 * When a waiter waits is told by the kernel: by where it sleeps (wchan in proc(5)), or by
 * /proc/locks, which has a line for each waiter and takes long to read. Link this statically, so
 *that the dynamic loader's time is not in a hand-over.
 */
#include <sys/inotify.h>
#include <sys/mman.h>
#include <sys/wait.h>

#include <dirent.h>
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define LEGS_MAX  20000
#define PLACE_ENV "RELAY_PLACE"

extern char **environ;

/* What the legs write: a file that all of them map. */
struct track {
	atomic_int gone;   /* legs that have begun */
	atomic_int opened; /* the holder may end */
	struct leg {
		double first, last;
	} legs[LEGS_MAX];
};

static struct track *track;
static char place[] = "/tmp/relay-XXXXXX";
static pid_t pids[LEGS_MAX];

static double
now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (double)time.tv_sec * 1e6 + (double)time.tv_nsec / 1e3;
}

static void
pause_ms(long ms)
{
	const struct timespec length = {ms / 1000, ms % 1000 * 1000000};

	nanosleep(&length, NULL);
}

static void
map_track(const char *path)
{
	const int fd = open(path, O_RDWR | O_CLOEXEC);

	if (fd == -1 || ftruncate(fd, sizeof(*track)) == -1)
		err(1, "%s", path);
	track = mmap(NULL, sizeof(*track), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (track == MAP_FAILED)
		err(1, "%s", path);
	close(fd);
}

/* ---- a leg: the command that PREFIX runs ---- */

static int
leg(bool holds, double first)
{
	struct leg *mine;

	map_track(getenv(PLACE_ENV));
	mine = &track->legs[atomic_fetch_add(&track->gone, 1)];
	mine->first = first;
	while (holds && !atomic_load(&track->opened) && access(getenv(PLACE_ENV), F_OK) == 0)
		pause_ms(1);
	mine->last = now();
	_exit(0);
}

/* ---- starting them ---- */

static pid_t
start(char **prefix, const char *role)
{
	char self[] = "/proc/self/exe", path[4096];
	char *command[64];
	size_t count = 0;
	ssize_t length;
	pid_t pid;

	length = readlink(self, path, sizeof(path) - 1);
	if (length == -1)
		err(1, "%s", self);
	path[length] = '\0';
	while (prefix[count] != NULL && count < 60) {
		command[count] = prefix[count];
		count++;
	}
	command[count] = path;
	command[count + 1] = (char *)(uintptr_t)role;
	command[count + 2] = NULL;
	errno = posix_spawnp(&pid, command[0], NULL, NULL, command, environ);
	if (errno != 0)
		err(1, "%s", command[0]);
	return pid;
}

static bool
sleeps_in_lock(pid_t pid)
{
	char path[sizeof(pid) * 3 + 300], where[64];
	const struct dirent *task;
	bool found = false;
	DIR *tasks;
	FILE *wchan;

	snprintf(path, sizeof(path), "/proc/%d/task", (int)pid);
	tasks = opendir(path);
	while (tasks != NULL && !found && (task = readdir(tasks)) != NULL) {
		snprintf(path, sizeof(path), "/proc/%d/task/%s/wchan", (int)pid, task->d_name);
		wchan = fopen(path, "re");
		if (wchan == NULL)
			continue;
		found = fgets(where, sizeof(where), wchan) != NULL &&
			strstr(where, "lock_inode_wait") != NULL;
		fclose(wchan);
	}
	if (tasks != NULL)
		closedir(tasks);
	return found;
}

static bool
is_listed(pid_t pid)
{
	char line[256], wanted[32];
	bool found = false;
	FILE *locks;

	snprintf(wanted, sizeof(wanted), " %d ", (int)pid);
	locks = fopen("/proc/locks", "re");
	if (locks == NULL)
		err(1, "/proc/locks");
	while (!found && fgets(line, sizeof(line), locks) != NULL)
		found = strstr(line, "-> FLOCK") != NULL && strstr(line, wanted) != NULL;
	fclose(locks);
	return found;
}

static void
start_holder(char **prefix, pid_t *pid)
{
	atomic_store(&track->gone, 0);
	atomic_store(&track->opened, 0);
	*pid = start(prefix, "hold");
	while (atomic_load(&track->gone) == 0)
		pause_ms(1);
}

/* Each is blocked before the next comes, so that all tools are asked for the same. */
static void
start_waiters(char **prefix, long count)
{
	for (long i = 0; i < count; i++) {
		pids[i] = start(prefix, "leg");
		for (long looks = 1; !sleeps_in_lock(pids[i]); looks++) {
			if (looks % 100 == 0 && is_listed(pids[i]))
				break;
			pause_ms(1);
		}
	}
}

static void
let_go(pid_t holder, long waiters)
{
	atomic_store(&track->opened, 1);
	waitpid(holder, NULL, 0);
	for (long i = 0; i < waiters; i++)
		waitpid(pids[i], NULL, 0);
}

/* ---- what the kernel tells of a process ---- */

/* The sum of the numbers that follow key at the beginning of a line of /proc/PID/FILE. */
static long
figure(pid_t pid, const char *file, const char *key)
{
	char path[64], line[256];
	long sum = 0;
	FILE *stream;

	snprintf(path, sizeof(path), "/proc/%d/%s", (int)pid, file);
	stream = fopen(path, "re");
	if (stream == NULL)
		err(1, "%s", path);
	while (fgets(line, sizeof(line), stream) != NULL) {
		if (strncmp(line, key, strlen(key)) == 0 && strchr(line, ':') != NULL)
			sum += strtol(strchr(line, ':') + 1, NULL, 10);
	}
	fclose(stream);
	return sum;
}

static long
private_memory(pid_t pid)
{
	return figure(pid, "smaps_rollup", "Private_");
}

static long
switches(pid_t pid)
{
	return figure(pid, "status", "voluntary_ctxt") + figure(pid, "status", "nonvoluntary_ctxt");
}

static int
compare(const void *a, const void *b)
{
	const double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static double
median(double *values, long count)
{
	qsort(values, (size_t)count, sizeof(*values), compare);
	return values[count / 2];
}

/* ---- the three measures ---- */

static void
handover(long waiters, long rounds, char **prefix)
{
	double *times = calloc((size_t)(waiters * rounds), sizeof(double));
	long count = 0, memory = 0;
	pid_t holder;

	if (times == NULL)
		err(1, "%ld times", waiters * rounds);
	for (long round = 0; round < rounds; round++) {
		start_holder(prefix, &holder);
		start_waiters(prefix, waiters);
		memory = 0;
		for (long i = 0; i < waiters; i++)
			memory += private_memory(pids[i]);
		let_go(holder, waiters);
		for (long i = 1; i <= waiters; i++)
			times[count++] = track->legs[i].first - track->legs[i - 1].last;
	}
	printf("%.1f\t%ld\n", median(times, count), memory);
	free(times);
}

/* Wait until one more name of a waiting ticket is in the queue. */
static void
await_ticket(int watch)
{
	char events[4096] __attribute__((aligned(8)));
	const struct inotify_event *event;
	ssize_t length;

	for (;;) {
		length = read(watch, events, sizeof(events));
		if (length <= 0)
			err(1, "inotify");
		for (char *at = events; at < events + length; at += sizeof(*event) + event->len) {
			event = (const struct inotify_event *)(const void *)at;
			if (event->len > 0 && event->name[strlen(event->name) - 1] == 'w')
				return;
		}
	}
}

static void
enqueue(long ahead, long rounds, const char *queue, char **prefix)
{
	double *times = calloc((size_t)rounds, sizeof(double));
	pid_t holder, pid;
	double begun;
	int watch;

	if (times == NULL)
		err(1, "%ld times", rounds);
	start_holder(prefix, &holder);
	start_waiters(prefix, ahead);
	for (long round = 0; round < rounds; round++) {
		watch = inotify_init1(IN_CLOEXEC);
		if (watch == -1 || inotify_add_watch(watch, queue, IN_MOVED_TO) == -1)
			err(1, "%s", queue);
		begun = now();
		pid = start(prefix, "leg");
		await_ticket(watch);
		times[round] = now() - begun;
		close(watch);
		kill(pid, SIGTERM);
		waitpid(pid, NULL, 0);
	}
	let_go(holder, ahead);
	printf("%.1f\n", median(times, rounds));
	free(times);
}

static void
rest(long seconds, char **prefix)
{
	pid_t holder;
	long before;

	start_holder(prefix, &holder);
	start_waiters(prefix, 1);
	before = switches(pids[0]);
	pause_ms(seconds * 1000);
	printf("%ld\t%ld\n", switches(pids[0]) - before, private_memory(pids[0]));
	let_go(holder, 1);
}

/* A holder that is left behind ends with it. */
static void
remove_place(void)
{
	unlink(place);
}

static long
number(const char *word)
{
	const long value = word != NULL ? strtol(word, NULL, 10) : -1;

	if (value < 0)
		errx(64, "usage: see the head of relay.c");
	return value;
}

int
main(int argc, char **argv)
{
	const double first = now();
	const char *what = argc > 1 ? argv[1] : "";
	int fd;

	if (strcmp(what, "leg") == 0 || strcmp(what, "hold") == 0)
		return leg(strcmp(what, "hold") == 0, first);
	if (argc < 4)
		errx(64, "usage: see the head of relay.c");
	fd = mkstemp(place);
	if (fd == -1 || setenv(PLACE_ENV, place, 1) == -1)
		err(1, "%s", place);
	close(fd);
	atexit(remove_place);
	map_track(place);
	if (strcmp(what, "handover") == 0 && argc > 4)
		handover(number(argv[2]), number(argv[3]), argv + 4);
	else if (strcmp(what, "enqueue") == 0 && argc > 5)
		enqueue(number(argv[2]), number(argv[3]), argv[4], argv + 5);
	else if (strcmp(what, "rest") == 0)
		rest(number(argv[2]), argv + 3);
	return 0;
}
