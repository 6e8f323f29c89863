# SPDX-License-Identifier: ISC
# shellcheck shell=bash
# A machine whose power can be cut, for the scripts beside this one. Its disk is ext4 in an image
# behind a loop device: what was not written back yet is not in the image. A cut is a copy of the
# image, taken at any moment; the machine that comes up again mounts the copy, which replays the
# journal, and goes on with that.
#
# By root in a mount namespace of its own (unshare -m), in an empty directory.

mount_disk() {
	mkdir -p disk
	mount -o loop,commit=300 image disk
}

make_disk() {
	truncate -s 24M image
	mkfs.ext4 -q -F -b 1024 image
	mount_disk
}

cut_power() {
	cp --sparse=always image next
	umount disk
	mv next image
	mount_disk
}

# write_back FILE: the kernel may write back whatever it likes, whenever it likes.
write_back() {
	case $((RANDOM % 3)) in
	0) sync -d "$1" 2>/dev/null || true ;;
	1) echo >disk/other && sync disk/other ;;
	2) sync -f disk ;;
	esac
}
