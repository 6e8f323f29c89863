/* SPDX-License-Identifier: ISC */
#include "election/roster.h"

#include <bsd/string.h>

#include <sys/stat.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "election/generation.h"
#include "election/queue.h"
#include "election/skips.h"
#include "election/terms.h"
#include "kernel/clock.h"
#include "kernel/lock.h"
#include "kernel/proctable.h"

#define CHANGE_ATTEMPTS 5

struct gathering {
	const struct lockdir *lock;
	struct roster *roster;
	size_t room;
	uint64_t namespace;
	bool holders_only;
	bool failed;
	bool moved; /* somebody was gone by the time that we looked, or is there by another name */
};

/* Who reports twice within the limit, as is usual, never comes near three quarters of it. */
static bool
is_silent(const struct ticket_text *text)
{
	const int64_t since = text->heard_ms != 0 ? text->heard_ms : text->since_ms;

	if (text->watchdog_ms == 0)
		return false;
	return strcmp(text->reason, reason_word(REASON_WATCHDOG)) == 0 ||
	       clock_realtime_ms() - since > text->watchdog_ms / 4 * 3;
}

static bool
gather(const char *name, void *context)
{
	struct gathering *gathering = context;
	struct roster *roster = gathering->roster;
	struct roster_entry entry, *more;

	if (!ticket_unpack(name, &entry.ticket) ||
	    (gathering->holders_only && entry.ticket.state != TICKET_HOLDING))
		return true;
	if (!queue_read_live(gathering->lock, name, &entry.text)) {
		/* Tries come and go by the dozen. */
		gathering->moved = gathering->moved || entry.ticket.kind != TICKET_TRY;
		return true;
	}
	if (roster->count == gathering->room) {
		gathering->room = gathering->room * 2 + 16;
		more = reallocarray(roster->entries, gathering->room, sizeof(roster->entries[0]));
		if (more == NULL) {
			gathering->failed = true;
			return false;
		}
		roster->entries = more;
	}
	entry.same_namespace = entry.ticket.pidns == gathering->namespace;
	entry.frozen = entry.same_namespace && proctable_is_frozen(entry.ticket.pid);
	entry.silent = entry.ticket.state == TICKET_HOLDING && is_silent(&entry.text);
	roster->entries[roster->count++] = entry;
	return true;
}

static int
in_order(const void *a, const void *b)
{
	const struct roster_entry *first = a, *second = b;

	return ticket_order(&first->ticket, &second->ticket);
}

/* A ticket that was renamed during the listing may have been met under both names. */
static void
sort_and_count(struct roster *roster)
{
	size_t kept = 0;

	/* qsort(3) must not get a null pointer, even for nothing. */
	if (roster->count == 0)
		return;
	qsort(roster->entries, roster->count, sizeof(roster->entries[0]), in_order);
	for (size_t i = 0; i < roster->count; i++) {
		if (kept > 0 && in_order(&roster->entries[kept - 1], &roster->entries[i]) == 0)
			kept--;
		roster->entries[kept++] = roster->entries[i];
	}
	roster->count = kept;
	for (size_t i = 0; i < roster->count; i++) {
		roster->held += roster->entries[i].ticket.state == TICKET_HOLDING;
		roster->resting += roster->entries[i].ticket.state == TICKET_RESTING;
	}
}

static bool
lock_is_held(const struct lockdir *lock, struct roster *roster)
{
	struct stat file;
	struct fault fault;
	bool held;
	int fd;

	fd = lockdir_file(lock, STATE_LOCK, STATE_READ, &fault);
	if (fd == -1)
		return false;
	roster->inode = fstat(fd, &file) == 0 ? file.st_ino : 0;
	held = lock_is_marked(fd);
	roster->orphans_share = held && lock_is_marked_shared(fd);
	close(fd);
	return held;
}

/* One that is being forgotten, or was never complete, is no damage: a run makes it anew. */
static void
look_for_damage(const struct lockdir *lock, struct roster *roster)
{
	uint64_t generation;

	if (generation_highest(lock, &generation, &roster->damage) == 0 || roster->inode == 0 ||
	    !lockdir_in_place(lock))
		roster->damage.kind = FAULT_NONE;
}

/* Each record once: it is the half of what a look at an idle lock costs. */
static void
read_records(const struct lockdir *lock, struct roster *roster)
{
	const struct told_outcome unknown = {.outcome = OUTCOME_UNKNOWN};
	struct number_plan plan;
	struct term newest;
	bool found;

	clock_boot_id(roster->boot);
	if (!generation_read(lock, roster->boot, &plan)) {
		look_for_damage(lock, roster);
		roster->previous = (struct previous){.last = unknown, .ran = unknown};
		return;
	}
	roster->generation = plan.current.last;
	found = terms_newest(lock, &plan, &newest);
	roster->previous = previous_find(&plan, found ? &newest : NULL, roster->boot);
	if (roster->generation == 0)
		return;
	/* What another boot left may tell of a later one than number does. */
	if (found && newest.generation == roster->generation)
		roster->last_term = newest;
	roster->has_last_term = (found && newest.generation == roster->generation) ||
				terms_read(lock, roster->generation, &roster->last_term);
}

static int
read_once(const struct lockdir *lock, bool holders_only, struct roster *roster, bool *moved)
{
	struct gathering gathering = {.lock = lock,
	    .roster = roster,
	    .namespace = proctable_namespace(),
	    .holders_only = holders_only};
	bool held;

	memset(roster, 0, sizeof(*roster));
	held = lock_is_held(lock, roster);
	if (lockdir_ticket_each(lock, gather, &gathering) == -1)
		return -1;
	if (gathering.failed) {
		errno = ENOMEM;
		return -1;
	}
	*moved = gathering.moved;
	sort_and_count(roster);
	roster->orphaned = held && roster->held == 0 && lock_is_held(lock, roster);
	roster->orphans_share = roster->orphans_share && roster->orphaned;
	read_records(lock, roster);
	return 0;
}

