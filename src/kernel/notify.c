/* SPDX-License-Identifier: ISC */
#include "kernel/notify.h"

#include <bsd/stdlib.h>
#include <bsd/string.h>

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define BIND_ATTEMPTS 10

/* "/run/systemd/notify", or "@name" for an abstract one. */
static socklen_t
read_address(const char *text, struct sockaddr_un *address)
{
	const size_t length = text != NULL ? strlen(text) : 0;

	*address = (struct sockaddr_un){.sun_family = AF_UNIX};
	if (length < 2 || length >= sizeof(address->sun_path) || (text[0] != '/' && text[0] != '@'))
		return 0;
	memcpy(address->sun_path, text, length);
	if (text[0] == '@')
		address->sun_path[0] = '\0';
	return (socklen_t)(offsetof(struct sockaddr_un, sun_path) + length);
}

static int
bind_anywhere(struct notify *notify)
{
	struct sockaddr_un address;
	socklen_t length;

	for (int i = 0; i < BIND_ATTEMPTS; i++) {
		snprintf(notify->address, sizeof(notify->address), "@lockrun-%08x%08x",
		    arc4random(), arc4random());
		length = read_address(notify->address, &address);
		if (bind(notify->fd, (const struct sockaddr *)&address, length) == 0)
			return 0;
		if (errno != EADDRINUSE)
			return -1;
	}
	return -1;
}

int
notify_open(struct notify *notify, const char *outer)
{
	const int yes = 1;
	int error;

	notify->outer_length = read_address(outer, &notify->outer);
	notify->fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (notify->fd == -1)
		return -1;
	if (setsockopt(notify->fd, SOL_SOCKET, SO_PASSCRED, &yes, sizeof(yes)) == 0 &&
	    bind_anywhere(notify) == 0)
		return 0;
	error = errno;
	notify_close(notify);
	errno = error;
	return -1;
}

union control {
	char bytes[CMSG_SPACE(sizeof(struct ucred)) + CMSG_SPACE(NOTIFY_FILES_MAX * sizeof(int))];
	struct cmsghdr aligned;
};

/* Returns whether the sender is known. */
static bool
read_control(struct msghdr *header, struct notify_message *message)
{
	struct ucred sender;
	bool known = false;
	size_t length;

	message->file_count = 0;
	for (struct cmsghdr *part = CMSG_FIRSTHDR(header); part != NULL;
	     part = CMSG_NXTHDR(header, part)) {
		length = part->cmsg_len - CMSG_LEN(0);
		if (part->cmsg_level != SOL_SOCKET)
			continue;
		if (part->cmsg_type == SCM_CREDENTIALS && length == sizeof(sender)) {
			memcpy(&sender, CMSG_DATA(part), sizeof(sender));
			message->sender = sender.pid;
			message->user = sender.uid;
			known = true;
		} else if (part->cmsg_type == SCM_RIGHTS) {
			message->file_count = length / sizeof(int);
			memcpy(message->files, CMSG_DATA(part), length);
		}
	}
	return known;
}

bool
notify_receive(const struct notify *notify, struct notify_message *message)
{
	struct iovec bytes = {.iov_base = message->bytes, .iov_len = sizeof(message->bytes)};
	union control control;
	struct msghdr header;
	ssize_t length;

	for (;;) {
		header = (struct msghdr){
		    .msg_iov = &bytes,
		    .msg_iovlen = 1,
		    .msg_control = control.bytes,
		    .msg_controllen = sizeof(control.bytes),
		};
		length = recvmsg(notify->fd, &header, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
		if (length == -1 && errno == EINTR)
			continue;
		if (length == -1)
			return false;
		message->length = (size_t)length;
		if (read_control(&header, message) && (header.msg_flags & MSG_TRUNC) == 0)
			return true;
		notify_done(message);
	}
}

void
notify_pass_on(const struct notify *notify, const struct notify_message *message)
{
	struct iovec bytes = {
	    .iov_base = (void *)(uintptr_t)message->bytes, .iov_len = message->length};
	const size_t size = message->file_count * sizeof(int);
	struct sockaddr_un outer = notify->outer;
	union control control;
	struct msghdr header = {
	    .msg_name = &outer,
	    .msg_namelen = notify->outer_length,
	    .msg_iov = &bytes,
	    .msg_iovlen = 1,
	};

	if (notify->outer_length == 0)
		return;
	if (message->file_count > 0) {
		memset(&control, 0, sizeof(control));
		control.aligned.cmsg_len = CMSG_LEN(size);
		control.aligned.cmsg_level = SOL_SOCKET;
		control.aligned.cmsg_type = SCM_RIGHTS;
		memcpy(CMSG_DATA(&control.aligned), message->files, size);
		header.msg_control = control.bytes;
		header.msg_controllen = CMSG_SPACE(size);
	}
	(void)!sendmsg(notify->fd, &header, MSG_DONTWAIT | MSG_NOSIGNAL);
}

void
notify_done(struct notify_message *message)
{
	for (size_t i = 0; i < message->file_count; i++)
		close(message->files[i]);
	message->file_count = 0;
}

void
notify_close(struct notify *notify)
{
	if (notify->fd != -1)
		close(notify->fd);
	notify->fd = -1;
}
