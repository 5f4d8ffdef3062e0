# What `millpond doctor --torch` has a Python do: one line `name=value` for each thing that worked.
import sys
print("python=%d.%d.%d" % sys.version_info[:3], flush=True)
import torch
print("torch=" + torch.__version__, flush=True)
import torch_npu
print("torch_npu=" + torch_npu.__version__, flush=True)
print("devices=%d" % torch.npu.device_count(), flush=True)
print("name=" + torch.npu.get_device_name(0), flush=True)
print("sum=%s" % (torch.ones(2).npu() + 1).cpu().tolist(), flush=True)
