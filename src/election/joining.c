/* SPDX-License-Identifier: ISC */
#include "election/joining.h"

#include <bsd/string.h>

#include <inttypes.h>
#include <string.h>
#include <unistd.h>

#include "election/campaign.h"
#include "election/generation.h"
#include "election/terms.h"

/* A term, as a ticket tells it. */
struct told {
	uint64_t generation; /* 0: it tells of none */
	char leader[CONTENDER_SIZE];
};

void
joining_begin(struct joining *joining)
{
	memset(joining, 0, sizeof(*joining));
	joining->terms_fd = -1;
}

void
joining_end(struct joining *joining)
{
	if (joining->terms_fd != -1)
		close(joining->terms_fd);
	joining->terms_fd = -1;
}

void
joining_arrive(struct campaign *campaign)
{
	struct joining *joining = &campaign->joining;
	struct term term;

	if (!campaign->candidacy->join || joining->arrived)
		return;
	joining->arrived = true;
	joining->newest = generation_last(&campaign->lock);
	joining->newest_was_over =
	    terms_read(&campaign->lock, joining->newest, &term) && term.stage == TERM_ENDED;
}

/* In flight when we came, or begun since. */
static bool
is_ours_to_share(const struct joining *joining, uint64_t generation)
{
	if (generation == joining->newest)
		return generation != 0 && !joining->newest_was_over;
	return generation > joining->newest;
}

/* ---- which term ---- */

static struct told
read_told(int fd)
{
	struct told told = {.generation = 0};
	struct ticket_text text;

	if (fd == -1)
		return told;
	queue_read_text(fd, &text);
	told.generation = text.generation != 0 ? text.generation : text.joins;
	strlcpy(
	    told.leader, text.generation != 0 ? text.contender : text.leader, sizeof(told.leader));
	return told;
}

static bool
is_the_same(const struct joining *joining, const struct told *told)
{
	return told->generation == joining->generation &&
	       strcmp(told->leader, joining->leader) == 0;
}

/* Those who come after us learn from our ticket what we wait for. */
static void
tell(struct campaign *campaign)
{
	const struct joining *joining = &campaign->joining;

	campaign->text.joins = joining->generation;
	strlcpy(campaign->text.leader, joining->leader, sizeof(campaign->text.leader));
	queue_describe(&campaign->queue, &campaign->text);
}

static void
join(struct campaign *campaign, const struct told *told)
{
	struct joining *joining = &campaign->joining;

	joining_end(joining);
	joining->generation = told->generation;
	strlcpy(joining->leader, told->leader, sizeof(joining->leader));
	joining->terms_fd = terms_open_to_read(&campaign->lock);
	tell(campaign);
}

static void
forget(struct campaign *campaign)
{
	struct joining *joining = &campaign->joining;

	joining_end(joining);
	joining->generation = 0;
	joining->leader[0] = '\0';
	tell(campaign);
}

/* ---- how it ended ---- */

enum record {
	RECORD_OPEN,  /* started, and no end yet */
	RECORD_VOID,  /* nothing ran, or nobody will tell how it ended (--no-fork) */
	RECORD_ENDED, /* with an outcome to take over */
	RECORD_NONE,  /* another term's by now, or damaged */
};

static enum record
read_record(const struct joining *joining, struct term *term)
{
	if (!terms_read_from(joining->terms_fd, joining->generation, term) ||
	    term->generation != joining->generation ||
	    strcmp(term->contender, joining->leader) != 0)
		return RECORD_NONE;
	switch (term->stage) {
	case TERM_STARTED:
		return RECORD_OPEN;
	case TERM_ENDED:
		return term->ran != RAN_NO ? RECORD_ENDED : RECORD_VOID;
	default:
		return RECORD_VOID;
	}
}

/* Whether the term that we joined can still be in flight when this ticket is the one ahead. */
static bool
may_carry(const struct joining *joining, const struct ticket *ahead, const struct told *told)
{
	if (ahead == NULL)
		return false;
	/* One who joins and does not say what has just come, and is about to. */
	return is_the_same(joining, told) || (told->generation == 0 && ahead->kind == TICKET_JOIN);
}

