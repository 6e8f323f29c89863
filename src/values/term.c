/* SPDX-License-Identifier: ISC */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "values/record.h"
#include "values/slot.h"

#define WORD_SIZE 16

static const char *const stage_words[] = {
    [TERM_EMPTY] = "empty",
    [TERM_BEGUN] = "begun",
    [TERM_STARTED] = "started",
    [TERM_ENDED] = "ended",
    [TERM_UNREPORTED] = "unreported",
};

static const char *const ran_words[] = {
    [RAN_NO] = "no",
    [RAN_YES] = "yes",
    [RAN_MAYBE] = "maybe",
};

static const char *const sync_words[] = {
    [SYNC_NO] = "no",
    [SYNC_OWED] = "owed",
    [SYNC_YES] = "yes",
};

static const char *const truth_words[] = {"no", "yes"};

const char *
term_stage_word(enum term_stage stage)
{
	return stage_words[stage];
}

const char *
ran_word(enum ran ran)
{
	return ran_words[ran];
}

#define WORDS(list) (list), sizeof(list) / sizeof((list)[0])

/* Take a word of a list; bad when it is none of them. */
static unsigned
take_choice(struct slot_reader *reader, const char *key, const char *const *words, size_t count)
{
	char word[WORD_SIZE];

	slot_take_word(reader, key, word, sizeof(word));
	for (unsigned i = 0; i < count; i++)
		if (strcmp(words[i], word) == 0)
			return i;
	reader->bad = true;
	return 0;
}

static const char *
word_or_dash(const char *word)
{
	return word[0] != '\0' ? word : "-";
}

void
term_pack_empty(char slot[TERM_SLOT_SIZE])
{
	memset(slot, ' ', TERM_SLOT_SIZE - 1);
	slot[TERM_SLOT_SIZE - 1] = '\n';
}

static bool
slot_empty(const char slot[TERM_SLOT_SIZE])
{
	char empty[TERM_SLOT_SIZE];

	term_pack_empty(empty);
	return memcmp(slot, empty, TERM_SLOT_SIZE) == 0;
}

void
term_pack(const struct term *term, char slot[TERM_SLOT_SIZE])
{
	char text[TERM_SLOT_SIZE], end[TERM_SLOT_SIZE] = "";

	if (term->stage == TERM_EMPTY) {
		term_pack_empty(slot);
		return;
	}
	if (term->stage == TERM_ENDED)
		snprintf(end, sizeof(end), " ran=%s reason=%s status=%d signal=%d killed=%s",
		    ran_words[term->ran], reason_word(term->reason), term->status, term->signal,
		    truth_words[term->killed]);
	snprintf(text, sizeof(text),
	    "generation=%" PRIu64 " stage=%s pid=%ld command_pid=%ld contender=%s boot=%s sync=%s"
	    " before=%s before_generation=%" PRIu64 " queued=%" PRId64 " begun=%" PRId64
	    " ended=%" PRId64 "%.128s command=%zu:%s note=%zu:%s",
	    term->generation, stage_words[term->stage], (long)term->pid, (long)term->command_pid,
	    word_or_dash(term->contender), word_or_dash(term->boot), sync_words[term->sync],
	    term_outcome_word(term->before.outcome), term->before.generation, term->queued_ms,
	    term->begun_ms, term->ended_ms, end, strlen(term->command), term->command,
	    strlen(term->note), term->note);
	slot_seal(text, slot, TERM_SLOT_SIZE);
}

static void
take_end(struct slot_reader *reader, struct term *term)
{
	char word[WORD_SIZE];

	term->ran = take_choice(reader, "ran", WORDS(ran_words));
	slot_take_word(reader, "reason", word, sizeof(word));
	term->reason = reason_of_word(word);
	if (term->reason == REASON_COUNT)
		reader->bad = true;
	term->status = slot_take_int(reader, "status");
	term->signal = slot_take_int(reader, "signal");
	term->killed = take_choice(reader, "killed", WORDS(truth_words)) != 0;
}

static void
take_before(struct slot_reader *reader, struct told_outcome *before)
{
	char word[WORD_SIZE];

	slot_take_word(reader, "before", word, sizeof(word));
	before->outcome = term_outcome_of_word(word);
	if (before->outcome == OUTCOME_COUNT)
		reader->bad = true;
	before->generation = slot_take_number(reader, "before_generation");
}

bool
term_unpack(const char slot[TERM_SLOT_SIZE], struct term *term)
{
	char again[TERM_SLOT_SIZE];
	struct slot_reader reader;
	struct term found;

	memset(&found, 0, sizeof(found));
	if (slot_empty(slot)) {
		*term = found;
		return true;
	}
	if (!slot_sound(slot, TERM_SLOT_SIZE))
		return false;
	slot_read(slot, TERM_SLOT_SIZE, &reader);
	found.generation = slot_take_number(&reader, "generation");
	found.stage = take_choice(&reader, "stage", WORDS(stage_words));
	found.pid = slot_take_int(&reader, "pid");
	found.command_pid = slot_take_int(&reader, "command_pid");
	slot_take_word(&reader, "contender", found.contender, sizeof(found.contender));
	slot_take_word(&reader, "boot", found.boot, sizeof(found.boot));
	found.sync = take_choice(&reader, "sync", WORDS(sync_words));
	take_before(&reader, &found.before);
	found.queued_ms = slot_take_signed(&reader, "queued");
	found.begun_ms = slot_take_signed(&reader, "begun");
	found.ended_ms = slot_take_signed(&reader, "ended");
	if (found.stage == TERM_ENDED)
		take_end(&reader, &found);
	slot_take_text(&reader, "command", found.command, sizeof(found.command));
	slot_take_text(&reader, "note", found.note, sizeof(found.note));
	if (reader.bad)
		return false;
	term_pack(&found, again);
	if (memcmp(again, slot, TERM_SLOT_SIZE) != 0)
		return false;
	*term = found;
	return true;
}
