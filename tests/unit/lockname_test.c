/* SPDX-License-Identifier: ISC */
#include <stdlib.h>

#include "expect.h"
#include "values/lockname.h"

static const struct {
	const char *text, *app, *protocol, *kind, *resource, *scope;
} good[] = {
    {"shop:v1:leader:sync", "shop", "1", "leader", "sync", ""},
    {"shop:v3:leader:auth-refresh:user:123", "shop", "3", "leader", "auth-refresh", "user:123"},
    {"A.b_c-d:v0:k:0", "A.b_c-d", "0", "k", "0", ""},
    {"0:v18446744073709551616:single-flight:x..y:Z", "0", "18446744073709551616", "single-flight",
	"x..y", "Z"},
    {"v1:v1:v1:v1:v1", "v1", "1", "v1", "v1", "v1"},
};

static const struct {
	const char *text;
	enum fault_kind kind;
	const char *hint;
} bad[] = {
    {"", FAULT_NAME_EMPTY, "myapp:v1:leader:main"},
    {"leader", FAULT_NAME_PROTOCOL_MISSING, "myapp:v1:leader:main"},
    {"single-flight", FAULT_NAME_PROTOCOL_MISSING, "myapp:v1:single-flight:main"},
    {"backup", FAULT_NAME_PROTOCOL_MISSING, "backup:v1:leader:main"},
    {"lock", FAULT_NAME_PROTOCOL_MISSING, "lock:v1:leader:main"},
    {"shop:sync", FAULT_NAME_PROTOCOL_MISSING, "shop:v1:leader:sync"},
    {"shop:leader", FAULT_NAME_PROTOCOL_MISSING, "shop:v1:leader:main"},
    {"shop:leader:sync", FAULT_NAME_PROTOCOL_MISSING, "shop:v1:leader:sync"},
    {"shop::leader:sync", FAULT_NAME_PROTOCOL_MISSING, "shop:v1:leader:sync"},
    {"shop:", FAULT_NAME_PROTOCOL_MISSING, NULL},
    {"shop:v", FAULT_NAME_PROTOCOL_FORM, "shop:v1:leader:main"},
    {"shop:v03:leader:sync", FAULT_NAME_PROTOCOL_FORM, "shop:v3:leader:sync"},
    {"shop:V3:leader:sync", FAULT_NAME_PROTOCOL_FORM, "shop:v3:leader:sync"},
    {"shop:3:leader:sync", FAULT_NAME_PROTOCOL_FORM, "shop:v3:leader:sync"},
    {"shop:v1.2:leader:sync", FAULT_NAME_PROTOCOL_FORM, "shop:v1:leader:sync"},
    {"shop:v00:leader:sync", FAULT_NAME_PROTOCOL_FORM, "shop:v1:leader:sync"},
    {"shop:v3", FAULT_NAME_KIND_MISSING, "shop:v3:leader:main"},
    {"shop:v3:", FAULT_NAME_KIND_MISSING, "shop:v3:leader:main"},
    {"shop:v3::sync", FAULT_NAME_KIND_MISSING, "shop:v3:leader:sync"},
    {"shop:v3:Leader:sync", FAULT_NAME_KIND_FORM, "shop:v3:leader:sync"},
    {"shop:v3:single_flight:sync", FAULT_NAME_KIND_FORM, "shop:v3:single-flight:sync"},
    {"shop:v3:9:sync", FAULT_NAME_KIND_FORM, "shop:v3:leader:sync"},
    {"shop:v3:leader", FAULT_NAME_RESOURCE_MISSING, "shop:v3:leader:main"},
    {"shop:v3:deploy", FAULT_NAME_RESOURCE_MISSING, "shop:v3:deploy:main"},
    {"shop:v3:leader:", FAULT_NAME_RESOURCE_MISSING, "shop:v3:leader:main"},
    {"shop:v3:leader::user", FAULT_NAME_PART_FORM, "shop:v3:leader:user"},
    {"shop:v3:leader:sync:", FAULT_NAME_PART_FORM, "shop:v3:leader:sync"},
    {"shop:v3:leader:sync::x", FAULT_NAME_PART_FORM, "shop:v3:leader:sync:x"},
    {"shop:v3:leader:-sync", FAULT_NAME_PART_FORM, "shop:v3:leader:sync"},
    {"shop:v3:leader:sync:.x", FAULT_NAME_PART_FORM, "shop:v3:leader:sync:x"},
    {"shop:v3:leader:..", FAULT_NAME_PART_FORM, "shop:v3:leader:main"},
    {".", FAULT_NAME_APP, "myapp:v1:leader:main"},
    {"..", FAULT_NAME_APP, "myapp:v1:leader:main"},
    {"-", FAULT_NAME_APP, "myapp:v1:leader:main"},
    {":v1:leader:sync", FAULT_NAME_APP, "myapp:v1:leader:sync"},
    {"_a:v1:leader:sync", FAULT_NAME_APP, "a:v1:leader:sync"},
    {":", FAULT_NAME_APP, NULL},
    {"a/b", FAULT_NAME_BYTES, "a_2Fb:v1:leader:main"},
    {"../../x:v1:y", FAULT_NAME_BYTES, "x:v1:y:main"},
    {"shop:v1:leader:feature/x", FAULT_NAME_BYTES, "shop:v1:leader:feature_2Fx"},
    {"shop:v1:leader:sync\n", FAULT_NAME_BYTES, "shop:v1:leader:sync"},
    {" shop:v1:leader:sync", FAULT_NAME_BYTES, "shop:v1:leader:sync"},
    {"shop:v1:leader:na\xc3\xafve", FAULT_NAME_BYTES, "shop:v1:leader:na_C3_AFve"},
    {"\xc3\xa9", FAULT_NAME_BYTES, "myapp:v1:leader:main"},
};

