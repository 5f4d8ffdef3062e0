// rule: memory.freed-in-use
// wrong: the helper that scales a tensor drops its constant while the operator may not have run
#include "tensors.h"

enum { COUNT = 900 };

static void scale(Tensor x, float factor, aclrtStream stream)
{
    Tensor constant = new_vector(COUNT);
    fill(constant, factor);
    binary("Mul", x, constant, x, stream);
#ifndef WRONG
    ACL(aclrtSynchronizeStream(stream));
#endif
    drop(constant);
}

int main(void)
{
    start();
    aclrtStream stream = new_stream();
    Tensor x = new_vector(COUNT);
    fill(x, 1);
    for (int i = 0; i < 4; i++)
        scale(x, 2, stream);
    ACL(aclrtSynchronizeStream(stream));
    EXPECT(holds(x, 16));
    drop(x);
    ACL(aclrtDestroyStream(stream));
    return finish();
}
