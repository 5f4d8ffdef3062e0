/* Which context is current, and whose is it? Created ones and the device's own
 * one, in this thread and in others, alive and gone. Runs with two devices. */
#include "check.h"
#include <pthread.h>
#include <semaphore.h>

static aclrtContext current(void)
{
    aclrtContext context = NULL;
    OK(aclrtGetCurrentContext(&context));
    CHECK(context != NULL);
    return context;
}

static void no_context(void)
{
    aclrtContext context = &context;
    CODE(aclrtGetCurrentContext(&context), ACL_ERROR_RT_CONTEXT_NULL);
    EQ_PTR(context, &context);
}

static void created(void)
{
    aclrtContext a = NULL, b = NULL;
    int32_t device = -1;

    no_context();
    CODE(aclrtCreateContext(NULL, 0), ACL_ERROR_INVALID_PARAM);
    CODE(aclrtCreateContext(&a, 99), ACL_ERROR_RT_INVALID_DEVICEID);
    CODE(aclrtCreateContext(&a, -1), ACL_ERROR_RT_INVALID_DEVICEID);
    EQ_PTR(a, NULL);

    /* Creating makes current. */
    OK(aclrtCreateContext(&a, 0));
    EQ_PTR(current(), a);
    OK(aclrtGetDevice(&device));
    EQ(device, 0);
    OK(aclrtCreateContext(&b, 1));
    CHECK(a != b);
    EQ_PTR(current(), b);
    OK(aclrtGetDevice(&device));
    EQ(device, 1);

    /* Switching the context switches the device. */
    OK(aclrtSetCurrentContext(a));
    EQ_PTR(current(), a);
    OK(aclrtGetDevice(&device));
    EQ(device, 0);
    CODE(aclrtSetCurrentContext(NULL), ACL_ERROR_INVALID_PARAM);
    EQ_PTR(current(), a);

    /* Destroying another leaves ours; destroying ours leaves none. */
    OK(aclrtDestroyContext(b));
    EQ_PTR(current(), a);
    FAILS(aclrtSetCurrentContext(b));
    FAILS(aclrtDestroyContext(b));
    EQ_PTR(current(), a);
    OK(aclrtDestroyContext(a));
    no_context();
    FAILS(aclrtDestroyContext(a));
    FAILS(aclrtDestroyContext(NULL));
}

static void primary(void)
{
    aclrtContext own = NULL, explicit_one = NULL;
    int32_t active = -1;
    uint32_t flags = 0;

    OK(aclrtGetPrimaryCtxState(0, NULL, &active));
    EQ(active, 0);
    OK(aclrtSetDevice(0));
    OK(aclrtGetPrimaryCtxState(0, NULL, &active));
    EQ(active, 1);
    OK(aclrtGetPrimaryCtxState(1, NULL, &active));
    EQ(active, 0);
    FAILS(aclrtGetPrimaryCtxState(0, &flags, &active));
    FAILS(aclrtGetPrimaryCtxState(0, NULL, NULL));
    FAILS(aclrtGetPrimaryCtxState(99, NULL, &active));

    /* It is the device's, so it cannot be destroyed. */
    own = current();
    CODE(aclrtDestroyContext(own), ACL_ERROR_RT_CONTEXT_NULL);
    EQ_PTR(current(), own);

    /* Choosing the device again drops a created context from the thread. */
    OK(aclrtCreateContext(&explicit_one, 0));
    EQ_PTR(current(), explicit_one);
    OK(aclrtSetDevice(0));
    EQ_PTR(current(), own);
    OK(aclrtDestroyContext(explicit_one));
    EQ_PTR(current(), own);

    OK(aclrtResetDevice(0));
    OK(aclrtResetDevice(0));
    no_context();
    FAILS(aclrtSetCurrentContext(own));
    OK(aclrtGetPrimaryCtxState(0, NULL, &active));
    EQ(active, 0);
}

