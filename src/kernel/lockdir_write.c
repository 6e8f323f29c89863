/* SPDX-License-Identifier: ISC */
/* Writing into a file of a lock, in place. */
#include "kernel/lockdir.h"

#include <sys/mman.h>
#include <sys/stat.h>

#include <errno.h>
#include <string.h>
#include <unistd.h>

static int
write_mapped(int fd, const char *bytes, size_t length, off_t offset)
{
	const off_t within = offset % sysconf(_SC_PAGESIZE);
	struct stat st;
	char *map;

	/* Behind the end there is nothing to write to (SIGBUS). */
	if (fstat(fd, &st) == -1 || st.st_size < offset + (off_t)length) {
		errno = EFBIG;
		return -1;
	}
	map = mmap(
	    NULL, length + (size_t)within, PROT_READ | PROT_WRITE, MAP_SHARED, fd, offset - within);
	if (map == MAP_FAILED)
		return -1;
	memcpy(map + within, bytes, length);
	return munmap(map, length + (size_t)within);
}

int
lockdir_write(int fd, const char *bytes, size_t length, off_t offset)
{
	const ssize_t written = pwrite(fd, bytes, length, offset);

	if (written == (ssize_t)length)
		return 0;
	if (written == -1 && errno == EFBIG)
		return write_mapped(fd, bytes, length, offset);
	if (written >= 0)
		errno = ENOSPC;
	return -1;
}
