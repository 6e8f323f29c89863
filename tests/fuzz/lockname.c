/* SPDX-License-Identifier: ISC */
#include "fuzz.h"
#include "values/lockname.h"

/* A name that is taken is the same again when it is built from its parts. */
static void
round_trip(const struct lockname *name)
{
	const char *scope = name->scope;
	const struct lockname_parts parts = {
	    .app = name->app,
	    .protocol = name->protocol,
	    .kind = name->kind,
	    .resource = name->resource,
	    .scopes = &scope,
	    .scope_count = scope[0] != '\0' ? 1 : 0,
	};
	struct lockname again;
	struct fault fault;

	/* What building escapes comes back longer: "_", and the colons of a scope. */
	if (strchr(name->text, '_') != NULL || strchr(scope, ':') != NULL)
		return;
	EXPECTS(lockname_build(&parts, &again, &fault) == 0);
	EXPECTS(strcmp(again.text, name->text) == 0);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = fuzz_string(data, size), message[FAULT_TEXT_SIZE];
	struct lockname name, again;
	struct fault fault;

	if (lockname_parse(text, &name, &fault) == 0) {
		EXPECTS(strcmp(name.text, text) == 0 && strlen(text) <= LOCKNAME_MAX);
		EXPECTS(strchr(text, '/') == NULL && text[0] != '.');
		round_trip(&name);
	} else {
		EXPECTS(strlen(fault_text(&fault, message, sizeof(message))) < sizeof(message));
	}
	(void)lockname_kind_meant(text);
	/* Built from any bytes, it is a name or a fault. */
	if (lockname_build(
		&(struct lockname_parts){text, "1", "leader", text, NULL, 0}, &name, &fault) == 0)
		EXPECTS(lockname_parse(name.text, &again, &fault) == 0);
	free(text);
	return 0;
}
