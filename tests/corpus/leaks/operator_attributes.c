// rule: handle.leak
// severity: warning
// wrong: the attributes of an operator are created for each run and not destroyed
#include "tensors.h"

enum { ROWS = 8, COLUMNS = 16 };

static void row_sums(Tensor matrix, Tensor rows, aclrtStream stream)
{
    const int64_t axes[] = {1};
    const aclTensorDesc *in[] = {matrix.desc}, *out[] = {rows.desc};
    const aclDataBuffer *inputs[] = {matrix.buffer};
    aclDataBuffer *outputs[] = {rows.buffer};
    aclopAttr *attr = aclopCreateAttr();
    ACL(aclopSetAttrListInt(attr, "axis", 1, axes));
    ACL(aclopCompileAndExecute("SquareSumV1", 1, in, inputs, 1, out, outputs, attr, ACL_ENGINE_SYS, ACL_COMPILE_SYS, NULL, stream));
#ifndef WRONG
    aclopDestroyAttr(attr);
#endif
}

int main(void)
{
    start();
    aclrtStream stream = new_stream();
    Tensor matrix = new_matrix(ROWS, COLUMNS), rows = new_vector(ROWS);
    fill(matrix, 1);
    for (int i = 0; i < 3; i++)
        row_sums(matrix, rows, stream);
    ACL(aclrtSynchronizeStream(stream));
    EXPECT(holds(rows, COLUMNS));
    drop(rows);
    drop(matrix);
    ACL(aclrtDestroyStream(stream));
    return finish();
}
