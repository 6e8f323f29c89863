/* SPDX-License-Identifier: ISC */
#include "kernel/filesystem.h"

#include <sys/statvfs.h>
#include <sys/vfs.h>

#include <linux/magic.h>
#include <stddef.h>

/* statfs(2) gives these numbers; linux/magic.h lacks some of them. */
#define CIFS_MAGIC 0xff534d42
#define SMB2_MAGIC 0xfe534d42
#define FUSE_MAGIC 0x65735546
#define XFS_MAGIC  0x58465342
#define ZFS_MAGIC  0x2fc12fc1

static const struct filesystem_row {
	uint32_t magic;
	const char *name;
	enum filesystem_kind kind;
} filesystem_table[] = {
    {EXT4_SUPER_MAGIC, "ext4", FILESYSTEM_LOCAL},
    {XFS_MAGIC, "xfs", FILESYSTEM_LOCAL},
    {BTRFS_SUPER_MAGIC, "btrfs", FILESYSTEM_LOCAL},
    {F2FS_SUPER_MAGIC, "f2fs", FILESYSTEM_LOCAL},
    {ZFS_MAGIC, "zfs", FILESYSTEM_LOCAL},
    {TMPFS_MAGIC, "tmpfs", FILESYSTEM_PASSING},
    {RAMFS_MAGIC, "ramfs", FILESYSTEM_PASSING},
    {OVERLAYFS_SUPER_MAGIC, "overlayfs", FILESYSTEM_PASSING},
    {NFS_SUPER_MAGIC, "NFS", FILESYSTEM_NETWORK},
    {SMB_SUPER_MAGIC, "SMB", FILESYSTEM_NETWORK},
    {CIFS_MAGIC, "CIFS", FILESYSTEM_NETWORK},
    {SMB2_MAGIC, "SMB2", FILESYSTEM_NETWORK},
    {V9FS_MAGIC, "9p", FILESYSTEM_NETWORK},
    {FUSE_MAGIC, "FUSE", FILESYSTEM_NETWORK},
};

int
filesystem_read(int fd, struct filesystem *filesystem)
{
	struct statfs system;

	if (fstatfs(fd, &system) == -1)
		return -1;
	*filesystem = (struct filesystem){
	    .kind = FILESYSTEM_LOCAL,
	    .name = "unknown",
	    .free_bytes = (uint64_t)system.f_bavail * (uint64_t)system.f_bsize,
	    .free_files = system.f_files > 0 ? system.f_ffree : UINT64_MAX,
	};
	for (size_t i = 0; i < sizeof(filesystem_table) / sizeof(filesystem_table[0]); i++) {
		if (filesystem_table[i].magic != (uint32_t)system.f_type)
			continue;
		filesystem->name = filesystem_table[i].name;
		filesystem->kind = filesystem_table[i].kind;
	}
	return 0;
}
