/* How large is one element? The whole table, with the numbers that are no types. */
#include "check.h"

static const struct {
    int type;
    size_t size;
} table[] = {
    {ACL_DT_UNDEFINED, 0},
    {ACL_FLOAT, 4},
    {ACL_FLOAT16, 2},
    {ACL_INT8, 1},
    {ACL_INT32, 4},
    {ACL_UINT8, 1},
    {ACL_INT16, 2},
    {ACL_UINT16, 2},
    {ACL_UINT32, 4},
    {ACL_INT64, 8},
    {ACL_UINT64, 8},
    {ACL_DOUBLE, 8},
    {ACL_BOOL, 1},
    {ACL_STRING, 0},
    {ACL_COMPLEX64, 8},
    {ACL_COMPLEX128, 16},
    {ACL_BF16, 2},
    {ACL_INT4, 1},
    {ACL_UINT1, 1},
    {ACL_COMPLEX32, 4},
    {ACL_HIFLOAT8, 1},
    {ACL_FLOAT8_E5M2, 1},
    {ACL_FLOAT8_E4M3FN, 1},
    {ACL_FLOAT8_E8M0, 1},
    /* The rest is 8, types and other numbers alike. */
    {ACL_FLOAT6_E3M2, 8},
    {ACL_FLOAT6_E2M3, 8},
    {ACL_FLOAT4_E2M1, 8},
    {ACL_FLOAT4_E1M2, 8},
    {5, 8},
    {14, 8},
    {15, 8},
    {28, 8},
    {42, 8},
    {1000, 8},
    {-2, 8},
    {INT32_MAX, 8},
    {INT32_MIN, 8},
};

int main(void)
{
    size_t i;
    for (i = 0; i < sizeof table / sizeof table[0]; i++) {
        size_t size = aclDataTypeSize((aclDataType)table[i].type);
        if (size != table[i].size) {
            fprintf(stderr, "type %d: %zu, expected %zu\n", table[i].type, size, table[i].size);
            return 1;
        }
    }
    return 0;
}
