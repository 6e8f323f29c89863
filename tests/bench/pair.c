/* SPDX-License-Identifier: ISC */
/*
 * pair ROUNDS COMMAND... : COMMAND...
 *	Run both commands in turn, ROUNDS times each, and print on one line, separated by tabs:
 *	the median of the first and of the second in microseconds, from posix_spawn(3) to the
 *	return of wait(2), and the quartiles of the ratio first/second of each round.
 *
 * What disturbs a machine disturbs both halves of a round alike, so the ratio holds where the times
 * do not. Who goes first changes from round to round. Each command has to end with the same status
 * in every round.
 */
#include <sys/wait.h>

#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define WARM_UP 10

extern char **environ;

struct side {
	char **command;
	int status;
	double *times;
};

static posix_spawn_file_actions_t silence;

static double
now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (double)time.tv_sec * 1e6 + (double)time.tv_nsec / 1e3;
}

static double
run(struct side *side, int *status)
{
	const double begun = now();
	pid_t pid;

	errno = posix_spawnp(&pid, side->command[0], &silence, NULL, side->command, environ);
	if (errno != 0)
		err(1, "%s", side->command[0]);
	while (waitpid(pid, status, 0) == -1)
		continue;
	return now() - begun;
}

static void
warm_up(struct side *side)
{
	for (int i = 0; i < WARM_UP; i++)
		run(side, &side->status);
}

static void
measure(struct side *side, long round)
{
	int status;

	side->times[round] = run(side, &status);
	if (status != side->status)
		errx(1, "%s: ended with %#x, not %#x as before", side->command[0], status,
		    side->status);
}

static int
compare(const void *a, const void *b)
{
	const double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static double
quartile(double *values, long count, long which)
{
	qsort(values, (size_t)count, sizeof(*values), compare);
	return values[(count - 1) * which / 4];
}

int
main(int argc, char **argv)
{
	struct side first = {0}, second = {0};
	double *ratios;
	long rounds;

	rounds = argc > 1 ? strtol(argv[1], NULL, 10) : 0;
	if (rounds < 1)
		errx(64, "usage: pair ROUNDS COMMAND... : COMMAND...");
	first.command = argv + 2;
	for (int i = 2; i < argc && second.command == NULL; i++) {
		if (strcmp(argv[i], ":") == 0) {
			argv[i] = NULL;
			second.command = argv + i + 1;
		}
	}
	if (second.command == NULL || second.command[0] == NULL || first.command[0] == NULL)
		errx(64, "usage: pair ROUNDS COMMAND... : COMMAND...");
	first.times = calloc((size_t)rounds, sizeof(double));
	second.times = calloc((size_t)rounds, sizeof(double));
	ratios = calloc((size_t)rounds, sizeof(double));
	if (first.times == NULL || second.times == NULL || ratios == NULL)
		err(1, "%ld rounds", rounds);
	posix_spawn_file_actions_init(&silence);
	for (int fd = 0; fd <= 2; fd++)
		posix_spawn_file_actions_addopen(&silence, fd, "/dev/null", O_RDWR, 0);

	warm_up(&first);
	warm_up(&second);
	for (long i = 0; i < rounds; i++) {
		measure(i % 2 == 0 ? &first : &second, i);
		measure(i % 2 == 0 ? &second : &first, i);
		ratios[i] = first.times[i] / second.times[i];
	}
	printf("%.1f\t%.1f\t%.3f\t%.3f\t%.3f\n", quartile(first.times, rounds, 2),
	    quartile(second.times, rounds, 2), quartile(ratios, rounds, 1),
	    quartile(ratios, rounds, 2), quartile(ratios, rounds, 3));
	return 0;
}