static void default_streams(void)
{
    aclrtContext a = NULL, b = NULL;
    aclrtStream of_a = NULL, of_b = NULL;

    CODE(aclrtCtxGetCurrentDefaultStream(&of_a), ACL_ERROR_RT_CONTEXT_NULL);
    OK(aclrtCreateContext(&a, 0));
    OK(aclrtCtxGetCurrentDefaultStream(&of_a));
    CHECK(of_a != NULL);
    CODE(aclrtCtxGetCurrentDefaultStream(NULL), ACL_ERROR_INVALID_PARAM);
    OK(aclrtSynchronizeStream(of_a));

    /* One for each context. */
    OK(aclrtCreateContext(&b, 0));
    OK(aclrtCtxGetCurrentDefaultStream(&of_b));
    CHECK(of_a != of_b);
    OK(aclrtDestroyContext(b));
    OK(aclrtSetCurrentContext(a));
    FAILS(aclrtSynchronizeStream(of_b));
    OK(aclrtDestroyContext(a));
}

/* What two threads tell each other. */
typedef struct {
    aclrtContext context;
    aclrtStream default_stream;
    sem_t ready, go_on;
} Talk;

static void *shares_the_primary(void *argument)
{
    Talk *talk = (Talk *)argument;
    aclrtStream stream = NULL;
    no_context();
    OK(aclrtSetDevice(0));
    EQ_PTR(current(), talk->context);
    OK(aclrtCtxGetCurrentDefaultStream(&stream));
    EQ_PTR(stream, talk->default_stream);
    OK(aclrtResetDevice(0));
    return NULL;
}

static void *keeps_it_current(void *argument)
{
    Talk *talk = (Talk *)argument;
    void *block = NULL;
    int32_t device = -1;
    aclrtStream stream = NULL;

    no_context();
    OK(aclrtSetCurrentContext(talk->context));
    EQ_PTR(current(), talk->context);
    OK(aclrtMalloc(&block, 64, ACL_MEM_MALLOC_HUGE_FIRST));
    OK(aclrtFree(block));
    sem_post(&talk->ready);
    sem_wait(&talk->go_on);

    /* The owner has destroyed it: an error, 107002 or 107017, and no crash. */
    block = NULL;
    FAILS(aclrtMalloc(&block, 64, ACL_MEM_MALLOC_HUGE_FIRST));
    EQ_PTR(block, NULL);
    FAILS(aclrtGetDevice(&device));
    FAILS(aclrtCreateStream(&stream));
    FAILS(aclrtSynchronizeDevice());
    FAILS(aclrtSynchronizeStream(NULL));

    /* The thread can start over. */
    OK(aclrtSetDevice(1));
    OK(aclrtGetDevice(&device));
    EQ(device, 1);
    OK(aclrtResetDevice(1));
    return NULL;
}

static void other_threads(void)
{
    pthread_t thread;
    Talk talk;
    sem_init(&talk.ready, 0, 0);
    sem_init(&talk.go_on, 0, 0);

    OK(aclrtSetDevice(0));
    talk.context = current();
    OK(aclrtCtxGetCurrentDefaultStream(&talk.default_stream));
    pthread_create(&thread, NULL, shares_the_primary, &talk);
    pthread_join(thread, NULL);
    EQ_PTR(current(), talk.context);
    OK(aclrtResetDevice(0));

    OK(aclrtCreateContext(&talk.context, 0));
    pthread_create(&thread, NULL, keeps_it_current, &talk);
    sem_wait(&talk.ready);
    OK(aclrtDestroyContext(talk.context));
    sem_post(&talk.go_on);
    pthread_join(thread, NULL);
    no_context();
}

/* What was made in a context goes with it. */
static void contents(void)
{
    aclrtContext context = NULL;
    aclrtStream stream = NULL;
    aclrtStreamStatus status;

    OK(aclrtSetDevice(0));
    OK(aclrtCreateContext(&context, 0));
    OK(aclrtCreateStream(&stream));
    OK(aclrtDestroyContext(context));
    OK(aclrtSetDevice(0));
    FAILS(aclrtStreamQuery(stream, &status));
    FAILS(aclrtDestroyStream(stream));
    OK(aclrtResetDeviceForce(0));
}

int main(void)
{
    OK(aclInit(NULL));
    created();
    primary();
    default_streams();
    other_threads();
    contents();
    OK(aclFinalize());
    return 0;
}