static void
expect_hint(const struct fault *fault, const char *text)
{
	struct lockname name;
	struct fault again;

	ROW(EXPECT_INT(lockname_parse(fault->hint, &name, &again), 0), "%s -> %s", text,
	    fault->hint);
}

static void
good_names(void)
{
	struct lockname name;
	struct fault fault;

	for (size_t i = 0; i < ROWS(good); i++) {
		if (!EXPECT_INT(lockname_parse(good[i].text, &name, &fault), 0))
			continue;
		EXPECT_STR(name.text, good[i].text);
		EXPECT_STR(name.app, good[i].app);
		EXPECT_STR(name.protocol, good[i].protocol);
		EXPECT_STR(name.kind, good[i].kind);
		EXPECT_STR(name.resource, good[i].resource);
		EXPECT_STR(name.scope, good[i].scope);
	}
}

static void
bad_names(void)
{
	struct lockname name;
	struct fault fault;
	char quoted[64];

	for (size_t i = 0; i < ROWS(bad); i++) {
		ROW(EXPECT_INT(lockname_parse(bad[i].text, &name, &fault), -1), "%s", bad[i].text);
		ROW(EXPECT_INT(fault.kind, bad[i].kind), "%s", bad[i].text);
		snprintf(quoted, sizeof(quoted), "\"%s\"", bad[i].text);
		EXPECT_STR(fault.object, quoted);
		expect_hint(&fault, bad[i].text);
		if (bad[i].hint != NULL)
			ROW(EXPECT_STR(fault.hint, bad[i].hint), "%s", bad[i].text);
	}
}

static void
two_hundred_bytes(void)
{
	static char text[100000];
	struct lockname name;
	struct fault fault;

	strcpy(text, "shop:v1:leader:");
	memset(text + strlen(text), 'r', LOCKNAME_MAX - strlen(text));
	EXPECT_INT(lockname_parse(text, &name, &fault), 0);
	EXPECT_STR(name.text, text);
	text[LOCKNAME_MAX] = 'r';
	EXPECT_INT(lockname_parse(text, &name, &fault), -1);
	EXPECT_INT(fault.kind, FAULT_NAME_LONG);
	EXPECT(strncmp(fault.hint, "shop:v1:leader:rrr", 18) == 0);
	expect_hint(&fault, "long");
	memset(text, 'r', sizeof(text) - 1);
	EXPECT_INT(lockname_parse(text, &name, &fault), -1);
	EXPECT_INT(fault.kind, FAULT_NAME_LONG);
	expect_hint(&fault, "longer");
	memset(text, ':', sizeof(text) - 1);
	EXPECT_INT(lockname_parse(text, &name, &fault), -1);
	expect_hint(&fault, "colons");
}

/* A small generator of our own, so that a failure comes again. */
static unsigned
dice(unsigned sides)
{
	static uint64_t state = 88172645463325252U;

	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return (unsigned)(state % sides);
}

