/* SPDX-License-Identifier: ISC */
/*
 * The socket that sd_notify(3) writes to: datagrams, each with who sent it and perhaps with
 * descriptors.
 *
 * It has an abstract address, with a random name, so there is no file that would have to lie in a
 * directory, fit into 107 bytes and be cleaned up after a kill. Anybody in this network namespace
 * can write to such an address; so who wrote is told by the kernel (SCM_CREDENTIALS), and it is the
 * caller who decides whom to believe.
 */
#ifndef LOCKRUN_KERNEL_NOTIFY_H
#define LOCKRUN_KERNEL_NOTIFY_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/socket.h>
#include <sys/types.h>
#include <sys/un.h>

#define NOTIFY_ADDRESS_SIZE 64
#define NOTIFY_BYTES_MAX    4096 /* what systemd(1) takes, too */
#define NOTIFY_FILES_MAX    253	 /* as many as the kernel passes on (unix(7)) */

struct notify {
	int fd;				   /* -1: there is none */
	char address[NOTIFY_ADDRESS_SIZE]; /* as NOTIFY_SOCKET says it */
	struct sockaddr_un outer;	   /* who supervises us, if anybody does */
	socklen_t outer_length;		   /* 0: nobody, or nobody that can be written to */
};

struct notify_message {
	char bytes[NOTIFY_BYTES_MAX];
	size_t length;
	pid_t sender; /* 0: of a pid namespace that we cannot see */
	uid_t user;
	int files[NOTIFY_FILES_MAX];
	size_t file_count;
};

/*
 * Make the socket. outer is the NOTIFY_SOCKET that we were started with, or NULL; one that is
 * neither a path nor abstract counts as none. Returns 0, or -1 with errno.
 */
int notify_open(struct notify *notify, const char *outer);

/*
 * Take the next message; false when there is none. One that is too long is dropped, and so is one
 * without credentials. Does not block. The files are the caller's, for notify_done.
 */
bool notify_receive(const struct notify *notify, struct notify_message *message);

/* Hand the message on, as it is and with its files. A supervisor that does not listen misses it. */
void notify_pass_on(const struct notify *notify, const struct notify_message *message);

/* Close the files: who waits for that (BARRIER=1) knows then that the message was read. */
void notify_done(struct notify_message *message);

void notify_close(struct notify *notify);

#endif
