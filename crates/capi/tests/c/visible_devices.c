/* What does ASCEND_RT_VISIBLE_DEVICES do? It limits and renumbers: a program sees
 * devices 0 to n-1, whichever they are. EXPECTED_COUNT says how many remain. */
#include "check.h"

#include <driver/ascend_hal.h>

int main(void)
{
    uint32_t count = 0;
    int32_t device = -1;
    int32_t expected = atoi(getenv("EXPECTED_COUNT"));
    int32_t d;

    OK(aclInit(NULL));
    OK(aclrtGetDeviceCount(&count));
    EQ(count, expected);
    /* The driver is below that. */
    EQ(drvGetDevNum(&count), DRV_ERROR_NONE);
    EQ(count, 4);
    for (d = 0; d < expected; d++) {
        void *block = NULL;
        aclrtPtrAttributes attributes;
        OK(aclrtSetDevice(d));
        OK(aclrtGetDevice(&device));
        EQ(device, d);
        OK(aclrtMalloc(&block, 64, ACL_MEM_MALLOC_HUGE_FIRST));
        OK(aclrtPointerGetAttributes(block, &attributes));
        EQ(attributes.location.id, d);
        OK(aclrtFree(block));
        OK(aclrtResetDevice(d));
    }
    CODE(aclrtSetDevice(expected), ACL_ERROR_RT_INVALID_DEVICEID);
    OK(aclFinalize());
    return 0;
}
