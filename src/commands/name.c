/* SPDX-License-Identifier: ISC */
/* lockrun name: check and explain a name, or build one. */
#include "commands/commands.h"

#include <stdio.h>

#include "commands/say.h"
#include "values/lockname.h"

static void
explain(const struct lockname *name)
{
	const char *advice = lockname_kind_advice(name->kind);
	const char *meant = lockname_kind_meant(name->kind);

	printf("%s\n  app       %s\n  protocol  v%s\n  kind      %s%s%s\n  resource  %s\n",
	    name->text, name->app, name->protocol, name->kind, advice != NULL ? ": " : "",
	    advice != NULL ? advice : "", name->resource);
	if (name->scope[0] != '\0')
		printf("  scope     %s\n", name->scope);
	if (meant != NULL)
		printf("  remark    did you mean the kind \"%s\"? Another kind is another lock\n",
		    meant);
}

/* What is missing has an option, and nobody wrote a name that could be shown. */
static int
build(const struct options *options, struct lockname *name, struct fault *fault)
{
	const struct lockname_parts parts = {
	    .app = options->app,
	    .protocol = options->protocol,
	    .kind = options->kind,
	    .resource = options->resource,
	    .scopes = options->scopes,
	    .scope_count = options->scope_count,
	};
	const struct {
		const char *given, *option;
	} needed[] = {
	    {parts.app, "--app"},
	    {parts.protocol, "--protocol"},
	    {parts.kind, "--kind"},
	    {parts.resource, "--resource"},
	};

	for (size_t i = 0; i < sizeof(needed) / sizeof(needed[0]); i++) {
		if (needed[i].given != NULL)
			continue;
		fault_set(fault, FAULT_USAGE_PART_MISSING, 0, "%s", needed[i].option);
		return command_hint_usage(SUB_NAME, fault);
	}
	return lockname_build(&parts, name, fault);
}

static int
check_or_build(const struct options *options, struct fault *fault)
{
	const bool builds = options->app != NULL || options->protocol != NULL ||
			    options->kind != NULL || options->resource != NULL ||
			    options->scope_count > 0;
	struct lockname name;

	if (options->word_count > (builds ? 0 : 1))
		return fault_set(
		    fault, FAULT_USAGE_EXTRA_WORD, 0, "%s", options->words[builds ? 0 : 1]);
	if (!builds && options->word_count == 0)
		return command_needs_name(SUB_NAME, fault);
	if (builds) {
		if (build(options, &name, fault) == -1)
			return -1;
		puts(name.text);
		return 0;
	}
	if (lockname_parse(options->words[0], &name, fault) == -1)
		return -1;
	explain(&name);
	return 0;
}

struct ending
command_name_tool(char **arguments, struct process_entry *entry)
{
	struct options options;
	struct ending ending;
	struct fault fault;

	(void)entry;
	if (!command_parse(SUB_NAME, arguments, &options, &ending))
		return ending;
	if (check_or_build(&options, &fault) == -1)
		return say_fault(&fault);
	return (struct ending){.status = STATUS_OK};
}
