/* SPDX-License-Identifier: ISC */
#include <errno.h>
#include <stdlib.h>

#include "expect.h"
#include "values/fault.h"
#include "values/status.h"

static int
class_of(enum fault_kind kind)
{
	if (kind < FAULT_DIR_NO_ACCOUNT)
		return STATUS_USAGE;
	if (kind < FAULT_JOINED_LOST)
		return STATUS_UNAVAILABLE;
	if (kind < FAULT_AFTER_LOST)
		return STATUS_UNKNOWN;
	if (kind == FAULT_AFTER_LOST)
		return STATUS_REFUSED;
	if (kind == FAULT_NOT_FOUND)
		return STATUS_NOT_FOUND;
	if (kind == FAULT_NOT_EXECUTABLE)
		return STATUS_NOT_EXECUTABLE;
	return STATUS_NOT_STARTED;
}

static void
every_fault_has_a_row(void)
{
	EXPECT(fault_row(FAULT_NONE) == NULL);
	for (enum fault_kind kind = FAULT_NONE + 1; kind < FAULT_COUNT; kind++) {
		const struct fault_row *row = fault_row(kind);

		if (!EXPECT(row != NULL))
			continue;
		ROW(EXPECT_INT(row->kind, kind), "%d", kind);
		ROW(EXPECT_INT(row->status, class_of(kind)), "%d", kind);
		ROW(EXPECT(row->reason[0] != '\0'), "%d", kind);
		ROW(EXPECT(row->remedy != NULL), "%d", kind);
		ROW(EXPECT(status_find(row->status) != NULL), "%d", kind);
	}
}

static void
reasons_differ(void)
{
	for (enum fault_kind a = FAULT_NONE + 1; a < FAULT_COUNT; a++)
		for (enum fault_kind b = a + 1; b < FAULT_COUNT; b++)
			ROW(EXPECT(strcmp(fault_row(a)->reason, fault_row(b)->reason) != 0),
			    "%d and %d", a, b);
}

static void
text_is_object_reason_remedy_hint(void)
{
	struct fault fault;
	char text[2048];

	EXPECT_INT(fault_set(&fault, FAULT_DIR_UNUSABLE, EACCES, "%s/%s", "/a", "b"), -1);
	EXPECT_STR(fault_text(&fault, text, sizeof(text)),
	    "/a/b: cannot be used as the state directory: Permission denied; "
	    "look at its owner and permissions, and at those of the directories above it, or name "
	    "another directory with -d DIR or LOCKRUN_DIR");
	fault_set(&fault, FAULT_NAME_PROTOCOL_MISSING, 0, "\"leader\"");
	EXPECT_INT(fault_hint(&fault, "%s", "myapp:v1:leader:main"), -1);
	EXPECT_STR(fault_text(&fault, text, sizeof(text)),
	    "\"leader\": the protocol version (v1, v2, ...) is missing after the application; "
	    "a name that would do: myapp:v1:leader:main");
	fault_set(&fault, FAULT_USAGE_UNKNOWN_OPTION, 0, "--wat");
	EXPECT_STR(fault_text(&fault, text, sizeof(text)), "--wat: no such option");
	fault_hint(&fault, "did you mean --wait?");
	EXPECT_STR(
	    fault_text(&fault, text, sizeof(text)), "--wat: no such option; did you mean --wait?");
	/* A new fault forgets the old hint. */
	fault_set(&fault, FAULT_USAGE_UNKNOWN_OPTION, 0, "-z");
	EXPECT_STR(fault.hint, "");
}

