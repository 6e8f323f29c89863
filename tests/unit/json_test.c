/* SPDX-License-Identifier: ISC */
#include "expect.h"
#include "values/json.h"

static char bytes[4096];
static struct json_buffer buffer;
static struct json json;

static void
begin(size_t size)
{
	buffer = (struct json_buffer){bytes, size, 0, false};
	bytes[0] = '\0';
	json_begin(&json, json_buffer_sink, &buffer);
}

static void
nesting(void)
{
	begin(sizeof(bytes));
	json_object(&json, NULL);
	json_number(&json, "n", INT64_MIN);
	json_array(&json, "empty");
	json_array_end(&json);
	json_object(&json, "o");
	json_object_end(&json);
	json_array(&json, "a");
	json_string(&json, NULL, "x");
	json_object(&json, NULL);
	json_bool(&json, "t", true);
	json_bool(&json, "f", false);
	json_object_end(&json);
	json_null(&json, NULL);
	json_number(&json, NULL, INT64_MAX);
	json_array_end(&json);
	json_string(&json, "s", NULL);
	json_object_end(&json);
	EXPECT_STR(bytes, "{\"n\":-9223372036854775808,\"empty\":[],\"o\":{},\"a\":[\"x\",{\"t\":"
			  "true,\"f\":false},"
			  "null,9223372036854775807],\"s\":null}");
	EXPECT_INT(buffer.length, strlen(bytes));
}

#define LOST "\xef\xbf\xbd"

static const struct {
	const char *value;
	const char *wanted; /* between the quotes */
} strings[] = {
    {"", ""},
    {"plain /text", "plain /text"},
    {"\"\\", "\\\"\\\\"},
    {"\n\r\t\b\x01\x1f\x7f", "\\n\\r\\t\\u0008\\u0001\\u001f\\u007f"},
    {"\xc2\x80\xc2\x9f\xc2\xa0", "\\u0080\\u009f\xc2\xa0"},
    {"\xc3\xa9 \xe2\x82\xac \xf0\x9f\x94\x92 \xf4\x8f\xbf\xbf",
	"\xc3\xa9 \xe2\x82\xac \xf0\x9f\x94\x92 \xf4\x8f\xbf\xbf"},
    {"\xed\x9f\xbf\xee\x80\x80", "\xed\x9f\xbf\xee\x80\x80"},
    /* not UTF-8: lone, cut short, overlong, surrogate, beyond the end */
    {"\x80", LOST},
    {"\xff", LOST},
    {"\xc3", LOST},
    {"\xc3x", LOST "x"},
    {"\xe2\x82", LOST LOST},
    {"\xc0\xaf", LOST LOST},
    {"\xe0\x80\xaf", LOST LOST LOST},
    {"\xf0\x80\x80\xaf", LOST LOST LOST LOST},
    {"\xed\xa0\x80", LOST LOST LOST},
    {"\xf4\x90\x80\x80", LOST LOST LOST LOST},
    {"\xf5\x80\x80\x80", LOST LOST LOST LOST},
    {"\xf0\x9f\x94", LOST LOST LOST},
};

static void
string_bytes(void)
{
	char wanted[256];

	for (size_t i = 0; i < ROWS(strings); i++) {
		begin(sizeof(bytes));
		json_string(&json, NULL, strings[i].value);
		snprintf(wanted, sizeof(wanted), "\"%s\"", strings[i].wanted);
		ROW(EXPECT_STR(bytes, wanted), "%zu", i);
	}
}

static void
overflow(void)
{
	for (size_t size = 0; size < 16; size++) {
		memset(bytes, '!', sizeof(bytes));
		begin(size);
		json_array(&json, NULL);
		json_string(&json, NULL, "0123456");
		json_array_end(&json); /* ["0123456"] is 11 bytes */
		ROW(EXPECT(buffer.overflow == (size < 12)), "%zu", size);
		ROW(EXPECT(size == 0 || memchr(bytes, '\0', size) != NULL), "%zu", size);
		ROW(EXPECT(bytes[size > 0 ? size : 1] == '!'), "%zu", size);
	}
}

int
main(void)
{
	TEST(nesting);
	TEST(string_bytes);
	TEST(overflow);
	return expect_status();
}
