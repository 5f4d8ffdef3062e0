"""Decodes a trace with Perfetto's published schema: `decode_trace.py TRACE WANTED`.

WANTED is JSON: for each device all values of its live bytes, the largest of its reserved bytes, and how many named events there are.
Where Perfetto's trace processor is installed, it must find the same.
"""

import json
import shutil
import subprocess
import sys
import tempfile

from perfetto.protos.perfetto.trace.perfetto_trace_pb2 import Trace, TrackEvent

trace = Trace()
with open(sys.argv[1], "rb") as file:
    trace.ParseFromString(file.read())
with open(sys.argv[2]) as file:
    wanted = json.load(file)
devices, counters, counts, last = {}, {}, 0, 0
live, reserved = {}, {}
for packet in trace.packet:
    assert packet.trusted_packet_sequence_id == 1, packet
    if packet.HasField("track_descriptor"):
        track = packet.track_descriptor
        if track.HasField("process"):
            devices[track.uuid] = track.process.process_name
        else:
            assert track.counter.unit == track.counter.UNIT_SIZE_BYTES, track
            counters[track.uuid] = (devices[track.parent_uuid], track.name)
    else:
        event = packet.track_event
        assert packet.timestamp >= last, packet
        last = packet.timestamp
        if event.type == TrackEvent.TYPE_COUNTER:
            device, name = counters[event.track_uuid]
            values = {"live bytes": live, "reserved bytes": reserved}[name]
            values.setdefault(device, []).append(event.counter_value)
        else:
            assert event.track_uuid in devices, packet
            if event.type != TrackEvent.TYPE_SLICE_END:
                assert event.name, packet
                counts += 1
assert live == {device: all for device, all in wanted["live"].items() if all}, live
assert {device: max(all) for device, all in reserved.items()} == wanted["reserved"], reserved
assert counts == wanted["named"], counts

processor = shutil.which("trace_processor_shell") or shutil.which("trace_processor")
if processor is None:
    print("skipped: Perfetto's trace processor is not installed", file=sys.stderr)
    sys.exit()
with tempfile.NamedTemporaryFile("w", suffix=".sql") as query:
    query.write("select max(value) as most from counter join counter_track on counter.track_id = counter_track.id "
                "where counter_track.name = 'live bytes';")
    query.flush()
    answer = subprocess.run([processor, "-q", query.name, sys.argv[1]], check=True, capture_output=True, text=True).stdout
most = max((value for all in live.values() for value in all), default=None)
if most is not None:
    assert float(answer.split()[-1].strip('"')) == most, (answer, most)
