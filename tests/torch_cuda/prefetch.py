"""A batch is copied on one stream and used on another, with a mistake if one is asked for. It needs no kernels.

    python prefetch.py right|no-record|no-wait [thread]
"""

import json
import sys
import threading

import torch

import millpond.torch

mistake = sys.argv[1]
millpond.torch.enable()
copies = torch.cuda.Stream()
result = torch.empty(1024, device="cuda")
host = torch.zeros(1024).pin_memory()


def work():
    for step in range(3):
        with torch.cuda.stream(copies):
            batch = host.to("cuda", non_blocking=True)
        if mistake != "no-wait":
            torch.cuda.current_stream().wait_stream(copies)
        if mistake != "no-record":
            batch.record_stream(torch.cuda.current_stream())
        result.copy_(batch)  # the use
        del batch  # the free


if sys.argv[2:] == ["thread"]:
    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
else:
    work()
torch.cuda.synchronize()
print(json.dumps({"program": "prefetch", "mistake": mistake, "waits": millpond.torch.statistics()["seen_waits"]}))
