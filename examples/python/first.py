"""A first program: copies bytes to the device, changes them there and copies them back. Every call is checked."""

import acl

HUGE_FIRST, TO_DEVICE, TO_HOST = 0, 1, 2
BYTES = 1024


def check(*answer):
    """Returns the results of a call without its code, which comes last. Exits if the call failed."""
    *values, code = answer
    if code != 0:
        raise SystemExit(f"error {code}: {acl.get_recent_err_msg()}")
    return values[0] if len(values) == 1 else values


check(acl.init())
check(acl.rt.set_device(0))
stream = check(*acl.rt.create_stream())

sent, received = bytes([7]) * BYTES, bytearray(BYTES)
block = check(*acl.rt.malloc_align32(BYTES, HUGE_FIRST))
check(acl.rt.memcpy_async(block, BYTES, acl.util.bytes_to_ptr(sent), BYTES, TO_DEVICE, stream))
check(acl.rt.memset_async(block, BYTES, 9, BYTES // 2, stream))
check(acl.rt.memcpy_async(acl.util.bytes_to_ptr(received), BYTES, block, BYTES, TO_HOST, stream))
check(acl.rt.synchronize_stream(stream))
print(f"{received.count(9)} bytes are 9 and {received.count(7)} are 7")

check(acl.rt.free(block))
check(acl.rt.destroy_stream(stream))
check(acl.rt.reset_device(0))
check(acl.finalize())