/*
 * A hand-over in the middle of it looks like an orphan, or like a term that nobody leads any more;
 * what is so looks so again.
 */
static bool
may_have_changed(const struct roster *roster)
{
	if (roster->orphaned)
		return true;
	return roster->held == 0 && roster->has_last_term &&
	       (roster->last_term.stage == TERM_BEGUN || roster->last_term.stage == TERM_STARTED);
}

/*
 * A full disk leaves tickets without their text. When it was queued stands in the name, and who
 * holds stands in the record of its term, whose blocks were there before.
 */
static void
complete(struct roster *roster)
{
	const int64_t booted_ms = clock_realtime_ms() - clock_boottime() / DURATION_MILLISECOND;
	const struct term *term = &roster->last_term;

	for (size_t i = 0; i < roster->count; i++) {
		const struct ticket *ticket = &roster->entries[i].ticket;
		struct ticket_text *text = &roster->entries[i].text;

		if (text->contender[0] != '\0')
			continue;
		text->since_ms =
		    booted_ms + (int64_t)(ticket->arrival / (uint64_t)DURATION_MILLISECOND);
		if (ticket->state != TICKET_HOLDING || ticket->mode != TICKET_EXCLUSIVE ||
		    !roster->has_last_term || term->stage == TERM_ENDED || term->pid != ticket->pid)
			continue;
		text->since_ms = term->begun_ms;
		text->generation = term->generation;
		strlcpy(text->contender, term->contender, sizeof(text->contender));
		strlcpy(text->condition, "leading", sizeof(text->condition));
		strlcpy(text->command, term->command, sizeof(text->command));
		strlcpy(text->note, term->note, sizeof(text->note));
	}
}

static int
read_roster(
    const struct lockdir *lock, bool holders_only, struct roster *roster, struct fault *fault)
{
	int attempts = CHANGE_ATTEMPTS;
	bool moved;

	*roster = (struct roster){.absent = lock->fd == -1};
	if (roster->absent)
		return 0;
	do {
		roster_free(roster);
		if (read_once(lock, holders_only, roster, &moved) == -1) {
			roster_free(roster);
			return fault_set(fault, FAULT_DIR_UNUSABLE, errno, "%s/%s/q",
			    lock->directory->path, lock->name);
		}
	} while ((moved || may_have_changed(roster)) && --attempts > 0);
	skips_read(lock, &roster->skips);
	complete(roster);
	roster->unsupervised =
	    roster->orphaned && roster->has_last_term && roster->last_term.stage == TERM_UNREPORTED;
	roster->orphaned = roster->orphaned && !roster->unsupervised;
	return 0;
}

int
roster_read(const struct lockdir *lock, struct roster *roster, struct fault *fault)
{
	return read_roster(lock, false, roster, fault);
}

int
roster_read_holders(const struct lockdir *lock, struct roster *roster, struct fault *fault)
{
	return read_roster(lock, true, roster, fault);
}

void
roster_free(struct roster *roster)
{
	free(roster->entries);
	roster->entries = NULL;
	roster->count = roster->held = roster->resting = 0;
}

bool
roster_is_held(const struct roster *roster)
{
	return roster->held > 0 || roster->orphaned || roster->unsupervised;
}

bool
roster_leads(const struct roster *roster, const struct term *term)
{
	const struct roster_entry *holder = roster_holder(roster);

	if (term->stage == TERM_ENDED || roster->generation == 0)
		return false;
	if (term->generation > roster->generation)
		return term->stage != TERM_BEGUN && strcmp(term->boot, roster->boot) == 0;
	if (term->generation < roster->generation)
		return false;
	if (holder != NULL)
		return holder->ticket.mode == TICKET_EXCLUSIVE;
	/* Of what a killed lockrun left behind nobody will ever tell the end: it is lost already.
	 */
	return roster->unsupervised;
}

enum term_outcome
roster_outcome(const struct roster *roster, const struct term *term)
{
	const struct told_outcome *last = &roster->previous.last;

	if (last->outcome == OUTCOME_UNKNOWN && last->generation == term->generation)
		return OUTCOME_UNKNOWN;
	return term_outcome(term, roster->boot);
}

const struct roster_entry *
roster_holder(const struct roster *roster)
{
	for (size_t i = 0; i < roster->count; i++) {
		if (roster->entries[i].ticket.state == TICKET_HOLDING)
			return &roster->entries[i];
	}
	return NULL;
}

const struct roster_entry *
roster_find(const struct roster *roster, const char *contender)
{
	for (size_t i = 0; i < roster->count; i++) {
		if (strcmp(roster->entries[i].text.contender, contender) == 0)
			return &roster->entries[i];
	}
	return NULL;
}

size_t
roster_waiting(const struct roster *roster)
{
	return roster->count - roster->held - roster->resting;
}

size_t
roster_ahead_of(const struct roster *roster, const char *contender)
{
	size_t ahead = 0;

	for (size_t i = 0; i < roster->count; i++) {
		/* By a ticket that rests nobody has a place. */
		if (roster->entries[i].ticket.state != TICKET_RESTING &&
		    strcmp(roster->entries[i].text.contender, contender) == 0)
			break;
		ahead += roster->entries[i].ticket.state == TICKET_WAITING;
	}
	return ahead;
}
