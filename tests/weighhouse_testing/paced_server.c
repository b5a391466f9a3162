/* A server that spends a given time on every command, on a disk that takes its time. Preloaded, each
 * reply that a process writes to a socket takes its turn, so many nanoseconds after the one before.
 * Turns are kept by the clock, not by how long a sleep lasted: what a busy machine delays is caught
 * up with, and the pace is the same whatever else runs. Forcing a file to the disk takes a time of
 * its own. All are read from a file when the process starts. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#define SECOND 1000000000LL

static int64_t pace, sync_time, caught_up, turn;

__attribute__((constructor)) static void begin(void)
{
    char digits[80] = "";
    const char *path = getenv("PACED_SERVER");
    int file = path == NULL ? -1 : open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0)
        return;
    if (syscall(SYS_read, file, digits, sizeof digits - 1) > 0)
        sscanf(digits, "%" SCNd64 " %" SCNd64 " %" SCNd64, &pace, &sync_time, &caught_up);
    close(file);
}

static int64_t now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * SECOND + time.tv_nsec;
}

static void wait_for_turn(int file)
{
    int kind, had = errno;
    socklen_t length = sizeof kind;
    if (pace > 0 && getsockopt(file, SOL_SOCKET, SO_TYPE, &kind, &length) == 0) {
        int64_t at = now();
        if (turn == 0)
            turn = at; /* before its first command it was idle, and owes nothing */
        int64_t earliest = at - caught_up; /* no more than this is caught up with */
        turn = (turn < earliest ? earliest : turn) + pace;
        struct timespec until = {turn / SECOND, turn % SECOND};
        while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL) == EINTR)
            ;
    }
    errno = had;
}

static void wait_for_disk(void)
{
    struct timespec left = {sync_time / SECOND, sync_time % SECOND};
    if (sync_time > 0)
        while (clock_nanosleep(CLOCK_MONOTONIC, 0, &left, &left) == EINTR)
            ;
}

int fsync(int file)
{
    wait_for_disk();
    return syscall(SYS_fsync, file);
}

int fdatasync(int file)
{
    wait_for_disk();
    return syscall(SYS_fdatasync, file);
}

ssize_t write(int file, const void *bytes, size_t count)
{
    wait_for_turn(file);
    return syscall(SYS_write, file, bytes, count);
}

ssize_t writev(int file, const struct iovec *parts, int count)
{
    wait_for_turn(file);
    return syscall(SYS_writev, file, parts, count);
}