/*
 * While it lives, a ticket can be met in the middle of being written, so its record has to agree.
 */
static void
join_if_in_flight(struct campaign *campaign, const struct told *told)
{
	struct term term;

	if (!is_ours_to_share(&campaign->joining, told->generation))
		return;
	if (terms_read(&campaign->lock, told->generation, &term) &&
	    strcmp(term.contender, told->leader) == 0)
		join(campaign, told);
}

/* Of one who joins too, but does not say whom yet: whoever leads now will be the one. */
static struct told
read_leader(const struct campaign *campaign)
{
	struct told told = {.generation = 0};
	struct ticket leader;
	int fd;

	if (queue_look_for_leader(&campaign->queue, &leader, &fd) == QUEUE_AHEAD) {
		told = read_told(fd);
		close(fd);
	}
	return told;
}

enum acquire
joining_meet(struct campaign *campaign, const struct ticket *ahead, int fd)
{
	struct joining *joining = &campaign->joining;
	struct told told = read_told(fd);
	enum record record;

	if (!campaign->candidacy->join)
		return ACQUIRE_TAKEN;
	if (joining->generation != 0) {
		record = read_record(joining, &joining->term);
		if (record == RECORD_ENDED)
			return ACQUIRE_JOINED;
		if (may_carry(joining, ahead, &told))
			return ACQUIRE_TAKEN;
		joining->overwritten = record == RECORD_NONE;
		if (joining->overwritten ||
		    (record == RECORD_OPEN && campaign->candidacy->refuse_after_lost))
			return ACQUIRE_LOST;
		/* Lost, or never started: the first of those who joined it leads. */
		forget(campaign);
	}
	if (told.generation == 0 && ahead != NULL && ahead->kind == TICKET_JOIN)
		told = read_leader(campaign);
	join_if_in_flight(campaign, &told);
	return ACQUIRE_TAKEN;
}

void
joining_fault(const struct campaign *campaign, struct fault *fault)
{
	const struct joining *joining = &campaign->joining;

	fault_set(fault, joining->overwritten ? FAULT_JOINED_OVERWRITTEN : FAULT_JOINED_LOST, 0,
	    "%s: generation %" PRIu64, campaign->candidacy->name->text, joining->generation);
}

void
joining_learn(struct campaign *campaign, int fd)
{
	const struct joining *joining = &campaign->joining;
	const struct told told = read_told(fd);

	if (campaign->candidacy->join && joining->generation == 0 &&
	    is_ours_to_share(joining, told.generation))
		join(campaign, &told);
}

bool
joining_missed(struct campaign *campaign)
{
	struct joining *joining = &campaign->joining;
	struct told told = {.generation = 0};
	struct term *term = &joining->term;

	if (!campaign->candidacy->join)
		return false;
	told.generation = generation_last(&campaign->lock);
	if (!is_ours_to_share(joining, told.generation) ||
	    !terms_read(&campaign->lock, told.generation, term) || term->stage != TERM_ENDED ||
	    term->ran == RAN_NO)
		return false;
	strlcpy(told.leader, term->contender, sizeof(told.leader));
	join(campaign, &told);
	return true;
}

/* ---- whom to wait for ---- */

bool
joining_shares(const struct campaign *campaign, const struct ticket *ahead)
{
	return campaign->candidacy->join && ahead->mode == TICKET_EXCLUSIVE;
}

bool
joining_has_run(const struct campaign *campaign)
{
	struct ticket run;

	return campaign->candidacy->join && campaign->queue.fd != -1 &&
	       queue_look_for_leader(&campaign->queue, &run, NULL) == QUEUE_AHEAD;
}

static duration_t
look(void *context)
{
	const struct joining_watch *watch = context;
	struct term term;

	if (watch->joining->generation != 0 && read_record(watch->joining, &term) == RECORD_ENDED)
		return 0;
	return watch->then->look(watch->then->context);
}

struct lookout
joining_lookout(struct joining_watch *watch)
{
	return (struct lookout){.look = look, .context = watch, .first = watch->then->first};
}
