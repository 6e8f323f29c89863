/* SPDX-License-Identifier: ISC */
/* Stands before every source of the sanitized build: how the sanitizers behave there. */
const char *__asan_default_options(void);

__attribute__((weak)) const char *
__asan_default_options(void)
{
	/* libbsd never frees the program's name, and under strace there is no looking for leaks. */
	return "detect_leaks=0";
}
