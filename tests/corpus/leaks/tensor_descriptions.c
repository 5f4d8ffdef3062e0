// rule: handle.leak
// severity: warning
// wrong: the description of each operator's output is made anew and never destroyed
#include "tensors.h"

enum { COUNT = 64, OPERATORS = 5 };

int main(void)
{
    start();
    aclrtStream stream = new_stream();
    Tensor x = new_vector(COUNT);
    fill(x, 1);
    for (int i = 0; i < OPERATORS; i++) {
        Tensor view = vector_at(x.memory, COUNT);
        add(x, x, view, stream);
#ifdef WRONG
        ACL(aclDestroyDataBuffer(view.buffer));
#else
        forget(view);
#endif
    }
    ACL(aclrtSynchronizeStream(stream));
    EXPECT(holds(x, 32));
    drop(x);
    ACL(aclrtDestroyStream(stream));
    return finish();
}
