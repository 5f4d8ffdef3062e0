/* What does a function answer that is declared, exported and not implemented? A
 * code that says so and a sentence that names it; or NULL and the same sentence.
 * Never a silent success. The functions here are ones with no plan behind them. */
#include "check.h"

#define REFUSED(call, name)                          \
    do {                                             \
        CODE((call), ACL_ERROR_API_NOT_SUPPORT);     \
        MENTIONS(name);                              \
        CHECK(strchr(check_text, ' ') != NULL);      \
    } while (0)

int main(void)
{
    uint32_t model = 77;
    uint32_t queues[1] = {0};
    char bytes[16] = {0};

    OPEN_DEVICE();

    REFUSED(aclmdlLoadFromFileWithQ("model.om", &model, queues, 1, queues, 1), "aclmdlLoadFromFileWithQ");
    REFUSED(aclmdlLoadFromMemWithQ(bytes, sizeof bytes, &model, queues, 1, queues, 1), "aclmdlLoadFromMemWithQ");
    EQ(model, 77);
    REFUSED(aclrtSubscribeHostFunc(1, NULL), "aclrtSubscribeHostFunc");

    /* Programs try these to see whether the device has the feature. */
    CODE(aclrtMemUceRepair(0, NULL, 0), ACL_ERROR_RT_FEATURE_NOT_SUPPORT);
    MENTIONS("aclrtMemUceRepair");
    CODE(aclrtDeviceSetLimit(ACL_RT_DEV_LIMIT_SIMT_STACK_SIZE, 1024), ACL_ERROR_RT_FEATURE_NOT_SUPPORT);
    EQ(aclrtGetLastError(ACL_RT_THREAD_LEVEL), ACL_ERROR_RT_FEATURE_NOT_SUPPORT);


    CLOSE_DEVICE();
    return 0;
}
