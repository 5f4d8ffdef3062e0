/* What may be put into a set of attributes, and what is refused? Eleven kinds of
 * values, each with its wrong arguments; and options of compiling. */
#include "check.h"

#include <acl/acl_op_compiler.h>

static void every_kind(void)
{
    const uint8_t bools[] = {0, 1, 7};
    const int64_t ints[] = {INT64_MIN, 0, INT64_MAX};
    const float floats[] = {0.5f, -1.0f};
    const aclDataType types[] = {ACL_FLOAT, ACL_BF16};
    const char *texts[] = {"one", "", "three"};
    const int lengths[] = {2, 0, 1};
    const int64_t *const lists[] = {ints, NULL, ints};
    aclopAttr *attr = aclopCreateAttr();

    CHECK(attr != NULL);
    OK(aclopSetAttrBool(attr, "bool", 1));
    OK(aclopSetAttrInt(attr, "int", -7));
    OK(aclopSetAttrFloat(attr, "float", 0.25f));
    OK(aclopSetAttrString(attr, "string", "text"));
    OK(aclopSetAttrDataType(attr, "type", ACL_FLOAT16));
    OK(aclopSetAttrListDataType(attr, "types", 2, types));
    OK(aclopSetAttrListBool(attr, "bools", 3, bools));
    OK(aclopSetAttrListInt(attr, "ints", 3, ints));
    OK(aclopSetAttrListFloat(attr, "floats", 2, floats));
    OK(aclopSetAttrListString(attr, "strings", 3, texts));
    OK(aclopSetAttrListListInt(attr, "lists", 3, lengths, lists));

    /* A name that is there gets the new value, of whatever kind. */
    OK(aclopSetAttrInt(attr, "bool", 3));
    /* Nothing is a list too. */
    OK(aclopSetAttrListInt(attr, "none", 0, NULL));
    OK(aclopSetAttrListString(attr, "none", 0, NULL));
    OK(aclopSetAttrListListInt(attr, "none", 0, NULL, NULL));
    aclopDestroyAttr(attr);
    aclopDestroyAttr(NULL);
}

static void bad_arguments(void)
{
    const uint8_t bools[] = {0};
    const int64_t ints[] = {1};
    const float floats[] = {1};
    const aclDataType types[] = {ACL_FLOAT};
    const char *texts[] = {"one", NULL};
    const int lengths[] = {1, -1};
    const int64_t *const lists[] = {ints, NULL};
    aclopAttr *attr = aclopCreateAttr();

    CODE(aclopSetAttrBool(NULL, "x", 1), ACL_ERROR_INVALID_PARAM);
    MENTIONS("attr");
    CODE(aclopSetAttrBool(attr, NULL, 1), ACL_ERROR_INVALID_PARAM);
    MENTIONS("attrName");
    CODE(aclopSetAttrInt(NULL, "x", 1), ACL_ERROR_INVALID_PARAM);
    CODE(aclopSetAttrInt(attr, NULL, 1), ACL_ERROR_INVALID_PARAM);
    CODE(aclopSetAttrFloat(NULL, "x", 1), ACL_ERROR_INVALID_PARAM);
    CODE(aclopSetAttrFloat(attr, NULL, 1), ACL_ERROR_INVALID_PARAM);
    CODE(aclopSetAttrString(NULL, "x", "y"), ACL_ERROR_INVALID_PARAM);
    CODE(aclopSetAttrString(attr, NULL, "y"), ACL_ERROR_INVALID_PARAM);
    CODE(aclopSetAttrString(attr, "x", NULL), ACL_ERROR_INVALID_PARAM);
    MENTIONS("attrValue");
    CODE(aclopSetAttrDataType(NULL, "x", ACL_FLOAT), ACL_ERROR_INVALID_PARAM);
    CODE(aclopSetAttrDataType(attr, NULL, ACL_FLOAT), ACL_ERROR_INVALID_PARAM);
    CODE(aclopSetAttrListDataType(attr, NULL, 1, types), ACL_ERROR_INVALID_PARAM);
    CODE(aclopSetAttrListDataType(attr, "x", -1, types), ACL_ERROR_INVALID_PARAM);
    CODE(aclopSetAttrListDataType(attr, "x", 1, NULL), ACL_ERROR_INVALID_PARAM);
    CODE(aclopSetAttrListBool(attr, NULL, 1, bools), ACL_ERROR_INVALID_PARAM);
    CODE(aclopSetAttrListBool(attr, "x", -1, bools), ACL_ERROR_INVALID_PARAM);
    CODE(aclopSetAttrListBool(attr, "x", 1, NULL), ACL_ERROR_INVALID_PARAM);
    CODE(aclopSetAttrListInt(attr, NULL, 1, ints), ACL_ERROR_INVALID_PARAM);
    CODE(aclopSetAttrListInt(attr, "x", -1, ints), ACL_ERROR_INVALID_PARAM);
    MENTIONS("numValues");
    CODE(aclopSetAttrListInt(attr, "x", 1, NULL), ACL_ERROR_INVALID_PARAM);
    CODE(aclopSetAttrListFloat(attr, NULL, 1, floats), ACL_ERROR_INVALID_PARAM);
    CODE(aclopSetAttrListFloat(attr, "x", -1, floats), ACL_ERROR_INVALID_PARAM);
    CODE(aclopSetAttrListFloat(attr, "x", 1, NULL), ACL_ERROR_INVALID_PARAM);
    CODE(aclopSetAttrListString(attr, NULL, 1, texts), ACL_ERROR_INVALID_PARAM);
    CODE(aclopSetAttrListString(attr, "x", -1, texts), ACL_ERROR_INVALID_PARAM);
    CODE(aclopSetAttrListString(attr, "x", 1, NULL), ACL_ERROR_INVALID_PARAM);
    CODE(aclopSetAttrListString(attr, "x", 2, texts), ACL_ERROR_INVALID_PARAM);
    CODE(aclopSetAttrListListInt(attr, NULL, 1, lengths, lists), ACL_ERROR_INVALID_PARAM);
    CODE(aclopSetAttrListListInt(attr, "x", -1, lengths, lists), ACL_ERROR_INVALID_PARAM);
    CODE(aclopSetAttrListListInt(attr, "x", 1, NULL, lists), ACL_ERROR_INVALID_PARAM);
    CODE(aclopSetAttrListListInt(attr, "x", 1, lengths, NULL), ACL_ERROR_INVALID_PARAM);
    CODE(aclopSetAttrListListInt(attr, "x", 2, lengths, lists), ACL_ERROR_INVALID_PARAM);

    /* One that is gone, and something else. */
    aclopDestroyAttr(attr);
    FAILS(aclopSetAttrInt(attr, "x", 1));
    MENTIONS("destroyed");
    aclopDestroyAttr(attr);
    attr = (aclopAttr *)(void *)texts;
    FAILS(aclopSetAttrInt(attr, "x", 1));
    aclopDestroyAttr(attr);
    (void)aclGetRecentErrMsg();
}

