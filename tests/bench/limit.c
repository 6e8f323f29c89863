/* SPDX-License-Identifier: ISC */
/*
 * limit COMMAND...
 *	Start it, wait for it, and end with its status: what any program costs that supervises a
 *	command, less all that makes it worth having.
 */
#include <sys/wait.h>

#include <err.h>
#include <errno.h>
#include <spawn.h>

extern char **environ;

int
main(int argc, char **argv)
{
	int status;
	pid_t pid;

	if (argc < 2)
		errx(64, "usage: limit COMMAND...");
	errno = posix_spawnp(&pid, argv[1], NULL, NULL, argv + 1, environ);
	if (errno != 0)
		err(1, "%s", argv[1]);
	while (waitpid(pid, &status, 0) == -1)
		continue;
	return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}
