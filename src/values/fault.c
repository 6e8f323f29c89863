/* SPDX-License-Identifier: ISC */
#include <errno.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#define LIBBSD_OPENBSD_VIS
#include <bsd/vis.h>

#include "values/fault.h"
#include "values/status.h"

#define A_NAME	      "a name that would do:"
#define ANOTHER_DIR   "name another directory with -d DIR or LOCKRUN_DIR"
#define NOT_OURS_FILE "find out who put it there, and remove it"

static const struct fault_row fault_table[] = {
    {FAULT_NAME_EMPTY, STATUS_USAGE, "the lock name is empty", A_NAME},
    {FAULT_NAME_LONG, STATUS_USAGE, "the lock name is longer than 200 bytes", A_NAME},
    {FAULT_NAME_BYTES, STATUS_USAGE,
	"a lock name holds only letters, digits and . _ - between its colons", A_NAME},
    {FAULT_NAME_APP, STATUS_USAGE,
	"the lock name must begin with the application, which begins with a letter or digit",
	A_NAME},
    {FAULT_NAME_PROTOCOL_MISSING, STATUS_USAGE,
	"the protocol version (v1, v2, ...) is missing after the application", A_NAME},
    {FAULT_NAME_PROTOCOL_FORM, STATUS_USAGE,
	"the protocol version must be a v and a number without leading zeros", A_NAME},
    {FAULT_NAME_KIND_MISSING, STATUS_USAGE,
	"the kind of lock (leader, mutation, migration, single-flight) is missing", A_NAME},
    {FAULT_NAME_KIND_FORM, STATUS_USAGE,
	"the kind of lock must be small letters, digits and -, beginning with a letter", A_NAME},
    {FAULT_NAME_RESOURCE_MISSING, STATUS_USAGE, "the resource is missing after the kind", A_NAME},
    {FAULT_NAME_PART_FORM, STATUS_USAGE,
	"a part of the lock name is empty or does not begin with a letter or digit", A_NAME},

    {FAULT_USAGE_NO_NAME, STATUS_USAGE, "no lock name was given", "usage:"},
    {FAULT_USAGE_NO_COMMAND, STATUS_USAGE, "no command to run was given", "usage:"},
    {FAULT_USAGE_UNKNOWN_OPTION, STATUS_USAGE, "no such option", ""},
    {FAULT_USAGE_NOT_HERE, STATUS_USAGE, "not an option of this subcommand", ""},
    {FAULT_USAGE_UNKNOWN_SUBCOMMAND, STATUS_USAGE, "neither a lock name nor a subcommand", ""},
    {FAULT_USAGE_SUBCOMMAND_LATE, STATUS_USAGE, "a subcommand stands before its options", "write:"},
    {FAULT_USAGE_PART_MISSING, STATUS_USAGE, "it is missing, and no name can be built without it",
	"usage:"},
    {FAULT_USAGE_VALUE_MISSING, STATUS_USAGE, "the option needs a value", ""},
    {FAULT_USAGE_VALUE_UNWANTED, STATUS_USAGE, "the option takes no value", "leave the value out"},
    {FAULT_USAGE_DURATION, STATUS_USAGE, "not a duration",
	"write it like 250ms, 30s, 1.5m, 2h or 1d"},
    {FAULT_USAGE_DURATION_ZERO, STATUS_USAGE, "zero is not a limit", ""},
    {FAULT_USAGE_NUMBER, STATUS_USAGE, "not an exit status", "write a whole number from 0 to 255"},
    {FAULT_USAGE_COUNT, STATUS_USAGE, "not a count", "write a whole number from 0 on"},
    {FAULT_USAGE_NOTE_LONG, STATUS_USAGE, "longer than 200 bytes", "write one short line"},
    {FAULT_USAGE_NOTE_BREAK, STATUS_USAGE, "it holds a line break", "write one line"},
    {FAULT_USAGE_NOTE_CONTROL, STATUS_USAGE, "it holds a control character", "leave that out"},
    {FAULT_USAGE_DESCRIPTOR, STATUS_USAGE, "not the number of a descriptor",
	"write it like fd:3; a file of that name is"},
    {FAULT_USAGE_TWICE_MEANT, STATUS_USAGE, "the two options exclude each other",
	"leave one of them out"},
    {FAULT_USAGE_CHOICE, STATUS_USAGE, "not one of the choices", "write one of:"},
    {FAULT_USAGE_UNSUPERVISED, STATUS_USAGE, "without a fork nobody is left to do that",
	"leave one of them out"},
    {FAULT_USAGE_SHELL_STRING, STATUS_USAGE, "there is no option for a shell string",
	"use -- sh -c 'STRING'"},
    {FAULT_USAGE_TIMEOUT, STATUS_USAGE, "it would be unclear what it limits",
	"--wait limits the queue, --max-hold the command"},
    {FAULT_USAGE_DASH_COMMAND, STATUS_USAGE, "a word with a leading dash where the command belongs",
	"options go before the first word; a command that begins with a dash needs -- before it"},
    {FAULT_USAGE_EXTRA_WORD, STATUS_USAGE, "one word too many", ""},
    {FAULT_USAGE_GENERATION, STATUS_USAGE, "not a generation", "write a whole number from 1 on"},
    {FAULT_USAGE_TERMS, STATUS_USAGE, "not a number of terms", "write a whole number from 1 on"},
    {FAULT_USAGE_BACKOFF, STATUS_USAGE, "not a pair of delays",
	"write the shortest and the longest one, like 1s:1m"},
    {FAULT_USAGE_BACKOFF_ZERO, STATUS_USAGE, "the shortest delay must be above 0",
	"write 1ms or more, so that a loop of short terms leaves the machine to others"},
    {FAULT_USAGE_ALONE, STATUS_USAGE, "it means nothing without another option", ""},
    {FAULT_USAGE_FLOOR, STATUS_USAGE, "a floor is for mending one number",
	"write: lockrun doctor --repair --floor N NAME"},
    {FAULT_USAGE_WORD_MISSING, STATUS_USAGE, "a word is missing", "usage:"},
    {FAULT_USAGE_SIGNAL, STATUS_USAGE, "no such signal",
	"write a name such as HUP, USR1 or RTMIN+1, or a number"},
    {FAULT_NESTED, STATUS_USAGE, "already inside of this lock",
	"waiting for it would never end: use another name, or run the command without lockrun"},
    {FAULT_ALSO_OURS, STATUS_USAGE, "that is the lock itself",
	"leave it out: flock(1) on that file excludes lockrun as it is"},
    {FAULT_ALSO_NESTED, STATUS_USAGE, "lockrun was started under a lock on this file",
	"waiting for it would never end: leave out the flock(1) around lockrun"},
    {FAULT_USAGE_OUTSIDE_TERM, STATUS_USAGE, "not inside a command that lockrun runs",
	"call it from a command that was started by: lockrun NAME -- COMMAND"},
    {FAULT_USAGE_NO_GENERATION, STATUS_USAGE, "its term has no generation, so it cannot be fenced",
	"lead without --shared"},
    {FAULT_FENCE_OTHER_LOCK, STATUS_USAGE, "it belongs to another lock", "use one FILE for each:"},
    {FAULT_FENCE_INSIDE, STATUS_USAGE, "held by an older term that this one runs under",
	"waiting for it would never end: start the newer term outside of it"},

    {FAULT_DIR_NO_ACCOUNT, STATUS_UNAVAILABLE,
	"no entry in the password database, so there is no home directory to keep locks in",
	ANOTHER_DIR},
    {FAULT_DIR_UNUSABLE, STATUS_UNAVAILABLE, "cannot be used as the state directory",
	"mend that, or " ANOTHER_DIR},
    {FAULT_DIR_UNWRITABLE, STATUS_UNAVAILABLE, "you may not write to this state directory",
	"name one of your own with -d DIR or LOCKRUN_DIR, or have this one shared with a group of "
	"yours: chgrp, chmod 2770"},
    {FAULT_DIR_PARENT, STATUS_UNAVAILABLE, "the directory above it does not exist",
	"make that one first, or mend the path"},
    {FAULT_DIR_SYMLINK, STATUS_UNAVAILABLE, "the state directory must not be a symbolic link",
	"name the directory that it points to"},
    {FAULT_DIR_NOT_DIRECTORY, STATUS_UNAVAILABLE, "not a directory", ANOTHER_DIR},
    {FAULT_DIR_OWNER, STATUS_UNAVAILABLE, "the directory belongs neither to you nor to root",
	ANOTHER_DIR ", or share this one with its group: chmod 2770"},
    {FAULT_DIR_WRITABLE, STATUS_UNAVAILABLE, "others may write to it and so could break every lock",
	"chmod 0700, or chmod 2770 to share it with its group"},
    {FAULT_DIR_NETWORK, STATUS_UNAVAILABLE,
	"on a network file system, where locks may not hold between hosts",
	"name a local directory with -d DIR or LOCKRUN_DIR, or this one to use it all the same"},
    {FAULT_DIR_LONG, STATUS_UNAVAILABLE, "the path of the state directory is too long",
	ANOTHER_DIR},
    {FAULT_FILE_SYMLINK, STATUS_UNAVAILABLE, "a symbolic link where lockrun keeps a file",
	NOT_OURS_FILE},
    {FAULT_FILE_NOT_REGULAR, STATUS_UNAVAILABLE, "not a regular file, as lockrun's files are",
	NOT_OURS_FILE},
    {FAULT_FILE_LINKED, STATUS_UNAVAILABLE, "a file that has another name as well (a hard link)",
	NOT_OURS_FILE},
    {FAULT_FILE_UNUSABLE, STATUS_UNAVAILABLE, "cannot be used",
	"look at its owner and permissions and at the space left on the disk"},
    {FAULT_NUMBER_DAMAGED, STATUS_UNAVAILABLE, "both copies of the generation number are damaged",
	""},
    {FAULT_NUMBER_MISSING, STATUS_UNAVAILABLE, "the generation number is missing", ""},
    {FAULT_NUMBER_SPENT, STATUS_UNAVAILABLE, "no generation number is left to give",
	"use the next protocol version in the lock name"},
    {FAULT_NOT_ALLOWED, STATUS_UNAVAILABLE, "this process may not be signalled",
	"ask its owner, or become root"},
    {FAULT_OTHER_NAMESPACE, STATUS_UNAVAILABLE, "the process lives in another pid namespace",
	"stop it from inside of that one"},
    {FAULT_OTHER_PROCESS, STATUS_UNAVAILABLE,
	"the pid is another process's by now, which was left alone",
	"see who has a file of this lock open (fuser)"},
    {FAULT_NO_WATCH, STATUS_UNAVAILABLE, "the end of another process cannot be watched here",
	"nothing was run; leave it out, or use Linux 5.3 or later, and let pidfd_open(2) through"},
    {FAULT_ALSO_UNUSABLE, STATUS_UNAVAILABLE, "the file of --also-flock cannot be used",
	"look at its path, its owner and its permissions"},
    {FAULT_ALSO_KIND, STATUS_UNAVAILABLE, "neither a file nor a directory nor a device",
	"name the file that the other scripts lock"},
    {FAULT_LOCK_UNUSABLE, STATUS_UNAVAILABLE, "cannot be locked",
	"use a local file system (-d DIR or LOCKRUN_DIR for the state directory)"},
    {FAULT_LOCK_UNSETTLED, STATUS_UNAVAILABLE, "it was replaced again and again while we locked it",
	"find what removes it, and stop that"},
    {FAULT_FENCE_SYMLINK, STATUS_UNAVAILABLE, "a fence must not be a symbolic link",
	"name the file that it points to"},
    {FAULT_FENCE_NOT_REGULAR, STATUS_UNAVAILABLE, "a fence has to be a regular file",
	"name another one; it is made where it is missing"},
    {FAULT_FENCE_OWNER, STATUS_UNAVAILABLE, "it belongs neither to you nor to root",
	"name another one, or share its directory with its group: chmod 2770"},
    {FAULT_FENCE_WRITABLE, STATUS_UNAVAILABLE, "others may write to it and so could let anyone in",
	"chmod o-w"},
    {FAULT_FENCE_DAMAGED, STATUS_UNAVAILABLE, "damaged, or not a fence at all",
	"check the path; a damaged one may be removed once no older leader is left that could "
	"write"},

    {FAULT_JOINED_LOST, STATUS_UNKNOWN,
	"the run that was joined was lost: its end is not on record",
	"it may have done its work in part, or be running still; look before it runs again"},
    {FAULT_JOINED_OVERWRITTEN, STATUS_UNKNOWN,
	"the record of the run that was joined is gone: 64 further terms began, or it was removed",
	"how it ended is not known; look before it runs again"},

    {FAULT_AFTER_LOST, STATUS_REFUSED, "it is not known how that term ended",
	"nothing was run; look at what it did, then record a known end by a run without "
	"--after-lost refuse, such as:"},

    {FAULT_SET_ID, STATUS_NOT_STARTED,
	"started with another user's or group's rights (set-user-ID), which a caller could misuse",
	"nothing was run; take the bit away (chmod ug-s) and change the user before, by sudo or a "
	"service"},
    {FAULT_SYSTEM, STATUS_NOT_STARTED, "lockrun itself could not go on",
	"nothing was run; look at the limits of this machine (ulimit -a)"},
    {FAULT_OUTPUT, STATUS_NOT_STARTED, "what was asked for could not be written",
	"look at where it goes"},
    {FAULT_START, STATUS_NOT_STARTED, "the command could not be started",
	"nothing was run; look at free memory, ulimit -u and the length of the arguments"},
    {FAULT_NOT_FOUND, STATUS_NOT_FOUND, "command not found",
	"nothing was run; check the spelling, or give the full path (cron's PATH is short)"},
    {FAULT_NOT_EXECUTABLE, STATUS_NOT_EXECUTABLE, "the command cannot be executed",
	"nothing was run; check its permissions (chmod +x) and its first line (#!)"},
};

