/* SPDX-License-Identifier: ISC */
/* Linked into every program of the sanitized build: how the sanitizers behave there. */
const char *__asan_default_options(void);

const char *
__asan_default_options(void)
{
	/* libbsd never frees the program's name, and under strace there is no looking for leaks. */
	return "detect_leaks=0";
}