static const struct {
	enum fault_kind kind;
	int error;
	const char *remedy;
} remedies[] = {
    {FAULT_FILE_UNUSABLE, EMFILE, "raise the limit of open files (ulimit -n)"},
    {FAULT_FILE_UNUSABLE, ENFILE, "the machine has no open file left to give: raise fs.file-max"},
    {FAULT_FILE_UNUSABLE, ENOMEM, "free memory, or raise its limit (ulimit -v)"},
    {FAULT_FILE_UNUSABLE, EFBIG, "raise the limit of file sizes (ulimit -f)"},
    {FAULT_FILE_UNUSABLE, ENOSPC, "make room on its disk (df, df -i)"},
    {FAULT_FILE_UNUSABLE, EDQUOT, "make room: the quota is used up"},
    {FAULT_FILE_UNUSABLE, EROFS, "have its file system mounted for writing"},
    {FAULT_FILE_UNUSABLE, EIO, "the disk fails: look at the log of the kernel (dmesg)"},
    {FAULT_FILE_UNUSABLE, EACCES,
	"look at its owner and permissions, and at those of the directories above it"},
    {FAULT_FILE_UNUSABLE, EPERM, "look at its owner, permissions and attributes (lsattr)"},
    {FAULT_FILE_UNUSABLE, ENOENT, "check the path"},
    {FAULT_FILE_UNUSABLE, ENAMETOOLONG, "use a shorter path"},
    {FAULT_LOCK_UNUSABLE, EBUSY, "wait until nobody leads, or end that by lockrun stop"},
    /* Another directory is a way out of what is wrong with this one, not of a limit. */
    {FAULT_DIR_UNUSABLE, ENOSPC,
	"make room on its disk (df, df -i), or name another directory with -d DIR or LOCKRUN_DIR"},
    {FAULT_DIR_UNUSABLE, EMFILE, "raise the limit of open files (ulimit -n)"},
    /* What has no path has no owner either. */
    {FAULT_SYSTEM, EMFILE, "nothing was run; raise the limit of open files (ulimit -n)"},
    {FAULT_SYSTEM, EACCES, "nothing was run; look at the limits of this machine (ulimit -a)"},
    {FAULT_START, ENOMEM, "nothing was run; free memory, or raise its limit (ulimit -v)"},
    /* Errors that say no more than the row does, and rows that know better. */
    {FAULT_DIR_UNUSABLE, ELOOP, "mend that, or name another directory with -d DIR or LOCKRUN_DIR"},
    {FAULT_OUTPUT, ENOSPC, "look at where it goes"},
    {FAULT_NO_WATCH, EPERM,
	"nothing was run; leave it out, or use Linux 5.3 or later, and let pidfd_open(2) through"},
};

static void
remedy_fits_the_error(void)
{
	char remedy[FAULT_TEXT_SIZE];
	struct fault fault;

	for (size_t i = 0; i < ROWS(remedies); i++) {
		fault_set(&fault, remedies[i].kind, remedies[i].error, "x");
		ROW(EXPECT_STR(fault_remedy(&fault, remedy), remedies[i].remedy), "%d with %s",
		    remedies[i].kind, strerror(remedies[i].error));
	}
	/* Without an error the row's own stands. */
	for (enum fault_kind kind = FAULT_NONE + 1; kind < FAULT_COUNT; kind++) {
		fault_set(&fault, kind, 0, "x");
		ROW(EXPECT_STR(fault_remedy(&fault, remedy), fault_row(kind)->remedy), "%d", kind);
	}
}

static void
text_is_safe_for_a_terminal(void)
{
	struct fault fault;
	char text[8192], small[16];

	fault_set(&fault, FAULT_NAME_BYTES, 0, "a\033[2J\n\xc3\xa9");
	fault_text(&fault, text, sizeof(text));
	for (const char *at = text; *at != '\0'; at++)
		EXPECT(*at >= ' ' && *at < 0x7f);
	EXPECT(strstr(text, "a\\033[2J\\n") == text);
	EXPECT(strlen(fault_text(&fault, small, sizeof(small))) == sizeof(small) - 1);
}

static void
long_objects_are_cut(void)
{
	struct fault fault;
	char object[4 * FAULT_TEXT_SIZE], text[8 * FAULT_TEXT_SIZE];

	memset(object, 1, sizeof(object) - 1);
	object[sizeof(object) - 1] = '\0';
	fault_set(&fault, FAULT_NAME_LONG, 0, "%s", object);
	fault_hint(&fault, "%s", object);
	EXPECT_INT(strlen(fault.object), FAULT_TEXT_SIZE - 1);
	EXPECT_INT(strlen(fault.hint), FAULT_TEXT_SIZE - 1);
	EXPECT(strstr(fault_text(&fault, text, sizeof(text)), "longer than 200 bytes") != NULL);
}

int
main(void)
{
	TEST(every_fault_has_a_row);
	TEST(reasons_differ);
	TEST(text_is_object_reason_remedy_hint);
	TEST(remedy_fits_the_error);
	TEST(text_is_safe_for_a_terminal);
	TEST(long_objects_are_cut);
	return expect_status();
}
