"""Decodes a trace with Perfetto's published schema: `decode_trace.py TRACE WANTED`.

WANTED is JSON: for each device all values of its live bytes, the largest of its reserved bytes, how many named events there are, and
the name, begin and end of each span.
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
# Tracks of spans, with what is open on each: an end ends the slice that began last.
tracks, spans = {}, []
for packet in trace.packet:
    assert packet.trusted_packet_sequence_id == 1, packet
    if packet.HasField("track_descriptor"):
        track = packet.track_descriptor
        if track.HasField("process"):
            devices[track.uuid] = track.process.process_name
        elif not track.HasField("counter"):
            assert track.parent_uuid in devices and track.name.startswith("spans of stream "), track
            assert track.uuid not in tracks, track
            tracks[track.uuid] = []
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
        elif event.type == TrackEvent.TYPE_SLICE_BEGIN:
            tracks[event.track_uuid].append((event.name, packet.timestamp))
            counts += 1
        elif event.type == TrackEvent.TYPE_SLICE_END:
            name, began = tracks[event.track_uuid].pop()
            spans.append([name, began, packet.timestamp])
        else:
            assert event.track_uuid in devices, packet
            assert event.name, packet
            counts += 1
assert live == {device: all for device, all in wanted["live"].items() if all}, live
assert {device: max(all) for device, all in reserved.items()} == wanted["reserved"], reserved
assert counts == wanted["named"], counts
assert sorted(spans) == sorted(wanted["spans"]), (spans, wanted["spans"])
assert sum(len(open_spans) for open_spans in tracks.values()) == wanted["unended"], tracks

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
