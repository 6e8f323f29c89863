/* SPDX-License-Identifier: ISC */
/*
 * One lock's directory, DIR/NAME: its files by purpose, and the names in its queue. The rules of
 * kernel/statedir.h hold here. All functions return 0 or a descriptor, or -1 with a fault, unless
 * said otherwise.
 */
#ifndef LOCKRUN_KERNEL_LOCKDIR_H
#define LOCKRUN_KERNEL_LOCKDIR_H

#include <stdint.h>

#include "kernel/statedir.h"

struct lockdir {
	int fd;
	int queue;
	mode_t file_mode;
	const char *name; /* the caller's, as is the directory */
	const struct statedir *directory;
};

/* Whether an entry of DIR is what an unfinished or forgotten NAME was called; and its removal. */
bool lockdir_is_private(const char *name);
void lockdir_remove_private(const struct statedir *directory, const char *private);

/* When NAME was last changed (stat(2)), CLOCK_REALTIME in ms. */
int64_t lockdir_made_ms(const struct lockdir *lock);

/*
 * Take NAME out of the way, under a private name, and delete it with all that is in it. MUST be
 * called only by who holds the lock. What is left when that fails is debris (see doctor).
 */
int lockdir_remove(const struct lockdir *lock, struct fault *fault);

enum state_file {
	STATE_LOCK,   /* always empty: the lock itself */
	STATE_NUMBER, /* the generation */
	STATE_TERMS,  /* the last terms */
	STATE_ASK,    /* what is asked of a leader */
	STATE_SKIPS,  /* those turned away, counted */
	STATE_QUEUE,  /* the directory of the tickets; not to be opened as a file */
};

/* What a new NAME starts with. */
struct state_seed {
	enum state_file file;
	const void *bytes;
	size_t length;
};

/*
 * Open DIR/NAME. STATE_CONTEND makes it, with its seeds, and makes a missing q/ anew. For
 * STATE_READ what is missing gives -1 in fd or queue and is no fault.
 */
int lockdir_open(const struct statedir *directory, const char *name, enum state_use use,
    const struct state_seed *seeds, size_t seed_count, struct lockdir *lock, struct fault *fault);
void lockdir_close(struct lockdir *lock);

/* Set the fault of a `number` that is damaged or missing, with what mends it. Always returns -1. */
int lockdir_number_fault(const struct lockdir *lock, enum fault_kind kind, struct fault *fault);

/*
 * Open one of its files: for reading and writing (STATE_CONTEND; `lock`, `ask` and `skips` are made
 * anew when missing), or for reading. A missing `number` is FAULT_NUMBER_MISSING; another missing
 * file is FAULT_FILE_UNUSABLE with ENOENT.
 */
int lockdir_file(
    const struct lockdir *lock, enum state_file file, enum state_use use, struct fault *fault);

/*
 * Open a file that is missing or damaged, made anew and empty where it is missing. Only for who
 * holds the lock, and where a person has decided.
 */
int lockdir_remake(const struct lockdir *lock, enum state_file file, struct fault *fault);

/*
 * Whether fd still is DIR/NAME/lock when looked up by its full path, so that a DIR or NAME that
 * was moved or replaced is noticed as well.
 */
bool lockdir_is_current(const struct lockdir *lock, int fd);
/* The same for NAME itself: only what is in it may have been replaced. */
bool lockdir_in_place(const struct lockdir *lock);

/*
 * Sync NAME, DIR and what is above it, so that a power cut cannot take away the way to our files.
 * Whoever made them should have, but may have been killed. Returns 0, or -1 with errno.
 */
int lockdir_sync(const struct lockdir *lock);

/* "DIR/NAME/FILE", for a message or a look-up by the full path; returns path. */
#define LOCKDIR_PATH_SIZE (PATH_MAX + NAME_MAX + 16)
const char *
lockdir_path(const struct lockdir *lock, enum state_file file, char path[LOCKDIR_PATH_SIZE]);

/* Files in q/. These return 0 or a descriptor, or -1 with errno. */
int lockdir_ticket_create(const struct lockdir *lock, const char *name);
int lockdir_ticket_open(const struct lockdir *lock, const char *name);
int lockdir_ticket_rename(const struct lockdir *lock, const char *from, const char *to);
int lockdir_ticket_remove(const struct lockdir *lock, const char *name);
/* Whether an open ticket still has a name. */
bool lockdir_ticket_is_named(int fd);
bool lockdir_ticket_has(const struct lockdir *lock, const char *name);

/*
 * Call each for every entry of the queue, in no order, until it
 * returns false. A name that is renamed meanwhile may be missed or met twice (readdir(3)).
 * Returns 0, or -1 with errno.
 */
int lockdir_ticket_each(
    const struct lockdir *lock, bool (*each)(const char *name, void *context), void *context);

/*
 * Write at a place in a file whose blocks are there already. Where RLIMIT_FSIZE forbids it, which
 * counts offsets and not growth, through a mapping (mmap(2) is not limited). Returns 0, or -1 with
 * errno.
 */
int lockdir_write(int fd, const char *bytes, size_t length, off_t offset);

#endif
