/* A wall clock of one's own, for one process and its children: preloaded, it adds the nanoseconds
 * that a file holds to whatever asks for the time of day. Other clocks stay as they are. It asks
 * the kernel itself and needs nothing else, so that it is safe before the first allocation. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#define SECOND 1000000000LL

static const volatile int64_t *offset;

__attribute__((constructor)) static void begin(void)
{
    const char *path = getenv("MOVED_CLOCK");
    int file = path == NULL ? -1 : open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0)
        return;
    void *shared = mmap(NULL, sizeof(int64_t), PROT_READ, MAP_SHARED, file, 0);
    close(file);
    if (shared != MAP_FAILED)
        offset = shared;
}

int clock_gettime(clockid_t clock, struct timespec *now)
{
    long failed = syscall(SYS_clock_gettime, clock, now);
    if (failed == 0 && offset != NULL &&
        (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE)) {
        int64_t moved = now->tv_sec * SECOND + now->tv_nsec + *offset;
        now->tv_sec = moved / SECOND;
        now->tv_nsec = moved % SECOND;
    }
    return (int)failed;
}

int gettimeofday(struct timeval *restrict now, void *restrict zone)
{
    struct timespec exact;
    (void)zone;
    clock_gettime(CLOCK_REALTIME, &exact);
    now->tv_sec = exact.tv_sec;
    now->tv_usec = exact.tv_nsec / 1000;
    return 0;
}

time_t time(time_t *told)
{
    struct timespec exact;
    clock_gettime(CLOCK_REALTIME, &exact);
    if (told != NULL)
        *told = exact.tv_sec;
    return exact.tv_sec;
}