const struct fault_row *
fault_row(enum fault_kind kind)
{
	for (size_t i = 0; i < sizeof(fault_table) / sizeof(fault_table[0]); i++)
		if (fault_table[i].kind == kind)
			return &fault_table[i];
	return NULL;
}

/* What to do about an error of the system, whatever met it. */
static const struct error_row {
	int error;
	enum {
		ANYWHERE,
		AT_PATH,
		AT_DISK
	} where; /* at a disk: another directory would do */
	const char *remedy;
} error_table[] = {
    {EACCES, AT_DISK,
	"look at its owner and permissions, and at those of the directories above it"},
    {EPERM, AT_DISK, "look at its owner, permissions and attributes (lsattr)"},
    {EROFS, AT_DISK, "have its file system mounted for writing"},
    {ENOSPC, AT_DISK, "make room on its disk (df, df -i)"},
    {EDQUOT, AT_DISK, "make room: the quota is used up"},
    {EIO, AT_DISK, "the disk fails: look at the log of the kernel (dmesg)"},
    {ENOENT, AT_PATH, "check the path"},
    {ENAMETOOLONG, AT_PATH, "use a shorter path"},
    {EBUSY, AT_PATH, "wait until nobody leads, or end that by lockrun stop"},
    {EFBIG, ANYWHERE, "raise the limit of file sizes (ulimit -f)"},
    {EMFILE, ANYWHERE, "raise the limit of open files (ulimit -n)"},
    {ENFILE, ANYWHERE, "the machine has no open file left to give: raise fs.file-max"},
    {ENOMEM, ANYWHERE, "free memory, or raise its limit (ulimit -v)"},
};

