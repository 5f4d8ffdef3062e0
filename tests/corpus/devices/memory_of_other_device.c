// rule: memory.wrong-device
// wrong: a tensor of device 0 is used by an operator on a stream of device 1
// options: --devices 2
#include "tensors.h"

enum { COUNT = 64 };

int main(void)
{
    start();
    Tensor on_first = new_vector(COUNT);
    fill(on_first, 3);
    ACL(aclrtSetDevice(1));
    aclrtStream stream = new_stream();
    Tensor on_second = new_vector(COUNT), out = new_vector(COUNT);
    fill(on_second, 4);
#ifdef WRONG
    add(on_first, on_second, out, stream);
    ACL(aclrtSynchronizeStream(stream));
    EXPECT(holds(out, 7));
#else
    Tensor copy = new_vector(COUNT);
    ACL(aclrtDeviceEnablePeerAccess(0, 0));
    ACL(aclrtMemcpy(copy.memory, copy.size, on_first.memory, on_first.size, ACL_MEMCPY_DEVICE_TO_DEVICE));
    add(copy, on_second, out, stream);
    ACL(aclrtSynchronizeStream(stream));
    EXPECT(holds(out, 7));
    drop(copy);
#endif
    drop(out);
    drop(on_second);
    ACL(aclrtDestroyStream(stream));
    ACL(aclrtResetDevice(1));
    ACL(aclrtSetDevice(0));
    drop(on_first);
    return finish();
}