/* All of pieces that people and attackers are likely to put together. */
static void
every_hint_would_do(void)
{
	static const char *const pieces[] = {":", ":", ":", ":", "v", "1", "0", "a", "x", "Z",
	    "leader", "shop", "v3", "_", "-", ".", "/", " ", "\n", "\xff", "\xc3\xa9", "%s", "V",
	    "9", "mutation"};
	char text[512];
	struct lockname name;
	struct fault fault;

	for (unsigned round = 0; round < 200000; round++) {
		const unsigned count = round % 1000 == 0 ? 90 + dice(30) : dice(12);

		text[0] = '\0';
		for (unsigned i = 0; i < count && strlen(text) < 480; i++)
			strcat(text, pieces[dice(ROWS(pieces))]);
		if (lockname_parse(text, &name, &fault) == -1)
			expect_hint(&fault, text);
		else
			EXPECT_STR(name.text, text);
	}
}

static const char *
built(const char *app, const char *resource, const char *scope)
{
	static struct lockname name;
	static struct fault fault;
	const struct lockname_parts parts = {app, "1", "leader", resource, &scope, scope != NULL};

	return lockname_build(&parts, &name, &fault) == 0 ? name.text : NULL;
}

static void
build(void)
{
	EXPECT_STR(built("shop", "sync", NULL), "shop:v1:leader:sync");
	EXPECT_STR(built("shop", "sync", "user"), "shop:v1:leader:sync:user");
	EXPECT_STR(built("shop", "feature/x", "a:b"), "shop:v1:leader:feature_2Fx:a_3Ab");
	EXPECT_STR(built("my_app", "xterm", ".hidden"), "my_5Fapp:v1:leader:xterm:x_2Ehidden");
	EXPECT_STR(built("_", "x_", "x"), "x_5F:v1:leader:x_78_5F:x");
	EXPECT_STR(built("-", "..", "a..b"), "x_2D:v1:leader:x_2E.:a..b");
	EXPECT_STR(built("\xc3\xa9", "a b", "\n"), "x_C3_A9:v1:leader:a_20b:x_0A");
}

static void
build_refuses(void)
{
	static const char *const empty[] = {""};
	static const struct {
		struct lockname_parts parts;
		enum fault_kind kind;
	} rows[] = {
	    {{NULL, "1", "leader", "r", NULL, 0}, FAULT_NAME_APP},
	    {{"", "1", "leader", "r", NULL, 0}, FAULT_NAME_APP},
	    {{"a", NULL, "leader", "r", NULL, 0}, FAULT_NAME_PROTOCOL_MISSING},
	    {{"a", "v", "leader", "r", NULL, 0}, FAULT_NAME_PROTOCOL_FORM},
	    {{"a", "01", "leader", "r", NULL, 0}, FAULT_NAME_PROTOCOL_FORM},
	    {{"a", "vv1", "leader", "r", NULL, 0}, FAULT_NAME_PROTOCOL_FORM},
	    {{"a", "-1", "leader", "r", NULL, 0}, FAULT_NAME_PROTOCOL_FORM},
	    {{"a", "x", "leader", "r", NULL, 0}, FAULT_NAME_PROTOCOL_FORM},
	    {{"a", "1:leader", "r", "s", NULL, 0}, FAULT_NAME_PROTOCOL_FORM},
	    {{"a", "1", NULL, "r", NULL, 0}, FAULT_NAME_KIND_MISSING},
	    {{"a", "1", "Leader", "r", NULL, 0}, FAULT_NAME_KIND_FORM},
	    {{"a", "1", "leader:r", "s", NULL, 0}, FAULT_NAME_KIND_FORM},
	    {{"a", "1", "leader", NULL, NULL, 0}, FAULT_NAME_RESOURCE_MISSING},
	    {{"a", "1", "leader", "r", empty, 1}, FAULT_NAME_PART_FORM},
	};
	struct lockname_parts parts = {"a", "v7", "leader", "r", NULL, 0};
	char resource[LOCKNAME_SIZE];
	struct lockname name;
	struct fault fault;

	for (size_t i = 0; i < ROWS(rows); i++) {
		ROW(EXPECT_INT(lockname_build(&rows[i].parts, &name, &fault), -1), "%zu", i);
		ROW(EXPECT_INT(fault.kind, rows[i].kind), "%zu", i);
		expect_hint(&fault, fault.object);
	}
	EXPECT_INT(lockname_build(&parts, &name, &fault), 0);
	EXPECT_STR(name.text, "a:v7:leader:r");
	memset(resource, 'r', sizeof(resource));
	resource[LOCKNAME_MAX - strlen("a:v7:leader:")] = '\0';
	parts.resource = resource;
	EXPECT_INT(lockname_build(&parts, &name, &fault), 0);
	resource[0] = '/';
	EXPECT_INT(lockname_build(&parts, &name, &fault), -1);
	EXPECT_INT(fault.kind, FAULT_NAME_LONG);
	expect_hint(&fault, "long");
}