static const struct error_row *
error_row(const struct fault *fault, const struct fault_row *row)
{
	const bool at_path = row->kind == FAULT_DIR_UNUSABLE || row->kind == FAULT_FILE_UNUSABLE ||
			     row->kind == FAULT_ALSO_UNUSABLE || row->kind == FAULT_LOCK_UNUSABLE;

	if (!at_path && row->kind != FAULT_SYSTEM && row->kind != FAULT_START)
		return NULL;
	for (size_t i = 0; i < sizeof(error_table) / sizeof(error_table[0]); i++)
		if (error_table[i].error == fault->error &&
		    (at_path || error_table[i].where == ANYWHERE))
			return &error_table[i];
	return NULL;
}

char *
fault_remedy(const struct fault *fault, char buffer[FAULT_TEXT_SIZE])
{
	const struct fault_row *row = fault_row(fault->kind);
	const struct error_row *error = row != NULL ? error_row(fault, row) : NULL;

	if (error == NULL)
		snprintf(buffer, FAULT_TEXT_SIZE, "%s", row != NULL ? row->remedy : "");
	else
		snprintf(buffer, FAULT_TEXT_SIZE, "%s%s%s",
		    row->status == STATUS_NOT_STARTED ? "nothing was run; " : "", error->remedy,
		    row->kind == FAULT_DIR_UNUSABLE && error->where == AT_DISK ? ", or " ANOTHER_DIR
									       : "");
	return buffer;
}

