/* SPDX-License-Identifier: ISC */
/*
 * locks DIR PREFIX COUNT
 *	Make the locks PREFIX1 to PREFIX(COUNT-1) in DIR as copies of PREFIX0, which has been used.
 *	lockrun itself syncs each new lock; what is measured here does not need that.
 */
#include <sys/sendfile.h>
#include <sys/stat.h>

#include <err.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static const char *const files[] = {"lock", "number", "terms"};

static void
copy(int from, int to, const char *file)
{
	const int source = openat(from, file, O_RDONLY),
		  target = openat(to, file, O_CREAT | O_WRONLY, 0600);
	struct stat st;
	off_t data = 0;

	if (source == -1 || target == -1 || fstat(source, &st) == -1 ||
	    ftruncate(target, st.st_size) == -1)
		err(1, "%s", file);
	/* Only what is there: most of the terms are a hole. */
	while ((data = lseek(source, data, SEEK_DATA)) != -1) {
		lseek(target, data, SEEK_SET);
		if (sendfile(target, source, &data, 4096) <= 0)
			break;
	}
	close(source);
	close(target);
}

int
main(int argc, char **argv)
{
	char name[256];
	int directory, from, to;

	if (argc != 4)
		errx(64, "usage: locks DIR PREFIX COUNT");
	directory = open(argv[1], O_RDONLY | O_DIRECTORY);
	snprintf(name, sizeof(name), "%s0", argv[2]);
	from = openat(directory, name, O_RDONLY | O_DIRECTORY);
	if (directory == -1 || from == -1)
		err(1, "%s/%s", argv[1], name);
	for (long i = 1; i < strtol(argv[3], NULL, 10); i++) {
		snprintf(name, sizeof(name), "%s%ld", argv[2], i);
		if (mkdirat(directory, name, 0700) == -1)
			err(1, "%s", name);
		to = openat(directory, name, O_RDONLY | O_DIRECTORY);
		for (size_t n = 0; n < sizeof(files) / sizeof(files[0]); n++)
			copy(from, to, files[n]);
		mkdirat(to, "q", 0700);
		close(to);
	}
	return 0;
}
