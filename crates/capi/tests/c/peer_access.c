/* Access between devices: from the current device to another one, in one direction, counted once. Runs with MILLPOND_DEVICES=3. */
#include "check.h"

static int32_t status_of(int32_t device, int32_t peer)
{
    int32_t status = 77;
    OK(aclrtDevicePeerAccessStatus(device, peer, &status));
    return status;
}

int main(void)
{
    int32_t can = 77;

    OK(aclInit(NULL));
    /* Which devices reach each other can be asked before any is used. */
    OK(aclrtDeviceCanAccessPeer(&can, 0, 2));
    EQ(can, 1);
    OK(aclrtDeviceCanAccessPeer(&can, 2, 0));
    EQ(can, 1);
    OK(aclrtDeviceCanAccessPeer(&can, 1, 1));
    EQ(can, 0);
    can = 77;
    CODE(aclrtDeviceCanAccessPeer(&can, 0, 3), ACL_ERROR_RT_INVALID_DEVICEID);
    CODE(aclrtDeviceCanAccessPeer(&can, -1, 0), ACL_ERROR_RT_INVALID_DEVICEID);
    CODE(aclrtDeviceCanAccessPeer(NULL, 0, 1), ACL_ERROR_INVALID_PARAM);
    EQ(can, 77);
    CODE(aclrtDeviceEnablePeerAccess(1, 0), ACL_ERROR_RT_CONTEXT_NULL);

    OK(aclrtSetDevice(0));
    CODE(aclrtDeviceEnablePeerAccess(0, 0), ACL_ERROR_INVALID_PARAM);
    CODE(aclrtDeviceEnablePeerAccess(3, 0), ACL_ERROR_RT_INVALID_DEVICEID);
    CODE(aclrtDeviceEnablePeerAccess(1, 1), ACL_ERROR_INVALID_PARAM);
    CODE(aclrtDeviceDisablePeerAccess(1), ACL_ERROR_INVALID_PARAM);
    EQ(status_of(0, 1), 0);
    OK(aclrtDeviceEnablePeerAccess(1, 0));
    OK(aclrtDeviceEnablePeerAccess(1, 0));
    EQ(status_of(0, 1), 1);
    EQ(status_of(1, 0), 0);
    EQ(status_of(0, 2), 0);
    CODE(aclrtDevicePeerAccessStatus(0, 3, &can), ACL_ERROR_RT_INVALID_DEVICEID);
    CODE(aclrtDevicePeerAccessStatus(0, 1, NULL), ACL_ERROR_INVALID_PARAM);

    /* The other direction is the other device's. */
    OK(aclrtSetDevice(1));
    OK(aclrtDeviceEnablePeerAccess(0, 0));
    OK(aclrtSetDevice(0));
    OK(aclrtDeviceDisablePeerAccess(1));
    EQ(status_of(0, 1), 0);
    EQ(status_of(1, 0), 1);
    CODE(aclrtDeviceDisablePeerAccess(1), ACL_ERROR_INVALID_PARAM);
    OK(aclrtSetDevice(1));
    OK(aclrtDeviceDisablePeerAccess(0));
    OK(aclrtResetDevice(1));
    OK(aclrtResetDevice(0));
    OK(aclFinalize());
    return 0;
}