int
fault_set(struct fault *fault, enum fault_kind kind, int error, const char *object, ...)
{
	va_list arguments;

	fault->kind = kind;
	fault->error = error;
	fault->hint[0] = '\0';
	va_start(arguments, object);
	vsnprintf(fault->object, sizeof(fault->object), object, arguments);
	va_end(arguments);
	return -1;
}

int
fault_hint(struct fault *fault, const char *hint, ...)
{
	va_list arguments;

	va_start(arguments, hint);
	vsnprintf(fault->hint, sizeof(fault->hint), hint, arguments);
	va_end(arguments);
	return -1;
}

char *
fault_text(const struct fault *fault, char *buffer, size_t size)
{
	/* Four bytes for each one is the most that vis writes, so that it never has to cut. */
	char object[4 * FAULT_TEXT_SIZE + 1], hint[4 * FAULT_TEXT_SIZE + 1];
	const int style = VIS_CSTYLE | VIS_OCTAL | VIS_TAB | VIS_NL;
	const struct fault_row *row = fault_row(fault->kind);
	const char *reason = row != NULL ? row->reason : "no fault";
	char remedy[FAULT_TEXT_SIZE];

	fault_remedy(fault, remedy);
	strnvis(object, fault->object, sizeof(object), style);
	strnvis(hint, fault->hint, sizeof(hint), style);
	snprintf(buffer, size, "%s: %s%s%s%s%s%s%s", object, reason, fault->error != 0 ? ": " : "",
	    fault->error != 0 ? strerror(fault->error) : "",
	    remedy[0] != '\0' || hint[0] != '\0' ? "; " : "", remedy,
	    remedy[0] != '\0' && hint[0] != '\0' ? " " : "", hint);
	return buffer;
}
