/* Many threads at once, the first calls among them: one tool, attached once, and no handle twice. */
#define MSTX_NO_IMPL
#include "check.h"

#include <mstx/ms_tools_ext.h>
#include <pthread.h>

#include "parts/mstx_heard.h"

enum { THREADS = 8, ROUNDS = 200 };
static mstxRangeId seen[THREADS][ROUNDS];

static void *work(void *argument)
{
    size_t me = (size_t)(uintptr_t)argument;
    int i;
    for (i = 0; i < ROUNDS; i++) {
        mstxDomainHandle_t domain = mstxDomainCreateA("shared_domain");
        CHECK(domain != NULL);
        seen[me][i] = mstxDomainRangeStartA(domain, "t", NULL);
        mstxDomainMarkA(domain, "m", NULL);
        mstxDomainRangeEnd(domain, seen[me][i]);
    }
    return NULL;
}

static int compare(const void *a, const void *b)
{
    mstxRangeId x = *(const mstxRangeId *)a, y = *(const mstxRangeId *)b;
    return (x > y) - (x < y);
}

int main(void)
{
    pthread_t threads[THREADS];
    mstxRangeId *all = &seen[0][0];
    size_t i;
    no_records_yet();
    for (i = 0; i < THREADS; i++) {
        EQ(pthread_create(&threads[i], NULL, work, (void *)(uintptr_t)i), 0);
    }
    for (i = 0; i < THREADS; i++) {
        EQ(pthread_join(threads[i], NULL), 0);
    }
    qsort(all, THREADS * ROUNDS, sizeof *all, compare);
    /* The numbers are the tool's, whose domains count too. */
    CHECK(all[0] > 100);
    for (i = 1; i < THREADS * ROUNDS; i++) {
        CHECK(all[i] > all[i - 1]);
    }
    EQ(tool_inits("TOOL_ONE"), 1);
    return 0;
}
