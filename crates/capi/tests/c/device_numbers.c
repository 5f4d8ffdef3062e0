/* Which numbers does a device have? The one that aclrtSetDevice takes, which is the logical one too, and the physical
 * one: its number among all devices of the machine, also those that ASCEND_RT_VISIBLE_DEVICES hides. Here that
 * is "1,3" of four. */
#include "check.h"

int main(void)
{
    static const int32_t physical[] = {1, 3};
    int32_t user, number;
    int64_t value = -1;
    aclrtUuid uuid;

    for (user = 0; user < 2; user++) {
        OK(aclrtGetLogicDevIdByUserDevId(user, &number));
        EQ(number, user);
        OK(aclrtGetUserDevIdByLogicDevId(user, &number));
        EQ(number, user);
        OK(aclrtGetPhyDevIdByLogicDevId(user, &number));
        EQ(number, physical[user]);
        OK(aclrtGetPhyDevIdByUserDevId(user, &number));
        EQ(number, physical[user]);
        OK(aclrtGetLogicDevIdByPhyDevId(physical[user], &number));
        EQ(number, user);
        OK(aclrtGetUserDevIdByPhyDevId(physical[user], &number));
        EQ(number, user);
        OK(aclrtGetDeviceInfo((uint32_t)user, ACL_DEV_ATTR_PHY_CHIP_ID, &value));
        EQ(value, physical[user]);
        /* What it is called does not depend on who else is visible. */
        OK(aclrtDeviceGetUuid(user, &uuid));
        EQ_STR((const char *)uuid.bytes, user == 0 ? "millpond-000001" : "millpond-000003");
    }

    number = 77;
    for (user = -1; user < 6; user += 3) {
        CODE(aclrtGetLogicDevIdByUserDevId(user, &number), ACL_ERROR_RT_INVALID_DEVICEID);
        CODE(aclrtGetUserDevIdByLogicDevId(user, &number), ACL_ERROR_RT_INVALID_DEVICEID);
        CODE(aclrtGetPhyDevIdByLogicDevId(user, &number), ACL_ERROR_RT_INVALID_DEVICEID);
        CODE(aclrtGetPhyDevIdByUserDevId(user, &number), ACL_ERROR_RT_INVALID_DEVICEID);
        CODE(aclrtGetLogicDevIdByPhyDevId(user, &number), ACL_ERROR_RT_INVALID_DEVICEID);
        CODE(aclrtGetUserDevIdByPhyDevId(user, &number), ACL_ERROR_RT_INVALID_DEVICEID);
    }
    EQ(number, 77);
    CODE(aclrtGetLogicDevIdByUserDevId(0, NULL), ACL_ERROR_INVALID_PARAM);
    CODE(aclrtGetUserDevIdByLogicDevId(0, NULL), ACL_ERROR_INVALID_PARAM);
    CODE(aclrtGetPhyDevIdByLogicDevId(0, NULL), ACL_ERROR_INVALID_PARAM);
    CODE(aclrtGetPhyDevIdByUserDevId(0, NULL), ACL_ERROR_INVALID_PARAM);
    CODE(aclrtGetLogicDevIdByPhyDevId(1, NULL), ACL_ERROR_INVALID_PARAM);
    CODE(aclrtGetUserDevIdByPhyDevId(1, NULL), ACL_ERROR_INVALID_PARAM);
    return 0;
}
