// rule: memory.out-of-bounds
// wrong: a view of the last rows is one row too long
#include "tensors.h"

enum { ROWS = 10, COLUMNS = 64, LAST = 4 };

int main(void)
{
    start();
    aclrtStream stream = new_stream();
    Tensor all = new_matrix(ROWS, COLUMNS), sums = new_vector(LAST + 1);
    fill(all, 1);
    fill(sums, 0);
#ifdef WRONG
    const int64_t rows = LAST + 1;
#else
    const int64_t rows = LAST;
#endif
    const int64_t dims[] = {rows, COLUMNS};
    Tensor tail = tensor_at((float *)all.memory + (ROWS - LAST) * COLUMNS, 2, dims);
    Tensor out = vector_at(sums.memory, rows);
    const int64_t axis[] = {1};
    const aclTensorDesc *in[] = {tail.desc}, *results[] = {out.desc};
    const aclDataBuffer *inputs[] = {tail.buffer};
    aclDataBuffer *outputs[] = {out.buffer};
    aclopAttr *attr = aclopCreateAttr();
    ACL(aclopSetAttrListInt(attr, "axis", 1, axis));
    if (TRY(aclopCompileAndExecute("SquareSumV1", 1, in, inputs, 1, results, outputs, attr, ACL_ENGINE_SYS, ACL_COMPILE_SYS, NULL, stream)) == 0) {
        ACL(aclrtSynchronizeStream(stream));
        EXPECT(holds(out, COLUMNS));
    }
    aclopDestroyAttr(attr);
    forget(out);
    forget(tail);
    drop(sums);
    drop(all);
    ACL(aclrtDestroyStream(stream));
    return finish();
}
