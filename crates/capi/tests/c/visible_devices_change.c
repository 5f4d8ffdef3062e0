/* Until when may a program change ASCEND_RT_VISIBLE_DEVICES? Until it uses a device: counting them decides nothing. */
#include "check.h"

static void expect(const char *list, uint32_t expected)
{
    uint32_t count = 99;
    if (list != NULL) {
        setenv("ASCEND_RT_VISIBLE_DEVICES", list, 1);
    } else {
        unsetenv("ASCEND_RT_VISIBLE_DEVICES");
    }
    OK(aclrtGetDeviceCount(&count));
    EQ(count, expected);
}

int main(void)
{
    int32_t number = -1;
    expect(NULL, 4);
    expect("1", 1);
    expect("", 0);
    expect("0,2", 2);
    CODE(aclrtGetPhyDevIdByLogicDevId(2, &number), ACL_ERROR_RT_INVALID_DEVICEID);
    OK(aclrtGetPhyDevIdByLogicDevId(1, &number));
    EQ(number, 2);
    expect("1,2,3", 3);
    OK(aclInit(NULL));
    OK(aclrtSetDevice(2));
    expect("0", 3);
    expect(NULL, 3);
    OK(aclrtGetPhyDevIdByLogicDevId(1, &number));
    EQ(number, 2);
    OK(aclrtResetDevice(2));
    OK(aclFinalize());
    return 0;
}
