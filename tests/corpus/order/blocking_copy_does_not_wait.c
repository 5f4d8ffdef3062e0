// rule: stream.race
// wrong: the result is fetched by a copy that waits for no stream, before the stream was synchronised
#include "tensors.h"

/* A training step: gradient, update, and the loss for the log. */
enum { COUNT = 1024, STEPS = 5 };

static float log_loss(Tensor loss, aclrtStream stream)
{
    float value[COUNT];
#ifdef WRONG
    (void)stream;
#else
    ACL(aclrtSynchronizeStream(stream));
#endif
    download(value, loss.memory, sizeof value);
    return value[0];
}

int main(void)
{
    start();
    aclrtStream stream = new_stream();
    Tensor weights = new_vector(COUNT), gradient = new_vector(COUNT), loss = new_vector(COUNT);
    fill(weights, 1);
    fill(gradient, 0.5f);
    for (int step = 0; step < STEPS; step++) {
        binary("Sub", weights, gradient, weights, stream);
        binary("Mul", weights, weights, loss, stream);
        float expected_weight = 1 - 0.5f * (float)(step + 1);
        EXPECT(log_loss(loss, stream) == expected_weight * expected_weight);
    }
    ACL(aclrtSynchronizeStream(stream));
    drop(loss);
    drop(gradient);
    drop(weights);
    ACL(aclrtDestroyStream(stream));
    return finish();
}
