/* SPDX-License-Identifier: ISC */
/*
 * What speaks sd_notify(3), in the tests that may not need systemd(1).
 *
 * notify send LINE...
 *	Send one datagram of these lines to $NOTIFY_SOCKET, and end at once.
 * notify barrier LINE...
 *	Send it, and end when it was read (BARRIER=1); 1 when that does not happen.
 * notify long BYTES
 *	Send a datagram of so many bytes that would be a sign of life otherwise.
 * notify flood COUNT LINE...
 *	Send it so many times.
 * notify listen ADDRESS COUNT
 *	Be whom others notify, until COUNT messages have come; a line for each: the sender's pid,
 *	how many descriptors came with it, its lines with commas between them.
 */
#include <sys/socket.h>
#include <sys/un.h>

#include <err.h>
#include <poll.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define PATIENCE_MS 30000

static int
make_socket(void)
{
	const int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);

	if (fd == -1)
		err(1, "socket");
	return fd;
}

static socklen_t
read_address(const char *text, struct sockaddr_un *address)
{
	if (text == NULL || text[0] == '\0')
		errx(1, "no NOTIFY_SOCKET");
	memset(address, 0, sizeof(*address));
	address->sun_family = AF_UNIX;
	strncpy(address->sun_path, text, sizeof(address->sun_path) - 1);
	if (text[0] == '@')
		address->sun_path[0] = '\0';
	return (socklen_t)(offsetof(struct sockaddr_un, sun_path) + strlen(text));
}

union control {
	char bytes[CMSG_SPACE(sizeof(struct ucred)) + CMSG_SPACE(8 * sizeof(int))];
	struct cmsghdr aligned;
};

/* With file, unless that is -1. */
static void
send_bytes(const char *bytes, size_t length, int file)
{
	struct iovec part = {(void *)(uintptr_t)bytes, length};
	struct sockaddr_un address;
	union control control;
	struct msghdr header = {.msg_name = &address, .msg_iov = &part, .msg_iovlen = 1};
	const int fd = make_socket();

	header.msg_namelen = read_address(getenv("NOTIFY_SOCKET"), &address);
	if (file != -1) {
		memset(&control, 0, sizeof(control));
		control.aligned.cmsg_len = CMSG_LEN(sizeof(file));
		control.aligned.cmsg_level = SOL_SOCKET;
		control.aligned.cmsg_type = SCM_RIGHTS;
		memcpy(CMSG_DATA(&control.aligned), &file, sizeof(file));
		header.msg_control = control.bytes;
		header.msg_controllen = CMSG_SPACE(sizeof(file));
	}
	if (sendmsg(fd, &header, MSG_NOSIGNAL) == -1)
		err(1, "send");
	close(fd);
}

static void
send_lines(char *const *lines)
{
	char text[8192] = "";

	for (; *lines != NULL; lines++) {
		strncat(text, *lines, sizeof(text) - strlen(text) - 1);
		if (lines[1] != NULL)
			strncat(text, "\n", sizeof(text) - strlen(text) - 1);
	}
	send_bytes(text, strlen(text), -1);
}

static int
wait_for_reader(void)
{
	struct pollfd reader = {.events = 0};
	int ends[2];

	if (pipe(ends) == -1)
		err(1, "pipe");
	send_bytes("BARRIER=1", 9, ends[1]);
	close(ends[1]);
	reader.fd = ends[0];
	return poll(&reader, 1, PATIENCE_MS) == 1 && (reader.revents & POLLHUP) != 0 ? 0 : 1;
}

static void
send_long(size_t length)
{
	char *text = malloc(length + 1);

	if (text == NULL)
		err(1, "long");
	memset(text, 'x', length);
	memcpy(text, "STATUS=", 7);
	send_bytes(text, length, -1);
	free(text);
}

static void
print_message(int fd)
{
	char bytes[8192];
	struct iovec part = {bytes, sizeof(bytes) - 1};
	union control control;
	struct msghdr header = {.msg_iov = &part,
	    .msg_iovlen = 1,
	    .msg_control = control.bytes,
	    .msg_controllen = sizeof(control.bytes)};
	const ssize_t length = recvmsg(fd, &header, 0);
	struct ucred sender = {0};
	size_t files = 0;
	int file;

	if (length == -1)
		err(1, "receive");
	for (struct cmsghdr *at = CMSG_FIRSTHDR(&header); at != NULL;
	     at = CMSG_NXTHDR(&header, at)) {
		if (at->cmsg_type == SCM_CREDENTIALS)
			memcpy(&sender, CMSG_DATA(at), sizeof(sender));
		if (at->cmsg_type != SCM_RIGHTS)
			continue;
		files = (at->cmsg_len - CMSG_LEN(0)) / sizeof(file);
		for (size_t i = 0; i < files; i++) {
			memcpy(&file, CMSG_DATA(at) + i * sizeof(file), sizeof(file));
			close(file);
		}
	}
	for (ssize_t i = 0; i < length; i++)
		bytes[i] = bytes[i] == '\n' ? ',' : bytes[i];
	printf("%d %zu %.*s\n", sender.pid, files, (int)length, bytes);
	fflush(stdout);
}

static void
listen_for(const char *where, int count)
{
	struct sockaddr_un address;
	const socklen_t length = read_address(where, &address);
	const int fd = make_socket(), yes = 1;

	if (setsockopt(fd, SOL_SOCKET, SO_PASSCRED, &yes, sizeof(yes)) == -1 ||
	    bind(fd, (const struct sockaddr *)&address, length) == -1)
		err(1, "%s", where);
	for (int i = 0; i < count; i++)
		print_message(fd);
}

int
main(int argc, char **argv)
{
	const char *verb = argc > 2 ? argv[1] : "";

	if (strcmp(verb, "send") == 0) {
		send_lines(argv + 2);
	} else if (strcmp(verb, "barrier") == 0) {
		send_lines(argv + 2);
		return wait_for_reader();
	} else if (strcmp(verb, "long") == 0) {
		send_long((size_t)atol(argv[2]));
	} else if (strcmp(verb, "flood") == 0) {
		for (long i = atol(argv[2]); i > 0; i--)
			send_lines(argv + 3);
	} else if (strcmp(verb, "listen") == 0 && argc == 4) {
		listen_for(argv[2], atoi(argv[3]));
	} else {
		errx(1, "send, barrier, long, flood or listen");
	}
	return 0;
}
