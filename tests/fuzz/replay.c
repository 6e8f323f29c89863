/* SPDX-License-Identifier: ISC */
/* Feeds each file of a directory to a fuzz target: its corpus, without a fuzzer. */
#include <dirent.h>
#include <err.h>

#include "fuzz.h"

#define INPUT_SIZE 65536

static void
replay(const char *directory, const char *name)
{
	static uint8_t data[INPUT_SIZE];
	char path[4096];
	size_t size;
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s", directory, name);
	file = fopen(path, "r");
	if (file == NULL)
		err(1, "%s", path);
	size = fread(data, 1, sizeof(data), file);
	fclose(file);
	LLVMFuzzerTestOneInput(data, size);
}

int
main(int argc, char **argv)
{
	const struct dirent *entry;
	unsigned count = 0;
	DIR *directory;

	if (argc != 2)
		errx(1, "usage: %s DIRECTORY", argv[0]);
	directory = opendir(argv[1]);
	if (directory == NULL)
		err(1, "%s", argv[1]);
	while ((entry = readdir(directory)) != NULL) {
		if (entry->d_name[0] == '.')
			continue;
		replay(argv[1], entry->d_name);
		count++;
	}
	closedir(directory);
	printf("%sok - %s replays its inputs\n1..1\n", count > 0 ? "" : "not ", argv[1]);
	return count > 0 ? 0 : 1;
}
