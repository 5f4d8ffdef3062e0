// rule: memory.host-access
// wrong: the program prints an element of a device tensor by its pointer
#include "tensors.h"

enum { COUNT = 16 };

static float first(Tensor t)
{
#ifdef WRONG
    return ((float *)t.memory)[0];
#else
    float value;
    download(&value, t.memory, sizeof value);
    return value;
#endif
}

int main(void)
{
    start();
    aclrtStream stream = new_stream();
    Tensor x = new_vector(COUNT), y = new_vector(COUNT);
    fill(x, 1.5f);
    add(x, x, y, stream);
    ACL(aclrtSynchronizeStream(stream));
    printf("the first element is %g\n", (double)first(y));
    EXPECT(first(y) == 3);
    drop(y);
    drop(x);
    ACL(aclrtDestroyStream(stream));
    return finish();
}
