/* A folder of operators that were compiled for an NPU: they cannot be read, and the
 * program that announces them runs all the same. */
#include "ops.h"

int main(void)
{
    const float one[4] = {1, 2, 3, 4}, doubled[4] = {2, 4, 6, 8};
    const aclTensorDesc *descs[2], *results[1];
    const aclDataBuffer *inputs[2];
    aclDataBuffer *outputs[1];
    Tensor a, out;

    start();
    a = vector(4, one);
    out = vector(4, NULL);
    descs[0] = descs[1] = a.desc;
    results[0] = out.desc;
    inputs[0] = inputs[1] = a.buffer;
    outputs[0] = out.buffer;
    CODE(aclopExecute("Add", 2, descs, inputs, 1, results, outputs, NULL, NULL), ACL_ERROR_OP_NOT_FOUND);
    OK(aclopSetModelDir(model_path("npu_ops")));
    OK(aclopExecute("Add", 2, descs, inputs, 1, results, outputs, NULL, NULL));
    OK(aclrtSynchronizeStream(NULL));
    floats_are(out, doubled, 4);
    CODE(aclopExecute("Addd", 2, descs, inputs, 1, results, outputs, NULL, NULL), ACL_ERROR_OP_NOT_FOUND);
    MENTIONS("did you mean");
    drop_tensor(a);
    drop_tensor(out);
    stop();
    return 0;
}
