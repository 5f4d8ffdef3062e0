"""An allocator written in Python that serves a model with dynamic shapes.

    millpond atc --model examples/models/mlp.onnx --framework 5 --input_shape "x:1~64,16" --output mlp
    python examples/python/allocator.py mlp.om

The memory for intermediate tensors comes from the allocator registered on the stream. This allocator caches freed blocks for the
next request of the same size, and counts requests.
"""

import sys
from typing import Dict, List

import numpy

import acl

FLOAT, ND, TO_DEVICE, TO_HOST = 0, 2, 1, 2


def check(*answer):
    """Returns the results of a call without its code, which comes last. Exits if the call failed."""
    *values, code = answer
    if code != 0:
        raise SystemExit(f"error {code}: {acl.get_recent_err_msg()}")
    return values[0] if len(values) == 1 else values


class Block:
    """A block of the allocator. It can be any object; the runtime gets its address by a callback."""

    def __init__(self, address: int, size: int) -> None:
        self.address = address
        self.size = size


class Allocator:
    """Caches blocks by size: as many as were ever in use at once."""

    def __init__(self) -> None:
        self.kept: Dict[int, List[Block]] = {}
        self.asked = self.taken = self.in_use = 0

    def alloc(self, size: int) -> Block:
        size = (size + 511) // 512 * 512
        self.asked += 1
        self.in_use += 1
        if self.kept.get(size):
            return self.kept[size].pop()
        self.taken += 1
        return Block(check(*acl.rt.malloc(size, 0)), size)

    def free(self, block: Block) -> None:
        self.in_use -= 1
        self.kept.setdefault(block.size, []).append(block)

    def close(self) -> None:
        for blocks in self.kept.values():
            for block in blocks:
                check(acl.rt.free(block.address))

    def register(self, stream: int) -> None:
        """Registers the allocator. The registration copies the description, so it is destroyed here."""
        desc = acl.rt.allocator_create_desc()
        check(acl.rt.allocator_set_obj_to_desc(desc, self))
        check(acl.rt.allocator_set_alloc_func_to_desc(desc, Allocator.alloc))
        check(acl.rt.allocator_set_free_func_to_desc(desc, Allocator.free))
        check(acl.rt.allocator_set_alloc_advise_func_to_desc(desc, lambda owner, size, near: owner.alloc(size)))
        check(acl.rt.allocator_set_get_addr_from_block_func_to_desc(desc, lambda block: block.address))
        check(acl.rt.allocator_register(stream, desc))
        check(acl.rt.allocator_destroy_desc(desc))


def run(model: int, stream: int, values: numpy.ndarray) -> numpy.ndarray:
    """Runs the model once, with the rows in `values`."""
    rows = values.shape[0]
    result = numpy.zeros((rows, 8), numpy.float32)
    source = check(*acl.rt.malloc(values.nbytes, 0))
    target = check(*acl.rt.malloc(result.nbytes, 0))
    check(acl.rt.memcpy(source, values.nbytes, acl.util.numpy_to_ptr(values), values.nbytes, TO_DEVICE))

    inputs, outputs = acl.mdl.create_dataset(), acl.mdl.create_dataset()
    given = acl.create_data_buffer(source, values.nbytes)
    got = acl.create_data_buffer(target, result.nbytes)
    check(*acl.mdl.add_dataset_buffer(inputs, given))
    check(*acl.mdl.add_dataset_buffer(outputs, got))
    shape = acl.create_tensor_desc(FLOAT, values.shape, ND)
    check(*acl.mdl.set_dataset_tensor_desc(inputs, shape, 0))

    check(acl.mdl.execute_async(model, inputs, outputs, stream))
    check(acl.rt.synchronize_stream(stream))
    check(acl.rt.memcpy(acl.util.numpy_to_ptr(result), result.nbytes, target, result.nbytes, TO_HOST))

    check(acl.mdl.destroy_dataset(inputs))
    check(acl.mdl.destroy_dataset(outputs))
    check(acl.destroy_data_buffer(given))
    check(acl.destroy_data_buffer(got))
    acl.destroy_tensor_desc(shape)
    check(acl.rt.free(source))
    check(acl.rt.free(target))
    return result


def main() -> None:
    if len(sys.argv) != 2:
        raise SystemExit("usage: allocator.py MODEL.om")
    check(acl.init())
    check(acl.rt.set_device(0))
    stream = check(*acl.rt.create_stream())
    model = check(*acl.mdl.load_from_file(sys.argv[1]))
    allocator = Allocator()
    allocator.register(stream)

    random = numpy.random.default_rng(1)
    for rows in (1, 8, 64, 8, 3, 64, 1):
        before = allocator.asked
        result = run(model, stream, random.random((rows, 16), numpy.float32))
        print(f"{rows:2} rows in, {result.shape[0]:2} rows out: {allocator.asked - before} allocation(s)")

    check(acl.rt.allocator_unregister(stream))
    print(f"allocator: {allocator.asked} calls, {allocator.taken} blocks from the device, {allocator.in_use} in use now")
    allocator.close()
    check(acl.mdl.unload(model))
    check(acl.rt.destroy_stream(stream))
    check(acl.rt.reset_device(0))
    check(acl.finalize())


if __name__ == "__main__":
    main()
