#!/usr/bin/env bats
# What a folder is on, seen on made-up machines: a folder in place of / has what their
# kernel would show, see JOSTLE_KERNEL_ROOT.

load helpers

setup() {
    FAKE=$BATS_TEST_TMPDIR/root
    FOLDER=$BATS_TEST_TMPDIR/work
    mkdir -p "$FAKE/proc/self" "$FAKE/sys/dev/block" "$FAKE/sys/class/block" "$FOLDER"
    export XDG_CACHE_HOME=$BATS_TEST_TMPDIR/cache
    NUMBER=$(mountpoint -d "$(stat -c %m "$FOLDER")")
    [[ $NUMBER != 0:* ]] || skip 'no folder on a disk here'
    cp /proc/self/mountinfo "$FAKE/proc/self/"
}

# disk NAME [FILE=TEXT...]: the folder is on that disk, and on none of before.
disk() {
    local name=$1 file
    local block=$FAKE/sys/devices/pci0/block/$name
    rm -rf "$FAKE/sys/devices/pci0" "$FAKE"/sys/dev/block/* "$FAKE"/sys/class/block/*
    mkdir -p "$block/queue"
    shift
    for file; do
        mkdir -p "$(dirname "$block/${file%%=*}")"
        printf '%s\n' "${file#*=}" >"$block/${file%%=*}"
    done
    echo 512 >"$block/queue/logical_block_size"
    echo '1 0 8 0 1 0 8 0 0 0 0 0 0 0 0 0 0' >"$block/stat"
    ln -s "../../devices/pci0/block/$name" "$FAKE/sys/dev/block/$NUMBER"
    ln -s "../../devices/pci0/block/$name" "$FAKE/sys/class/block/$name"
}

# device EXPRESSION: what loadgen sees of the folder.
device() {
    JOSTLE_KERNEL_ROOT=$FAKE "$BIN/loadgen" io --show-device --dir "$FOLDER" | holds "$@"
}

# io OPTION...: a short load there.
io() {
    JOSTLE_KERNEL_ROOT=$FAKE "$BIN/loadgen" io --dir "$FOLDER" --file-size 8M "$@"
}

# bats test_tags=slow
@test "a disk is known by its serial number or name in the world, not by sda" {
    disk sda serial=S3Z9NB0K
    device '.device == "sda" and (.identity | startswith("serial S3Z9NB0K")) and (.virtual_disk | not)'
    disk nvme0n1 wwid=eui.0025385b21404321 'device/serial=  S5GX  '
    device '.identity | startswith("wwid eui.0025385b21404321")'
    disk sdb device/wwid=naa.500a0751
    device '.identity | startswith("wwid naa.500a0751")'
    disk dm-0 dm/uuid=LVM-abc
    device '.identity | startswith("uuid LVM-abc")'
}

# calibrated: keeps a calibration of the folder, and what is said; of a disk that was silent for all of it there is none.
calibrated() {
    io --calib 0.5 >"$BATS_TEST_TMPDIR/said" 2>&1 &&
        jq -e '.rate > 0' "$(sed -n 's/^kept as //p' "$BATS_TEST_TMPDIR/said")" >/dev/null
}

# bats test_tags=slow
@test "a calibration follows the disk to another name, and another disk of that name has none" {
    disk sda serial=FIRST
    in_tries 3 calibrated
    grep -q ' on serial FIRST' "$BATS_TEST_TMPDIR/said"
    disk sdb serial=FIRST
    io --limit 50% --duration 0.1
    disk sda serial=SECOND
    run -2 io --limit 50% --duration 0.1
    [[ $output == *'make one: jostle calib disk '* ]]
}

@test "a disk that says nothing of itself is known by its name, and that is said" {
    # Only where the file system has no number of its own, either.
    disk sda
    device '.identity == null or (.identity | startswith("file system "))'
    run io --limit 50% --duration 0.1 --calibration /dev/null
    [[ $output == *'known by its name alone'* || $output == *'on file system '* ]]
}

# bats test_tags=slow
@test "a disk that a host makes up is virtual, whatever the processor says" {
    mkdir -p "$FAKE/drivers/virtio_blk"
    disk vda
    mkdir "$FAKE/sys/class/block/vda/device"
    ln -s "$FAKE/drivers/virtio_blk" "$FAKE/sys/class/block/vda/device/driver"
    device '.virtual_disk'
    disk sda 'device/vendor=QEMU    ' 'device/model=QEMU HARDDISK'
    device '.virtual_disk'
    disk nvme0n1 'device/model=Amazon Elastic Block Store'
    device '.virtual_disk'
    disk sda 'device/vendor=ATA' 'device/model=Samsung SSD 870'
    device '.virtual_disk | not'
}

# virtual FILE=TEXT: with that file in place, the machine is said to be virtual.
virtual() {
    disk sda
    mkdir -p "$(dirname "$FAKE/${1%%=*}")"
    printf '%s\n' "${1#*=}" >"$FAKE/${1%%=*}"
    device '.virtual_disk'
    rm "$FAKE/${1%%=*}"
    device '.virtual_disk | not'
}

# bats test_tags=slow
@test "a virtual machine shows in its flags, firmware or device tree" {
    virtual $'proc/cpuinfo=processor : 0\nflags : fpu hypervisor'
    virtual 'sys/class/dmi/id/sys_vendor=QEMU'
    virtual 'sys/class/dmi/id/product_name=KVM Virtual Machine'
    virtual 'sys/class/dmi/id/sys_vendor=Amazon EC2'
    virtual 'proc/device-tree/compatible=linux,dummy-virt'
    virtual 'proc/device-tree/hypervisor/compatible=linux,kvm'
    virtual 'sys/hypervisor/type=xen'
    mkdir -p "$FAKE/sys/class/dmi/id"
    echo 'Amazon EC2' >"$FAKE/sys/class/dmi/id/sys_vendor"
    echo 'a1.metal' >"$FAKE/sys/class/dmi/id/product_name"
    device '.virtual_disk | not'
}

@test "memory is memory and the unknown is unknown where the mounts cannot be read" {
    rm "$FAKE/proc/self/mountinfo"
    FOLDER=/dev/shm
    [[ $(stat -f -c %T /dev/shm 2>/dev/null) == tmpfs ]] || skip 'no tmpfs at /dev/shm'
    device '.file_system == "tmpfs" and .memory'
    run -2 io --duration 0.1
    [[ $output == *'in memory (tmpfs)'* ]]
    FOLDER=/proc/self
    device '.file_system == "unknown" and .device == ""'
    run -2 io --duration 0.1
    [[ $output == *'on an unknown file system'*'--dir'* ]]
}

# as_overlay: the folder's mount becomes an overlay whose upper folder is not to be seen.
as_overlay() {
    local id
    exec {folder_fd}<"$FOLDER"
    id=$(awk '$1 == "mnt_id:" { print $2 }' "/proc/self/fdinfo/$folder_fd")
    exec {folder_fd}<&-
    awk -v id="$id" '$1 == id { print $1, $2, $3, $4, $5, $6, "- overlay overlay rw,upperdir=/nowhere/upper"; next } { print }' \
        /proc/self/mountinfo >"$FAKE/proc/self/mountinfo"
    grep -q nowhere "$FAKE/proc/self/mountinfo" || skip 'the folder is on no mount of its own number'
}

@test "an overlay whose folders are elsewhere is no disk without a word" {
    disk sda
    as_overlay
    device '.file_system == "overlay"'
    run io --duration 0.1
    [[ $output == *'is on an overlay, and what that is on cannot be seen'* ]]
}

@test "the link of a disk bounds its rate: PCIe and SATA, and no guess where sysfs does not say" {
    # PCI Express 4.0 x4 has 16 GT/s * 4 * 128 / 130 / 8 = 7.877 GB/s, SATA 6 Gbit/s 600 MB/s.
    disk nvme0n1 'device/device/current_link_speed=16.0 GT/s PCIe' device/device/current_link_width=4
    device '.link_bytes_per_s == 7876923077 and (.link | startswith("PCIe 16.0 GT/s x4, 128b/130b"))'
    disk nvme0n1 'device/device/current_link_speed=5.0 GT/s PCIe' device/device/current_link_width=2
    device '.link_bytes_per_s == 1000000000'
    disk nvme0n1 'device/device/current_link_speed=Unknown' device/device/current_link_width=4
    device '.link_bytes_per_s == null and (.link | test("neither"))'
    disk sda
    mkdir -p "$FAKE/sys/devices/pci0/ata3/block" "$FAKE/sys/class/ata_link/link3"
    mv "$FAKE/sys/devices/pci0/block/sda" "$FAKE/sys/devices/pci0/ata3/block/"
    ln -sfn ../../devices/pci0/ata3/block/sda "$FAKE/sys/class/block/sda"
    ln -sfn ../../devices/pci0/ata3/block/sda "$FAKE/sys/dev/block/$NUMBER"
    echo '6.0 Gbps' >"$FAKE/sys/class/ata_link/link3/sata_spd"
    device '.link_bytes_per_s == 600000000 and (.link | startswith("SATA 6.0 Gbit/s"))'
    disk nvme0n1 'device/model=Amazon Elastic Block Store' 'device/device/current_link_speed=16.0 GT/s PCIe'
    device '.link_bytes_per_s == null and (.link | startswith("a virtual disk"))'
}
