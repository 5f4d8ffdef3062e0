/* How are half-precision numbers converted? All 65536 of them, both ways. The
 * highest exponent is an ordinary one: there is no infinity and no NaN on the way
 * up, and the largest finite number takes their place on the way down. */
#include "check.h"
#include <math.h>

/* The value of the bits, from the definition. */
static double meaning(unsigned bits)
{
    int exponent = (int)(bits >> 10 & 31);
    int mantissa = (int)(bits & 1023);
    double value = exponent == 0 ? ldexp(mantissa, -24) : ldexp(1024 + mantissa, exponent - 25);
    return bits & 0x8000 ? -value : value;
}

int main(void)
{
    const float tiny = (float)ldexp(1.0, -24);
    unsigned bits;

    for (bits = 0; bits < 65536; bits++) {
        float value = aclFloat16ToFloat((aclFloat16)bits);
        if ((double)value != meaning(bits)) {
            fprintf(stderr, "0x%04x became %.9g, expected %.9g\n", bits, (double)value, meaning(bits));
            return 1;
        }
        EQ(signbit(value) != 0, bits >> 15);
        if ((bits >> 10 & 31) != 31) {
            EQ(aclFloatToFloat16(value), bits);
        } else {
            /* Beyond the largest finite number: held there. */
            EQ(aclFloatToFloat16(value), (bits & 0x8000) | 0x7bff);
        }
    }

    /* The two that are written down. */
    CHECK(aclFloat16ToFloat(0x7c00) == 65536.0f);
    CHECK(aclFloat16ToFloat(0x7e00) == 98304.0f);
    EQ(aclFloatToFloat16(INFINITY), 0x7bff);
    EQ(aclFloatToFloat16(-INFINITY), 0xfbff);
    EQ(aclFloatToFloat16(NAN) & 0x7fff, 0x7bff);
    EQ(aclFloatToFloat16(-NAN) & 0x7fff, 0x7bff);
    EQ(aclFloatToFloat16(65504.0f), 0x7bff);
    EQ(aclFloatToFloat16(1e30f), 0x7bff);
    EQ(aclFloatToFloat16(-1e30f), 0xfbff);
    EQ(aclFloatToFloat16(70000.0f), 0x7bff);

    /* What lies between two numbers goes to one of them; the rounding is not fixed. */
    for (bits = 0; bits < 0x7bff; bits++) {
        float lower = aclFloat16ToFloat((aclFloat16)bits);
        float upper = aclFloat16ToFloat((aclFloat16)(bits + 1));
        unsigned middle = aclFloatToFloat16((lower + upper) / 2);
        CHECK(middle == bits || middle == bits + 1);
    }

    EQ(aclFloatToFloat16(0.0f), 0);
    EQ(aclFloatToFloat16(-0.0f), 0x8000);
    EQ(aclFloatToFloat16(tiny), 1);
    EQ(aclFloatToFloat16(-tiny), 0x8001);
    EQ(aclFloatToFloat16(1e-30f), 0);
    EQ(aclFloatToFloat16(1.0f), 0x3c00);
    return 0;
}
