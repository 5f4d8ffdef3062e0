/* Two processes that talk. Include this header instead of check.h.
 *
 * A program has scenes. For each scene it starts itself once more, with the name of the scene: the second process plays
 * the other side. The two send each other messages of one size, and wait for them without a limit: a process that ends
 * ends the wait of the other. No device is used before the second process is started. */
#ifndef MILLPOND_TESTS_TWO_H
#define MILLPOND_TESTS_TWO_H

#include "check.h"

#include <errno.h>
#include <signal.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>

#define KEY_BYTES 65

/* What is said. */
typedef struct message {
    char key[KEY_BYTES];
    char bytes[128];
    uint64_t number;
    int32_t pid;
} message;

typedef struct scene {
    const char *name;
    void (*first)(void);
    void (*second)(void);
    /* A process is killed, so not all of it is checked. Such scenes are played with SCENES=killed, alone. */
    int kills;
} scene;

static int two_socket = -1;
static pid_t two_other = -1;

static inline void say(const message *said)
{
    CHECK(send(two_socket, said, sizeof *said, MSG_NOSIGNAL) == sizeof *said);
}

static inline message heard(void)
{
    message said;
    ssize_t got;
    do {
        got = recv(two_socket, &said, sizeof said, MSG_WAITALL);
    } while (got < 0 && errno == EINTR);
    CHECK(got == sizeof said);
    return said;
}

/* "Go on", and the wait for it. */
static inline void say_go(void)
{
    message go;
    memset(&go, 0, sizeof go);
    go.pid = getpid();
    say(&go);
}

/* Returns when the other process has ended. */
static inline int end_of_other(void)
{
    int status = 0;
    while (waitpid(two_other, &status, 0) < 0) {
        CHECK(errno == EINTR);
    }
    return status;
}


extern char **environ;

static inline int play(int argc, char **argv, const scene *scenes, size_t count)
{
    size_t i;
    if (argc == 3) {
        two_socket = atoi(argv[2]);
        for (i = 0; i < count; i++) {
            if (strcmp(scenes[i].name, argv[1]) == 0) {
                scenes[i].second();
                return 0;
            }
        }
        return 2;
    }
    for (i = 0; i < count; i++) {
        int ends[2], status;
        pid_t inside;
        if (scenes[i].kills != (getenv("SCENES") != NULL)) {
            continue;
        }
        fflush(stdout);
        fflush(stderr);
        /* A process of its own for the first side too, so that no scene sees what another left behind. */
        inside = fork();
        CHECK(inside >= 0);
        if (inside == 0) {
            char number[16];
            char *arguments[4];
            CHECK(socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0);
            snprintf(number, sizeof number, "%d", ends[1]);
            arguments[0] = argv[0];
            arguments[1] = (char *)scenes[i].name;
            arguments[2] = number;
            arguments[3] = NULL;
            CHECK(posix_spawn(&two_other, "/proc/self/exe", NULL, NULL, arguments, environ) == 0);
            close(ends[1]);
            two_socket = ends[0];
            scenes[i].first();
            exit(0);
        }
        while (waitpid(inside, &status, 0) < 0) {
            CHECK(errno == EINTR);
        }
        if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
            fprintf(stderr, "scene %s: status %#x\n", scenes[i].name, status);
            return 1;
        }
    }
    return 0;
}

/* The other process has ended well. */
static inline void other_ended_well(void)
{
    int status = end_of_other();
    CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

/* Whether all bytes of device memory have a value. */
static inline int is_full_of(const void *at, size_t bytes, int value)
{
    unsigned char *copy = malloc(bytes);
    size_t i;
    int same = 1;
    CHECK(copy != NULL);
    OK(aclrtMemcpy(copy, bytes, at, bytes, ACL_MEMCPY_DEVICE_TO_HOST));
    for (i = 0; i < bytes; i++) {
        same &= copy[i] == (unsigned char)value;
    }
    free(copy);
    return same;
}

#endif
