/* SPDX-License-Identifier: ISC */
/* Whether the state directory may be written to, or could be made: asked, not tried. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include <bsd/string.h>

#include "kernel/statedir.h"

bool
statedir_may_write(const struct statedir *directory)
{
	return faccessat(directory->fd, ".", W_OK | X_OK, AT_EACCESS) == 0;
}

int
statedir_write_fault(
    const struct statedir *directory, const char *path, int error, struct fault *fault)
{
	if ((error == EACCES || error == EPERM) && !statedir_may_write(directory))
		return fault_set(fault, FAULT_DIR_UNWRITABLE, 0, "%s", directory->path);
	return fault_set(fault, FAULT_DIR_UNUSABLE, error, "%s", path);
}

int
statedir_could_be_made(const char *path, bool with_parents, struct fault *fault)
{
	char above[PATH_MAX];
	char *slash;

	strlcpy(above, path, sizeof(above));
	while ((slash = strrchr(above, '/')) != NULL) {
		slash[slash == above ? 1 : 0] = '\0';
		if (faccessat(AT_FDCWD, above, W_OK | X_OK, AT_EACCESS) == 0)
			return 0;
		if (errno != ENOENT)
			return fault_set(fault, FAULT_DIR_UNUSABLE, errno, "%s", path);
		if (!with_parents)
			return fault_set(fault, FAULT_DIR_PARENT, 0, "%s", path);
		if (above[1] == '\0')
			break;
	}
	return 0;
}