static int
compare(const void *a, const void *b)
{
	return strcmp(a, b);
}

/* All parts of up to four bytes over an alphabet that could be confused. */
static void
different_inputs_stay_different(void)
{
	static const char alphabet[] = "x_7/.-8F";
	static char names[5000][40];
	const unsigned letters = sizeof(alphabet) - 1;
	size_t count = 0;

	for (unsigned length = 1, all = letters; length <= 4; length++, all *= letters)
		for (unsigned code = 0; code < all; code++) {
			char part[5] = "";
			unsigned rest = code;
			const char *name;

			for (unsigned i = 0; i < length; i++, rest /= letters)
				part[i] = alphabet[rest % letters];
			name = built("a", part, NULL);
			if (EXPECT(name != NULL))
				strcpy(names[count++], name);
		}
	qsort(names, count, sizeof(names[0]), compare);
	for (size_t i = 1; i < count; i++)
		EXPECT(strcmp(names[i - 1], names[i]) != 0);
}

static void
kinds(void)
{
	static const struct {
		const char *kind, *meant;
	} rows[] = {{"leader", NULL}, {"leeder", "leader"}, {"leadre", "leader"},
	    {"eader", "leader"}, {"leaders", "leader"}, {"mutations", "mutation"},
	    {"migratoin", "migration"}, {"singleflight", "single-flight"}, {"single-flight", NULL},
	    {"deploy", NULL}, {"lead", NULL}, {"", NULL}};

	for (size_t i = 0; i < ROWS(rows); i++)
		ROW(EXPECT_STR(lockname_kind_meant(rows[i].kind), rows[i].meant), "%s",
		    rows[i].kind);
	for (size_t i = 0; i < ROWS(rows); i++)
		if (rows[i].meant != NULL)
			EXPECT(lockname_kind_advice(rows[i].meant) != NULL);
	EXPECT(lockname_kind_advice("deploy") == NULL);
}

static void
versions(void)
{
	static const struct {
		const char *a, *b;
		bool other;
	} rows[] = {{"a:v3:k:r", "a:v30:k:r", true}, {"a:v3:k:r", "a:v3:k:r", false},
	    {"a:v3:k:r", "b:v4:k:r", false}, {"a:v3:k:r", "a:v4:l:r", false},
	    {"a:v3:k:r", "a:v4:k:s", false}, {"a:v3:k:r:s", "a:v4:k:r", false},
	    {"a:v3:k:r:s:t", "a:v4:k:r:s:t", true}};

	for (size_t i = 0; i < ROWS(rows); i++) {
		ROW(EXPECT(lockname_other_version(rows[i].a, rows[i].b) == rows[i].other), "%zu",
		    i);
		ROW(EXPECT(lockname_other_version(rows[i].b, rows[i].a) == rows[i].other), "%zu",
		    i);
	}
}

/* In the order of their families; those of one line are one family. */
static void
families(void)
{
	static const char *const rows[][2] = {
	    {"a-b:v1:a:a", "a-b:v2:a:a"},
	    {"a:v7:j:r", "a:v7:j:r"},
	    {"a:v30:k:r", "a:v3:k:r"},
	    {"a:v1:k:r.s", "a:v2:k:r.s"},
	    {"a:v3:k:r:s", "a:v12:k:r:s"},
	    {"a:v3:k:r:s:t", "a:v1:k:r:s:t"},
	    {"ab:v1:a:a", "ab:v2:a:a"},
	};
	const char *a, *b;
	int order;

	for (size_t i = 0; i < ROWS(rows) * 2; i++) {
		for (size_t j = 0; j < ROWS(rows) * 2; j++) {
			a = rows[i / 2][i % 2];
			b = rows[j / 2][j % 2];
			order = lockname_family_order(a, b);
			ROW(EXPECT((order > 0) == (i / 2 > j / 2)), "%s %s", a, b);
			ROW(EXPECT((order == 0) == (i / 2 == j / 2)), "%s %s", a, b);
		}
	}
}

int
main(void)
{
	TEST(good_names);
	TEST(bad_names);
	TEST(two_hundred_bytes);
	TEST(every_hint_would_do);
	TEST(build);
	TEST(build_refuses);
	TEST(different_inputs_stay_different);
	TEST(kinds);
	TEST(versions);
	TEST(families);
	return expect_status();
}
