/* SPDX-License-Identifier: ISC */
#include "kernel/clock.h"

#include <sys/timerfd.h>

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <errno.h>

static duration_t
read_clock(clockid_t id)
{
	struct timespec now;

	clock_gettime(id, &now);
	return now.tv_sec * DURATION_SECOND + now.tv_nsec;
}

static struct timespec
timespec_of(duration_t length)
{
	return (struct timespec){
	    .tv_sec = length / DURATION_SECOND,
	    .tv_nsec = length % DURATION_SECOND,
	};
}

duration_t
clock_boottime(void)
{
	return read_clock(CLOCK_BOOTTIME);
}

duration_t
clock_monotonic(void)
{
	return read_clock(CLOCK_MONOTONIC);
}

int64_t
clock_realtime_ms(void)
{
	return read_clock(CLOCK_REALTIME) / DURATION_MILLISECOND;
}

char *
clock_text(int64_t realtime_ms, char text[CLOCK_TEXT_SIZE])
{
	const time_t seconds = realtime_ms / 1000;
	struct tm utc;
	size_t length;

	gmtime_r(&seconds, &utc);
	length = strftime(text, CLOCK_TEXT_SIZE, "%Y-%m-%dT%H:%M:%S", &utc);
	snprintf(text + length, CLOCK_TEXT_SIZE - length, ".%03dZ", (int)(realtime_ms % 1000));
	return text;
}

duration_t
clock_after(duration_t now, duration_t length)
{
	return length >= DURATION_NEVER - now ? DURATION_NEVER : now + length;
}

int
clock_alarm(duration_t boottime)
{
	struct itimerspec at = {.it_value = timespec_of(boottime)};
	int timer, saved;

	timer = timerfd_create(CLOCK_BOOTTIME, TFD_CLOEXEC | TFD_NONBLOCK);
	if (timer == -1)
		return -1;
	/* All zeros would disarm it, and a point that is past has to fire. */
	if (boottime <= 0)
		at.it_value = (struct timespec){.tv_nsec = 1};
	if (timerfd_settime(timer, TFD_TIMER_ABSTIME, &at, NULL) == -1) {
		saved = errno;
		close(timer);
		errno = saved;
		return -1;
	}
	return timer;
}

int
clock_poll(struct pollfd *watched, nfds_t count, duration_t until)
{
	struct timespec left;
	duration_t now;
	int ready;

	if (until == DURATION_NEVER) {
		ready = ppoll(watched, count, NULL, NULL);
	} else {
		now = clock_monotonic();
		left = timespec_of(until > now ? until - now : 0);
		ready = ppoll(watched, count, &left, NULL);
	}
	if (ready == -1 && errno == EINTR) {
		for (nfds_t i = 0; i < count; i++)
			watched[i].revents = 0;
		return 0;
	}
	return ready;
}

void
clock_boot_id(char boot[BOOT_ID_SIZE])
{
	static char known[BOOT_ID_SIZE];
	ssize_t length;
	int fd;

	/* No process outlives its boot. */
	if (known[0] == '\0' &&
	    (fd = open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC)) != -1) {
		length = read(fd, known, BOOT_ID_SIZE - 1);
		close(fd);
		if (length != BOOT_ID_SIZE - 1)
			known[0] = '\0';
	}
	memcpy(boot, known, BOOT_ID_SIZE);
}
