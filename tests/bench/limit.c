/* SPDX-License-Identifier: ISC */
/*
 * limit [-f] COMMAND...
 *	Start it, wait for it, and end with its status: what any program costs that supervises a
 *	command, less all that makes it worth having. With posix_spawn(3), whose child borrows the
 *	parent's memory until it executes, or with fork(2) for -f.
 * limit
 *	Do nothing: what the smallest program costs.
 */
#include <sys/wait.h>

#include <err.h>
#include <errno.h>
#include <spawn.h>
#include <stdbool.h>
#include <string.h>
#include <unistd.h>

extern char **environ;

static pid_t
start(bool forks, char **command)
{
	pid_t pid;

	if (!forks) {
		errno = posix_spawnp(&pid, command[0], NULL, NULL, command, environ);
		return errno == 0 ? pid : -1;
	}
	pid = fork();
	if (pid == 0) {
		execvp(command[0], command);
		err(127, "%s", command[0]);
	}
	return pid;
}

int
main(int argc, char **argv)
{
	const bool forks = argc > 1 && strcmp(argv[1], "-f") == 0;
	char **command = argv + (forks ? 2 : 1);
	int status;

	if (command[0] == NULL)
		return 0;
	if (start(forks, command) == -1)
		err(1, "%s", command[0]);
	while (wait(&status) == -1)
		continue;
	return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}
