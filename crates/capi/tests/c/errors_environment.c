/* What if a program changes its environment while calls of other threads fail, or write to the log? They do not look
 * into it: the list of variables may move at any time. */
#include "check.h"
#include <pthread.h>
#include <stdatomic.h>

static atomic_int stop;

static void *fails(void *argument)
{
    while (!atomic_load(&stop)) {
        FAILS(aclrtFree(NULL));
    }
    return argument;
}

static void *logs(void *argument)
{
    while (!atomic_load(&stop)) {
        aclAppLog(ACL_DEBUG, __func__, __FILE__, __LINE__, "nobody asked for this");
    }
    return argument;
}

int main(void)
{
    pthread_t threads[2];
    char name[32];
    int i;

    OPEN_DEVICE();
    FAILS(aclrtFree(NULL));
    aclAppLog(ACL_DEBUG, __func__, __FILE__, __LINE__, "nor for this");
    EQ(pthread_create(&threads[0], NULL, fails, NULL), 0);
    EQ(pthread_create(&threads[1], NULL, logs, NULL), 0);
    for (i = 0; i < 8000; i++) {
        snprintf(name, sizeof name, "VARIABLE_%d", i);
        EQ(setenv(name, "1", 1), 0);
    }
    atomic_store(&stop, 1);
    for (i = 0; i < 2; i++) {
        EQ(pthread_join(threads[i], NULL), 0);
    }
    CLOSE_DEVICE();
    return 0;
}
