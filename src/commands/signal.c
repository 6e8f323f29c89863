/* SPDX-License-Identifier: ISC */
/* lockrun signal: send a signal to the leader's command, by asking its lockrun. */
#include "commands/commands.h"

#include <bsd/string.h>

#include <string.h>

#include "commands/describe.h"
#include "commands/say.h"
#include "commands/target.h"
#include "election/asks.h"
#include "election/roster.h"

/* Everyone who holds is asked: several may share. */
static struct ending
ask_holders(const struct target *target, const struct roster *roster, const char *word)
{
	struct fault fault;
	struct ask ask;

	for (size_t i = 0; i < roster->count; i++) {
		if (roster->entries[i].ticket.state != TICKET_HOLDING)
			continue;
		ask = (struct ask){
		    .verb = ASK_SIGNAL, .generation = roster->entries[i].text.generation};
		if (ask.generation == 0)
			strlcpy(ask.contender, roster->entries[i].text.contender,
			    sizeof(ask.contender));
		strlcpy(ask.reason, word, sizeof(ask.reason));
		if (asks_send(&target->lock, &ask, &fault) == -1)
			return say_fault(&fault);
	}
	return (struct ending){.status = STATUS_OK};
}

struct ending
command_signal(char **arguments, struct process_entry *entry)
{
	char text[DESCRIBE_SIZE];
	struct target target;
	struct options options;
	struct ending ending;
	struct roster roster;
	struct fault fault;

	(void)entry;
	if (!command_parse(SUB_SIGNAL, arguments, &options, &ending))
		return ending;
	if (target_open(SUB_SIGNAL, &options, 2, &target, &fault) == -1)
		return say_fault(&fault);
	if (signal_of_word(options.words[1]) == 0) {
		fault_set(&fault, FAULT_USAGE_SIGNAL, 0, "%s", options.words[1]);
		return say_fault(&fault);
	}
	if (roster_read(&target.lock, &roster, &fault) == -1)
		return say_fault(&fault);
	if (roster.held > 0) {
		ending = ask_holders(&target, &roster, options.words[1]);
	} else {
		ending.status = STATUS_NOT_ACQUIRED;
		if (describe_if_held(&target.lock, &roster, "", text) != NULL)
			say("%s: %s; nobody was asked", target.name.text, text);
		else
			say("%s: nobody leads%s; nobody was asked", target.name.text,
			    describe_absence(&target.lock, text));
	}
	roster_free(&roster);
	return ending;
}
