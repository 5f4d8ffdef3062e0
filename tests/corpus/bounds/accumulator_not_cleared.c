// rule: memory.uninitialised-read
// wrong: the momentum buffer is allocated in the first step and used without having been cleared
#include "tensors.h"

enum { COUNT = 700, STEPS = 3 };

typedef struct {
    Tensor momentum;
    int ready;
} Optimiser;

static void update(Optimiser *optimiser, Tensor weights, Tensor gradient, aclrtStream stream)
{
    if (!optimiser->ready) {
        optimiser->momentum = new_vector(COUNT);
#ifndef WRONG
        ACL(aclrtMemsetAsync(optimiser->momentum.memory, optimiser->momentum.size, 0, optimiser->momentum.size, stream));
#endif
        optimiser->ready = 1;
    }
    add(optimiser->momentum, gradient, optimiser->momentum, stream);
    binary("Sub", weights, optimiser->momentum, weights, stream);
}

int main(void)
{
    Optimiser optimiser;
    memset(&optimiser, 0, sizeof optimiser);
    start();
    aclrtStream stream = new_stream();
    Tensor weights = new_vector(COUNT), gradient = new_vector(COUNT);
    fill(weights, 10);
    fill(gradient, 1);
    for (int step = 0; step < STEPS; step++)
        update(&optimiser, weights, gradient, stream);
    ACL(aclrtSynchronizeStream(stream));
    EXPECT(holds(weights, 4));
    drop(optimiser.momentum);
    drop(gradient);
    drop(weights);
    ACL(aclrtDestroyStream(stream));
    return finish();
}