static void options(void)
{
    char text[64];

    /* As programs ask for it before anything else. */
    EQ(aclGetCompileoptSize(ACL_OP_JIT_COMPILE), sizeof "disable");
    OK(aclGetCompileopt(ACL_OP_JIT_COMPILE, text, sizeof text));
    EQ_STR(text, "disable");
    OK(aclGetCompileopt(ACL_OP_JIT_COMPILE, text, sizeof "disable"));
    CODE(aclGetCompileopt(ACL_OP_JIT_COMPILE, text, sizeof "disable" - 1), ACL_ERROR_INVALID_PARAM);
    CODE(aclGetCompileopt(ACL_OP_JIT_COMPILE, NULL, 8), ACL_ERROR_INVALID_PARAM);

    OK(aclSetCompileopt(ACL_OP_JIT_COMPILE, "enable"));
    OK(aclGetCompileopt(ACL_OP_JIT_COMPILE, text, sizeof text));
    EQ_STR(text, "enable");
    CODE(aclSetCompileopt(ACL_OP_JIT_COMPILE, "perhaps"), ACL_ERROR_INVALID_PARAM);
    MENTIONS("enable");
    /* An empty text changes nothing. */
    OK(aclSetCompileopt(ACL_OP_JIT_COMPILE, ""));
    OK(aclGetCompileopt(ACL_OP_JIT_COMPILE, text, sizeof text));
    EQ_STR(text, "enable");
    OK(aclSetCompileopt(ACL_OP_JIT_COMPILE, "disable"));

    OK(aclSetCompileopt(ACL_PRECISION_MODE, "allow_fp32_to_fp16"));
    EQ(aclGetCompileoptSize(ACL_PRECISION_MODE), sizeof "allow_fp32_to_fp16");
    EQ(aclGetCompileoptSize(ACL_DEBUG_DIR), 1);
    OK(aclGetCompileopt(ACL_DEBUG_DIR, text, 1));
    EQ_STR(text, "");
    CODE(aclSetCompileopt(ACL_PRECISION_MODE, NULL), ACL_ERROR_INVALID_PARAM);
    CODE(aclSetCompileopt((aclCompileOpt)17, "x"), ACL_ERROR_INVALID_PARAM);
    CODE(aclSetCompileopt((aclCompileOpt)-1, "x"), ACL_ERROR_INVALID_PARAM);
    EQ(aclGetCompileoptSize((aclCompileOpt)17), 0);
    CODE(aclGetCompileopt((aclCompileOpt)17, text, sizeof text), ACL_ERROR_INVALID_PARAM);

    OK(aclopSetCompileFlag(ACL_OP_COMPILE_FUZZ));
    OK(aclopSetCompileFlag(ACL_OP_COMPILE_DEFAULT));
    CODE(aclopSetCompileFlag((aclOpCompileFlag)2), ACL_ERROR_INVALID_PARAM);
}

int main(void)
{
    every_kind();
    bad_arguments();
    options();
    return 0;
}
